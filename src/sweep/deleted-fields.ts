import { Pace } from '../lib/pace.ts';
import type { Store, Tx } from '../store/store.ts';
import { tables } from '../store/tables.ts';
import { dropEnded, dropValues, type HistoryPlace } from '../store/tag-data.ts';

/** Tags, and entries of their histories, looked at in one transaction. */
const TAGS = 50;
const ENTRIES = 500;
const RUN_MS = 200;

/** Where the last slice stopped within the history of one tag, and for which deleted fields. */
interface Place {
  readonly tagNo: number;
  readonly before: HistoryPlace;
  readonly fields: string;
}

/**
 * Takes the values of deleted fields, which nobody sees any more, out of the tags. A run works for `runMs` at most, in
 * transactions of a few milliseconds, and the next one goes on where it stopped; so does another start of the program,
 * except that it begins the history of a tag anew. One pass serves every field deleted by then.
 */
export function createDeletedFieldsSweep(
  store: Store,
  { runMs = RUN_MS }: { readonly runMs?: number } = {},
): { readonly run: () => Promise<void> } {
  let place: Place | null = null;
  return {
    run: async () => {
      const until = performance.now() + runMs;
      const pace = new Pace();
      while (anyDeleted(store)) {
        const from = place;
        place = await store.write((tx) => sweepSlice(tx, from));
        if (performance.now() >= until) return;
        await pace.pause();
      }
    },
  };
}

function anyDeleted(store: Store): boolean {
  const [first] = store.range(tables.deletedFields, { limit: 1 });
  return first !== undefined;
}

function sweepSlice(tx: Tx, place: Place | null): Place | null {
  const pending = [...tx.range(tables.deletedFields)];
  if (pending.length === 0) return null;
  const deleted = new Set(pending.map(({ key }) => key));
  const fields = [...deleted].join();
  const start = Math.min(...pending.map(({ value }) => value.nextTagNo));
  const tagNos = Array.from(tx.range(tables.tagData, { start, limit: TAGS }), ({ key }) => key);
  let left = ENTRIES;
  for (const tagNo of tagNos) {
    dropValues(tx, tagNo, deleted);
    const before = place?.tagNo === tagNo && place.fields === fields ? place.before : undefined;
    const { looked, next } = dropEnded(tx, tagNo, { deleted, before, limit: left });
    left -= looked;
    if (!next) continue;
    advance(tx, tagNo);
    return { tagNo, before: next, fields };
  }
  const last = tagNos.at(-1);
  advance(tx, tagNos.length < TAGS || last === undefined ? null : last + 1);
  return null;
}

/** Tags below `nextTagNo` are done for every deleted field; null: all are. */
function advance(tx: Tx, nextTagNo: number | null): void {
  for (const { key, value } of [...tx.range(tables.deletedFields)]) {
    if (nextTagNo === null) tx.remove(tables.deletedFields, key);
    else if (value.nextTagNo < nextTagNo) tx.put(tables.deletedFields, key, { ...value, nextTagNo });
  }
}
