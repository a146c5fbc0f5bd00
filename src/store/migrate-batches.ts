import { Pace } from '../lib/pace.ts';
import type { Entry, Store, Tx } from './store.ts';
import { type Key, type Table, tables } from './tables.ts';

/** Records of one write: few enough that it never holds the event loop for long. */
const BATCH_RECORDS = 500;
const BATCH_MS = 8;
/** Begins the name in `meta` of every pass of a running upgrade. */
const PASS = 'upgradePass:';

/** How far a pass came: the last key that is done; null before the first. */
interface Reached {
  readonly after: Key | null;
  readonly isDone: boolean;
  readonly records: number;
}

/** One pass over a table. */
export interface Pass<K extends Key, V> {
  /** Its own among the passes of its migration. */
  readonly name: string;
  readonly table: Table<K, V>;
  /**
   * What becomes of one record, in the transaction that also notes that it is done, so that it is asked for exactly once
   * however often the process is killed. It may write and remove anything, but put nothing into this table under a
   * later key that was not there: that would be taken for a record of its own.
   */
  readonly change: (tx: Tx, entry: Entry<K, V>) => void;
  /** Told after each batch: the records done, those of this and all former runs. */
  readonly onBatch?: (records: number) => void;
}

// `meta` is JSON; besides the counters its type names it holds these while an upgrade runs, and only then.
const reached = tables.meta as Table<string, unknown> as Table<string, Reached>;

/** Changes every record of a table in small writes. One that was cut off goes on behind the last record that is done. */
export async function inBatches<K extends Key, V>(store: Store, pass: Pass<K, V>): Promise<void> {
  const name = PASS + pass.name;
  for (let at = store.get(reached, name); !at?.isDone; ) {
    at = await store.write((tx) => {
      const now = batch(tx, pass, tx.get(reached, name) ?? { after: null, isDone: false, records: 0 });
      tx.put(reached, name, now);
      return now;
    });
    pass.onBatch?.(at.records);
    await new Pace().pause();
  }
}

function batch<K extends Key, V>(tx: Tx, { table, change }: Pass<K, V>, from: Reached): Reached {
  const pace = new Pace(BATCH_MS);
  let { after, records } = from;
  const start = after === null ? {} : { start: after };
  // One more: the first is the one that was done last, unless its change has removed it.
  const entries = Array.from(tx.range(table, { ...start, limit: BATCH_RECORDS + 1 }));
  const isEnd = entries.length <= BATCH_RECORDS;
  let left = entries.length;
  for (const entry of entries) {
    if (pace.due && after !== from.after) break;
    left--;
    if (from.after !== null && isSameKey(entry.key, from.after)) continue;
    change(tx, entry);
    after = entry.key;
    records++;
  }
  return { after, records, isDone: isEnd && left === 0 };
}

const isSameKey = (a: Key, b: Key): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Forgets the passes of a migration that is over, in the transaction that says so. */
export function forgetPasses(tx: Tx): void {
  const names = Array.from(tx.range(reached, { start: PASS, end: `${PASS}\u{10ffff}` }), ({ key }) => key);
  for (const name of names) tx.remove(reached, name);
}
