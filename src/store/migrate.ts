import type { Store } from './store.ts';
import { tables } from './tables.ts';

/**
 * Moves the data from schema n to n+1. It may run for long, so it works in small writes and leaves the event loop free;
 * it may be cut off at any point and start again, so doing a part twice must do no harm.
 */
export type Migration = (store: Store) => Promise<void>;

/** Index 0 leads from schema 1 to 2. Append only. */
const migrations: readonly Migration[] = [];

/** The data folder was written by a newer Tagkeep. */
export class SchemaTooNew extends Error {
  constructor(found: number, known: number) {
    super(
      `the data folder has schema ${found}, this Tagkeep knows up to ${known}: install the newer version again`,
    );
    this.name = 'SchemaTooNew';
  }
}

/** Brings the store to the newest schema and returns its number. An empty store starts there. Throws `SchemaTooNew`. */
export async function migrate(store: Store, steps: readonly Migration[] = migrations): Promise<number> {
  const newest = steps.length + 1;
  const found = store.get(tables.meta, 'schemaVersion') ?? (await begin(store, newest));
  if (found > newest) throw new SchemaTooNew(found, newest);
  for (let version = found; version < newest; version++) {
    await steps[version - 1]?.(store);
    await store.write((tx) => tx.put(tables.meta, 'schemaVersion', version + 1));
  }
  return newest;
}

async function begin(store: Store, version: number): Promise<number> {
  await store.write((tx) => tx.put(tables.meta, 'schemaVersion', version));
  return version;
}
