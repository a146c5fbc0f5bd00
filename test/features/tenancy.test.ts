import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ofOrg } from '../../src/store/of-org.ts';
import { type Table, tables } from '../../src/store/tables.ts';
import { type House, noon, openHouse, placed, type Tenant } from '../support/house.ts';

let house: House;
let ours: Tenant;
let theirs: Tenant;
/** Whatever of theirs must not show: ids, names, serials, EPCs. */
const marks: string[] = [];
const ids: { zone: string[]; reader: string[] } = { zone: [], reader: [] };

beforeAll(async () => {
  house = await openHouse();
  ours = await house.tenant('Ours');
  theirs = await house.tenant('Theirs');
  await ours.zone('Our zone');
  await ours.reader('OUR-1');
});
afterAll(() => house.close());

async function act(kind: string, n: number): Promise<void> {
  const name = `their-${n}-${marks.length}`;
  if (kind === 'zone') {
    const { id, no } = await theirs.zone(name);
    const epc = `DEADBEEF${String(marks.length).padStart(6, '0')}`;
    const tag = await theirs.tag(epc, placed(no, noon + n));
    house.data.set(tag.no, { name: `data-${name}` });
    house.links.set(tag.no, { label: `link-${name}` });
    ids.zone.push(id);
    marks.push(id, name, epc, tag.id);
  }
  if (kind === 'reader') {
    const { id } = await theirs.reader(name);
    house.connect(name, { temperatureC: 20 });
    ids.reader.push(id);
    marks.push(id, name);
  }
}

const reads = ['/auth/me', '/readers', '/devices', '/zones', '/inventory/summary', '/tags'];
const searches = ['/tags?q=deadbeef', '/tags?q=their', '/tags?q=data', '/tags?hasData=true', '/tags?limit=1'];

function pick(list: readonly string[], n: number): string {
  return list[n % Math.max(list.length, 1)] ?? '00000000-0000-4000-8000-000000000000';
}

/** Requests on what is theirs, each of which must answer 404 or, for a zone within a body, 400. */
const attempts: readonly ((n: number) => Promise<number>)[] = [
  (n) => status('GET', `/readers/${pick(ids.reader, n)}/antennas`),
  (n) => status('PUT', `/readers/${pick(ids.reader, n)}/antennas`, [{ port: 1, enabled: false }]),
  (n) => status('DELETE', `/readers/${pick(ids.reader, n)}`),
  (n) => status('GET', `/zones/${pick(ids.zone, n)}/inventory`),
  (n) => status('PATCH', `/zones/${pick(ids.zone, n)}`, { name: 'Mine now' }),
  (n) => status('DELETE', `/zones/${pick(ids.zone, n)}`),
  async (n) => {
    const [reader] = (await ours.call('GET', '/readers')).body;
    const body = [{ port: 1, zoneId: pick(ids.zone, n) }];
    return (await status('PUT', `/readers/${reader.id}/antennas`, body)) === 400 ? 404 : 0;
  },
];

async function status(method: string, path: string, body?: unknown): Promise<number> {
  return (await ours.call(method, path, body)).status;
}

/** Their records, byte for byte, but for the notes of their own audit log. */
function theirRecords(): string {
  const { store } = house;
  const all = [tables.zones, tables.readers, tables.antennas].map((table) =>
    // Three types of record, none of which matters here.
    ofOrg(store, table as Table<readonly [orgId: string, id: string], unknown>, theirs.orgId),
  );
  return JSON.stringify(all);
}

describe('two organisations', () => {
  test('nothing of one shows through any route of the other, and nothing of it can be changed', async () => {
    const step = fc.tuple(fc.constantFrom('zone', 'reader'), fc.nat(1000), fc.nat(attempts.length - 1));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 4 }), async (steps) => {
        for (const [kind, n, which] of steps) {
          await act(kind, n);
          const before = theirRecords();
          expect(await attempts[which]?.(n)).toBe(404);
          expect(theirRecords()).toBe(before);
        }
        const answers = await Promise.all([...reads, ...searches].map((path) => ours.call('GET', path)));
        const shown = JSON.stringify(answers.map(({ body, headers }) => [body, [...headers]]));
        expect(marks.filter((mark) => shown.includes(mark))).toEqual([]);
      }),
      { numRuns: 15 },
    );
  });

  test('each sees all of its own', async () => {
    expect((await theirs.call('GET', '/zones')).body).toHaveLength(ids.zone.length);
    expect((await theirs.call('GET', '/readers')).body).toHaveLength(ids.reader.length);
    expect((await theirs.call('GET', '/tags?q=deadbeef')).body).toHaveLength(ids.zone.length);
    expect((await ours.call('GET', '/zones')).body).toMatchObject([{ name: 'Our zone' }]);
    expect(theirs.audit()).toHaveLength(ids.zone.length + ids.reader.length);
    expect(ours.audit()).toHaveLength(2);
  });
});
