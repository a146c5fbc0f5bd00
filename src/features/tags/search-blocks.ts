import { addToFilter, FILTER_BYTES, mayHold, type Needle, type Part, placeIn } from './search-needle.ts';
import { fieldAt, nextValue, type TextDraft } from './search-text.ts';

/** A block is what one step of a search looks through. */
export const TAGS_PER_BLOCK = 64;
const BLOCKS_PER_CHUNK = 1024;
const BOUNDS = TAGS_PER_BLOCK + 1;
/** After so many changes a filter is made anew: until then it keeps what the texts before had. */
const CHANGES_PER_FILTER = 16;

const nothing = Buffer.alloc(0);

/** Blocks side by side, so that a look at every filter runs through memory in order. */
interface Chunk {
  readonly texts: Buffer[];
  /** Where each tag's text begins in its block's, and where the last one ends. */
  readonly starts: Uint32Array;
  readonly filters: Uint8Array;
  readonly changes: Uint8Array;
}

/**
 * The searchable text of all tags outside the heap, by tag number in blocks: the text itself with three bytes for each
 * value, and 20 bytes a tag for the bounds and the filter that tells blocks which can't hold a needle. With a 24-digit EPC
 * and five short values, that is 100 bytes a tag.
 */
export class SearchBlocks {
  readonly #chunks: Chunk[] = [];
  readonly #isGone: (fieldNo: number) => boolean;
  #count = 0;

  /** `isGone`: which fields' values count as not there, although they still are. */
  constructor(isGone: (fieldNo: number) => boolean) {
    this.#isGone = isGone;
  }

  /** One more than the highest block that ever had a text. */
  get count(): number {
    return this.#count;
  }

  /** The share of the blocks that may hold the needle, from 0 to 1, told from `asked` of them, evenly spread. */
  share(needle: Needle, asked: number): number {
    const step = Math.max(1, Math.floor(this.#count / asked));
    let [some, all] = [0, 0];
    for (let block = step - 1; block < this.#count; block += step) {
      const { chunk, nth } = this.#place(block);
      if (mayHold(chunk.filters, nth * FILTER_BYTES, needle)) some++;
      all++;
    }
    return some / Math.max(1, all);
  }

  /** Calls `found` with every tag of the block whose text holds the needle, in order. */
  find(block: number, needle: Needle, found: (tagNo: number) => void): void {
    const { chunk, nth } = this.#place(block);
    if (!mayHold(chunk.filters, nth * FILTER_BYTES, needle)) return;
    const { starts } = chunk;
    const text = chunk.texts[nth] ?? nothing;
    const first = nth * BOUNDS;
    let index = 0;
    for (let at = text.indexOf(needle.bytes); at >= 0; ) {
      while ((starts[first + index + 1] ?? 0) <= at) index++;
      const isLive = !this.#isGone(fieldAt(text, at));
      if (isLive) found(block * TAGS_PER_BLOCK + index);
      const next = isLive ? (starts[first + index + 1] ?? 0) : nextValue(text, at, text.length);
      // From the end of a text, an empty stretch would be searched from its beginning again.
      at = next < text.length ? text.indexOf(needle.bytes, next) : -1;
    }
  }

  /** Whether the tag's text holds the needle. */
  has(tagNo: number, needle: Needle): boolean {
    const { text, from, to } = this.#textOf(tagNo);
    for (let start = from; start < to; ) {
      const at = placeIn({ text, from: start, to }, needle);
      if (at < 0) return false;
      if (!this.#isGone(fieldAt(text, at))) return true;
      start = nextValue(text, at, to);
    }
    return false;
  }

  /** The tag's EPC in lower case; undefined when it has no text. */
  epcOf(tagNo: number): string | undefined {
    const { text, from, to } = this.#textOf(tagNo);
    return from < to ? text.toString('latin1', from + 1, nextValue(text, from, to)) : undefined;
  }

  /** Whether there is any value in the tag's text besides the EPC, with which it begins. */
  hasValues(tagNo: number): boolean {
    const { text, from, to } = this.#textOf(tagNo);
    for (let at = nextValue(text, from, to); at < to; at = nextValue(text, at, to))
      if (!this.#isGone(fieldAt(text, at))) return true;
    return false;
  }

  /** Gives the tags that are in the draft the text they have there; the others keep theirs. */
  replace(block: number, draft: TextDraft): void {
    const { chunk, nth } = this.#place(block);
    this.#count = Math.max(this.#count, block + 1);
    const isFirst = (chunk.texts[nth] ?? nothing).length === 0;
    chunk.texts[nth] = this.#merge({ chunk, nth }, draft);
    this.#addToFilter({ chunk, nth }, draft);
    // What is gone is still in the filter.
    chunk.changes[nth] = isFirst ? 0 : (chunk.changes[nth] ?? 0) + 1;
    if ((chunk.changes[nth] ?? 0) > CHANGES_PER_FILTER) this.#renewFilter({ chunk, nth });
  }

  #textOf(tagNo: number): Part {
    const { chunk, nth } = this.#place(Math.floor(tagNo / TAGS_PER_BLOCK));
    const at = nth * BOUNDS + (tagNo % TAGS_PER_BLOCK);
    return { text: chunk.texts[nth] ?? nothing, from: chunk.starts[at] ?? 0, to: chunk.starts[at + 1] ?? 0 };
  }

  #merge({ chunk: { texts, starts }, nth }: { chunk: Chunk; nth: number }, draft: TextDraft): Buffer {
    const old = texts[nth] ?? nothing;
    const first = nth * BOUNDS;
    const text = Buffer.allocUnsafeSlow(mergedLength(starts, first, draft));
    let oldStart = 0;
    let length = 0;
    for (let index = 0; index < TAGS_PER_BLOCK; index++) {
      const oldEnd = starts[first + index + 1] ?? 0;
      const from = draft.from(index);
      if (from >= 0) length += draft.bytes.copy(text, length, from, draft.to(index));
      else if (oldEnd > oldStart) length += old.copy(text, length, oldStart, oldEnd);
      starts[first + index + 1] = length;
      oldStart = oldEnd;
    }
    return text;
  }

  #addToFilter({ chunk: { filters }, nth }: { chunk: Chunk; nth: number }, draft: TextDraft): void {
    for (let index = 0; index < TAGS_PER_BLOCK; index++) {
      const from = draft.from(index);
      if (from < 0) continue;
      addToFilter(filters, nth * FILTER_BYTES, { text: draft.bytes, from, to: draft.to(index) });
    }
  }

  #renewFilter({ chunk, nth }: { chunk: Chunk; nth: number }): void {
    const { texts, filters, changes } = chunk;
    const text = texts[nth] ?? nothing;
    const at = nth * FILTER_BYTES;
    filters.fill(0, at, at + FILTER_BYTES);
    addToFilter(filters, at, { text, from: 0, to: text.length });
    changes[nth] = 0;
  }

  #place(block: number): { readonly chunk: Chunk; readonly nth: number } {
    const wanted = Math.floor(block / BLOCKS_PER_CHUNK);
    while (this.#chunks.length <= wanted) this.#chunks.push(emptyChunk());
    // Made just now if it was not there.
    return { chunk: this.#chunks[wanted] as Chunk, nth: block % BLOCKS_PER_CHUNK };
  }
}

function mergedLength(starts: Uint32Array, first: number, draft: TextDraft): number {
  let length = 0;
  for (let index = 0; index < TAGS_PER_BLOCK; index++) {
    const from = draft.from(index);
    const at = first + index;
    length += from >= 0 ? draft.to(index) - from : (starts[at + 1] ?? 0) - (starts[at] ?? 0);
  }
  return length;
}

function emptyChunk(): Chunk {
  return {
    texts: [],
    starts: new Uint32Array(BLOCKS_PER_CHUNK * BOUNDS),
    filters: new Uint8Array(BLOCKS_PER_CHUNK * FILTER_BYTES),
    changes: new Uint8Array(BLOCKS_PER_CHUNK),
  };
}
