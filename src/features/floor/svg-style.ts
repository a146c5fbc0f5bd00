import { classOfSelector, cleanProperty } from './svg-rules.ts';

/** Declarations as they may be written: `fill:#fff;stroke:url(#a)`. */
export interface CleanStyle {
  readonly text: string;
  /** Ids of the elements they refer to. */
  readonly targets: readonly string[];
  /** How many were left out. */
  readonly dropped: number;
}

/** A style sheet as it may be written. */
export interface CleanSheet {
  readonly text: string;
  /** Which elements a class refers to. */
  readonly targets: ReadonlyMap<string, readonly string[]>;
  readonly dropped: number;
}

/** A longer sheet is left out as a whole: looking at it would hold the event loop. */
const SHEET_MAX_LENGTH = 64 * 1024;
const STYLE_MAX_LENGTH = 16 * 1024;
const DECLARATION_MAX_LENGTH = 2000;
const IMPORTANT = /!\s*important$/i;

/** Keeps the declarations of known properties whose values are harmless. */
export function cleanStyle(style: string): CleanStyle {
  const kept: string[] = [];
  const targets: string[] = [];
  if (style.length > STYLE_MAX_LENGTH) return { text: '', targets, dropped: 1 };
  let dropped = 0;
  for (const one of style.split(';')) {
    const colon = one.indexOf(':');
    const name = one.slice(0, Math.max(0, colon)).trim().toLowerCase();
    const value = one
      .slice(colon + 1)
      .slice(0, DECLARATION_MAX_LENGTH + 1)
      .trim()
      .replace(IMPORTANT, '');
    const isShort = one.length <= DECLARATION_MAX_LENGTH;
    const clean = name === '' || !isShort ? null : cleanProperty(name, value);
    if (clean?.value) kept.push(`${name}:${clean.value}`);
    else if (one.trim() !== '') dropped++;
    if (clean?.value && clean.target !== null) targets.push(clean.target);
  }
  return { text: kept.join(';'), targets, dropped };
}

/**
 * Keeps the rules for single classes (`.wall`, `.wall,.door`), which is how drawing programs write them. At-rules, other
 * selectors and whatever is no style sheet are left out.
 */
export function cleanSheet(sheet: string): CleanSheet {
  const targets = new Map<string, string[]>();
  if (sheet.length > SHEET_MAX_LENGTH) return { text: '', targets, dropped: 1 };
  const css = withoutComments(sheet);
  let text = '';
  let dropped = 0;
  for (const { prelude, body } of blocksOf(css)) {
    const selectors = prelude.split(',').map((one) => classOfSelector(one.trim()));
    const classes = selectors.filter((one) => one !== null);
    const style = cleanStyle(body);
    dropped += selectors.length - classes.length + (classes.length > 0 ? style.dropped : 0);
    if (classes.length === 0 || style.text === '') continue;
    text += `${classes.map((one) => `.${one}`).join(',')}{${style.text}}`;
    for (const one of classes) {
      const known = targets.get(one);
      if (known) known.push(...style.targets);
      else targets.set(one, [...style.targets]);
    }
  }
  return { text, targets, dropped };
}

interface Block {
  readonly prelude: string;
  readonly body: string;
}

/** What stands before braces and within them. What has no braces is a block without body. */
function* blocksOf(css: string): Generator<Block> {
  let at = 0;
  while (at < css.length) {
    const next = css.slice(at).search(/[{;]/);
    const open = next < 0 ? css.length : at + next;
    const prelude = css.slice(at, open).trim();
    const isBlock = css[open] === '{';
    const end = isBlock ? closingBrace(css, open) : open;
    const body = css.slice(open + 1, end);
    if (prelude !== '' || isBlock) yield { prelude, body: isBlock ? body : '' };
    at = end + 1;
  }
}

function closingBrace(css: string, open: number): number {
  let depth = 0;
  for (let i = open; i < css.length; i++) {
    if (css[i] === '{') depth++;
    else if (css[i] === '}' && --depth === 0) return i;
  }
  return css.length;
}

function withoutComments(css: string): string {
  let kept = '';
  let at = 0;
  for (let open = css.indexOf('/*'); open >= 0; open = css.indexOf('/*', at)) {
    kept += `${css.slice(at, open)} `;
    const end = css.indexOf('*/', open + 2);
    at = end < 0 ? css.length : end + 2;
  }
  return kept + css.slice(at);
}
