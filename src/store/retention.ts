import { Pace } from '../lib/pace.ts';
import { alertIdPrefix } from './alert-id.ts';
import { timelineOf } from './asset-timeline.ts';
import { AFTER_IDS } from './of-org.ts';
import type { Entry, Reading, Store, Tx } from './store.ts';
import { type Key, type Table, tables } from './tables.ts';
import { visitEnd } from './visits.ts';

/** Entries looked at, and keys removed for one of them, in one step. */
const AT_ONCE = 256;

/** Where a step begins, and the time (epoch ms) before which things are old. */
export interface TrimFrom {
  /** Null: at the beginning of the table. */
  readonly start: Key | null;
  readonly before: number;
}

/** What a step did; `next` is where to go on, null at the end of the table. */
export interface Trimmed {
  readonly removed: number;
  readonly next: Key | null;
}

/**
 * Takes what is old out of a table, step by step: one look of a few milliseconds, and one write of a few when there is
 * something to remove. What changed between the two is judged again in the write. Throws as `Store.write`.
 */
export interface Trim {
  step(store: Store, from: TrimFrom): Promise<Trimmed>;
}

/** Which entries of a table lead to something old. */
interface Rule<K extends Key, V, T extends Key> {
  readonly walk: Table<K, V>;
  readonly from: Table<T, unknown>;
  /** Keys in `from` to be removed for an entry of `walk`: `AT_ONCE` of them when there may be more. */
  old(reading: Reading, entry: Entry<K, V>, before: number): readonly T[];
  /** Where to go on when nothing that follows the entry in its group can be old; null: at the next one. */
  skip?(entry: Entry<K, V>, before: number): Key | null;
}

/** Zone stays whose last read is old. */
export const visitTrim: Trim = trimOf({
  walk: tables.visits,
  from: tables.visits,
  old: (_, { key, value }, before) => (visitEnd(value) < before ? [key] : []),
  skip: skipTag,
});

/** Values of the past that ended before; what a tag holds now is in another table. */
export const historyTrim: Trim = trimOf({
  walk: tables.tagHistory,
  from: tables.tagHistory,
  old: (_, { key, value }, before) => (value.validTo < before ? [key] : []),
  skip: skipTag,
});

/**
 * Alerts resolved before. One that a person resolved while its problem goes on stays: it is why the problem is not raised
 * again.
 */
export const alertTrim: Trim = trimOf({
  walk: tables.alerts,
  from: tables.alerts,
  old: (reading, { key, value: { state, resolvedAt, problem, id } }, before) => {
    if (state !== 'resolved' || resolvedAt === null || resolvedAt >= before) return [];
    return reading.get(tables.alertByProblem, [key[0], problem]) === id ? [] : [key];
  },
  // Ids sort by the time they were opened, and nothing is resolved before that.
  skip: ({ key: [orgId, id] }, before) =>
    id < alertIdPrefix({ openedAt: Math.max(0, before), no: 0 }) ? null : [orgId, AFTER_IDS],
});

/** The whole timelines of assets on which nothing has been written since they were retired, before. The assets stay. */
export const timelineTrim: Trim = trimOf({
  walk: tables.assets,
  from: tables.assetEvents,
  old: (reading, { value: { id, status } }, before) => {
    if (status !== 'retired') return [];
    const [newest] = timelineOf(reading, id, { limit: 1 });
    if (!newest || newest.at >= before) return [];
    // Oldest first: the newest, which tells that it is old, goes last.
    const range = { start: [id], end: [id, Number.MAX_VALUE], limit: AT_ONCE };
    return Array.from(reading.range(tables.assetEvents, range), ({ key }) => key);
  },
});

function skipTag(
  { key: [tagNo, from] }: { readonly key: readonly [tagNo: number, from: number, no: number] },
  before: number,
): Key | null {
  return from < before ? null : [tagNo + 1];
}

function trimOf<K extends Key, V, T extends Key>(rule: Rule<K, V, T>): Trim {
  return {
    async step(store, { start, before }) {
      const { due, next } = look(store, rule, { start, before });
      if (due.length === 0) return { removed: 0, next };
      const { removed, stoppedAt } = await store.write((tx) => removeOld(tx, rule, { due, before }));
      return { removed, next: stoppedAt ?? next };
    },
  };
}

/** The entries of one stretch of the table that lead to something old. */
function look<K extends Key, V, T extends Key>(
  store: Store,
  rule: Rule<K, V, T>,
  { start, before }: TrimFrom,
): { readonly due: readonly K[]; readonly next: Key | null } {
  const pace = new Pace();
  const due: K[] = [];
  let looked = 0;
  for (const entry of store.range(rule.walk, { limit: AT_ONCE, ...(start !== null && { start }) })) {
    looked++;
    if (rule.old(store, entry, before).length > 0) due.push(entry.key);
    // Values may be long: the clock is asked at every entry.
    if (looked === AT_ONCE || pace.due)
      return { due, next: rule.skip?.(entry, before) ?? following(entry.key) };
  }
  return { due, next: null };
}

/** The first key there can be after one. */
function following(key: Key): Key {
  return typeof key === 'object' ? [...key, 0] : [key, 0];
}

interface Due<K extends Key> {
  readonly due: readonly K[];
  readonly before: number;
}

/** `stoppedAt`: there was no time for that entry, or for all of it. */
function removeOld<K extends Key, V, T extends Key>(
  tx: Tx,
  rule: Rule<K, V, T>,
  { due, before }: Due<K>,
): { readonly removed: number; readonly stoppedAt: Key | null } {
  const pace = new Pace();
  let removed = 0;
  for (const key of due) {
    if (removed > 0 && pace.due) return { removed, stoppedAt: key };
    const value = tx.get(rule.walk, key);
    const old = value === undefined ? [] : rule.old(tx, { key, value }, before);
    for (const one of old) tx.remove(rule.from, one);
    removed += old.length;
    if (old.length === AT_ONCE) return { removed, stoppedAt: key };
  }
  return { removed, stoppedAt: null };
}
