// A start that upgrades: `node upgrade-peer.mjs DIR PORT`. Prints a line for each batch, and `done`.
import { upgradeStore } from '../../src/app/upgrade.ts';
import { createLog } from '../../src/log/log.ts';
import type { Migration } from '../../src/store/migrate.ts';
import { openStore } from '../../src/store/store.ts';
import { type Key, type Table, tables } from '../../src/store/tables.ts';

/** What the tables hold here: how often each record was migrated. */
type Counted<K extends Key> = Table<K, { readonly migrated: number }>;
// A schema of its own, in tables that are there.
const byNumber = tables.tags as unknown as Counted<number>;
const byText = tables.sites as unknown as Counted<readonly [string, string]>;

function count<K extends Key>(name: string, table: Counted<K>): Migration {
  return ({ inBatches }) =>
    inBatches({
      ...{ name, table },
      change: (tx, { key, value }) => tx.put(table, key, { migrated: value.migrated + 1 }),
      onBatch: (records) => process.stdout.write(`${name} ${records}\n`),
    });
}

const [dir = '', port = '0'] = process.argv.slice(2);
const store = openStore(dir);
const config = {
  ...{ dataDir: dir, storage: { minFreeMegabytes: 1 } },
  http: { host: '127.0.0.1', port: Number(port) },
};
const steps = [count('numbers', byNumber), count('texts', byText)];
try {
  await upgradeStore(store, { config, log: createLog({ level: 'silent' }), now: Date.now, steps });
  process.stdout.write('done\n');
} catch (error) {
  process.stdout.write(`refused: ${error instanceof Error ? error.message : String(error)}\n`);
}
await store.close();
