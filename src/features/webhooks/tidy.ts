import { limits } from '../../domain/limits.ts';
import type { Reading, Store } from '../../store/store.ts';
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

/**
 * Keeps everything about webhooks within its limits, in slices: events that wait (the oldest are given up), dead letters,
 * attempts, and what deleted subscriptions left. Answers how many events were given up.
 */
export async function tidy(options: TidyOptions): Promise<number> {
  const { store } = options;
  const dead = await crowdOutSurplus(options);
  await removeLeftovers(options);
  await trim(store, tables.webhookDead, limits.webhookDeadLetters);
  await trim(store, tables.webhookAttempts, limits.webhookAttemptsKept);
  return dead;
}

async function crowdOutSurplus({ store, lines, now }: TidyOptions): Promise<number> {
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
      await trimOne(store, { table: tables.webhookDead, webhookId, max: limits.webhookDeadLetters });
    }
  return dead;
}

const ownTables = [tables.webhookOutbox, tables.webhookDead, tables.webhookAttempts] as const;

async function removeLeftovers({ store, subscriptions, lines }: TidyOptions): Promise<void> {
  for (const table of ownTables as readonly Table<OutboxKey, unknown>[])
    for (const webhookId of webhookIdsIn(store, table))
      if (!subscriptions.byId(webhookId)) await trimOne(store, { table, webhookId, max: 0 });
  for (const webhookId of lines.keys()) if (!subscriptions.byId(webhookId)) lines.delete(webhookId);
}

async function trim(store: Store, table: Table<OutboxKey, unknown>, max: number): Promise<void> {
  // Fewer in all than one may have: the usual case costs one look.
  if (store.count(table) <= max) return;
  for (const webhookId of webhookIdsIn(store, table)) await trimOne(store, { table, webhookId, max });
}

interface Trimming {
  readonly table: Table<OutboxKey, unknown>;
  readonly webhookId: string;
  readonly max: number;
}

/** Removes the oldest records of one subscription that are more than it may have. */
async function trimOne(store: Store, trimming: Trimming): Promise<void> {
  for (;;) {
    const oldest = keysOf(store, trimming, { limit: SLICE });
    const tail = keysOf(store, trimming, { limit: trimming.max + 1, reverse: true });
    const firstToGo = tail.length > trimming.max ? tail.at(-1) : undefined;
    if (!firstToGo) return;
    const surplus = oldest.filter(([, no]) => no <= firstToGo[1]);
    await store.write((tx) => {
      for (const key of surplus) tx.remove(trimming.table, key);
    });
  }
}

function keysOf(
  reading: Reading,
  { table, webhookId }: Trimming,
  { limit, reverse = false }: { readonly limit: number; readonly reverse?: boolean },
): readonly OutboxKey[] {
  const [start, end] = [[webhookId], [webhookId, Number.MAX_VALUE]];
  const range = reverse ? { start: end, end: start, reverse, limit } : { start, end, limit };
  return Array.from(reading.range(table, range), ({ key }) => key);
}
