import type { Value } from '../domain/value.ts';
import type { EndedValue, TagDataRecord } from './records.ts';
import type { Reading, Tx } from './store.ts';
import { tables } from './tables.ts';

/** A value a tag holds. */
export interface CurrentValue {
  readonly value: Value;
  /** Epoch ms. */
  readonly since: number;
}

/** What a tag holds now, by field number, deleted fields' values included. */
export function currentValues(reading: Reading, tagNo: number): ReadonlyMap<number, CurrentValue> {
  return decode(reading.get(tables.tagData, tagNo));
}

/** The value in a member of a record's `values`; undefined for a member that is not there. */
export function heldValue(stored: Stored | undefined): Value | undefined {
  return typeof stored === 'object' ? stored[0] : stored;
}

type Stored = TagDataRecord['values'][number];

function decode(record: TagDataRecord | undefined): Map<number, CurrentValue> {
  const values = new Map<number, CurrentValue>();
  if (!record) return values;
  for (const [no, stored] of Object.entries(record.values)) {
    const [value, since] = typeof stored === 'object' ? stored : [stored, record.at];
    values.set(Number(no), { value, since });
  }
  return values;
}

/** New values by field number; null clears. */
export type ValueChanges = ReadonlyMap<number, Value | null>;

/**
 * Sets and clears values of one tag. What it held goes to its history; a value it already holds changes nothing. Times of
 * one tag's changes only grow, whatever the clock does. Answers the numbers of the fields that changed.
 */
export function changeValues(
  tx: Tx,
  tagNo: number,
  { changes, now }: { readonly changes: ValueChanges; readonly now: number },
): readonly number[] {
  const record = tx.get(tables.tagData, tagNo);
  const values = decode(record);
  const changed = [...changes].filter(([no, value]) => (values.get(no)?.value ?? null) !== value);
  if (changed.length === 0) return [];
  const at = record ? Math.max(now, record.at + 1) : now;
  for (const [no, value] of changed) {
    const before = values.get(no);
    if (before) tx.put(tables.tagHistory, [tagNo, before.since, no], { value: before.value, validTo: at });
    if (value === null) values.delete(no);
    else values.set(no, { value, since: at });
  }
  tx.put(tables.tagData, tagNo, encode(values, at));
  return changed.map(([no]) => no);
}

/** Takes deleted fields' values out of what a tag holds now; false when it held none. Its history: `dropEnded`. */
export function dropValues(tx: Tx, tagNo: number, deleted: ReadonlySet<number>): boolean {
  const record = tx.get(tables.tagData, tagNo);
  if (!record) return false;
  const values = decode(record);
  const kept = new Map([...values].filter(([no]) => !deleted.has(no)));
  if (kept.size === values.size) return false;
  tx.put(tables.tagData, tagNo, encode(kept, record.at));
  return true;
}

/** A stretch of a tag's history to be looked through. */
export interface HistoryStretch {
  readonly deleted: ReadonlySet<number>;
  /** Only entries after this place, which are older; all when absent. */
  readonly before: HistoryPlace | undefined;
  /** Entries to look at. */
  readonly limit: number;
}

/**
 * Takes deleted fields' values out of a stretch of a tag's history. Answers how many entries it looked at and where to go
 * on; `next` is undefined at the history's end.
 */
export function dropEnded(
  tx: Tx,
  tagNo: number,
  { deleted, before, limit }: HistoryStretch,
): { readonly looked: number; readonly next: HistoryPlace | undefined } {
  const looked = [...historyOf(tx, tagNo, { before, limit })];
  for (const { fieldNo, validFrom } of looked)
    if (deleted.has(fieldNo)) tx.remove(tables.tagHistory, [tagNo, validFrom, fieldNo]);
  return { looked: looked.length, next: looked.length < limit ? undefined : looked.at(-1) };
}

/** Where an entry stands in a tag's history. */
export interface HistoryPlace {
  /** Epoch ms. */
  readonly validFrom: number;
  readonly fieldNo: number;
}

/** A value of the past. Times are epoch ms. */
export interface PastValue extends EndedValue, HistoryPlace {}

/**
 * Ended values of a tag, the one that began last first; with `before` only those after that place, at most `limit` of them.
 * Take them at once, in slices.
 */
export function* historyOf(
  reading: Reading,
  tagNo: number,
  { before, limit }: { readonly before?: HistoryPlace | undefined; readonly limit?: number } = {},
): Generator<PastValue> {
  const start = before ? [tagNo, before.validFrom, before.fieldNo - 1] : [tagNo + 1];
  const range = { start, end: [tagNo], reverse: true, ...(limit === undefined ? {} : { limit }) };
  for (const { key, value } of reading.range(tables.tagHistory, range))
    yield { ...value, validFrom: key[1], fieldNo: key[2] };
}

function encode(values: ReadonlyMap<number, CurrentValue>, at: number): TagDataRecord {
  const stored: Record<number, Stored> = {};
  for (const [no, { value, since }] of values) stored[no] = since === at ? value : [value, since];
  return { at, values: stored };
}
