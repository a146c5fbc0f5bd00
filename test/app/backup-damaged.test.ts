import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeBackup } from '../../src/app/backup.ts';
import type { Config } from '../../src/config/options.ts';
import { readThrough } from '../../src/store/snapshot.ts';
import { storeFile } from '../../src/store/store-file.ts';
import { type Key, type Table, tables } from '../../src/store/tables.ts';
import { BackupHouse, changeStore, NOW } from '../support/backup-house.ts';

const MARK = 'a name that stands nowhere else';

const house = new BackupHouse();
let appliance: Config;
beforeAll(async () => {
  appliance = await house.appliance();
  await changeStore(appliance, (store) =>
    store.write((tx) => {
      const [org] = [...tx.range(tables.orgs)];
      if (org) tx.put(tables.orgs, org.key, { ...org.value, name: MARK });
    }),
  );
}, 60_000);
afterAll(() => house.dispose());

/** Turns the quote that ends the name into something else, wherever a page has it. */
function damage(): void {
  const file = storeFile(appliance.dataDir);
  const bytes = readFileSync(file);
  for (let at = bytes.indexOf(MARK); at >= 0; at = bytes.indexOf(MARK, at + 1)) bytes[at + MARK.length] = 1;
  writeFileSync(file, bytes);
}

describe('a store with a damaged entry', () => {
  it('is refused in one line that shows nothing of it, and no older backup is removed for it', async () => {
    const dir = house.fresh();
    mkdirSync(dir);
    const good = await makeBackup(house.options(appliance, { target: dir, now: NOW, keep: 1 }));
    damage();
    const later = { target: dir, now: NOW + 1000, keep: 1 };
    const outcome = makeBackup(house.options(appliance, later)).catch((error: Error) => error.message);
    expect(await outcome).toBe(
      "the store is damaged: orgs can't be read after 0 entries; the older backups were kept",
    );
    expect(readdirSync(dir)).toEqual([basename(good.file)]);
    expect(readdirSync(join(appliance.dataDir, 'run'))).toEqual([]);
  });
});

describe('reading a store through', () => {
  const none = { range: () => [], count: () => 0 };

  it('finds a table that ends before what it counts', async () => {
    const count = (table: Table<Key, unknown>): number => (table.name === tables.tags.name ? 3 : 0);
    await expect(readThrough({ ...none, count: count as typeof none.count })).rejects.toThrow(
      'tags has 0 entries and counts 3',
    );
  });

  it('ends with the reason of a signal, however much is left', async () => {
    const stop = new AbortController();
    let read = 0;
    function* endless() {
      for (;;) {
        if (++read === 10) stop.abort(new Error('stopped by the test'));
        yield { key: '', value: undefined };
      }
    }
    const reading = readThrough({ ...none, range: endless as never }, stop.signal);
    await expect(reading).rejects.toThrow(/^stopped by the test$/);
    expect(read).toBeGreaterThanOrEqual(10);
  });
});
