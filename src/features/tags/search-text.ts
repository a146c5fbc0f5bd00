import { foldCase } from '../../lib/fold.ts';

/** The number that stands for the EPC where values have their field's. */
export const EPC = 0;

/**
 * Stretches of a tag's searchable text are set apart by a mark and the number of the field, three bits a byte, the lowest
 * first. None of these bytes is ever part of UTF-8: no search finds them, and none reaches from one value into the next.
 */
const MARK = 0xff;
const DIGIT = 0xf5;
const DIGIT_BITS = 3;
const HEAD_BYTES = 12;
const SHORT = 64;
/** What is one byte in UTF-8. */
const PLAIN_MAX = 0x7f;
const UPPER_A = 65;
const UPPER_Z = 90;
const TO_LOWER = 32;
/** A character takes up to three bytes for each unit of its UTF-16. */
const BYTES_PER_UNIT = 3;

/** The searchable text of some tags of a block, in the making; the memory is used again and again. */
export class TextDraft {
  #bytes = Buffer.allocUnsafeSlow(64 * 1024);
  #length = 0;
  /** Where the text of each tag begins and ends; beginnings are -1 for tags not in the draft. */
  readonly #from: Int32Array;
  readonly #to: Int32Array;
  #tag = 0;

  constructor(tags: number) {
    this.#from = new Int32Array(tags).fill(-1);
    this.#to = new Int32Array(tags);
  }

  get bytes(): Buffer {
    return this.#bytes;
  }

  clear(): void {
    this.#from.fill(-1);
    this.#length = 0;
  }

  /** What is added from now on is of the `index`th tag, which has nothing yet. */
  begin(index: number): void {
    this.#tag = index;
    this.#from[index] = this.#length;
    this.#to[index] = this.#length;
  }

  add(fieldNo: number, text: string): void {
    this.#reserve(HEAD_BYTES + SHORT);
    this.#bytes[this.#length++] = MARK;
    for (let rest = fieldNo; rest > 0; rest >>>= DIGIT_BITS)
      this.#bytes[this.#length++] = DIGIT + (rest & (2 ** DIGIT_BITS - 1));
    if (!this.#addPlain(text)) this.#addFolded(foldCase(text));
    this.#to[this.#tag] = this.#length;
  }

  /** Nearly all values are short and plain: those cost a tenth of folding and a call of `Buffer`. */
  #addPlain(text: string): boolean {
    if (text.length > SHORT) return false;
    const [bytes, start] = [this.#bytes, this.#length];
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code > PLAIN_MAX) return false;
      bytes[start + at] = code >= UPPER_A && code <= UPPER_Z ? code + TO_LOWER : code;
    }
    this.#length += text.length;
    return true;
  }

  #addFolded(text: string): void {
    this.#reserve(text.length * BYTES_PER_UNIT);
    // Half a character becomes an unknown one here, too.
    this.#length += this.#bytes.write(text, this.#length, 'utf8');
  }

  /** Where the text of the `index`th tag begins in `bytes`; -1 = it is not in the draft. */
  from(index: number): number {
    return this.#from[index] ?? -1;
  }

  to(index: number): number {
    return this.#to[index] ?? 0;
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

/** The field whose value a place in a text belongs to. */
export function fieldAt(text: Uint8Array, place: number): number {
  let mark = place;
  while (mark > 0 && text[mark] !== MARK) mark--;
  let no = 0;
  for (let i = mark + 1, shift = 0; ; i++, shift += DIGIT_BITS) {
    const byte = text[i] ?? 0;
    if (byte < DIGIT || byte === MARK) return no;
    no |= (byte - DIGIT) << shift;
  }
}

/** Where the next value begins after a place in a text; `to` if that comes first. */
export function nextValue(text: Uint8Array, place: number, to: number): number {
  let at = place + 1;
  while (at < to && text[at] !== MARK) at++;
  return at;
}
