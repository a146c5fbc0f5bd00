import { decodeBatch, encodeBatch, type Touch } from './journal.ts';
import type { Store, Tx } from './store.ts';
import { tables } from './tables.ts';
import { blockOf, TagStates } from './tag-states.ts';
import { putVisit } from './visits.ts';

/** Batches the journal holds before a checkpoint must have freed a slot. */
const RING = 512;
const SLICE = 200;

/**
 * Makes what reads change durable at the price of one small write a batch: a batch goes to the journal as one value;
 * a checkpoint writes the touched state blocks and visits a moment later, each once however often it changed.
 * After a crash the journal is applied again, oldest first; its values are absolute, so that is always right.
 */
export class TagLedger {
  readonly states = new TagStates();
  readonly #store: Store;
  readonly #dirtyBlocks = new Set<number>();
  #dirtyVisits = new Map<number, Touch>();
  #closedVisits: Touch[] = [];
  #seq: number;
  #applied: number;
  #checkpoint: Promise<void> | null = null;

  constructor(store: Store) {
    this.#store = store;
    for (const { key, value } of store.range(tables.tagStates)) this.states.loadBlock(key, value);
    this.#applied = store.get(tables.meta, 'journalApplied') ?? 0;
    this.#seq = this.#replay();
  }

  /** Batches not yet in the tables. At `RING` the next `append` would overwrite one: make a checkpoint first. */
  get pending(): number {
    return this.#seq - this.#applied;
  }

  get full(): boolean {
    return this.pending >= RING;
  }

  /** Puts one batch into the journal, within the transaction that makes its new tags. */
  append(tx: Tx, touches: readonly Touch[]): void {
    const seq = this.#seq + 1;
    tx.put(tables.journal, seq % RING, encodeBatch(seq, touches));
  }

  /** Takes a batch whose transaction is durable into the live state. */
  applied(touches: readonly Touch[]): void {
    this.#seq++;
    this.#take(touches);
  }

  /** Moves everything journalled so far into its tables, in slices that leave the event loop free. */
  checkpoint(): Promise<void> {
    this.#checkpoint ??= this.#runCheckpoint().finally(() => {
      this.#checkpoint = null;
    });
    return this.#checkpoint;
  }

  #replay(): number {
    const batches = Array.from(this.#store.range(tables.journal), ({ value }) => decodeBatch(value))
      .filter(({ seq }) => seq > this.#applied)
      .sort((a, b) => a.seq - b.seq);
    for (const { touches } of batches) this.#take(touches);
    return batches.at(-1)?.seq ?? this.#applied;
  }

  #take(touches: readonly Touch[]): void {
    for (const touch of touches) {
      this.states.set(touch.tagNo, touch.orgNo, touch.state);
      this.#dirtyBlocks.add(blockOf(touch.tagNo));
      this.#takeVisit(touch);
    }
  }

  #takeVisit(touch: Touch): void {
    const key = touch.tagNo * 2 ** 20 + touch.visit.antennaNo;
    const before = this.#dirtyVisits.get(key);
    if (before && before.visit.firstAt !== touch.visit.firstAt) this.#closedVisits.push(before);
    this.#dirtyVisits.set(key, touch);
  }

  async #runCheckpoint(): Promise<void> {
    const upTo = this.#seq;
    if (upTo === this.#applied) return;
    const blocks = [...this.#dirtyBlocks].sort((a, b) => a - b);
    const visits = [...this.#closedVisits, ...this.#dirtyVisits.values()];
    this.#dirtyBlocks.clear();
    this.#dirtyVisits = new Map();
    this.#closedVisits = [];
    try {
      await this.#inSlices(blocks, (tx, block) =>
        tx.put(tables.tagStates, block, this.states.encodeBlock(block)),
      );
      await this.#inSlices(visits, (tx, touch) => putVisit(tx, touch.tagNo, touch.visit));
      await this.#store.write((tx) => tx.put(tables.meta, 'journalApplied', upTo));
      this.#applied = upTo;
    } catch (error) {
      this.#putBack(blocks, visits);
      throw error;
    }
  }

  async #inSlices<T>(items: readonly T[], put: (tx: Tx, item: T) => void): Promise<void> {
    for (let from = 0; from < items.length; from += SLICE) {
      const slice = items.slice(from, from + SLICE);
      await this.#store.write((tx) => {
        for (const item of slice) put(tx, item);
      });
    }
  }

  /** After a failed checkpoint: what it took is owed again, but newer visits win over the ones taken. */
  #putBack(blocks: readonly number[], visits: readonly Touch[]): void {
    for (const block of blocks) this.#dirtyBlocks.add(block);
    const newer = this.#dirtyVisits;
    this.#dirtyVisits = new Map();
    for (const touch of visits) this.#takeVisit(touch);
    for (const touch of newer.values()) this.#takeVisit(touch);
  }
}
