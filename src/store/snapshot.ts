import { statSync } from 'node:fs';
import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { Pace } from '../lib/pace.ts';
import { openStore, type Reading } from './store.ts';
import { type Key, type Table, tables } from './tables.ts';

/** The store's file in a data folder. */
const fileIn = (dataDir: string): string => join(dataDir, 'db', 'tagkeep.mdb');

/** Bytes the store of a data folder takes on disk; its copy takes no more. Throws what the file system says. */
export function storeSize(dataDir: string): number {
  return statSync(fileIn(dataDir)).size;
}

/**
 * Copies the last committed state of a store to `<toDir>/db`, without its free pages, on a thread of its own. Any process
 * may write to the store meanwhile: what it writes takes new pages, and is not in the copy.
 */
export async function copyStore(dataDir: string, toDir: string): Promise<void> {
  // Refuses a file that is none of LMDB's, which would end the process.
  const store = openStore(dataDir);
  try {
    const root = open({ path: fileIn(dataDir), noSubdir: true, readOnly: true, maxDbs: 64 });
    await copyOf(root, fileIn(toDir)).finally(() => root.close());
  } finally {
    await store.close();
  }
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
 * Reads every entry of every table, the event loop left free in between, and answers their number. Throws for one that
 * cannot be read. It holds one snapshot open for long, so it is for a store that nobody writes to.
 */
export async function readThrough(store: Pick<Reading, 'range'>): Promise<number> {
  const all: readonly Table<Key, unknown>[] = Object.values(tables);
  const pace = new Pace();
  let records = 0;
  for (const table of all)
    for (const _ of store.range(table)) {
      records++;
      if (pace.due) await pace.pause();
    }
  return records;
}
