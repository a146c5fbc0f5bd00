import { textOf } from '../../domain/value.ts';
import { BitSet } from '../../lib/bit-set.ts';
import { Pace } from '../../lib/pace.ts';
import type { FieldCatalogue } from '../../store/fields.ts';
import type { Store } from '../../store/store.ts';
import { tables } from '../../store/tables.ts';
import { SearchBlocks, TAGS_PER_BLOCK } from './search-blocks.ts';
import { GoneFields } from './search-fields.ts';
import { EPC, TextDraft } from './search-text.ts';

/**
 * The EPC and all values of every tag as searchable text, and who has values at all: a copy of the store that follows it.
 * What changed is only noted when it is written; `refresh`, which a search waits for, or `warm` reads it.
 * Tags that are gone may still have a text; whoever uses a result tells them by their state.
 */
export class SearchIndex {
  readonly blocks = new SearchBlocks((fieldNo) => this.#gone.has(fieldNo));
  readonly #store: Store;
  readonly #gone: GoneFields;
  readonly #draft = new TextDraft(TAGS_PER_BLOCK);
  readonly #stale = new BitSet();
  readonly #staleBlocks = new Set<number>();
  readonly #withValues = new BitSet();
  /** Values of fields deleted since then may still be in the texts, as long as the records have them. */
  readonly #goneAtStart: number;
  #lastTagNo = 0;

  constructor(store: Store, catalogue: FieldCatalogue) {
    this.#store = store;
    this.#gone = new GoneFields(store, catalogue);
    this.#gone.refresh();
    this.#goneAtStart = this.#gone.count;
    store.watch(tables.tagData, (tagNos) => {
      for (const tagNo of tagNos) this.#outdate(tagNo);
    });
  }

  /** Whether a tag has a value of any field there is, as of the last refresh. */
  hasValues(tagNo: number): boolean {
    if (!this.#withValues.has(tagNo)) return false;
    return this.#gone.count === this.#goneAtStart || this.blocks.hasValues(tagNo);
  }

  /** Brings in all that was written before the call. */
  async refresh(pace: Pace): Promise<void> {
    for (const _ of this.#work(pace)) if (pace.due) await pace.pause();
  }

  /** Brings in what was written, for so many milliseconds at most; true when there is more to do. */
  warm(sliceMs: number): boolean {
    const pace = new Pace(sliceMs);
    for (const _ of this.#work(pace)) if (pace.due) return true;
    return false;
  }

  /** Everything there is to do at the start, in steps that each leave the index right. Steps may run between these. */
  *#work(pace: Pace): Generator<void> {
    this.#gone.refresh();
    this.#follow();
    // What goes stale meanwhile comes to the end of the set: left for the next run, or this one might never end.
    let left = this.#staleBlocks.size;
    for (const block of this.#staleBlocks) {
      if (left-- === 0) break;
      while (this.#staleBlocks.has(block)) {
        this.#rebuild(block, pace);
        yield;
      }
    }
  }

  /** Tag numbers only grow, whichever process gives them. The newest come first: they are looked for most. */
  #follow(): void {
    const [last] = this.#store.range(tables.tags, { reverse: true, limit: 1 });
    for (let tagNo = last?.key ?? 0; tagNo > this.#lastTagNo; tagNo--) this.#outdate(tagNo);
    this.#lastTagNo = Math.max(this.#lastTagNo, last?.key ?? 0);
  }

  #outdate(tagNo: number): void {
    this.#stale.add(tagNo);
    this.#staleBlocks.add(blockOf(tagNo));
  }

  /** Reads stale tags of a block, all but when they take too long. One turn: nothing is written in between. */
  #rebuild(block: number, pace: Pace): void {
    const first = block * TAGS_PER_BLOCK;
    this.#gone.refresh();
    this.#draft.clear();
    let index = 0;
    for (let read = 0; index < TAGS_PER_BLOCK; index++) {
      if (!this.#stale.has(first + index)) continue;
      if (read++ > 0 && pace.due) break;
      this.#read(first + index, index);
      this.#stale.delete(first + index);
    }
    this.blocks.replace(block, this.#draft);
    if (index === TAGS_PER_BLOCK) this.#staleBlocks.delete(block);
  }

  #read(tagNo: number, index: number): void {
    const epc = this.#store.get(tables.tags, tagNo)?.epc;
    this.#draft.begin(index);
    this.#withValues.delete(tagNo);
    if (epc === undefined) return;
    this.#draft.add(EPC, epc);
    // Not decoded: a million tags would make five million objects of it.
    const values = this.#store.get(tables.tagData, tagNo)?.values ?? {};
    for (const [no, stored] of Object.entries(values)) {
      const fieldNo = Number(no);
      if (this.#gone.has(fieldNo)) continue;
      this.#draft.add(fieldNo, textOf(typeof stored === 'object' ? stored[0] : stored));
      this.#withValues.add(tagNo);
    }
  }
}

function blockOf(tagNo: number): number {
  return Math.floor(tagNo / TAGS_PER_BLOCK);
}
