import type { BitSet } from '../../lib/bit-set.ts';
import type { Pace } from '../../lib/pace.ts';
import type { Store } from '../../store/store.ts';
import { tables } from '../../store/tables.ts';
import { EpcWindow } from './epc-window.ts';

const RECORDS_PER_READ = 200;
const HEXADECIMAL = /^[0-9A-Fa-f]+$/;

/**
 * The EPCs of all tags outside the heap (about 33 bytes a tag), for finding a part of one. It follows the table of tags
 * by itself: tag numbers only grow and an EPC never changes, so what is new is read before a search.
 * Deleted tags stay in the text; whoever uses the result tells them by their state.
 */
export class EpcText {
  readonly #store: Store;
  readonly #windows: EpcWindow[] = [];
  #lastTagNo = 0;
  #following: Promise<void> | null = null;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Adds every tag whose EPC holds the text, in any case, to `found`; pauses whenever `pace` says so. */
  async find(text: string, found: BitSet, pace: Pace): Promise<void> {
    if (!HEXADECIMAL.test(text)) return;
    await this.#follow(pace);
    const needle = text.toUpperCase();
    for (const window of this.#windows) {
      window.find(needle, found);
      if (pace.due) await pace.pause();
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
      const range = { start: this.#lastTagNo + 1, limit: RECORDS_PER_READ };
      const entries = Array.from(this.#store.range(tables.tags, range));
      for (const { key, value } of entries) this.#append(key, value.epc);
      if (entries.length < RECORDS_PER_READ) return;
      if (pace.due) await pace.pause();
    }
  }

  #append(tagNo: number, epc: string): void {
    let window = this.#windows.at(-1);
    if (!window || window.full) {
      window = new EpcWindow();
      this.#windows.push(window);
    }
    window.append(tagNo, epc);
    this.#lastTagNo = tagNo;
  }
}
