import http from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../../src/domain/limits.ts';
import { tables } from '../../src/store/tables.ts';
import { type Answer, type House, noon, type Tenant } from '../support/house.ts';
import {
  exportBytes,
  type ImportHouse,
  importCsv,
  openImportHouse,
  sendForm,
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

function refusalOf({ status, body }: Answer): string {
  return `${status} ${body.type} ${body.detail}`;
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

  test('a field that is deleted meanwhile stays deleted, its values are dropped', async () => {
    await tenant.call('PUT', '/tags/AAAA0001/data', { keep: 'k', gone: 'g' });
    const rows = Array.from({ length: 6000 }, (_, i) => `${(0xaa000000 + i).toString(16)},k${i},g${i}`);
    const running = take(`epc,keep,gone\n${rows.join('\n')}`);
    await until('the import to begin', () => tenant.audit().some(({ action }) => action === 'import'));
    expect((await tenant.call('DELETE', '/fields/gone')).status).toBe(204);
    expect((await running).body).toMatchObject({ total: 6000, errors: [] });
    expect(await fieldsNow()).toMatchObject([{ key: 'keep' }]);
    expect(await dataOf('AA00176F')).toEqual({ keep: 'k5999' });
  });
});

describe('what an import refuses as a whole, changing nothing', () => {
  test.each([
    ['no column epc', 'name\nA\n', 'The file has no column "epc" in its first row.'],
    ['an empty file', '', 'The file is empty.'],
    ['a file of blank lines', '\n \r\n', 'The file is empty.'],
    ['two columns epc', 'epc,EPC\n', 'Columns 1 and 2 are both called "epc".'],
    ['a repeated column', 'epc,a,A\n', 'Columns 2 and 3 are both of the field "a".'],
    ['a column without a name', 'epc,\nAAAA0001,x\n', 'Column 2 has no name.'],
    [
      'a quote that is not closed',
      'epc,a\nAAAA0001,x\nAAAA0002,"x\n',
      'A quoted value is not closed (row on line 3).',
    ],
    [
      'text after a closing quote',
      'epc,a\n\nAAAA0001,"x"y\n',
      'After the closing quote of a value there is more text (row on line 3).',
    ],
    [
      'bytes that are no UTF-8',
      Buffer.from('epc,a\nAAAA0001,\xff\n', 'latin1'),
      'A value is no UTF-8 text (row on line 2).',
    ],
    [
      'a row of too many cells',
      `epc,a\nAAAA0001${','.repeat(60_000)}`,
      'A row has more than 10000 cells (row on line 2).',
    ],
  ])('%s', async (_, csv, detail) => {
    const before = wholeStore(house.store);
    expect(refusalOf(await take(csv))).toBe(`400 /problems/import-unreadable ${detail}`);
    expect(wholeStore(house.store)).toBe(before);
    expect(house.uploads()).toEqual([]);
  });

  test('a file of separators alone: 400 without filling the memory', async () => {
    const csv = Buffer.concat([Buffer.from('epc,a\n'), Buffer.alloc(20 * 1024 * 1024, ',')]);
    expect(refusalOf(await take(csv))).toContain('more than 10000 cells');
  });

  test('more than 100,000 rows: 400; 100,000 are fine', async () => {
    const rows = Array.from({ length: limits.importRows }, (_, i) => (0xaa000000 + i).toString(16)).join(
      '\n',
    );
    expect((await take(`epc\n${rows}\n`, '?dryRun=true')).body).toMatchObject({
      total: 100_000,
      imported: 100_000,
    });
    expect(refusalOf(await take(`epc\n${rows}\nAAAA0001`))).toContain('more than 100000 rows');
    expect(house.store.count(tables.tags)).toBe(0);
  });

  test('a form without the field file, with two of them, or no form at all', async () => {
    expect(refusalOf(await importCsv(house, tenant, { csv: 'epc\n', name: 'data' }))).toContain(
      'no field "file"',
    );
    const two = new FormData();
    two.append('file', new Blob(['epc\n']), 'a.csv');
    two.append('file', new Blob(['epc\n']), 'b.csv');
    expect(refusalOf(await sendForm(house, tenant, { body: two }))).toContain('more than one field "file"');
    const type = 'multipart/form-data; boundary=x';
    for (const body of [
      '',
      'nonsense',
      '--x\r\nno header',
      '--x\r\nContent-Disposition: form-data; name="file"\r\n\r\nepc',
    ])
      expect(refusalOf(await sendForm(house, tenant, { body, type }))).toContain('no complete form');
    expect(refusalOf(await sendForm(house, tenant, { body: 'x', type: 'multipart/form-data' }))).toContain(
      'no boundary',
    );
    expect((await sendForm(house, tenant, { body: 'epc\n', type: 'text/csv' })).status).toBe(415);
    const long = `--x\r\nContent-Disposition: form-data; name="${'f'.repeat(20_000)}"\r\n\r\nepc\r\n--x--\r\n`;
    expect(refusalOf(await sendForm(house, tenant, { body: long, type }))).toContain('headers of a field');
    expect(house.uploads()).toEqual([]);
  });

  test('an unknown value of dryRun', async () => {
    expect(refusalOf(await take('epc\n', '?dryRun=yes'))).toContain('400 /problems/invalid');
  });

  test('a form as other clients send it: no type of the part, other fields before and after', async () => {
    const body = [
      '--x',
      'content-disposition: form-data; name=note',
      '',
      'hello',
      '--x',
      'Content-Disposition: form-data; filename="tags; name=y.csv"; name="file"',
      '',
      'epc,name\r\nAAAA0001,A',
      '--x',
      'Content-Disposition: form-data; name="other"; filename="o"',
      'Content-Type: text/csv',
      '',
      'epc',
      '--x--',
    ].join('\r\n');
    const type = 'multipart/form-data; boundary="x"';
    expect((await sendForm(house, tenant, { body, type })).body).toMatchObject({
      imported: 1,
      fields: ['name'],
    });
  });
});

/** Sends a form of unknown length until it is answered. */
function sendChunked(
  to: House,
  key: string,
  { megabytes }: { readonly megabytes: number },
): Promise<[number, string]> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'multipart/form-data; boundary=x' };
    const { port } = to.server;
    const req = http.request({ port, path: '/api/v1/tags/import', method: 'POST', headers });
    let answered = false;
    req.on('response', (res) => {
      answered = true;
      let text = '';
      res.on('data', (chunk) => {
        text += chunk;
      });
      res.on('end', () => resolve([res.statusCode ?? 0, text]));
    });
    req.on('error', (error) => !answered && reject(error));
    req.write('--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nepc\n');
    const chunk = Buffer.alloc(1024 * 1024, '\n');
    let sent = 0;
    const send = (): void => {
      if (answered || req.destroyed) return;
      if (sent++ === megabytes) req.end('\r\n--x--\r\n');
      else req.write(chunk, send);
    };
    send();
  });
}

describe('the size of an import', () => {
  test('over 64 MB: 413, answered also when the length is not declared, and nothing is left', async () => {
    const [status, text] = await sendChunked(house, tenant.key, { megabytes: 66 });
    expect([status, JSON.parse(text).type]).toEqual([413, '/problems/too-large']);
    expect(house.uploads()).toEqual([]);
    expect((await take('epc\nAAAA0001\n')).body).toMatchObject({ imported: 1 });
  });

  test('64 MB are taken', async () => {
    const [status, text] = await sendChunked(house, tenant.key, { megabytes: 63 });
    expect([status, JSON.parse(text).total]).toEqual([200, 0]);
  });

  test('a client that leaves in the middle of its upload leaves nothing', async () => {
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
    req.write('--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nepc\nAAAA0001\n');
    await until('the upload to begin', () => house.uploads().length === 1);
    req.destroy();
    await until('the upload to be removed', () => house.uploads().length === 0);
    expect(house.server.errors).toEqual([]);
    expect(house.store.count(tables.tags)).toBe(0);
  });

  test('four imports at a time wait for each other; a fifth gets 429 with Retry-After', async () => {
    const headers = {
      authorization: `Bearer ${tenant.key}`,
      'content-type': 'multipart/form-data; boundary=x',
    };
    const open = Array.from({ length: 4 }, () => {
      const req = http.request({
        port: house.server.port,
        path: '/api/v1/tags/import',
        method: 'POST',
        headers,
      });
      const answer = new Promise<number>((resolve) =>
        req.on('response', (res) => resolve(res.resume().statusCode ?? 0)),
      );
      req.write('--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nepc\nAAAA0001');
      return { req, answer };
    });
    await until('four uploads to begin', () => house.uploads().length === 4);
    const fifth = await take('epc\n');
    expect([fifth.status, fifth.headers.get('retry-after')]).toEqual([429, '5']);
    for (const { req } of open) req.end('\r\n--x--\r\n');
    expect(await Promise.all(open.map(({ answer }) => answer))).toEqual([200, 200, 200, 200]);
    expect(tenant.audit()).toHaveLength(4);
    expect((await take('epc\n')).status).toBe(200);
  });
});
