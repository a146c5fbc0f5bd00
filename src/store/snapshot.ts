import { statSync } from 'node:fs';
import { open, type RootDatabase } from 'lmdb';
import { Pace } from '../lib/pace.ts';
import { openStore, type Reading } from './store.ts';
import { storeFile } from './store-file.ts';
import { type Key, type Table, tables } from './tables.ts';

/** Bytes the store of a data folder takes on disk; its copy takes no more. Throws what the file system says. */
export function storeSize(dataDir: string): number {
  return statSync(storeFile(dataDir)).size;
}

/**
 * Copies the last committed state of a store to `<toDir>/db`, without its free pages, on a thread of its own. Any process
 * may write to the store meanwhile: what it writes takes new pages, and is not in the copy. LMDB can't be interrupted in it:
 * an aborted signal comes out as its reason once the copy is made.
 */
export async function copyStore(dataDir: string, toDir: string, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  // Refuses a file that is none of LMDB's, which would end the process.
  const store = openStore(dataDir);
  try {
    const root = open({ path: storeFile(dataDir), noSubdir: true, readOnly: true, maxDbs: 64 });
    await copyOf(root, storeFile(toDir)).finally(() => root.close());
  } finally {
    await store.close();
  }
  signal?.throwIfAborted();
}

// lmdb's types leave the second argument out; true = without the free pages.
function copyOf(root: RootDatabase, file: string): Promise<void> {
  return root.backup(file, true);
}

/** Entries of every table as the store counts them, by the table's name; no value is looked at. */
export function tableCounts(store: Pick<Reading, 'count'>): Record<string, number> {
  const all: readonly Table<Key, unknown>[] = Object.values(tables);
  return Object.fromEntries(all.map((table) => [table.name, store.count(table)]));
}

/**
 * An entry that can't be read, or entries that are missing. The message names the table and never what stands in it: the
 * values hold what is secret.
 */
class DamagedTable extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DamagedTable';
  }
}

/**
 * Reads every entry of every table, the event loop left free in between, and answers their number. Throws `DamagedTable`
 * where one can't be read or fewer are found than the table counts, and the reason of an aborted signal. It holds one
 * snapshot open for long, so it is for a store that nobody writes to.
 */
export async function readThrough(
  store: Pick<Reading, 'range' | 'count'>,
  signal?: AbortSignal,
): Promise<number> {
  const all: readonly Table<Key, unknown>[] = Object.values(tables);
  const pace = new Pace();
  let records = 0;
  for (const table of all) {
    let read = 0;
    for (const _ of readable(store, table)) {
      read++;
      if (!pace.due) continue;
      await pace.pause();
      signal?.throwIfAborted();
    }
    const counted = store.count(table);
    if (read !== counted) throw new DamagedTable(`${table.name} has ${read} entries and counts ${counted}`);
    records += read;
  }
  return records;
}

function* readable(store: Pick<Reading, 'range'>, table: Table<Key, unknown>): Generator<unknown> {
  let read = 0;
  try {
    for (const entry of store.range(table)) {
      read++;
      yield entry;
    }
  } catch {
    throw new DamagedTable(`${table.name} can't be read after ${read} entries`);
  }
}
