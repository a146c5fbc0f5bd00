import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { assetRoutes } from '../../src/features/assets/asset-routes.ts';
import { createAssetLinks } from '../../src/store/asset-links.ts';
import { tables } from '../../src/store/tables.ts';
import { type House, noon, openHouse, placed, type Tenant } from '../support/house.ts';

let house: House;
let tenant: Tenant;

beforeEach(async () => {
  house = await openHouse({
    more: (parts) => assetRoutes({ ...parts, links: createAssetLinks(parts.store) }),
  });
  tenant = await house.tenant('Ours');
});
afterEach(() => house.close());

const unknown = '00000000-0000-4000-8000-000000000000';
const EPC = '3034257BF468D480000003E8';
const now = new Date(noon).toISOString();

let made = 0;

async function asset(more: object = {}, of = tenant): Promise<string> {
  const body = { name: 'Pallet jack', assetTagNumber: `PJ-${++made}`, ...more };
  const answer = await of.call('POST', '/assets', body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body.id;
}

const get = async (id: string) => (await tenant.call('GET', `/assets/${id}`)).body;
const list = async (query = '') => (await tenant.call('GET', `/assets${query}`)).body;
const names = async (query = '') => (await list(query)).map(({ name }: { name: string }) => name);
const act = (id: string, action: string, body?: object) =>
  tenant.call('POST', `/assets/${id}/${action}`, body);

describe('POST /assets', () => {
  test('201 with the asset: available, members without a value absent, category empty', async () => {
    const { status, body } = await tenant.call('POST', '/assets', {
      name: 'Jack 7',
      assetTagNumber: 'PJ-0007',
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      ...{ name: 'Jack 7', assetTagNumber: 'PJ-0007', category: '', status: 'available' },
    });
    expect(await list()).toEqual([body]);
    expect(await get(body.id)).toEqual(body);
  });

  test('with the epc of a tag that is somewhere, the location is there at once', async () => {
    const dock = await tenant.zone('Dock');
    await tenant.tag(EPC, placed(dock.no, noon - 1000, { zoneSince: noon - 5000 }));
    const body = await get(await asset({ epc: EPC.toLowerCase() }));
    expect(body).toMatchObject({
      ...{ epc: EPC, zoneId: dock.id, zoneName: 'Dock', lastSeenAt: new Date(noon - 1000).toISOString() },
      inZoneSince: new Date(noon - 5000).toISOString(),
    });
  });

  test('with an epc never seen it makes the tag, which has been seen nowhere', async () => {
    const body = await get(await asset({ epc: EPC }));
    expect(body).toEqual({ ...body, epc: EPC });
    expect(Object.keys(body)).not.toContain('lastSeenAt');
    expect([...house.store.range(tables.tags)].map(({ value }) => value.epc)).toEqual([EPC]);
    expect(house.ledger.states.orgNo(1)).toBe(tenant.orgNo);
  });

  test('a tag seen at no zone, or at one deleted since, gives lastSeenAt alone', async () => {
    const dock = await tenant.zone('Dock');
    await tenant.tag('AAAA0001', placed(0, noon));
    await tenant.tag('AAAA0002', placed(dock.no, noon));
    await tenant.call('DELETE', `/zones/${dock.id}`);
    for (const epc of ['AAAA0001', 'AAAA0002']) {
      const body = await get(await asset({ epc }));
      expect(body.lastSeenAt).toBe(now);
      expect(Object.keys(body)).not.toEqual(expect.arrayContaining(['zoneId']));
    }
  });

  test('409 for a number in use, compared character by character, and nothing is made', async () => {
    await asset({ assetTagNumber: 'A-1' });
    const body = { name: 'x', assetTagNumber: 'A-1', epc: EPC };
    const answer = await tenant.call('POST', '/assets', body);
    expect(answer.status).toBe(409);
    expect(answer.body.type).toBe('/problems/asset-number-taken');
    expect(house.store.count(tables.tags)).toBe(0);
    for (const assetTagNumber of ['a-1', 'A-1 ', ' A-1', 'A-11', 'Á-1']) await asset({ assetTagNumber });
    expect(await names()).toHaveLength(6);
  });

  test('409 for a tag linked already, and nothing is made: its number is free', async () => {
    await asset({ epc: EPC });
    const answer = await tenant.call('POST', '/assets', { name: 'x', assetTagNumber: 'free', epc: EPC });
    expect(answer.status).toBe(409);
    expect(answer.body.type).toBe('/problems/tag-linked');
    expect(await names()).toHaveLength(1);
    await asset({ assetTagNumber: 'free' });
  });

  test.each([
    ['no name', { assetTagNumber: '1' }],
    ['no number', { name: 'x' }],
    ['a blank name', { name: ' ', assetTagNumber: '1' }],
    ['a blank number', { name: 'x', assetTagNumber: '\t' }],
    ['a number that is no text', { name: 'x', assetTagNumber: 1 }],
    ['a name of 256 characters', { name: 'x'.repeat(256), assetTagNumber: '1' }],
    ['a category of 256 characters', { name: 'x', assetTagNumber: '1', category: 'x'.repeat(256) }],
    ['an epc of 7 digits', { name: 'x', assetTagNumber: '1', epc: 'ABCDEF0' }],
    ['an epc that is not hexadecimal', { name: 'x', assetTagNumber: '1', epc: 'GHIJKLMN' }],
    ['an empty epc', { name: 'x', assetTagNumber: '1', epc: '' }],
    ['a list', []],
  ])('400 for %s, and nothing is made', async (_, body) => {
    const answer = await tenant.call('POST', '/assets', body);
    expect(answer.status).toBe(400);
    expect(answer.body.type).toBe('/problems/invalid');
    expect(await list()).toEqual([]);
  });

  test('null stands for an optional member left out', async () => {
    const body = await get(await asset({ category: null, epc: null }));
    expect(body.category).toBe('');
    expect(Object.keys(body)).not.toContain('epc');
  });

  test('every awkward text is kept as sent, as name, number and category, and compares as itself', async () => {
    const texts: string[] = JSON.parse(readFileSync(new URL('../corpus/blns.json', import.meta.url), 'utf8'));
    const odd = ['__proto__', 'constructor', 'a\u0000b', '\u0000', 'e\u0301', '\u00e9', '𝕏'.repeat(127)];
    const whole = new Set([...texts, ...odd].filter((text) => /\S/.test(text) && text.length <= 255));
    for (const text of whole) {
      const body = { name: text, assetTagNumber: text, category: text };
      const answer = await tenant.call('POST', '/assets', body);
      expect(answer.status, JSON.stringify(text)).toBe(201);
      expect(answer.body).toMatchObject(body);
      const again = await tenant.call('POST', '/assets', body);
      expect(again.body.type).toBe('/problems/asset-number-taken');
    }
    const all = [];
    for (let next: string | null = '/assets?limit=100'; next; ) {
      const { body, headers } = await tenant.call('GET', next);
      all.push(...body.map(({ name }: { name: string }) => name));
      next = /\/api\/v1([^>]*)>/.exec(headers.get('link') ?? '')?.[1] ?? null;
    }
    expect(all).toEqual([...whole].sort((a, b) => (a < b ? -1 : 1)));
  });
});

describe('GET /assets', () => {
  test('sorted by name, equal names in the order they were made, retired ones left out', async () => {
    const ids = [];
    for (const name of ['b', 'C', 'a', 'b', 'ä', 'Z10', 'Z2']) ids.push(await asset({ name }));
    expect(await names()).toEqual(['C', 'Z10', 'Z2', 'a', 'b', 'b', 'ä']);
    expect([(await list())[4].id, (await list())[5].id]).toEqual([ids[0], ids[3]]);
    await act(ids[2] ?? '', 'retire');
    await tenant.call('PATCH', `/assets/${ids[1]}`, { name: 'zz' });
    expect(await names()).toEqual(['Z10', 'Z2', 'b', 'b', 'zz', 'ä']);
  });

  test('pages of any size give every asset once; a retired or renamed last one is where it would be', async () => {
    for (const name of ['a', 'b', 'b', 'b', 'c', 'd', 'e']) await asset({ name });
    const first = await tenant.call('GET', '/assets?limit=3');
    const next = /\/api\/v1([^>]*)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    expect(first.body.map(({ name }: { name: string }) => name)).toEqual(['a', 'b', 'b']);
    await act(first.body[2].id, 'retire');
    expect(await names(next.replace('/assets', ''))).toEqual(['b', 'c', 'd']);
    expect((await tenant.call('GET', '/assets?limit=6')).headers.get('link')).toBeNull();
  });

  test('up to 500, the rest on the next page', { timeout: 60_000 }, async () => {
    for (let n = 0; n < 501; n++) await asset({ name: `n${n}` });
    const { body, headers } = await tenant.call('GET', '/assets');
    expect(body).toHaveLength(500);
    expect(headers.get('link')).toMatch(/rel="next"/);
  });

  test.each(['limit=0', 'limit=501', 'limit=x', 'cursor=%21', 'cursor=MCw5OTk5'])(
    '400 for ?%s',
    async (query) => {
      const answer = await tenant.call('GET', `/assets?${query}`);
      expect(answer.status).toBe(400);
      expect(answer.body.errors).toMatchObject([{ path: query.split('=')[0] }]);
    },
  );
});

describe('PATCH /assets/{id}', () => {
  test('changes what is sent and leaves the rest; the old number is free', async () => {
    const id = await asset({ name: 'Old', assetTagNumber: 'N-1', category: 'C', epc: EPC });
    const before = await get(id);
    const answer = await tenant.call('PATCH', `/assets/${id}`, { assetTagNumber: 'N-2' });
    expect(answer).toMatchObject({ status: 200, body: { ...before, assetTagNumber: 'N-2' } });
    await asset({ assetTagNumber: 'N-1' });
    const taken = await tenant.call('PATCH', `/assets/${id}`, { name: 'New', assetTagNumber: 'N-1' });
    expect(taken).toMatchObject({ status: 409, body: { type: '/problems/asset-number-taken' } });
    expect(await get(id)).toEqual(answer.body);
  });

  test('its own number is no conflict; an empty category clears it', async () => {
    const id = await asset({ assetTagNumber: 'N-1', category: 'C' });
    const body = { assetTagNumber: 'N-1', category: '' };
    expect(await tenant.call('PATCH', `/assets/${id}`, body)).toMatchObject({ status: 200, body });
  });

  test('409 for a retired asset', async () => {
    const id = await asset();
    await act(id, 'retire');
    const answer = await tenant.call('PATCH', `/assets/${id}`, { name: 'New' });
    expect(answer).toMatchObject({ status: 409, body: { type: '/problems/asset-retired' } });
  });

  test.each([{}, { status: 'missing' }, { name: '' }, { name: null }, { category: 7 }])(
    '400 for %j',
    async (body) => {
      const id = await asset();
      const before = await get(id);
      expect((await tenant.call('PATCH', `/assets/${id}`, body)).status).toBe(400);
      expect(await get(id)).toEqual(before);
    },
  );
});

describe('check-out, check-in, retire', () => {
  test('check-out without a body; check-in; and each twice is a 409', async () => {
    const id = await asset();
    const out = await act(id, 'check-out');
    expect(out).toMatchObject({ status: 200, body: { status: 'checked_out', checkedOutAt: now } });
    expect(Object.keys(out.body)).not.toContain('custodian');
    expect(await act(id, 'check-out')).toMatchObject({
      ...{ status: 409, body: { type: '/problems/asset-not-available' } },
    });
    expect((await act(id, 'check-in')).body.status).toBe('available');
    expect(await act(id, 'check-in')).toMatchObject({
      ...{ status: 409, body: { type: '/problems/asset-not-checked-out' } },
    });
  });

  test('check-out keeps custodian and expected return as UTC; check-in clears all three', async () => {
    const id = await asset();
    const body = { custodian: 'R. Ortiz', expectedReturnAt: '2026-03-02T19:00:00.9999+02:00' };
    expect((await act(id, 'check-out', body)).body).toMatchObject({
      ...{ custodian: 'R. Ortiz', expectedReturnAt: '2026-03-02T17:00:00.999Z', checkedOutAt: now },
    });
    const back = (await act(id, 'check-in')).body;
    expect(Object.keys(back).sort()).toEqual(['assetTagNumber', 'category', 'id', 'name', 'status']);
  });

  test('an expected return in the past is taken, null is none', async () => {
    const id = await asset();
    const body = { custodian: null, expectedReturnAt: '1999-01-01T00:00:00Z' };
    expect((await act(id, 'check-out', body)).body.expectedReturnAt).toBe('1999-01-01T00:00:00.000Z');
  });

  test.each([
    { custodian: ' ' },
    { custodian: 'x'.repeat(256) },
    { custodian: 5 },
    { expectedReturnAt: 'tomorrow' },
    { expectedReturnAt: '2026-02-30T00:00:00Z' },
    { expectedReturnAt: '2026-03-02' },
    { expectedReturnAt: '2026-03-02T00:00:00' },
    { expectedReturnAt: 1_772_442_937 },
  ])('400 for %j, and the asset stays available', async (body) => {
    const id = await asset();
    expect((await act(id, 'check-out', body)).status).toBe(400);
    expect((await get(id)).status).toBe('available');
  });

  test('retire frees tag and number, leaves the list and keeps the asset; then nothing can be done', async () => {
    const id = await asset({ assetTagNumber: 'R-1', epc: EPC });
    await act(id, 'check-out', { custodian: 'R. Ortiz' });
    const gone = await act(id, 'retire', { ignored: true });
    expect(gone).toMatchObject({ status: 200, body: { id, status: 'retired', assetTagNumber: 'R-1' } });
    expect(Object.keys(gone.body)).not.toEqual(expect.arrayContaining(['epc']));
    expect(Object.keys(gone.body)).not.toEqual(expect.arrayContaining(['custodian']));
    expect(await list()).toEqual([]);
    expect(await get(id)).toEqual(gone.body);
    for (const action of ['retire', 'check-out', 'check-in'])
      expect(await act(id, action)).toMatchObject({ status: 409, body: { type: '/problems/asset-retired' } });
    await asset({ assetTagNumber: 'R-1', epc: EPC });
  });

  test('of many check-outs at the same time exactly one wins', async () => {
    const id = await asset();
    const who = Array.from({ length: 12 }, (_, n) => `Holder ${n}`);
    const answers = await Promise.all(who.map((custodian) => act(id, 'check-out', { custodian })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(11).fill(409)]);
    const winner = answers.find(({ status }) => status === 200)?.body.custodian;
    expect((await get(id)).custodian).toBe(winner);
  });

  test('of many assets made at the same time with one number exactly one is made', async () => {
    const body = { name: 'x', assetTagNumber: 'same', epc: EPC };
    const answers = await Promise.all(Array.from({ length: 8 }, () => tenant.call('POST', '/assets', body)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(await names()).toEqual(['x']);
    expect(house.store.count(tables.tags)).toBe(1);
  });
});

describe('an asset of another organisation, or of nobody', () => {
  test.each([
    ['GET', ''],
    ['PATCH', ''],
    ['GET', '/events'],
    ['POST', '/check-out'],
    ['POST', '/check-in'],
    ['POST', '/retire'],
  ])('%s /assets/{id}%s: 404, and nothing changes', async (method, rest) => {
    const theirs = await house.tenant('Theirs');
    const id = await asset({}, theirs);
    const before = house.store.get(tables.assets, [theirs.orgId, id]);
    for (const one of [id, unknown, 'nonsense', '%00', '__proto__']) {
      const answer = await tenant.call(
        method,
        `/assets/${one}${rest}`,
        method === 'PATCH' ? { name: 'Mine' } : undefined,
      );
      expect(answer.status, one).toBe(404);
    }
    expect(house.store.get(tables.assets, [theirs.orgId, id])).toEqual(before);
    expect(await list()).toEqual([]);
  });

  test('two organisations may have the same numbers and the same EPCs; cursors are for their own list', async () => {
    const theirs = await house.tenant('Theirs');
    for (const of of [tenant, theirs]) {
      await asset({ assetTagNumber: '1', epc: EPC }, of);
      await asset({ assetTagNumber: '2' }, of);
    }
    const { headers } = await theirs.call('GET', '/assets?limit=1');
    const cursor = /cursor=([^>]*)>/.exec(headers.get('link') ?? '')?.[1];
    expect((await tenant.call('GET', `/assets?cursor=${cursor}`)).status).toBe(400);
  });
});

describe('the audit log', () => {
  test('has every write with what it changed, and no refused one', async () => {
    const id = await asset({ name: 'A', epc: EPC });
    await tenant.call('PATCH', `/assets/${id}`, { name: 'B' });
    await act(id, 'check-out', { custodian: 'R' });
    await act(id, 'check-out');
    await act(id, 'check-in');
    await act(id, 'retire');
    const notes = tenant.audit().filter(({ resource }) => resource === `assets/${id}`);
    expect(notes.map(({ action }) => action)).toEqual([
      'create',
      'update',
      'check-out',
      'check-in',
      'retire',
    ]);
    expect(notes[0]).toMatchObject({
      actor: { kind: 'key', id: tenant.keyId },
      after: { name: 'A', epc: EPC },
    });
    expect(notes[1]).toMatchObject({ before: { name: 'A' }, after: { name: 'B' } });
    expect(notes[4]).toMatchObject({
      before: { epc: EPC, status: 'available' },
      after: { status: 'retired' },
    });
  });
});
