import { Pace } from '../lib/pace.ts';
import type { Entry, Reading } from './store.ts';
import type { Table } from './tables.ts';

/** Read at a time, so that a large table holds neither the event loop nor an old snapshot. */
const SLICE = 500;

/** All entries of a table with text for keys, with everything else let run in between: what changes meanwhile may be missed. */
export async function* inSlices<V>(
  reading: Pick<Reading, 'range'>,
  table: Table<string, V>,
): AsyncGenerator<Entry<string, V>> {
  const pace = new Pace();
  for (let start = ''; ; ) {
    const slice = Array.from(reading.range(table, { start, limit: SLICE }));
    yield* slice;
    const last = slice.at(-1);
    if (!last || slice.length < SLICE) return;
    // The next key after it.
    start = `${last.key}\u0001`;
    if (pace.due) await pace.pause();
  }
}
