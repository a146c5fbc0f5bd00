import { readFileSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { typeValue, type Value } from '../../src/domain/value.ts';
import { encodeText } from '../../src/features/import/generalised-utf8.ts';
import { fieldsOf } from '../../src/store/fields.ts';
import { tables } from '../../src/store/tables.ts';
import { currentValues } from '../../src/store/tag-data.ts';
import { codePoint } from '../support/code-point.ts';
import { noon, type Tenant } from '../support/house.ts';
import { exportBytes, type ImportHouse, importCsv, openImportHouse } from '../support/import-house.ts';
import { until } from '../support/wait.ts';

let house: ImportHouse;
let tenant: Tenant;

beforeEach(async () => {
  house = await openImportHouse();
  tenant = await house.tenant('Ours');
});
afterEach(() => house.close());

const naughty: readonly string[] = JSON.parse(
  readFileSync(join(import.meta.dirname, '../corpus/blns.json'), 'utf8'),
);

async function exported(of = tenant): Promise<string> {
  return (await exportBytes(house, of)).toString();
}

type Sheet = Readonly<Record<string, Readonly<Record<string, Value>>>>;

/** What the store has of an organisation's tags: values by field key, by EPC. */
function sheetOf({ orgId, orgNo }: Tenant): Sheet {
  const fields = fieldsOf(house.store, orgId);
  const index = house.store.range(tables.tagByEpc, { start: [orgNo], end: [orgNo + 1] });
  const rows = Array.from(index, ({ key, value: tagNo }) => {
    const values = currentValues(house.store, tagNo);
    const cells = fields.flatMap(({ key: name, no }) => {
      const held = values.get(no);
      return held ? [[name, held.value] as const] : [];
    });
    return [key[1], Object.fromEntries(cells)] as const;
  });
  return Object.fromEntries(rows);
}

describe('GET /tags/export', () => {
  test('one row per tag, the never read too; first epc, then a column per field in display order', async () => {
    await tenant.call('PUT', '/tags/BBBB0001/data', { name: 'B, "b"', weight: '1.50' });
    await tenant.call('PUT', '/tags/BBBB0001/data', { ok: 'yes' });
    await tenant.tag('AAAA0001', { firstSeenAt: noon, lastSeenAt: noon });
    await tenant.call('PATCH', '/fields/ok', { displayOrder: 0 });
    expect(await exported()).toBe('epc,ok,name,weight\nAAAA0001,,,\nBBBB0001,true,"B, ""b""",1.5\n');
  });

  test('is a file to save, CSV in UTF-8', async () => {
    const headers = { authorization: `Bearer ${tenant.key}` };
    const response = await fetch(`${house.server.origin}/api/v1/tags/export`, { headers });
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="tags.csv"');
    expect(await response.text()).toBe('epc\n');
  });

  test('has the caller’s tags and fields only', async () => {
    const other = await house.tenant('Theirs');
    await other.call('PUT', '/tags/AAAA0001/data', { secret: 'x' });
    await tenant.call('PUT', '/tags/AAAA0001/data', { own: 'y' });
    expect(await exported()).toBe('epc,own\nAAAA0001,y\n');
    expect(await exported(other)).toBe('epc,secret\nAAAA0001,x\n');
  });

  test('deleted fields and deleted tags are not in it', async () => {
    await tenant.call('PUT', '/tags/AAAA0001/data', { a: '1', b: '2' });
    await tenant.call('PUT', '/tags/AAAA0002/data', { a: '3' });
    await tenant.call('DELETE', '/fields/b');
    await tenant.call('POST', '/tags/bulk-delete', { epcs: ['AAAA0002'] });
    expect(await exported()).toBe('epc,a\nAAAA0001,1\n');
  });

  test('every tag once, sorted by EPC, however many', async () => {
    const epcs = Array.from({ length: 5000 }, (_, i) =>
      ((i * 2_654_435_761) % 2 ** 32).toString(16).toUpperCase().padStart(8, '0'),
    );
    await tenant.tags(epcs.map((epc) => [epc]));
    const lines = (await exported()).trimEnd().split('\n');
    expect(lines).toEqual(['epc', ...epcs.toSorted()]);
  });

  test('a client that goes away in the middle ends it, and nothing is logged', async () => {
    const long = 'x'.repeat(9000);
    const rows = Array.from({ length: 2000 }, (_, i) => `${(0xaa000000 + i).toString(16)},${long}`);
    await importCsv(house, tenant, { csv: `epc,a\n${rows.join('\n')}` });
    const headers = { authorization: `Bearer ${tenant.key}` };
    const req = http.get({ port: house.server.port, path: '/api/v1/tags/export', headers });
    req.on('error', () => undefined);
    await new Promise<void>((resolve) => {
      req.on('response', (res) => res.once('data', () => resolve(void req.destroy())));
    });
    await until('the connection to be gone', async () => {
      const count = await new Promise<number>((resolve) =>
        house.server.server.getConnections((_, n) => resolve(n)),
      );
      return count <= 1;
    });
    expect(house.server.errors).toEqual([]);
    expect((await exported()).length).toBeGreaterThan(2000 * 9000);
  });
});

describe('import, export, import', () => {
  test.each([
    ' padded ',
    '007',
    '=1+1',
    '"',
    'a"b',
    'a\nb',
    'a\r\nb\r',
    '\0',
    'a\0',
    '😀',
    '\ud83d',
    '\udc00x',
    '\ufeff',
    ' \u2028x',
    '12345678901234567890',
    '1e999',
    '__proto__',
    "'",
    ';',
    '\t,',
  ])('the value %j comes through', async (text) => {
    await tenant.call('PUT', '/tags/AAAA0001/data', { a: text, b: 'b' });
    const before = sheetOf(tenant);
    const other = await house.tenant('Theirs');
    await importCsv(house, other, { csv: await exportBytes(house, tenant) });
    expect(sheetOf(other)).toEqual(before);
    expect(await exportBytes(house, other)).toEqual(await exportBytes(house, tenant));
  });

  test('the big list of naughty strings comes through, as values and, where a field can be called so, as headers', async () => {
    const rows = naughty.map((text, i) => [(0xaa000000 + i).toString(16).toUpperCase(), text] as const);
    const csv = rows.map(([epc, text]) => `${epc},"${text.replaceAll('"', '""')}"`);
    const { body } = await importCsv(house, tenant, { csv: encodeText(`epc,text\n${csv.join('\n')}\n`) });
    expect(body).toMatchObject({ total: naughty.length, imported: naughty.length, errors: [] });
    const expected = rows.map(([epc, text]) => {
      const value = typeValue(text);
      return [epc, value === null ? {} : { text: value }];
    });
    expect(sheetOf(tenant)).toEqual(Object.fromEntries(expected));
    const other = await house.tenant('Theirs');
    await importCsv(house, other, { csv: await exportBytes(house, tenant) });
    expect(sheetOf(other)).toEqual(sheetOf(tenant));
    for (const text of naughty.slice(0, 200)) {
      const answer = await importCsv(house, other, {
        csv: encodeText(`epc,"${text.replaceAll('"', '""')}"\nAAAA0001,x\n`),
        query: '?dryRun=true',
      });
      expect([200, 400]).toContain(answer.status);
    }
  });

  test('a second import of an export changes nothing', async () => {
    await tenant.call('PUT', '/tags/AAAA0001/data', { a: '1', b: ' x ' });
    house.now = noon + 60_000;
    await importCsv(house, tenant, { csv: await exportBytes(house, tenant) });
    expect(house.store.count(tables.tagHistory)).toBe(0);
    expect(house.store.count(tables.tags)).toBe(1);
  });

  test('any table, in any encoding and way to write it, comes through and is what a plain model says', async () => {
    const special = fc.constantFrom(
      '',
      '"',
      ',',
      ';',
      '\t',
      '\r\n',
      '\ud800',
      '007',
      '1.50',
      'yes',
      'é',
      ' ',
      '\0',
    );
    const cell = fc.oneof(
      special,
      fc.string({ unit: codePoint }),
      fc.array(special, { maxLength: 5 }).map((parts) => parts.join('')),
    );
    const table = fc
      .integer({ min: 1, max: 4 })
      .chain((width) =>
        fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 8 }),
      );
    const way = fc.record({
      separator: fc.constantFrom(',', ';', '\t'),
      lineEnd: fc.constantFrom('\n', '\r\n', '\r'),
      encoding: fc.constantFrom('utf8', 'utf8-bom', 'utf16le', 'utf16be'),
      epcAt: fc.nat({ max: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(table, way, async (cells, { separator, lineEnd, encoding, epcAt }) => {
        const width = cells[0]?.length ?? 0;
        const header = Array.from({ length: width }, (_, i) => `f${i}`);
        const insert = (row: readonly string[], epc: string) => row.toSpliced(Math.min(epcAt, width), 0, epc);
        const quoted = (text: string) =>
          /["\r\n]/.test(text) || text.includes(separator) ? `"${text.replaceAll('"', '""')}"` : text;
        const lines = [insert(header, 'EPC'), ...cells.map((row, i) => insert(row, `AAAA000${i}`))];
        const text = lines.map((row) => row.map(quoted).join(separator)).join(lineEnd);
        const model = cells.map((row, i) => {
          const values = row.flatMap((one, n) => {
            const value = typeValue(one);
            return value === null ? [] : [[`f${n}`, value] as const];
          });
          return [`AAAA000${i}`, Object.fromEntries(values)] as const;
        });
        const [one, two] = [await house.tenant('One'), await house.tenant('Two')];
        const answer = await importCsv(house, one, { csv: encoded(text, encoding) });
        expect(answer.body).toMatchObject({ imported: cells.length, errors: [] });
        expect(sheetOf(one)).toEqual(Object.fromEntries(model));
        await importCsv(house, two, { csv: await exportBytes(house, one) });
        expect(sheetOf(two)).toEqual(sheetOf(one));
        expect(await exportBytes(house, two)).toEqual(await exportBytes(house, one));
      }),
      { numRuns: 60 },
    );
  });

  test('UTF-16 that ends within a character is refused', async () => {
    const csv = Buffer.concat([encoded('epc\nAAAA0001', 'utf16le'), Buffer.from([0x41])]);
    expect((await importCsv(house, tenant, { csv })).body.detail).toContain('ends within a character');
  });
});

function encoded(text: string, encoding: string): Buffer {
  const utf16 = Buffer.from(`\ufeff${text}`, 'utf16le');
  if (encoding === 'utf16le') return utf16;
  if (encoding === 'utf16be') return utf16.swap16();
  return encodeText(encoding === 'utf8-bom' ? `\ufeff${text}` : text);
}
