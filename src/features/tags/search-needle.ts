import { fold } from '../../lib/fold.ts';

/** A block's filter has one bit for each four-byte sequence of its text; some sequences share theirs. */
export const FILTER_BYTES = 1024;
const HASH_SHIFT = 32 - Math.log2(FILTER_BYTES * 8);
const GOLDEN = 0x9e3779b1;
/** Three are too often there; five would fill the filter. Shorter needles make do without it. */
const SEQUENCE = 4;

/** What is looked for. */
export interface Needle {
  /** UTF-8 of the folded text. */
  readonly bytes: Buffer;
  /** The bits a block's filter has if the block may hold it. */
  readonly bits: Uint16Array;
}

export function needleOf(text: string): Needle {
  const bytes = Buffer.from(fold(text));
  const bits = new Set<number>();
  for (let i = 0; i + SEQUENCE <= bytes.length; i++) bits.add(bitOf(bytes.readInt32LE(i)));
  return { bytes, bits: Uint16Array.from(bits) };
}

/** A part of a text. */
export interface Part {
  readonly text: Buffer;
  readonly from: number;
  readonly to: number;
}

/** Notes all sequences of a part in the filter that begins at `at`. */
export function addToFilter(filters: Uint8Array, at: number, { text, from, to }: Part): void {
  let sequence = 0;
  for (let i = from; i < to; i++) {
    sequence = (sequence >>> 8) | ((text[i] ?? 0) << 24);
    if (i - from < SEQUENCE - 1) continue;
    const bit = bitOf(sequence);
    filters[at + (bit >>> 3)] = (filters[at + (bit >>> 3)] ?? 0) | (1 << (bit & 7));
  }
}

/** False only when the text behind the filter that begins at `at` certainly does not hold the needle. */
export function mayHold(filters: Uint8Array, at: number, { bits }: Needle): boolean {
  for (let i = 0; i < bits.length; i++) {
    const bit = bits[i] ?? 0;
    if (((filters[at + (bit >>> 3)] ?? 0) & (1 << (bit & 7))) === 0) return false;
  }
  return true;
}

/** For short needles in short texts, looking byte by byte is quicker than a call; else, bad luck could make it very slow. */
const SHORT_TEXT = 512;
const SHORT_NEEDLE = 64;

/** Where the needle begins in a part of a text; -1 = nowhere. */
export function placeIn({ text, from, to }: Part, { bytes }: Needle): number {
  if (to - from > SHORT_TEXT || bytes.length > SHORT_NEEDLE) {
    const place = text.subarray(from, to).indexOf(bytes);
    return place < 0 ? -1 : from + place;
  }
  const first = bytes[0];
  const last = to - bytes.length;
  for (let at = from; at <= last; at++) {
    if (text[at] !== first) continue;
    let equal = 1;
    while (equal < bytes.length && text[at + equal] === bytes[equal]) equal++;
    if (equal === bytes.length) return at;
  }
  return -1;
}

function bitOf(sequence: number): number {
  return Math.imul(sequence, GOLDEN) >>> HASH_SHIFT;
}
