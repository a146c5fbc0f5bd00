import http from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../../src/domain/limits.ts';
import { tables } from '../../src/store/tables.ts';
import type { Answer, House, Tenant } from '../support/house.ts';
import {
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

function refusalOf({ status, body }: Answer): string {
  return `${status} ${body.type} ${body.detail}`;
}

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
    const chunk = Buffer.alloc(1024 * 1024, `${' '.repeat(1023)}\n`);
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
