import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { assetStatuses, isReturnLate } from '../../src/domain/asset.ts';
import { assetRoutes } from '../../src/features/assets/asset-routes.ts';
import { fold } from '../../src/lib/fold.ts';
import { createAssetLinks } from '../../src/store/asset-links.ts';
import { createAsset, stepAsset } from '../../src/store/assets.ts';
import { tables } from '../../src/store/tables.ts';
import { codePoint } from '../support/code-point.ts';
import { type House, noon, openHouse, placed, type Tenant } from '../support/house.ts';

const HOUR = 3_600_000;
const EPC = '3034257BF468D480000003E8';

let house: House;
let tenant: Tenant;
let made = 0;

beforeAll(async () => {
  house = await openHouse({
    more: (parts) => assetRoutes({ ...parts, links: createAssetLinks(parts.store) }),
  });
});
afterAll(() => house.close());
beforeEach(async () => {
  house.now = noon;
  tenant = await house.tenant('Ours');
});

async function asset(more: object = {}): Promise<string> {
  const body = { name: 'Pallet jack', assetTagNumber: `N-${++made}`, ...more };
  const answer = await tenant.call('POST', '/assets', body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body.id;
}

const act = (id: string, action: string, body?: object) =>
  tenant.call('POST', `/assets/${id}/${action}`, body);
const list = (query: Record<string, string>) => tenant.call('GET', `/assets?${new URLSearchParams(query)}`);
const names = async (query: Record<string, string>) =>
  (await list(query)).body.map(({ name }: { name: string }) => name);

describe('GET /assets?q', () => {
  test('finds text in number, name, category, custodian and EPC, in any case', async () => {
    const id = await asset({ name: 'Jack ÄÖ', assetTagNumber: 'PJ-0007', category: 'Lifting', epc: EPC });
    await asset({ name: 'Other' });
    await act(id, 'check-out', { custodian: 'R. Ortiz' });
    for (const q of ['jack äö', 'pj-0007', 'LIFT', 'ortiz', EPC.toLowerCase(), 'f468d4', 'J'])
      expect(await names({ q }), q).toEqual(['Jack ÄÖ']);
    for (const q of ['PJ-0008', 'jack  äö', 'f468d5', EPC.replace('3', '4')])
      expect(await names({ q }), q).toEqual([]);
    expect(await names({ q: '' })).toEqual(['Jack ÄÖ', 'Other']);
  });

  test('finds nothing across two members, nor what has been changed or taken off since', async () => {
    const id = await asset({ name: 'ab', assetTagNumber: 'cd', category: 'ef', epc: EPC });
    for (const q of ['cdab', 'abef', 'cd ab', '\ud800', '\ufffdab', 'd\ufffda'])
      expect(await names({ q }), q).toEqual([]);
    await tenant.call('PATCH', `/assets/${id}`, { name: 'xy' });
    await act(id, 'unlink');
    expect([await names({ q: 'ab' }), await names({ q: EPC }), await names({ q: 'xy' })]).toEqual([
      [],
      [],
      ['xy'],
    ]);
  });

  test('nothing of another organisation is found, and its cursor is none of ours', async () => {
    await asset({ name: 'Ours' });
    const first = await asset({ name: 'Ours too' });
    const { headers } = await list({ q: 'ours', limit: '1' });
    const cursor = new URL(headers.get('link')?.slice(1).split('>')[0] ?? '', 'http://x').searchParams.get(
      'cursor',
    );
    tenant = await house.tenant('Others');
    expect(await names({ q: 'ours' })).toEqual([]);
    expect((await list({ q: 'ours', cursor: cursor ?? '' })).status).toBe(400);
    expect((await act(first, 'unlink')).status).toBe(404);
  });

  test('any text is found by any part of it, broken characters included', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: codePoint, minLength: 1, maxLength: 12 }),
        fc.nat(11),
        async (text, from) => {
          fc.pre(/\S/.test(text));
          const id = await asset({ name: text });
          const q = text.slice(from % text.length);
          const found = (await list({ q: Buffer.from(q).toString() })).body.map(
            (one: { id: string }) => one.id,
          );
          expect(found.includes(id)).toBe(fold(text).includes(fold(q)));
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('GET /assets?status and ?overdue', () => {
  test('retired ones are found by their status alone, by name, and the others by theirs', async () => {
    const ids = [];
    for (const name of ['d', 'b', 'c', 'a']) ids.push(await asset({ name }));
    for (const id of ids.slice(0, 2)) await act(id, 'retire');
    await act(ids[2] ?? '', 'check-out');
    expect(await names({})).toEqual(['a', 'c']);
    expect(await names({ q: 'b' })).toEqual([]);
    expect(await names({ status: 'retired' })).toEqual(['b', 'd']);
    expect(await names({ status: 'retired', q: 'D' })).toEqual(['d']);
    expect(await names({ status: 'checked_out' })).toEqual(['c']);
    expect(await names({ status: 'available' })).toEqual(['a']);
    expect(await names({ status: 'missing' })).toEqual([]);
  });

  test('overdue: checked out, and the expected return has passed', async () => {
    const [late, soon, never] = [
      await asset({ name: 'late' }),
      await asset({ name: 'soon' }),
      await asset({ name: 'no' }),
    ];
    const back = (ms: number) => ({ expectedReturnAt: new Date(noon + ms).toISOString() });
    await act(late, 'check-out', back(-HOUR));
    await act(soon, 'check-out', back(HOUR));
    await act(never, 'check-out');
    await asset({ name: 'here' });
    expect(await names({ overdue: 'true' })).toEqual(['late']);
    expect(await names({ overdue: 'false' })).toEqual(['here', 'no', 'soon']);
    house.now = noon + 2 * HOUR;
    expect(await names({ overdue: 'true' })).toEqual(['late', 'soon']);
    expect(await names({ overdue: 'true', status: 'available' })).toEqual([]);
    await act(late, 'check-in');
    expect(await names({ overdue: 'true', q: 'o' })).toEqual(['soon']);
  });

  test('the moment of the expected return is not past yet; whoever is not checked out is never late', () => {
    const at = { status: 'checked_out', expectedReturnAt: 5 } as const;
    expect([isReturnLate(at, 5), isReturnLate(at, 6)]).toEqual([false, true]);
    expect(isReturnLate({ ...at, expectedReturnAt: null }, 6)).toBe(false);
    const others = assetStatuses.filter((status) => status !== 'checked_out');
    expect(others.map((status) => isReturnLate({ status, expectedReturnAt: 5 }, 6))).toEqual([
      false,
      false,
      false,
    ]);
  });

  test.each(['status=gone', 'status=', 'overdue=1', `q=${'x'.repeat(1001)}`])(
    '400 that names it for ?%s',
    async (query) => {
      const answer = await tenant.call('GET', `/assets?${query}`);
      expect(answer.status).toBe(400);
      expect(answer.body.errors).toMatchObject([{ path: query.split('=')[0] }]);
    },
  );
});

describe('many assets', () => {
  const total = 3000;
  beforeEach(async () => {
    const { orgId } = tenant;
    await house.store.write((tx) => {
      for (let n = 0; n < total; n++) {
        const id = crypto.randomUUID();
        const words = { name: `n${String(n).padStart(5, '0')}`, category: n % 7 === 0 ? 'seven' : '' };
        const made = createAsset(tx, orgId, { ...words, id, assetTagNumber: String(n), now: noon });
        if (n % 3 === 0) stepAsset(tx, { orgId, asset: made, now: noon }, { trigger: 'retire' });
      }
    });
  });

  test('pages of a filtered list give every asset that fits once, in order, and the last page has no link', async () => {
    for (const [status, wanted] of [
      ['retired', (n: number) => n % 21 === 0],
      ['available', (n: number) => n % 7 === 0 && n % 3 !== 0],
    ] as const) {
      const all: string[] = [];
      const first = `/assets?${new URLSearchParams({ q: 'SEVEN', status, limit: '60' })}`;
      for (let next: string | null = first; next; ) {
        const { body, headers } = await tenant.call('GET', next);
        all.push(...body.map(({ assetTagNumber }: { assetTagNumber: string }) => assetTagNumber));
        next = /\/api\/v1([^>]*)>/.exec(headers.get('link') ?? '')?.[1] ?? null;
      }
      expect(all).toEqual(
        Array.from({ length: total }, (_, n) => n)
          .filter(wanted)
          .map(String),
      );
    }
  });
});

describe('POST /assets/{id}/unlink', () => {
  test('the tag is free, the timeline has the edit after the zone that was left, and the audit log what it was', async () => {
    const dock = await tenant.zone('Dock');
    await tenant.tag(EPC, placed(dock.no, noon - 1000));
    const id = await asset({ name: 'Jack', epc: EPC });
    house.now = noon + 5;
    const answer = await act(id, 'unlink');
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.body).sort()).toEqual(['assetTagNumber', 'category', 'id', 'name', 'status']);
    const events = (await tenant.call('GET', `/assets/${id}/events`)).body;
    expect(events.slice(0, 2)).toEqual([
      {
        ...{ id: expect.any(String), kind: 'created', occurredAt: new Date(noon + 5).toISOString() },
        meta: { name: 'Jack', updated: true, changes: { epc: { from: EPC, to: '' } } },
      },
      expect.objectContaining({ kind: 'zone_exit', zoneName: 'Dock' }),
    ]);
    expect(tenant.audit().at(-1)).toMatchObject({
      action: 'unlink',
      resource: `assets/${id}`,
      before: { epc: EPC },
    });
    await asset({ name: 'Next', epc: EPC });
    expect(house.store.get(tables.assets, [tenant.orgId, id])).toMatchObject({ tagNo: null, linkedAt: null });
  });

  test('one without a tag stays as it is, and its timeline too', async () => {
    const id = await asset();
    const before = (await tenant.call('GET', `/assets/${id}`)).body;
    expect(await act(id, 'unlink')).toMatchObject({ status: 200, body: before });
    expect((await tenant.call('GET', `/assets/${id}/events`)).body).toHaveLength(1);
  });

  test('409 for a retired asset, 404 for an unknown one', async () => {
    const id = await asset({ epc: EPC });
    await act(id, 'retire');
    expect(await act(id, 'unlink')).toMatchObject({ status: 409, body: { type: '/problems/asset-retired' } });
    expect((await act(crypto.randomUUID(), 'unlink')).status).toBe(404);
  });
});
