import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { migrate, newestSchema } from '../../src/store/migrate.ts';
import { tableCounts } from '../../src/store/snapshot.ts';
import { openStore } from '../../src/store/store.ts';
import { Appliance } from '../support/appliance.ts';
import { answersOf, logIn, type PackedFolder, unpackInto } from '../support/schema-answers.ts';

const FOLDER = 'test/corpus/schemas';
const MAX_BYTES = 300_000;
const packed = readdirSync(FOLDER).filter((name) => name.endsWith('.tar.gz'));
const appliances: Appliance[] = [];
afterAll(() => Promise.all(appliances.map((one) => one.dispose())));

const aboutOf = (name: string): PackedFolder =>
  JSON.parse(readFileSync(join(FOLDER, name.replace(/\.tar\.gz$/, '.json')), 'utf8'));

test('there is a packed data folder of every schema there ever was (make it with scripts/schema-folder.mjs)', () => {
  const schemas = Array.from({ length: newestSchema }, (_, i) => `schema-${i + 1}`);
  const missing = schemas.filter(
    (name) => !['.tar.gz', '.json'].every((end) => existsSync(join(FOLDER, name + end))),
  );
  expect(missing).toEqual([]);
  expect(packed).toHaveLength(newestSchema);
});

describe.each(packed)('the data folder %s', (name) => {
  const { schema, env, tables, answers } = aboutOf(name);
  const appliance = new Appliance({ env });
  appliances.push(appliance);

  test('is small, has something in every table it says, and nothing of a real appliance', async () => {
    expect(statSync(join(FOLDER, name)).size).toBeLessThan(MAX_BYTES);
    unpackInto(appliance.dataDir, join(FOLDER, name));
    const store = openStore(appliance.dataDir);
    expect(tableCounts(store)).toMatchObject(tables);
    expect(Object.values(tables).filter((count) => count === 0)).toEqual([]);
    await store.close();
  });

  test('serves every answer it served when it was made, after a start by this version', async () => {
    const endpoints = await appliance.start();
    const found = await answersOf(endpoints, await logIn(appliance, 'test@example.org'));
    expect(Object.keys(answers).length).toBeGreaterThan(20);
    for (const [path, expected] of Object.entries(answers)) {
      expect(expected.length, path).toBeGreaterThan(0);
      expect(found[path], path).toEqual(expect.arrayContaining([...expected]));
    }
    await appliance.stop();
    const store = openStore(appliance.dataDir);
    expect(await migrate(store)).toBe(newestSchema);
    await store.close();
    const copies = join(appliance.dataDir, 'before-upgrade');
    expect(existsSync(copies) ? readdirSync(copies).length : 0).toBe(schema < newestSchema ? 1 : 0);
  }, 60_000);
});
