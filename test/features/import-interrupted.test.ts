import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { clearImportLeftovers } from '../../src/features/import/upload.ts';
import { type Store, WriteFailed } from '../../src/store/store.ts';
import { tables } from '../../src/store/tables.ts';
import { TagLedger } from '../../src/store/tag-ledger.ts';
import { type ImportHouse, importCsv, openImportHouse } from '../support/import-house.ts';
import { storeFolder } from '../support/store-folder.ts';
import { bundle, startPeer } from '../support/store-process.ts';
import { until } from '../support/wait.ts';

const ROWS = 8000;
const lines = Array.from({ length: ROWS }, (_, i) => `${(0xaa000000 + i).toString(16)},n${i},${i}`);
const csv = `epc,name,no\n${lines.join('\n')}\n`;

let house: ImportHouse | null = null;
afterEach(async () => {
  await house?.close();
  house = null;
});

interface Disk {
  readonly store: Store;
  readonly ledger: TagLedger;
}

/** A store and a ledger whose disk fails from the nth write on, until it is mended. */
function failing({ store, ledger }: Disk, from: number): Disk & { mend(): void } {
  let writes = 0;
  let isBroken = true;
  const write: Store['write'] = (action) =>
    isBroken && ++writes >= from
      ? Promise.reject(new WriteFailed(new Error('no space')))
      : store.write(action);
  const onBrokenDisk = <T extends object>(whole: T): T =>
    new Proxy(whole, {
      get(target, name) {
        if (name === 'write') return write;
        const member: unknown = Reflect.get(target, name, target);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
  return {
    store: onBrokenDisk(store),
    ledger: onBrokenDisk(ledger),
    mend: () => {
      isBroken = false;
    },
  };
}

/** Every tag there is whole: its record, its index, its state and all its values. */
function wholeTags(store: Store, ledger: TagLedger): number {
  let count = 0;
  for (const { key, value } of store.range(tables.tags)) {
    const no = Number.parseInt(value.epc, 16) - 0xaa000000;
    expect(store.get(tables.tagByEpc, [value.orgNo, value.epc])).toBe(key);
    expect(Object.values(store.get(tables.tagData, key)?.values ?? {})).toEqual([`n${no}`, no]);
    expect(ledger.states.orgNo(key)).toBe(value.orgNo);
    count++;
  }
  expect(store.count(tables.tagByEpc)).toBe(count);
  expect(store.count(tables.tagData)).toBe(count);
  return count;
}

describe('an import that is cut off', () => {
  test('by a failing disk: 507 says how far it came; rows are whole; doing it again completes it', async () => {
    let mend = (): void => undefined;
    house = await openImportHouse({
      parts: (whole) => {
        const broken = failing(whole, 4);
        mend = broken.mend;
        return broken;
      },
    });
    const tenant = await house.tenant('Ours');
    const { status, body } = await importCsv(house, tenant, { csv });
    expect([status, body.type]).toEqual([507, '/problems/disk-full']);
    const applied = Number(
      /^The data disk is full or failing: (\d+) rows were applied/.exec(body.detail)?.[1],
    );
    expect(applied).toBeGreaterThan(0);
    expect(applied).toBeLessThan(ROWS);
    expect(wholeTags(house.store, house.ledger)).toBe(applied);
    expect(tenant.audit()).toMatchObject([
      { action: 'import', after: { total: ROWS, imported: applied, updated: 0 } },
    ]);
    expect(house.uploads()).toEqual([]);
    mend();
    const again = await importCsv(house, tenant, { csv });
    expect(again.body).toMatchObject({ imported: ROWS - applied, updated: applied });
    expect(wholeTags(house.store, house.ledger)).toBe(ROWS);
  });

  test('by a disk that fails at once: 507 and nothing is changed', async () => {
    house = await openImportHouse({ parts: (whole) => failing(whole, 1) });
    const tenant = await house.tenant('Ours');
    const { status, body } = await importCsv(house, tenant, { csv });
    expect([status, body.detail]).toEqual([507, 'The data disk is full or failing; nothing was changed.']);
    expect(house.store.count(tables.tags) + house.store.count(tables.fields) + tenant.audit().length).toBe(0);
  });

  test('by the service stopping: 503 says how far it came, close waits for it, and none begins any more', async () => {
    house = await openImportHouse();
    const tenant = await house.tenant('Ours');
    const running = importCsv(house, tenant, { csv });
    await until('the first rows', () => house && house.store.count(tables.tags) > 0);
    await house.imports.close();
    const applied = house.store.count(tables.tags);
    const { status, body } = await running;
    if (status === 200) expect(applied).toBe(ROWS);
    else {
      expect([status, body.type]).toEqual([503, '/problems/unavailable']);
      expect(body.detail).toContain(`${applied} rows were applied`);
    }
    expect(wholeTags(house.store, house.ledger)).toBe(applied);
    expect((await importCsv(house, tenant, { csv })).status).toBe(503);
  });

  test('by kill -9: rows are whole, and the next import completes it', async () => {
    const folder = storeFolder();
    const path = join(folder.dir, 'in.csv');
    writeFileSync(path, csv);
    await folder.store.close();
    const program = await bundle('import-peer.ts');
    const killed = startPeer(program, [folder.dir, path]);
    await killed.until((told) => told.length >= 4);
    await killed.kill();
    const store = await folder.reopen().catch(() => folder.reopen());
    const applied = wholeTags(store, new TagLedger(store));
    expect(applied).toBeGreaterThan(0);
    await store.close();
    const next = startPeer(program, [folder.dir, path]);
    await next.until((told) => told.some((line) => line.startsWith('done')));
    expect(next.lines.at(-1)).toBe(`done ${ROWS - applied} ${applied}`);
    await next.ended();
    const last = await folder.reopen().catch(() => folder.reopen());
    expect(wholeTags(last, new TagLedger(last))).toBe(ROWS);
    await folder.close();
  });
});

describe('uploads', () => {
  test('are files only the service can read', async () => {
    house = await openImportHouse();
    const tenant = await house.tenant('Ours');
    const headers = {
      authorization: `Bearer ${tenant.key}`,
      'content-type': 'multipart/form-data; boundary=x',
    };
    const req = http.request({
      port: house.server.port,
      path: '/api/v1/tags/import',
      method: 'POST',
      headers,
    });
    req.on('error', () => undefined);
    req.write('--x\r\nContent-Disposition: form-data; name="file"\r\n\r\nepc\n');
    const { uploadsDir } = house;
    const [name = ''] = await until(
      'the upload',
      () => existsSync(uploadsDir) && readdirSync(uploadsDir).length > 0 && readdirSync(uploadsDir),
    );
    expect(statSync(join(uploadsDir, name)).mode & 0o777).toBe(0o600);
    expect(statSync(uploadsDir).mode & 0o777).toBe(0o700);
    req.destroy();
    await until('it to be gone', () => readdirSync(uploadsDir).length === 0);
  });

  test('left by a killed process go at the next start, nothing else does, and no folder is no fault', async () => {
    house = await openImportHouse();
    const { uploadsDir } = house;
    await clearImportLeftovers(join(uploadsDir, 'nowhere'));
    mkdirSync(uploadsDir);
    writeFileSync(join(uploadsDir, 'import-00000000-0000-4000-8000-000000000000.csv'), 'epc');
    writeFileSync(join(uploadsDir, 'import-plan.csv'), 'epc');
    await clearImportLeftovers(uploadsDir);
    expect(readdirSync(uploadsDir)).toEqual(['import-plan.csv']);
    rmSync(join(uploadsDir, 'import-plan.csv'));
  });
});
