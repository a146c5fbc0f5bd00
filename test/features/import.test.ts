import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../../src/domain/limits.ts';
import { tables } from '../../src/store/tables.ts';
import { noon, type Tenant } from '../support/house.ts';
import {
  exportBytes,
  type ImportHouse,
  importCsv,
  openImportHouse,
  wholeStore,
} from '../support/import-house.ts';
import { until } from '../support/wait.ts';

let house: ImportHouse;
let tenant: Tenant;

beforeEach(async () => {
  house = await openImportHouse();
  tenant = await house.tenant('Ours');
});
afterEach(() => house.close());

const take = (csv: string | Buffer, query = '') => importCsv(house, tenant, { csv, query });

async function dataOf(epc: string): Promise<Record<string, unknown>> {
  return (await tenant.call('GET', `/tags/${epc}/data`)).body.attributes;
}

async function fieldsNow(): Promise<readonly Record<string, unknown>[]> {
  return (await tenant.call('GET', '/fields')).body;
}

describe('POST /tags/import', () => {
  test('makes tags and fields, types values, and says what it did', async () => {
    await tenant.call('PUT', '/tags/AAAA0002/data', { name: 'Old' });
    const csv = 'epc,name,Net Weight,Ok\nAAAA0001,Pallet 1,12.50,yes\naaaa0002,New,007,\n';
    const { status, body } = await take(csv);
    expect(status).toBe(200);
    expect(body).toEqual({
      total: 2,
      imported: 1,
      updated: 1,
      fields: ['name', 'net_weight', 'ok'],
      errors: [],
      dryRun: false,
    });
    expect(await dataOf('AAAA0001')).toEqual({ name: 'Pallet 1', net_weight: 12.5, ok: true });
    expect(await dataOf('AAAA0002')).toEqual({ name: 'New', net_weight: '007' });
    expect(await fieldsNow()).toMatchObject([
      { key: 'name', dataType: 'text', displayOrder: 0 },
      { key: 'net_weight', label: 'Net Weight', dataType: 'number', displayOrder: 1 },
      { key: 'ok', label: 'Ok', dataType: 'boolean', displayOrder: 2 },
    ]);
  });

  test('a tag it makes is there at once: never read, with an id', async () => {
    await take('epc,name\nAAAA0001,A\n');
    expect((await tenant.call('GET', '/tags')).body).toMatchObject([
      { epc: 'AAAA0001', attributes: { name: 'A' }, firstSeenAt: null, lastSeenAt: null },
    ]);
    const { body } = await tenant.call('GET', '/tags/AAAA0001/data');
    expect(body.tagId).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('blank cells leave a field unchanged; missing cells are blank', async () => {
    await tenant.call('PUT', '/tags/AAAA0001/data', { a: '1', b: 'x', c: 'y' });
    await take('epc,a,b,c\nAAAA0001,, \t,\nAAAA0002\n');
    expect(await dataOf('AAAA0001')).toEqual({ a: 1, b: 'x', c: 'y' });
    expect(await dataOf('AAAA0002')).toEqual({});
  });

  test('what a value was goes to history; a value a tag already has makes none', async () => {
    await tenant.call('PUT', '/tags/AAAA0001/data', { a: '1', b: 'x' });
    house.now = noon + 60_000;
    await take('epc,a,b\nAAAA0001,1,y\n');
    const { body } = await tenant.call('GET', '/tags/AAAA0001/history');
    expect(
      body.map(({ key, value, validTo }: Record<string, unknown>) => [key, value, validTo === undefined]),
    ).toEqual(
      expect.arrayContaining([
        ['b', 'y', true],
        ['b', 'x', false],
        ['a', 1, true],
      ]),
    );
    expect(body).toHaveLength(3);
  });

  test('rows with errors are skipped, told by their line, and the other rows are applied', async () => {
    const csv = [
      'name,epc',
      '"two\r\nlines",AAAA0001',
      '',
      'b,aaaa0001',
      ',',
      'c,XYZ',
      'd,AAAA0004,surplus',
      'e,AAAA0005,',
      `${'x'.repeat(limits.valueMaxLength + 1)},AAAA0006`,
      'f,AAAA0007',
    ].join('\n');
    const { body } = await take(csv);
    expect(body).toMatchObject({ total: 8, imported: 3, updated: 0 });
    expect(body.errors).toEqual([
      { line: 5, epc: 'AAAA0001', reason: 'the epc is a duplicate of line 2' },
      { line: 6, reason: 'the epc is empty' },
      { line: 7, epc: 'XYZ', reason: 'the epc is not 8 to 64 hexadecimal digits' },
      { line: 8, epc: 'AAAA0004', reason: 'the row has more cells than the header, which has 2' },
      { line: 10, epc: 'AAAA0006', reason: 'the value of name is longer than 10000 characters' },
    ]);
    expect(await dataOf('AAAA0001')).toEqual({ name: 'two\r\nlines' });
    expect(await dataOf('AAAA0007')).toEqual({ name: 'f' });
  });

  test('every skipped row is in the report, however many there are', async () => {
    const rows = Array.from({ length: 2500 }, (_, i) => `bad ${i},x`);
    const { body } = await take(`epc,name\n${rows.join('\n')}\nAAAA0001,y\n`);
    expect(body).toMatchObject({ total: 2501, imported: 1, updated: 0, fields: ['name'], dryRun: false });
    expect(body.errors.map(({ line }: { line: number }) => line)).toEqual(rows.map((_, i) => i + 2));
  });

  test('a dry run reports the same and changes nothing at all', async () => {
    await tenant.call('PUT', '/tags/AAAA0001/data', { name: 'Old' });
    const csv = 'epc,name,Colour\nAAAA0001,New,red\nAAAA0002,B,\nbad,,\n';
    const before = wholeStore(house.store);
    const { body: foreseen } = await take(csv, '?dryRun=true');
    expect(wholeStore(house.store)).toBe(before);
    const { body: done } = await take(csv, '?dryRun=false');
    expect(foreseen).toEqual({ ...done, dryRun: true });
    expect(done).toMatchObject({ total: 3, imported: 1, updated: 1, fields: ['name', 'colour'] });
  });

  test('a header alone makes the fields', async () => {
    expect((await take('epc;Batch')).body).toMatchObject({ total: 0, fields: ['batch'], errors: [] });
    expect(await fieldsNow()).toMatchObject([{ key: 'batch', label: 'Batch', dataType: 'text' }]);
  });

  test('columns are matched by key, then by label in any case; a renamed field keeps its values', async () => {
    await tenant.call('PUT', '/tags/AAAA0001/data', { name: 'A' });
    await tenant.call('PATCH', '/fields/name', { label: 'Serial No' });
    const { body } = await take('epc,SERIAL NO\nAAAA0002,B\n');
    expect(body.fields).toEqual(['serial_no']);
    expect(await dataOf('AAAA0001')).toEqual({ serial_no: 'A' });
    expect(await dataOf('AAAA0002')).toEqual({ serial_no: 'B' });
    expect(await fieldsNow()).toHaveLength(1);
  });

  test('an organisation’s import makes tags and fields of its own', async () => {
    const other = await house.tenant('Theirs');
    await other.call('PUT', '/tags/AAAA0001/data', { name: 'Theirs' });
    expect((await take('epc,name\nAAAA0001,Ours\n')).body).toMatchObject({ imported: 1, updated: 0 });
    expect((await other.call('GET', '/tags/AAAA0001/data')).body.attributes).toEqual({ name: 'Theirs' });
    expect((await exportBytes(house, other)).toString()).toBe('epc,name\nAAAA0001,Theirs\n');
  });

  test('is in the audit log once, with what it did; a dry run is not', async () => {
    await take('epc,name\nAAAA0001,A\nbad,B\n', '?dryRun=true');
    await take('epc,name\nAAAA0001,A\nbad,B\n');
    expect(tenant.audit()).toEqual([
      {
        at: noon,
        actor: { kind: 'key', id: tenant.keyId },
        address: '127.0.0.1',
        action: 'import',
        resource: 'tags',
        after: { total: 2, imported: 1, updated: 0, errors: 1, fields: ['name'] },
      },
    ]);
  });

  test('many rows go in in several transactions, none is lost and none comes twice', async () => {
    const rows = Array.from({ length: 3000 }, (_, i) => `${(0xaa000000 + i).toString(16)},n ${i},${i}`);
    expect((await take(`epc,name,no\n${rows.join('\n')}`)).body).toMatchObject({
      total: 3000,
      imported: 3000,
    });
    expect(house.store.count(tables.tags)).toBe(3000);
    const text = (await exportBytes(house, tenant)).toString();
    expect(text).toBe(
      `epc,name,no\n${rows.map((row) => row.toUpperCase().replace('N ', 'n ')).join('\n')}\n`,
    );
    expect((await take(`epc,name,no\n${rows.join('\n')}`)).body).toMatchObject({
      imported: 0,
      updated: 3000,
    });
  });

  test('a PUT in the middle of an import is kept, on tags and fields the file has not', async () => {
    const rows = Array.from({ length: 4000 }, (_, i) => `${(0xaa000000 + i).toString(16)},n${i}`);
    const running = take(`epc,name\n${rows.join('\n')}`);
    const puts = Array.from({ length: 20 }, (_, i) =>
      tenant.call('PUT', `/tags/AA00${(i * 199).toString(16).padStart(4, '0')}/data`, { note: `put ${i}` }),
    );
    expect((await Promise.all(puts)).map(({ status }) => status)).toEqual(puts.map(() => 200));
    const { body } = await running;
    expect(body.imported + body.updated).toBe(4000);
    for (let i = 0; i < 20; i++)
      expect(await dataOf(`AA00${(i * 199).toString(16).padStart(4, '0')}`)).toEqual({
        name: `n${i * 199}`,
        note: `put ${i}`,
      });
    expect(house.store.count(tables.tags)).toBe(4000);
  });

  test('a field that is deleted meanwhile stays deleted, and nobody is told that its values were taken in', async () => {
    await tenant.call('PUT', '/tags/AAAA0001/data', { keep: 'k', gone: 'g' });
    const rows = Array.from({ length: 6000 }, (_, i) => `${(0xaa000000 + i).toString(16)},k${i},g${i}`);
    const running = take(`epc,keep,gone\n${rows.join('\n')}`);
    await until('the import to begin', () => tenant.audit().some(({ action }) => action === 'import'));
    expect((await tenant.call('DELETE', '/fields/gone')).status).toBe(204);
    const { status, body } = await running;
    expect([status, body.detail]).toEqual([
      503,
      expect.stringMatching(/^The field of column 3 was deleted meanwhile: \d+ rows were applied\./),
    ]);
    expect(await fieldsNow()).toMatchObject([{ key: 'keep' }]);
    expect((await take(`epc,keep,gone\n${rows.join('\n')}`)).body).toMatchObject({ total: 6000, errors: [] });
    expect(await dataOf('AA00176F')).toEqual({ keep: 'k5999', gone: 'g5999' });
  });
});
