import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../../src/domain/limits.ts';
import { fieldRoutes } from '../../src/features/fields/field-routes.ts';
import { dataRoutes } from '../../src/features/tags/data-routes.ts';
import { historyPage } from '../../src/features/tags/history-page.ts';
import { historyRoutes } from '../../src/features/tags/history-routes.ts';
import type { Reading } from '../../src/store/store.ts';
import { tables } from '../../src/store/tables.ts';
import { changeValues, currentValues } from '../../src/store/tag-data.ts';
import { tagNoOf } from '../../src/store/tag-registry.ts';
import { type Answer, type House, noon, openHouse, type Tenant } from '../support/house.ts';

let house: House;
let tenant: Tenant;

beforeEach(async () => {
  house = await openHouse({
    more: (parts) => [...fieldRoutes(parts), ...dataRoutes(parts), ...historyRoutes(parts)],
  });
  tenant = await house.tenant('Ours');
});
afterEach(() => house.close());

const EPC = '3034257BF468D480000003E8';

const put = (body: unknown): Promise<Answer> => tenant.call('PUT', `/tags/${EPC}/data`, body);
const history = async (query = ''): Promise<Answer['body']> =>
  (await tenant.call('GET', `/tags/${EPC}/history${query}`)).body;

describe('GET /tags/{epc}/history', () => {
  test('an unknown EPC: 200, empty', async () => {
    expect(await tenant.call('GET', `/tags/${EPC}/history`)).toMatchObject({ status: 200, body: [] });
  });

  test('newest first, current and ended values in one order', async () => {
    await put({ a: '1', b: 'x' });
    for (let n = 1; n <= 3; n++) {
      house.now = noon + n * 1000;
      await put({ a: `${n + 1}` });
    }
    const entries = await history();
    expect(entries.map(({ key, value }: Answer['body']) => [key, value])).toEqual([
      ['a', 4],
      ['a', 3],
      ['a', 2],
      ['b', 'x'],
      ['a', 1],
    ]);
    expect(entries.map(({ validTo }: Answer['body']) => validTo === undefined)).toEqual([
      true,
      false,
      false,
      true,
      false,
    ]);
  });

  /** Writes of two fields at each of many moments, one of them deleted at the end. */
  async function longHistory(moments: number): Promise<void> {
    await put({ a: 'first', b: 'first', gone: 'first' });
    const tagNo = tagNoOf(house.store, tenant.orgNo, EPC) ?? 0;
    const nos = [...house.store.range(tables.fields)].map(({ value }) => value.no);
    await house.store.write((tx) => {
      for (let n = 1; n < moments; n++)
        changeValues(tx, tagNo, { changes: new Map(nos.map((no) => [no, n])), now: noon + n });
    });
    await tenant.call('DELETE', '/fields/gone');
  }

  async function pages(query: string): Promise<Answer['body'][]> {
    const found: Answer['body'][] = [];
    for (let path: string | undefined = `/tags/${EPC}/history${query}`; path; ) {
      const { body, headers }: Answer = await tenant.call('GET', path);
      found.push(body);
      path = /<\/api\/v1([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
    }
    return found;
  }

  test('1,000 at most; the Link header leads through all of it, each value once', async () => {
    await longHistory(700);
    const [first, second, ...more] = await pages('');
    expect([first?.length, second?.length, more]).toEqual([1000, 400, []]);
    const all = [...first, ...second];
    expect(new Set(all.map(({ key, validFrom }) => `${key} ${validFrom}`)).size).toBe(1400);
    expect(all.map(({ validFrom }) => validFrom)).toEqual(
      all
        .map(({ validFrom }) => validFrom)
        .sort()
        .reverse(),
    );
    expect(all.some(({ key }) => key === 'gone')).toBe(false);
    const small = await pages('?limit=333');
    expect(small.map((page) => page.length)).toEqual([333, 333, 333, 333, 68]);
    expect(small.flat()).toEqual(all);
  });

  test('values of one write are told page by page, each once', async () => {
    await put({ a: '1', b: '2', c: '3' });
    const found = (await pages('?limit=1')).flat();
    expect(found.map(({ key }) => key)).toEqual(['c', 'b', 'a']);
  });

  test('a value that ends while its history is read is told once, as it was', async () => {
    const { store } = house;
    await put({ a: '1' });
    const tagNo = tagNoOf(store, tenant.orgNo, EPC) ?? 0;
    const then = currentValues(store, tagNo);
    const record = store.get(tables.tagData, tagNo);
    await put({ a: '2' });
    // What a reader has that took the current values before the second write and the history after it.
    const torn: Reading = {
      get: (table, key) => (table.name === tables.tagData.name ? (record as never) : store.get(table, key)),
      range: (table, options) => store.range(table, options),
      count: (table) => store.count(table),
    };
    const fieldNos = new Set(then.keys());
    const items = await historyPage(torn, tagNo, { fieldNos, limit: 10, after: undefined });
    expect(items).toEqual([{ key: noon, no: [...fieldNos][0], value: 1, validTo: null }]);
  });

  test('a page of long texts is shorter, and the rest comes on the next', async () => {
    const tagNo = (await tenant.tag(EPC)).no;
    await put({ text: 'x' });
    const [no] = [...house.store.range(tables.fields)].map(({ value }) => value.no);
    await house.store.write((tx) => {
      for (let n = 0; n < 450; n++) {
        const text = `${n}`.padEnd(limits.valueMaxLength, '.');
        changeValues(tx, tagNo, { changes: new Map([[no ?? 0, text]]), now: noon + n });
      }
    });
    const found = await pages('');
    expect(found.map((page) => page.length)).toEqual([200, 200, 51]);
  });

  test.each([['?limit=0'], ['?limit=1001'], ['?limit=x'], ['?cursor=nonsense']])(
    '400 for %s',
    async (query) => {
      expect((await tenant.call('GET', `/tags/${EPC}/history${query}`)).status).toBe(400);
    },
  );

  test('a cursor of nowhere ends the list', async () => {
    await longHistory(3);
    for (const [text, count] of [
      ['-,5', 0],
      ['0,0', 0],
      [`${noon + 1}.5,1`, 4],
      [`${'9'.repeat(20)},1`, 6],
    ] as const)
      expect(await history(`?cursor=${Buffer.from(text).toString('base64url')}`), text).toHaveLength(count);
  });
});
