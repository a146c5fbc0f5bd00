import type { BitSet } from '../../lib/bit-set.ts';

const ENTRIES = 2048;
const SEPARATOR = '\n';

/** The EPCs of up to 2,048 tags as one text outside the heap: what one step of a search looks through. */
export class EpcWindow {
  #text = Buffer.allocUnsafeSlow(ENTRIES * 25);
  /** Where each entry begins, and whose it is; one more beginning than entries. */
  readonly #starts = new Uint32Array(ENTRIES + 1);
  readonly #tagNos = new Uint32Array(ENTRIES);
  #count = 0;

  get full(): boolean {
    return this.#count === ENTRIES;
  }

  append(tagNo: number, epc: string): void {
    const start = this.#start(this.#count);
    const end = start + epc.length + SEPARATOR.length;
    if (end > this.#text.length) this.#grow();
    this.#text.write(epc + SEPARATOR, start, 'latin1');
    this.#tagNos[this.#count] = tagNo;
    this.#starts[++this.#count] = end;
  }

  /** Adds every tag whose EPC holds the needle, upper-case hexadecimal digits, to `found`. */
  find(needle: string, found: BitSet): void {
    // Looking into a string costs a third of looking into the buffer when there are many hits.
    const text = this.#text.toString('latin1', 0, this.#start(this.#count));
    let entry = 0;
    for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, this.#start(entry))) {
      // A needle never holds the separator, so it lies within one entry.
      while (this.#start(entry + 1) <= at) entry++;
      found.add(this.#tagNos[entry] ?? 0);
      entry++;
    }
  }

  #start(entry: number): number {
    return this.#starts[entry] ?? 0;
  }

  #grow(): void {
    const larger = Buffer.allocUnsafeSlow(this.#text.length * 2);
    this.#text.copy(larger);
    this.#text = larger;
  }
}
