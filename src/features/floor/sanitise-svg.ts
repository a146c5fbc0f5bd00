import { type SaxesAttributeNS, SaxesParser, type SaxesTagNS } from 'saxes';
import { limits } from '../../domain/limits.ts';
import { invalid, Refused } from '../../domain/refusal.ts';
import { oneLine } from '../../lib/one-line.ts';
import { Pace } from '../../lib/pace.ts';
import { SvgReferences } from './svg-references.ts';
import { cleanAttribute, cleanClasses, elementNames, textElements } from './svg-rules.ts';
import { type SvgSize, svgSizeOf } from './svg-size.ts';
import { cleanSheet, cleanStyle } from './svg-style.ts';
import { SvgWriter } from './svg-writer.ts';

/** A drawing that only draws. */
export interface CleanSvg extends Omit<SvgSize, 'viewBox'> {
  /** UTF-8. */
  readonly bytes: Buffer;
  /** Elements, attributes and rules of style that were left out. */
  readonly dropped: number;
}

const CHUNK_BYTES = 8 * 1024;
/** A longer text in one element is left out: writing it would hold the event loop. */
const TEXT_MAX_LENGTH = 64 * 1024;
const DEPTH_MAX = 100;
const ELEMENTS_MAX = 100_000;
const ATTRIBUTES_MAX = 200;
const SVG = 'http://www.w3.org/2000/svg';
const XLINK = 'http://www.w3.org/1999/xlink';

/**
 * Writes an SVG anew from what is known to be harmless: shapes, text, gradients, references within the file. Scripts,
 * animations, links, images, foreign content and everything unknown is left out. Cleaning what was cleaned changes nothing.
 * Refuses (400) what is no SVG, has no size, declares entities, or would be too much to draw.
 */
export async function sanitiseSvg(bytes: Uint8Array): Promise<CleanSvg> {
  const cleaner = new Cleaner();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const pace = new Pace();
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    const chunk = bytes.subarray(at, at + CHUNK_BYTES);
    cleaner.write(decoded(decoder, chunk, at + CHUNK_BYTES < bytes.length));
    if (pace.due) await pace.pause();
  }
  return cleaner.end();
}

function decoded(
  decoder: Pick<InstanceType<typeof TextDecoder>, 'decode'>,
  chunk: Uint8Array,
  stream: boolean,
): string {
  try {
    return decoder.decode(chunk, { stream });
  } catch {
    throw invalid('The SVG is not UTF-8.');
  }
}

class Cleaner {
  readonly #parser = new SaxesParser({
    xmlns: true,
    position: true,
    forceXMLVersion: true,
    defaultXMLVersion: '1.0',
  });
  readonly #writer = new SvgWriter();
  readonly #references = new SvgReferences();
  /** Names as written of the elements that are open and kept. */
  readonly #open: string[] = [];
  /** Elements open within one that is left out, itself included. */
  #skipped = 0;
  #elements = 0;
  #attributes = 0;
  #dropped = 0;
  #sheet = '';
  #size: SvgSize | null = null;

  constructor() {
    const parser = this.#parser;
    parser.on('error', (error) => {
      throw error;
    });
    parser.on('doctype', (text) => this.#doctype(text));
    parser.on('attribute', () => this.#countAttribute());
    parser.on('opentag', (tag) => this.#openTag(tag));
    parser.on('text', (text) => this.#text(text));
    parser.on('cdata', (text) => this.#text(text));
    parser.on('closetag', () => this.#closeTag());
  }

  write(text: string): void {
    try {
      this.#parser.write(text);
    } catch (error) {
      throw refusalOf(error);
    }
  }

  async end(): Promise<CleanSvg> {
    try {
      this.#parser.close();
    } catch (error) {
      throw refusalOf(error);
    }
    await this.#references.check();
    const { width, height } = this.#size ?? svgSizeOf(new Map());
    return { bytes: this.#writer.bytes(), width, height, dropped: this.#dropped };
  }

  // Those of old drawing programs name a public one, which says nothing; what they declare themselves is never looked at.
  #doctype(text: string): void {
    if (text.includes('[')) throw invalid('The SVG declares entities; save it without a DOCTYPE.');
    this.#dropped++;
  }

  // Told one by one, before the element is: an element with a million of them would hold the event loop.
  #countAttribute(): void {
    if (++this.#attributes > ATTRIBUTES_MAX)
      throw invalid(`An element of the SVG has more than ${ATTRIBUTES_MAX} attributes.`);
  }

  #openTag(tag: SaxesTagNS): void {
    this.#attributes = 0;
    if (++this.#elements > ELEMENTS_MAX) throw invalid(`The SVG has more than ${ELEMENTS_MAX} elements.`);
    if (this.#open.length + this.#skipped >= DEPTH_MAX)
      throw invalid(`The SVG is nested deeper than ${DEPTH_MAX} elements.`);
    const isOwn = tag.uri === SVG || tag.uri === '';
    if (this.#open.length === 0 && !(isOwn && tag.local === 'svg'))
      throw invalid(`The file is no SVG: it begins with ${oneLine(tag.name, 50)}.`);
    const name = isOwn && this.#open.at(-1) !== 'style' ? elementNames.get(tag.local) : undefined;
    if (this.#skipped > 0 || name === undefined) {
      if (this.#skipped++ === 0) this.#dropped++;
      return;
    }
    this.#keep(name, Object.values(tag.attributes));
  }

  #keep(name: string, attributes: readonly SaxesAttributeNS[]): void {
    const isRoot = this.#open.length === 0;
    this.#open.push(name);
    const { kept, ...names } = this.#attributesOf(attributes);
    if (isRoot) this.#keepSize(kept, attributes);
    this.#references.open(names);
    // Its content decides whether it is written at all.
    if (name === 'style') this.#sheet = '';
    else this.#writer.open(name, isRoot ? [['xmlns', SVG], ...kept] : kept);
    if (this.#writer.length > 2 * limits.planMaxBytes)
      throw invalid('The SVG is too large once it is cleaned.');
  }

  #keepSize(kept: Map<string, string>, attributes: readonly SaxesAttributeNS[]): void {
    const told = attributes
      .filter(({ uri }) => uri === '')
      .map(({ local, value }) => [local, value] as const);
    this.#size = svgSizeOf(new Map(told));
    for (const name of ['x', 'y']) kept.delete(name);
    kept.set('width', String(this.#size.width));
    kept.set('height', String(this.#size.height));
    kept.set('viewBox', this.#size.viewBox);
  }

  #attributesOf(attributes: readonly SaxesAttributeNS[]) {
    const kept = new Map<string, string>();
    const targets: string[] = [];
    let classes: readonly string[] = [];
    for (const { prefix, uri, local, value } of attributes) {
      if (prefix === 'xmlns' || (prefix === '' && local === 'xmlns')) continue;
      const isHref = uri === XLINK && local === 'href';
      // What editors keep for themselves draws nothing.
      if (uri !== '' && !isHref) continue;
      if (local === 'style') this.#keepStyle(value, { kept, targets });
      else if (local === 'class') {
        classes = cleanClasses(value);
        if (classes.length > 0) kept.set('class', classes.join(' '));
        else this.#dropped++;
      } else this.#keepAttribute([local, value], { kept, targets });
    }
    return { kept, id: kept.get('id') ?? null, targets, classes };
  }

  #keepStyle(value: string, { kept, targets }: Kept): void {
    const style = cleanStyle(value);
    this.#dropped += style.dropped;
    if (style.text !== '') kept.set('style', style.text);
    targets.push(...style.targets);
  }

  #keepAttribute([name, value]: readonly [string, string], { kept, targets }: Kept): void {
    const clean = cleanAttribute(name, value);
    if (!clean || kept.has(name)) {
      this.#dropped++;
      return;
    }
    kept.set(name, clean.value);
    if (clean.target !== null) targets.push(clean.target);
  }

  #text(text: string): void {
    const inside = this.#open.at(-1);
    if (this.#skipped > 0 || inside === undefined || !textElements.has(inside)) return;
    if (inside === 'style') this.#sheet += text;
    else if (text.length <= TEXT_MAX_LENGTH) this.#writer.text(text);
    else this.#dropped++;
  }

  #closeTag(): void {
    if (this.#skipped > 0) {
      this.#skipped--;
      return;
    }
    const name = this.#open.pop() ?? '';
    this.#references.close();
    if (name === 'style') this.#keepSheet();
    else this.#writer.close(name);
  }

  #keepSheet(): void {
    const sheet = cleanSheet(this.#sheet);
    this.#dropped += sheet.dropped;
    if (sheet.text === '') return;
    this.#references.sheet(sheet.targets);
    this.#writer.open('style', []);
    this.#writer.text(sheet.text);
    this.#writer.close('style');
  }
}

interface Kept {
  readonly kept: Map<string, string>;
  readonly targets: string[];
}

function refusalOf(error: unknown): unknown {
  if (error instanceof Refused || !(error instanceof Error)) return error;
  return invalid(`The SVG cannot be read: ${oneLine(error.message, 200)}`);
}
