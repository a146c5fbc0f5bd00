import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { tables } from '../../src/store/tables.ts';
import { type House, noon, openHouse, placed, type Tenant } from '../support/house.ts';

let house: House;
let tenant: Tenant;

beforeEach(async () => {
  house = await openHouse();
  tenant = await house.tenant('Ours');
});
afterEach(() => house.close());

const unknown = '00000000-0000-4000-8000-000000000000';

async function names(): Promise<readonly string[]> {
  const { body } = await tenant.call('GET', '/zones');
  return body.map(({ name }: { name: string }) => name);
}

describe('POST /zones', () => {
  test('201 with the zone: kind storage unless told otherwise, at the first site', async () => {
    const { status, body } = await tenant.call('POST', '/zones', { name: 'Shelf A' });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      siteId: tenant.siteId,
      name: 'Shelf A',
      kind: 'storage',
      locationPolicy: null,
    });
    expect((await tenant.call('GET', '/zones')).body).toEqual([body]);
  });

  test('at the site that is named; 400 for one that is not there, or another organisation’s', async () => {
    const id = '11111111-0000-4000-8000-000000000000';
    const north = { id, name: 'North', createdAt: house.now };
    await house.store.write((tx) => tx.put(tables.sites, [tenant.orgId, id], north));
    expect((await tenant.call('POST', '/zones', { name: 'Z', siteId: id })).body.siteId).toBe(id);
    const other = await house.tenant('Theirs');
    for (const siteId of [unknown, other.siteId, 'north', null])
      expect((await tenant.call('POST', '/zones', { name: 'Z', siteId })).status).toBe(400);
    expect(await names()).toEqual(['Z']);
  });

  test.each(['storage', 'staging', 'portal', 'checkpoint', 'other'])('takes the kind %s', async (kind) => {
    const { body } = await tenant.call('POST', '/zones', { name: 'Z', kind });
    expect(body.kind).toBe(kind);
  });

  test('takes a location policy of its own, which the directory hands to ingest', async () => {
    const { body } = await tenant.call('POST', '/zones', { name: 'Door', locationPolicy: 'stable' });
    expect(body.locationPolicy).toBe('stable');
    expect(house.directory.zonesOf(tenant.orgId)).toMatchObject([{ id: body.id, policy: 'stable' }]);
  });

  test('the name is kept as sent; names may repeat', async () => {
    for (const name of ['  Dock ', 'Dock', 'Dock', '__proto__', 'Ünïcødé 棚'])
      expect((await tenant.call('POST', '/zones', { name })).body.name).toBe(name);
    expect(await names()).toHaveLength(5);
  });

  test.each([
    ['no name', {}],
    ['a blank name', { name: ' \t' }],
    ['an empty name', { name: '' }],
    ['a name of 256 characters', { name: 'x'.repeat(256) }],
    ['a name that is no text', { name: 7 }],
    ['an unknown kind', { name: 'Z', kind: 'shelf' }],
    ['an unknown policy', { name: 'Z', locationPolicy: 'fast' }],
    ['a list', []],
  ])('400 for %s, and nothing is made', async (_, body) => {
    const answer = await tenant.call('POST', '/zones', body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ type: '/problems/invalid', status: 400 });
    expect(await names()).toEqual([]);
  });

  test('a name may have 255 characters', async () => {
    expect((await tenant.call('POST', '/zones', { name: 'x'.repeat(255) })).status).toBe(201);
  });
});

describe('GET /zones', () => {
  test('sorted by name, equal names in the order they were made', async () => {
    const made = [];
    for (const name of ['b', 'C', 'a', 'ä', 'b', 'A', 'Z1', 'Z10', 'Z2']) made.push(await tenant.zone(name));
    expect(await names()).toEqual(['A', 'C', 'Z1', 'Z10', 'Z2', 'a', 'b', 'b', 'ä']);
    const { body } = await tenant.call('GET', '/zones');
    expect([body[6].id, body[7].id]).toEqual([made[0]?.id, made[4]?.id]);
  });
});

describe('PATCH /zones/{id}', () => {
  test.each([
    [{ name: 'Gate' }, { name: 'Gate', kind: 'portal', locationPolicy: 'stable' }],
    [{ kind: 'staging' }, { name: 'Dock', kind: 'staging', locationPolicy: 'stable' }],
    [
      { name: 'Gate', kind: 'other' },
      { name: 'Gate', kind: 'other', locationPolicy: 'stable' },
    ],
    [{ locationPolicy: null }, { name: 'Dock', kind: 'portal', locationPolicy: null }],
  ])('%j changes just that', async (change, expected) => {
    const { id } = await tenant.zone('Dock', { kind: 'portal', locationPolicy: 'stable' });
    const { status, body } = await tenant.call('PATCH', `/zones/${id}`, change);
    expect(status).toBe(200);
    expect(body).toEqual({ id, siteId: tenant.siteId, ...expected });
    expect((await tenant.call('GET', '/zones')).body).toEqual([body]);
  });

  test.each([[{}], [{ colour: 'red' }], [{ name: '' }], [{ kind: 'shelf' }], [{ name: null }]])(
    '400 for %j, and nothing is changed',
    async (change) => {
      const { id } = await tenant.zone('Dock');
      expect((await tenant.call('PATCH', `/zones/${id}`, change)).status).toBe(400);
      expect(await names()).toEqual(['Dock']);
    },
  );

  test('404 for an unknown zone and for what is no id', async () => {
    expect((await tenant.call('PATCH', `/zones/${unknown}`, { name: 'Z' })).status).toBe(404);
    expect((await tenant.call('PATCH', '/zones/dock', { name: 'Z' })).status).toBe(404);
  });
});

describe('DELETE /zones/{id}', () => {
  test('204, then 404', async () => {
    const { id } = await tenant.zone('Dock');
    const answer = await tenant.call('DELETE', `/zones/${id}`);
    expect([answer.status, answer.body]).toEqual([204, null]);
    expect((await tenant.call('DELETE', `/zones/${id}`)).status).toBe(404);
    expect(await names()).toEqual([]);
  });

  test('antennas mapped to it become unmapped', async () => {
    const { id: zoneId } = await tenant.zone('Dock');
    const { id } = await tenant.reader();
    await tenant.call('PUT', `/readers/${id}/antennas`, [{ port: 2, zoneId }]);
    await tenant.call('DELETE', `/zones/${zoneId}`);
    const { body } = await tenant.call('GET', `/readers/${id}/antennas`);
    expect(body[1]).toMatchObject({ port: 2, zoneId: null, zoneName: null });
  });

  test('tags located there lose their location until next seen elsewhere', async () => {
    const dock = await tenant.zone('Dock');
    const tag = await tenant.tag('3034000000000001', placed(dock.no, noon));
    expect((await tenant.call('GET', '/tags')).body).toMatchObject([{ id: tag.id, zoneName: 'Dock' }]);
    await tenant.call('DELETE', `/zones/${dock.id}`);
    const again = await tenant.zone('Dock');
    expect((await tenant.call('GET', '/tags')).body).toMatchObject([{ id: tag.id, zoneName: null }]);
    expect((await tenant.call('GET', `/zones/${again.id}/inventory`)).body).toEqual([]);
  });
});

describe('audit of zones', () => {
  test('says who did what from where, and only what changed', async () => {
    const { id } = await tenant.zone('Dock', { kind: 'portal' });
    await tenant.call('PATCH', `/zones/${id}`, { name: 'Gate' });
    await tenant.call('PATCH', `/zones/${unknown}`, { name: 'Gate' });
    await tenant.call('DELETE', `/zones/${id}`);
    const by = {
      at: noon,
      actor: { kind: 'key', id: tenant.keyId },
      address: '127.0.0.1',
      resource: `zones/${id}`,
    };
    const zone = { id, siteId: tenant.siteId, name: 'Dock', kind: 'portal', locationPolicy: null };
    expect(tenant.audit()).toEqual([
      { ...by, action: 'create', after: zone },
      { ...by, action: 'update', before: { name: 'Dock' }, after: { name: 'Gate' } },
      { ...by, action: 'delete', before: { ...zone, name: 'Gate' } },
    ]);
  });
});
