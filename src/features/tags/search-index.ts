import { textOf } from '../../domain/value.ts';
import { BitSet } from '../../lib/bit-set.ts';
import { Pace } from '../../lib/pace.ts';
import type { FieldCatalogue } from '../../store/fields.ts';
import type { TagDataRecord } from '../../store/records.ts';
import type { Store } from '../../store/store.ts';
import { tables } from '../../store/tables.ts';
import { heldValue } from '../../store/tag-data.ts';
import { SearchBlocks, TAGS_PER_BLOCK } from './search-blocks.ts';
import { GoneFields } from './search-fields.ts';
import { EPC, TextDraft } from './search-text.ts';

/** From so many stale tags of a block on, reading the block in one go is quicker than asking for each. */
const MANY = 16;

/**
 * The EPC and all values of every tag as searchable text, and who has values at all: a copy of the store that follows it.
 * What changed is only noted when it is written; `refresh`, which a search waits for, `keepUp` or `warm` reads it.
 * Tags that are gone may still have a text; whoever uses a result tells them by their state.
 */
export class SearchIndex {
  readonly blocks = new SearchBlocks((fieldNo) => this.#gone.has(fieldNo));
  readonly #store: Store;
  readonly #gone: GoneFields;
  readonly #draft = new TextDraft(TAGS_PER_BLOCK);
  readonly #stale = new BitSet();
  /** Of what was there before this process, or came from another: much at once, but nobody waits for it. */
  readonly #foundBlocks = new Set<number>();
  /** Of what this process wrote. */
  readonly #writtenBlocks = new Set<number>();
  readonly #withValues = new BitSet();
  /** Values of fields deleted since then may still be in the texts, as long as the records have them. */
  readonly #goneAtStart: number;
  #lastTagNo = 0;

  constructor(store: Store, catalogue: FieldCatalogue) {
    this.#store = store;
    this.#gone = new GoneFields(store, catalogue);
    this.#gone.refresh();
    this.#goneAtStart = this.#gone.count;
    store.watch(tables.tags, (tagNos) => {
      for (const tagNo of tagNos) this.#written(tagNo);
    });
    store.watch(tables.tagData, (tagNos) => {
      for (const tagNo of tagNos) this.#written(tagNo);
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

  /** As `refresh`, of what this process wrote only: costs nothing when that is nothing. */
  async keepUp(pace: Pace): Promise<void> {
    for (const _ of this.#rebuildAll(this.#writtenBlocks, pace)) if (pace.due) await pace.pause();
  }

  /** Everything there is to do at the start, in steps that each leave the index right. Steps may run between these. */
  *#work(pace: Pace): Generator<void> {
    this.#gone.refresh();
    this.#follow();
    yield* this.#rebuildAll(this.#writtenBlocks, pace);
    yield* this.#rebuildAll(this.#foundBlocks, pace);
  }

  *#rebuildAll(blocks: Set<number>, pace: Pace): Generator<void> {
    // What goes stale meanwhile comes to the end of the set: left for the next run, or this one might never end.
    let left = blocks.size;
    for (const block of blocks) {
      if (left-- === 0) break;
      while (blocks.has(block)) {
        this.#rebuild(block, pace);
        yield;
      }
    }
  }

  /** Tag numbers only grow, whichever process gives them. The newest come first: they are looked for most. */
  #follow(): void {
    const [last] = this.#store.range(tables.tags, { reverse: true, limit: 1 });
    for (let tagNo = last?.key ?? 0; tagNo > this.#lastTagNo; tagNo--) {
      this.#stale.add(tagNo);
      this.#foundBlocks.add(blockOf(tagNo));
    }
    this.#lastTagNo = Math.max(this.#lastTagNo, last?.key ?? 0);
  }

  #written(tagNo: number): void {
    this.#stale.add(tagNo);
    this.#writtenBlocks.add(blockOf(tagNo));
    // With one missing in between, the next look at the store finds both.
    if (tagNo === this.#lastTagNo + 1) this.#lastTagNo = tagNo;
  }

  /** Reads stale tags of a block, all but when they take too long. One turn: nothing is written in between. */
  #rebuild(block: number, pace: Pace): void {
    this.#gone.refresh();
    this.#draft.clear();
    const stale = this.#staleOf(block);
    const read = stale.length >= MANY ? this.#readStretch(stale, pace) : this.#readEach(stale, pace);
    for (const tagNo of stale) if (tagNo < read) this.#stale.delete(tagNo);
    this.blocks.replace(block, this.#draft);
    if (read <= (stale.at(-1) ?? -1)) return;
    this.#writtenBlocks.delete(block);
    this.#foundBlocks.delete(block);
  }

  /** Ascending. */
  #staleOf(block: number): readonly number[] {
    const first = block * TAGS_PER_BLOCK;
    const stale: number[] = [];
    for (let tagNo = first; tagNo < first + TAGS_PER_BLOCK; tagNo++)
      if (this.#stale.has(tagNo)) stale.push(tagNo);
    return stale;
  }

  /** One more than the last tag that was read. */
  #readEach(stale: readonly number[], pace: Pace): number {
    for (const [nth, tagNo] of stale.entries()) {
      if (nth > 0 && pace.due) return tagNo;
      this.#read(tagNo);
    }
    return (stale.at(-1) ?? -1) + 1;
  }

  /** As `#readEach`; those in between are read again. */
  #readStretch(stale: readonly number[], pace: Pace): number {
    const [start = 0, end = start] = [stale[0], (stale.at(-1) ?? -1) + 1];
    const epcs = new Map<number, string>();
    for (const { key, value } of this.#store.range(tables.tags, { start, end })) epcs.set(key, value.epc);
    let tagNo = start;
    for (const { key, value } of this.#store.range(tables.tagData, { start, end })) {
      for (; tagNo < key; tagNo++) this.#note(tagNo, epcs.get(tagNo), undefined);
      this.#note(tagNo, epcs.get(tagNo), value);
      tagNo++;
      if (pace.due) return tagNo;
    }
    for (; tagNo < end; tagNo++) this.#note(tagNo, epcs.get(tagNo), undefined);
    return end;
  }

  #read(tagNo: number): void {
    const data = this.#store.get(tables.tagData, tagNo);
    // The EPC never changes; a tag that is gone has no data soon.
    const known = data && this.blocks.epcOf(tagNo);
    this.#note(tagNo, known ?? this.#store.get(tables.tags, tagNo)?.epc, data);
  }

  #note(tagNo: number, epc: string | undefined, data: TagDataRecord | undefined): void {
    this.#draft.begin(tagNo % TAGS_PER_BLOCK);
    this.#withValues.delete(tagNo);
    if (epc === undefined) return;
    this.#draft.add(EPC, epc);
    // As the record has them: a million tags would make five million objects otherwise.
    const values = data?.values ?? {};
    for (const no of Object.keys(values)) {
      const fieldNo = Number(no);
      const value = heldValue(values[fieldNo]);
      if (value === undefined || this.#gone.has(fieldNo)) continue;
      this.#draft.add(fieldNo, textOf(value));
      this.#withValues.add(tagNo);
    }
  }
}

function blockOf(tagNo: number): number {
  return Math.floor(tagNo / TAGS_PER_BLOCK);
}
