import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { upgradeStore } from '../../src/app/upgrade.ts';
import { createLog } from '../../src/log/log.ts';
import { type Migration, migrate } from '../../src/store/migrate.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { type Table, tables } from '../../src/store/tables.ts';
import { Appliance } from '../support/appliance.ts';
import { refusalOf } from '../support/command.ts';
import { canMount, SmallDisk } from '../support/small-disk.ts';
import { bundle, startPeer } from '../support/store-process.ts';
import { until } from '../support/wait.ts';

interface Counted {
  readonly migrated: number;
}
// A schema of the test's own, in tables that are there.
const byNumber = tables.tags as unknown as Table<number, Counted>;
const byText = tables.sites as unknown as Table<readonly [string, string], Counted>;
const RECORDS = 20_000;

const root = mkdtempSync(join(tmpdir(), 'tagkeep-upgrade-'));
let folders = 0;
const fresh = (): string => join(root, `${++folders}`);
let program = '';

beforeAll(async () => {
  program = await bundle('upgrade-peer.ts');
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function inStore<T>(dir: string, work: (store: Store) => Promise<T> | T): Promise<T> {
  const store = openStore(dir);
  return Promise.resolve(work(store)).finally(() => store.close());
}

/** A folder of schema 1 with that many records in each of two tables. */
async function folderOf(records: number, dir = fresh()): Promise<string> {
  await inStore(dir, async (store) => {
    await migrate(store, { steps: [] });
    for (let from = 0; from < records; from += 1000)
      await store.write((tx) => {
        for (let i = from; i < Math.min(from + 1000, records); i++) {
          tx.put(byNumber, i, { migrated: 0 });
          tx.put(byText, ['org', `text ${i}`], { migrated: 0 });
        }
      });
  });
  return dir;
}

/** How often the records of both tables were migrated → how many of them. */
function migrated(store: Store): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  for (const table of [byNumber, byText])
    for (const { value } of store.range<never, Counted>(table as Table<never, Counted>))
      found.set(value.migrated, (found.get(value.migrated) ?? 0) + 1);
  return found;
}

const copies = (dir: string): readonly string[] =>
  existsSync(join(dir, 'before-upgrade')) ? readdirSync(join(dir, 'before-upgrade')).sort() : [];

const config = (dataDir: string, minFreeMegabytes = 1) => ({
  ...{ dataDir, storage: { minFreeMegabytes } },
  http: { host: '127.0.0.1', port: 0 },
});

const log = createLog({ level: 'silent' });
const touch: Migration = ({ inBatches }) =>
  inBatches({
    ...{ name: 'touch', table: byNumber },
    change: (tx, { key, value }) => tx.put(byNumber, key, { migrated: value.migrated + 1 }),
  });

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

describe('an upgrade that is killed', () => {
  it('goes on at every start until each record is migrated exactly once, and keeps the copy of before', async () => {
    const dir = await folderOf(RECORDS);
    let kills = 0;
    let isOver = false;
    for (; !isOver; kills++) {
      const peer = startPeer(program, [dir]);
      // Somewhere else in every round; the process is within the next batch, or its flush, by the time the signal is there.
      const batches = 3 + ((kills * 7) % 11);
      await peer.until((lines) => lines.length >= batches || lines.at(-1) === 'done');
      await peer.kill();
      isOver = peer.lines.includes('done');
    }
    expect(kills).toBeGreaterThan(5);
    await inStore(dir, (store) => {
      expect(migrated(store)).toEqual(new Map([[1, 2 * RECORDS]]));
      expect(store.get(tables.meta, 'schemaVersion')).toBe(3);
      expect(Array.from(store.range(tables.meta), ({ key }) => key)).toEqual(['schemaVersion']);
    });
    const [copy = '', ...more] = copies(dir);
    expect([copy, more]).toEqual([expect.stringMatching(/^schema-1-to-3-\d{8}-\d{6}$/), []]);
    const file = join(dir, 'before-upgrade', copy, 'db', 'tagkeep.mdb');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await inStore(join(dir, 'before-upgrade', copy), async (store) => {
      expect(await migrate(store, { steps: [] })).toBe(1);
      expect(migrated(store)).toEqual(new Map([[0, 2 * RECORDS]]));
    });
  }, 120_000);
});

describe('while an upgrade runs', () => {
  it('plain HTTP says so: 503 with the table and how far it is, alive all the same', async () => {
    const dir = await folderOf(2000);
    const port = await freePort();
    const store = openStore(dir);
    let go = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    const step: Migration = async (run) => {
      await touch(run);
      await held;
    };
    const upgrading = upgradeStore(store, {
      ...{ log, now: Date.now, steps: [step] },
      config: { ...config(dir), http: { host: '127.0.0.1', port } },
    });
    const ready = await until('the page', async () => {
      const response = await fetch(`http://127.0.0.1:${port}/readyz`);
      const body = await response.text();
      return body.includes('2000 of 2000') && { status: response.status, body: JSON.parse(body) };
    });
    expect(ready).toEqual({
      status: 503,
      body: {
        status: 'unavailable',
        reasons: ['upgrading the data to schema 2 of 2: 2000 of 2000 records of tags'],
      },
    });
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
    expect((await fetch(`http://127.0.0.1:${port}/api/v1/zones`)).status).toBe(503);
    go();
    await upgrading;
    await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow();
    await store.close();
  });
});

describe('the copy before an upgrade', () => {
  it('is none when there is nothing to upgrade', async () => {
    const dir = fresh();
    await inStore(dir, async (store) => {
      for (let i = 0; i < 2; i++)
        await upgradeStore(store, { config: config(dir), log, now: Date.now, steps: [touch] });
    });
    expect(copies(dir)).toEqual([]);
  });

  it('stays three times: older ones go once the new one is whole, nothing else in the folder does', async () => {
    const dir = await folderOf(10);
    const others = ['schema-1-to-2-mine', 'notes'];
    for (const name of others) mkdirSync(join(dir, 'before-upgrade', name), { recursive: true });
    mkdirSync(join(dir, 'before-upgrade', '.unfinished-schema-1-to-2-20200101-000000', 'db'), {
      recursive: true,
    });
    for (let n = 1; n <= 5; n++)
      await inStore(dir, (store) => {
        const steps = Array.from({ length: n }, () => touch);
        const now = () => Date.UTC(2027, 0, n);
        return upgradeStore(store, { config: config(dir), log, now, steps });
      });
    const kept = [3, 4, 5].map((n) => `schema-${n}-to-${n + 1}-2027010${n}-000000`);
    expect(copies(dir)).toEqual([...kept, ...others].sort());
  });

  it.runIf(canMount())(
    'is refused by a full disk in one line with the bytes, and made when there is room',
    async () => {
      const disk = new SmallDisk('size=16m');
      try {
        await folderOf(100, disk.dir);
        disk.fill();
        const peer = startPeer(program, [disk.dir]);
        await peer.ended();
        expect(peer.lines).toEqual([
          expect.stringMatching(
            /^refused: the upgrade needs a copy of the store first: .+ has \d+ bytes free, \d+ are needed; make room/,
          ),
        ]);
        await inStore(disk.dir, (store) => expect(migrated(store)).toEqual(new Map([[0, 200]])));
        disk.empty();
        const again = startPeer(program, [disk.dir]);
        await again.ended();
        expect(again.lines.at(-1)).toBe('done');
        expect(copies(disk.dir)).toHaveLength(1);
      } finally {
        disk.remove();
      }
    },
  );
});

describe('a data folder of another schema', () => {
  const appliance = new Appliance();
  const setSchema = (schema: number, upgradingTo?: number): Promise<void> =>
    inStore(appliance.dataDir, (store) =>
      store.write((tx) => {
        tx.put(tables.meta, 'schemaVersion', schema);
        if (upgradingTo !== undefined) tx.put(tables.meta, 'upgradingTo', upgradingTo);
      }),
    );
  const plain = join(appliance.root, 'plain.tar');

  beforeAll(async () => {
    await appliance.cli('init');
    await setSchema(99);
  });
  afterAll(() => appliance.dispose());

  it.each([
    ['serve'],
    ['init'],
    ['key', 'list'],
    ['reader', 'provision', 'S-1', '--out', join(appliance.root, 'out')],
    ['licence', 'show'],
  ])('that is newer is refused in one line: %s', async (...args) => {
    const said = await appliance.cli(...args);
    expect(refusalOf(said)).toMatch(/schema 99, this Tagkeep knows up to \d+: install the newer version/);
  });

  it('that is newer can be backed up, and the backup is refused by this version', async () => {
    expect((await appliance.cli('backup', plain, '--plain')).code).toBe(0);
    expect(refusalOf(await appliance.cli('verify', plain))).toMatch(/newer Tagkeep \(schema 99\)/);
    const other = new Appliance();
    expect(refusalOf(await other.cli('restore', plain))).toMatch(/newer Tagkeep \(schema 99\)/);
    await other.dispose();
  });

  it('that a newer version has half upgraded is refused too, and the doctor says so', async () => {
    await setSchema(1, 99);
    expect(refusalOf(await appliance.cli('serve'))).toMatch(/schema 99, this Tagkeep knows up to/);
    expect(refusalOf(await appliance.cli('key', 'list'))).toMatch(/schema 99/);
    const { findings } = JSON.parse((await appliance.cli('doctor', '--json')).stdout);
    const { level, message } = findings.find((one: { check: string }) => one.check === 'store');
    expect({ level, message }).toEqual({
      level: 'fault',
      message: expect.stringMatching(/^schema 99, this Tagkeep knows up to \d+: /),
    });
  });

  it('that is older is refused by commands, unchanged, and upgraded by a start, which keeps a copy', async () => {
    // There never was a schema 0; a step that leads away from it does nothing.
    await inStore(appliance.dataDir, (store) =>
      store.write((tx) => {
        tx.put(tables.meta, 'schemaVersion', 0);
        tx.remove(tables.meta, 'upgradingTo');
      }),
    );
    const said = refusalOf(await appliance.cli('key', 'list'));
    expect(said).toMatch(/has schema 0, this Tagkeep needs \d+: start the appliance once \(tagkeep serve\)/);
    expect(await inStore(appliance.dataDir, (store) => store.get(tables.meta, 'schemaVersion'))).toBe(0);
    await appliance.start();
    expect(appliance.output).toContain('a copy of the store as it was is kept');
    expect((await appliance.cli('key', 'list')).code).toBe(0);
    await appliance.stop();
    const [copy = '', ...more] = copies(appliance.dataDir);
    expect([copy, more]).toEqual([expect.stringMatching(/^schema-0-to-\d+-/), []]);
    const old = join(appliance.dataDir, 'before-upgrade', copy);
    expect(await inStore(old, (store) => store.get(tables.meta, 'schemaVersion'))).toBe(0);
  }, 60_000);
});
