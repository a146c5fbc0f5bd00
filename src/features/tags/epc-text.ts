import type { BitSet } from '../../lib/bit-set.ts';
import type { Pace } from '../../lib/pace.ts';
import type { Store } from '../../store/store.ts';
import { tables } from '../../store/tables.ts';

const RECORDS_PER_READ = 500;
const ENTRIES_PER_WINDOW = 8192;
const SEPARATOR = '\n';
const HEXADECIMAL = /^[0-9A-Fa-f]+$/;

/**
 * The EPCs of all tags as one text outside the heap (about 33 bytes a tag), for finding a part of one. It follows the
 * table of tags by itself: tag numbers only grow and an EPC never changes, so what is new is read before a search.
 * Deleted tags stay in the text; whoever uses the result tells them by their state.
 */
export class EpcText {
  readonly #store: Store;
  #text = Buffer.alloc(1 << 16);
  #length = 0;
  /** Where each entry begins, and whose it is; one more beginning than entries. */
  #starts = new Uint32Array(1024);
  #tagNos = new Uint32Array(1024);
  #count = 0;
  #following: Promise<void> | null = null;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Adds every tag whose EPC holds the text, in any case, to `found`; pauses whenever `pace` says so. */
  async find(text: string, found: BitSet, pace: Pace): Promise<void> {
    if (!HEXADECIMAL.test(text)) return;
    await this.#follow(pace);
    const needle = Buffer.from(text.toUpperCase(), 'latin1');
    for (let from = 0; from < this.#count; from += ENTRIES_PER_WINDOW) {
      this.#findWithin(from, needle, found);
      if (pace.due) await pace.pause();
    }
  }

  // Entries never share a window, and a needle can't cross the separator.
  #findWithin(from: number, needle: Buffer, found: BitSet): void {
    const to = Math.min(from + ENTRIES_PER_WINDOW, this.#count);
    const base = this.#start(from);
    const window = this.#text.subarray(base, this.#start(to));
    let entry = from;
    for (let at = window.indexOf(needle); at >= 0; at = window.indexOf(needle, this.#start(entry) - base)) {
      while (this.#start(entry + 1) - base <= at) entry++;
      found.add(this.#tagNos[entry] ?? 0);
      if (++entry === to) return;
    }
  }

  // Searches that begin while another one catches up wait for it.
  #follow(pace: Pace): Promise<void> {
    this.#following ??= this.#readNew(pace).finally(() => {
      this.#following = null;
    });
    return this.#following;
  }

  async #readNew(pace: Pace): Promise<void> {
    for (;;) {
      const start = this.#count === 0 ? 0 : (this.#tagNos[this.#count - 1] ?? 0) + 1;
      const entries = Array.from(this.#store.range(tables.tags, { start, limit: RECORDS_PER_READ }));
      for (const { key, value } of entries) this.#append(key, value.epc);
      if (entries.length < RECORDS_PER_READ) return;
      if (pace.due) await pace.pause();
    }
  }

  #append(tagNo: number, epc: string): void {
    const end = this.#length + epc.length + SEPARATOR.length;
    if (end > this.#text.length) this.#text = Buffer.concat([this.#text], this.#text.length * 2);
    if (this.#count + 1 >= this.#starts.length) {
      this.#starts = doubled(this.#starts);
      this.#tagNos = doubled(this.#tagNos);
    }
    this.#text.write(epc + SEPARATOR, this.#length, 'latin1');
    this.#tagNos[this.#count] = tagNo;
    this.#starts[++this.#count] = end;
    this.#length = end;
  }

  #start(entry: number): number {
    return this.#starts[entry] ?? this.#length;
  }
}

function doubled(column: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(column.length * 2);
  larger.set(column);
  return larger;
}
