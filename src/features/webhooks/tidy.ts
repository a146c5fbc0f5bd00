import { limits } from '../../domain/limits.ts';
import { Pace } from '../../lib/pace.ts';
import type { Store } from '../../store/store.ts';
import { type Table, tables } from '../../store/tables.ts';
import { crowdOut, type OutboxKey } from '../../store/webhooks.ts';
import { webhookIdsIn } from './load-outbox.ts';
import type { Subscriptions } from './subscriptions.ts';
import type { WaitingLine } from './waiting-line.ts';

export interface TidyOptions {
  readonly store: Store;
  readonly subscriptions: Subscriptions;
  readonly lines: Map<string, WaitingLine>;
  /** Epoch ms. */
  readonly now: () => number;
}

/** Records moved or removed in one transaction: a few milliseconds. */
const SLICE = 100;

/** What is kept of one subscription in a table; of the outbox the lines know better. */
interface Kept {
  readonly table: Table<OutboxKey, unknown>;
  readonly max: number;
  /** Subscriptions to look at: something was written since the last time. */
  readonly marked: Set<string>;
}

/**
 * Keeps everything about webhooks within its limits, in slices: events that wait (the oldest are given up), dead letters,
 * attempts, and what deleted subscriptions left. Looks only where something changed, and once everywhere.
 */
export class Tidy {
  readonly #options: TidyOptions;
  readonly #kept: readonly Kept[] = [
    { table: tables.webhookOutbox, max: Number.POSITIVE_INFINITY, marked: new Set() },
    { table: tables.webhookDead, max: limits.webhookDeadLetters, marked: new Set() },
    { table: tables.webhookAttempts, max: limits.webhookAttemptsKept, marked: new Set() },
  ];
  #isNew = true;

  /** Follows the store from here on; the subscriptions must do so already. */
  constructor(options: TidyOptions) {
    this.#options = options;
    const { store, subscriptions } = options;
    for (const { table, max, marked } of this.#kept)
      if (Number.isFinite(max))
        store.watch(table, (keys) => {
          for (const [id] of keys) marked.add(id);
        });
    store.watch(tables.webhooks, (keys) => {
      for (const [, id] of keys)
        if (!subscriptions.byId(id)) for (const { marked } of this.#kept) marked.add(id);
    });
  }

  /** Answers how many events were given up. */
  async run(): Promise<number> {
    const pace = new Pace();
    if (this.#isNew) await this.#markAll(pace);
    const dead = await this.#crowdOutSurplus();
    for (const kept of this.#kept) await this.#trimMarked(kept, pace);
    const { lines, subscriptions } = this.#options;
    for (const id of lines.keys()) if (!subscriptions.byId(id)) lines.delete(id);
    return dead;
  }

  async #markAll(pace: Pace): Promise<void> {
    for (const { table, marked } of this.#kept)
      for (const id of webhookIdsIn(this.#options.store, table)) {
        marked.add(id);
        if (pace.due) await pace.pause();
      }
    this.#isNew = false;
  }

  async #trimMarked({ table, max, marked }: Kept, pace: Pace): Promise<void> {
    const { store, subscriptions } = this.#options;
    for (const id of [...marked]) {
      // Before the look, so that what is written meanwhile is looked at again.
      marked.delete(id);
      try {
        await trim(store, { table, webhookId: id, max: subscriptions.byId(id) ? max : 0 });
      } catch (error) {
        marked.add(id);
        throw error;
      }
      if (pace.due) await pace.pause();
    }
  }

  async #crowdOutSurplus(): Promise<number> {
    const { store, lines, now } = this.#options;
    const max = limits.webhookDeadLetters;
    let dead = 0;
    for (const [webhookId, line] of lines)
      for (;;) {
        const surplus = line.surplus(limits.webhookWaiting, SLICE);
        if (surplus.length === 0) break;
        await store.write((tx) => {
          for (const no of surplus) crowdOut(tx, [webhookId, no], now());
        });
        dead += surplus.length;
        // Dead letters of thousands of events must not pile up meanwhile.
        await trim(store, { table: tables.webhookDead, webhookId, max });
      }
    return dead;
  }
}

interface Trimming {
  readonly table: Table<OutboxKey, unknown>;
  readonly webhookId: string;
  readonly max: number;
}

/** Removes the oldest records of one subscription that are more than it may have. */
async function trim(store: Store, { table, webhookId, max }: Trimming): Promise<void> {
  if (!Number.isFinite(max)) return;
  const [start, end] = [[webhookId], [webhookId, Number.MAX_VALUE]];
  for (;;) {
    const newestFirst = { start: end, end: start, reverse: true, offset: max, limit: 1 };
    const [newestToGo] = Array.from(store.keys(table, newestFirst));
    if (!newestToGo) return;
    const oldest = Array.from(store.keys(table, { start, end, limit: SLICE }));
    const surplus = oldest.filter(([, no]) => no <= newestToGo[1]);
    await store.write((tx) => {
      for (const key of surplus) tx.remove(table, key);
    });
  }
}
