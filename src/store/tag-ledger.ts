import { setImmediate as nextTurn } from 'node:timers/promises';
import { neverSeen, type Visit } from '../domain/tag-state.ts';
import { decodeBatch, encodeBatch, seqOf, type Touch } from './journal.ts';
import { PendingVisits, sameVisit } from './pending-visits.ts';
import type { Store, Tx } from './store.ts';
import { tables } from './tables.ts';
import { blockOf, TagStates } from './tag-states.ts';
import { listVisits, putVisit } from './visits.ts';

/** Batches the journal holds before a checkpoint must have freed a slot. */
const RING = 1024;
/** Slots kept for what people change while reads fill the rest. */
const RESERVE = 32;
const SLICE = 200;

/** Writes beside each other may fill the journal anew while one of them makes room. */
const ROOM_TRIES = 20;

/** The journal has no free slot: a checkpoint must come first. */
export class JournalFull extends Error {
  constructor() {
    super('the journal is full: a checkpoint must come first');
    this.name = 'JournalFull';
  }
}

/** A batch in the journal; hand it to `applied` once its transaction is durable. */
export interface JournalEntry {
  readonly seq: number;
  readonly touches: readonly Touch[];
  /** Deletions ever journalled, when this is one. */
  readonly deletions?: number;
}

/**
 * Makes what reads change durable at the price of one small write a batch: a batch goes to the journal as one value;
 * a checkpoint writes the touched state blocks and visits a moment later, each once however often it changed.
 * After a crash the journal is applied again, oldest first; its values are absolute, so that is always right.
 */
export class TagLedger {
  readonly states = new TagStates();
  readonly #store: Store;
  readonly #dirtyBlocks = new Set<number>();
  #visits = new PendingVisits();
  /** Taken by the running checkpoint, not in their table yet. */
  #writing = new PendingVisits();
  #seq: number;
  #applied: number;
  #deletions: number;
  /** The newest deletion taken in, by its place in the journal. */
  #lastDeletion = 0;
  #checkpoint: Promise<void> | null = null;

  constructor(store: Store) {
    this.#store = store;
    for (const { key, value } of store.range(tables.tagStates)) this.states.loadBlock(key, value);
    this.#applied = store.get(tables.meta, 'journalApplied') ?? 0;
    this.#deletions = store.get(tables.meta, 'tagDeletions') ?? 0;
    this.#seq = this.#replay();
  }

  /** Batches not yet in the tables. */
  get pending(): number {
    return this.#seq - this.#applied;
  }

  /** Whether batches of reads must wait for a checkpoint. */
  get full(): boolean {
    return this.pending >= RING - RESERVE;
  }

  /**
   * A store write that appends: makes room in the journal first, and again when writes beside it took it. `action` may run
   * several times then, after a roll-back each. Throws as `Store.write`; `WriteFailed` also when no room can be made.
   */
  async write<T>(action: (tx: Tx) => T): Promise<T> {
    for (let tries = 1; ; tries++) {
      if (this.full) await this.checkpoint();
      try {
        return await this.#store.write(action);
      } catch (error) {
        if (!(error instanceof JournalFull) || tries === ROOM_TRIES) throw error;
        await this.checkpoint();
      }
    }
  }

  /**
   * Puts one batch into the journal, within the transaction that makes its new tags. A touch without reads changes the
   * state alone. Throws `JournalFull`, which rolls the transaction back, when it would overwrite one that is not applied.
   */
  append(tx: Tx, touches: readonly Touch[]): JournalEntry {
    // Numbered by the transaction: what is rolled back leaves no gap, and several may be on their way at once.
    const seq = tx.next('journalSeq');
    if (seq - this.#applied > RING) throw new JournalFull();
    tx.put(tables.journal, seq % RING, encodeBatch(seq, touches));
    return { seq, touches };
  }

  /** Journals that tags are gone, within the transaction that removes their records. Throws as `append`. */
  forget(tx: Tx, tagNos: readonly number[]): JournalEntry {
    return { ...this.append(tx, tagNos.map(goneTouch)), deletions: tx.next('tagDeletions') };
  }

  /** Whether `tx` comes after a deletion that `states` does not show yet. */
  deletionAhead(tx: Tx): boolean {
    return (tx.get(tables.meta, 'tagDeletions') ?? 0) !== this.#deletions;
  }

  /** Takes a batch into the live state. Call it as soon as the transaction's promise resolves, without waiting for more. */
  applied({ seq, touches, deletions = 0 }: JournalEntry): void {
    this.#seq = Math.max(this.#seq, seq);
    this.#deletions = Math.max(this.#deletions, deletions);
    if (deletions > 0) this.#lastDeletion = Math.max(this.#lastDeletion, seq);
    // Told late, after a deletion of the same commit: what that deleted stays deleted.
    const late = seq < this.#lastDeletion;
    this.#take(late ? touches.filter(({ tagNo }) => this.#store.get(tables.tags, tagNo)) : touches);
  }

  /** A tag's zone stays as they are now, the one that began last first. */
  visits(tagNo: number, limit: number): readonly Visit[] {
    const fresh = [...this.#visits.of(tagNo)];
    fresh.push(...this.#writing.of(tagNo).filter((one) => !fresh.some((newer) => sameVisit(one, newer))));
    const stored = listVisits(this.#store, tagNo, limit);
    if (fresh.length === 0) return stored;
    return [...stored.filter((one) => !fresh.some((newer) => sameVisit(one, newer))), ...fresh]
      .sort((a, b) => b.firstAt - a.firstAt || b.antennaNo - a.antennaNo)
      .slice(0, limit);
  }

  /** Moves everything journalled so far into its tables, in slices that leave the event loop free. */
  checkpoint(): Promise<void> {
    this.#checkpoint ??= this.#runCheckpoint().finally(() => {
      this.#checkpoint = null;
    });
    return this.#checkpoint;
  }

  #replay(): number {
    // One batch at a time: all of them at once would be hundreds of megabytes.
    const slots = Array.from(this.#store.range(tables.journal), ({ key, value }) => ({
      key,
      seq: seqOf(value),
    }))
      .filter(({ seq }) => seq > this.#applied)
      .sort((a, b) => a.seq - b.seq);
    for (const { key } of slots) {
      const value = this.#store.get(tables.journal, key);
      if (value) this.#take(decodeBatch(value).touches);
    }
    return slots.at(-1)?.seq ?? this.#applied;
  }

  #take(touches: readonly Touch[]): void {
    for (const { tagNo, orgNo, state, visit } of touches) {
      // A registration told late: reads of the tag that came after it are in the state already.
      const registers = orgNo !== 0 && visit.antennaNo === 0;
      if (registers && this.states.orgNo(tagNo) === orgNo) continue;
      this.states.set(tagNo, orgNo, state);
      this.#dirtyBlocks.add(blockOf(tagNo));
      if (orgNo === 0) this.#visits.forget(tagNo);
      else if (visit.reads > 0) this.#visits.put(tagNo, visit);
    }
  }

  async #runCheckpoint(): Promise<void> {
    // Within a turn, a later batch may be taken in before an earlier one; between turns there are no gaps.
    await nextTurn();
    const upTo = this.#seq;
    if (upTo === this.#applied) return;
    const blocks = [...this.#dirtyBlocks].sort((a, b) => a - b);
    this.#dirtyBlocks.clear();
    this.#writing = this.#visits;
    this.#visits = new PendingVisits();
    try {
      await this.#writeTables(blocks);
      await this.#store.write((tx) => tx.put(tables.meta, 'journalApplied', upTo));
      this.#applied = upTo;
      this.#writing = new PendingVisits();
    } catch (error) {
      this.#putBack(blocks);
      throw error;
    }
  }

  async #writeTables(blocks: readonly number[]): Promise<void> {
    await this.#inSlices(blocks, (tx, block) =>
      tx.put(tables.tagStates, block, this.states.encodeBlock(block)),
    );
    await this.#inSlices(this.#writing.entries(), (tx, [tagNo, visit]) => {
      // The tag may have been deleted since.
      if (this.states.orgNo(tagNo) !== 0) putVisit(tx, tagNo, visit);
    });
  }

  async #inSlices<T>(items: Iterable<T>, put: (tx: Tx, item: T) => void): Promise<void> {
    const rest = items[Symbol.iterator]();
    for (let next = rest.next(); !next.done; ) {
      const slice: T[] = [];
      for (; !next.done && slice.length < SLICE; next = rest.next()) slice.push(next.value);
      await this.#store.write((tx) => {
        for (const item of slice) put(tx, item);
      });
    }
  }

  /** After a failed checkpoint: what it took is owed again, but what came since is newer. */
  #putBack(blocks: readonly number[]): void {
    for (const block of blocks) this.#dirtyBlocks.add(block);
    const owed = this.#writing;
    for (const [tagNo, visit] of this.#visits.entries()) owed.put(tagNo, visit);
    this.#visits = owed;
    this.#writing = new PendingVisits();
  }
}

/** No organisation: the state of a number that is no tag any more. */
function goneTouch(tagNo: number): Touch {
  const visit: Visit = { antennaNo: 0, zoneNo: 0, firstAt: 0, lastAt: 0, reads: 0 };
  return { tagNo, orgNo: 0, state: neverSeen, visit };
}
