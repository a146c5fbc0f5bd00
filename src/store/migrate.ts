import { forgetPasses, inBatches, type Pass } from './migrate-batches.ts';
import type { Store } from './store.ts';
import { type Key, tables } from './tables.ts';

/** What a migration works with. */
export interface MigrationRun {
  readonly store: Store;
  /** Changes every record of a table, each exactly once, whatever the process is killed in the middle of. */
  inBatches<K extends Key, V>(pass: Pass<K, V>): Promise<void>;
}

/**
 * Moves the data from schema n to n+1. What changes many records goes through `inBatches`; anything else may be cut off at
 * any point and start again, so doing it twice must do no harm.
 */
export type Migration = (run: MigrationRun) => Promise<void>;

/** Index 0 leads from schema 1 to 2. Append only; `test/corpus/schemas` has a folder of every schema before the newest. */
const migrations: readonly Migration[] = [];

/** The schema this program writes. */
export const newestSchema = migrations.length + 1;

/** The way a running upgrade goes. */
export interface Upgrade {
  readonly from: number;
  readonly to: number;
}

/** How far a running upgrade is. */
export interface UpgradeProgress {
  /** The schema it is coming to now. */
  readonly schema: number;
  /** The last one on the way. */
  readonly newest: number;
  readonly table: string;
  /** Records done of this table, of about how many. */
  readonly records: number;
  readonly of: number;
}

export interface MigrateOptions {
  /** Those of this program unless a test brings its own. */
  readonly steps?: readonly Migration[];
  /** Runs first when there is something to upgrade, also what was cut off. A throw ends it with nothing changed. */
  readonly onBegin?: () => Promise<void>;
  /**
   * Runs before the first change of an upgrade, and never when one that was cut off goes on: it finds the data as the
   * older program left them. A throw ends it with nothing changed.
   */
  readonly before?: (upgrade: Upgrade) => Promise<void>;
  readonly onProgress?: (progress: UpgradeProgress) => void;
}

/** The data folder was written by a newer Tagkeep, or one has begun to upgrade it. */
export class SchemaTooNew extends Error {
  constructor(found: number, known: number) {
    super(
      `the data folder has schema ${found}, this Tagkeep knows up to ${known}: install the newer version again`,
    );
    this.name = 'SchemaTooNew';
  }
}

/** The data folder is of an older Tagkeep, and only a start of the appliance upgrades it. */
export class SchemaTooOld extends Error {
  constructor(found: number, newest: number) {
    super(
      `the data folder has schema ${found}, this Tagkeep needs ${newest}: start the appliance once (tagkeep serve), which upgrades it`,
    );
    this.name = 'SchemaTooOld';
  }
}

/**
 * Brings the store to the newest schema and returns its number. An empty store starts there. One that was cut off goes on.
 * Only one process may do it at a time. Throws `SchemaTooNew`.
 */
export async function migrate(store: Store, options: MigrateOptions = {}): Promise<number> {
  const { steps = migrations, before } = options;
  const newest = steps.length + 1;
  const found = store.get(tables.meta, 'schemaVersion') ?? (await begin(store, newest));
  refuseNewer(store, { found, newest });
  if (found === newest) return newest;
  await options.onBegin?.();
  const hasBegun = store.get(tables.meta, 'upgradingTo') !== undefined;
  if (!hasBegun) await before?.({ from: found, to: newest });
  await store.write((tx) => tx.put(tables.meta, 'upgradingTo', newest));
  for (let schema = found; schema < newest; schema++) await step(store, schema, options);
  return newest;
}

/** One step, with what it leaves: the next schema, or with the last one nothing that tells of an upgrade. */
async function step(store: Store, schema: number, options: MigrateOptions): Promise<void> {
  const { steps = migrations } = options;
  const newest = steps.length + 1;
  await steps[schema - 1]?.({
    store,
    inBatches: (pass) => inBatches(store, observed(store, pass, { ...options, schema, newest })),
  });
  await store.write((tx) => {
    tx.put(tables.meta, 'schemaVersion', schema + 1);
    forgetPasses(tx);
    if (schema + 1 === newest) tx.remove(tables.meta, 'upgradingTo');
  });
}

interface Observer extends MigrateOptions {
  readonly schema: number;
  readonly newest: number;
}

function observed<K extends Key, V>(
  store: Store,
  pass: Pass<K, V>,
  { schema, newest, onProgress }: Observer,
): Pass<K, V> {
  const about = { schema: schema + 1, newest, table: pass.table.name };
  return {
    ...pass,
    onBatch: (records) => {
      pass.onBatch?.(records);
      onProgress?.({ ...about, records, of: Math.max(records, store.count(pass.table)) });
    },
  };
}

/**
 * Makes sure that a store has the newest schema, without changing one that has not: for whoever works beside the
 * appliance. An empty store starts there. Throws `SchemaTooNew` and `SchemaTooOld`.
 */
export async function requireSchema(store: Store, newest = newestSchema): Promise<void> {
  const found = store.get(tables.meta, 'schemaVersion') ?? (await begin(store, newest));
  refuseNewer(store, { found, newest });
  if (found < newest) throw new SchemaTooOld(found, newest);
}

/** Half an upgrade is for the program that began it, or a newer one: an older one would take the changed part for its own. */
function refuseNewer(store: Store, { found, newest }: { found: number; newest: number }): void {
  const schema = Math.max(found, store.get(tables.meta, 'upgradingTo') ?? 0);
  if (schema > newest) throw new SchemaTooNew(schema, newest);
}

async function begin(store: Store, version: number): Promise<number> {
  await store.write((tx) => tx.put(tables.meta, 'schemaVersion', version));
  return version;
}
