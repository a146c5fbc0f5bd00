import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type House, openHouse, type Tenant } from '../support/house.ts';

let house: House;
let tenant: Tenant;
let path: string;
let zoneId: string;

beforeEach(async () => {
  house = await openHouse();
  tenant = await house.tenant('Ours');
  path = `/readers/${(await tenant.reader()).id}/antennas`;
  zoneId = (await tenant.zone('Dock')).id;
});
afterEach(() => house.close());

const unknown = '00000000-0000-4000-8000-000000000000';

const defaults = {
  zoneId: null,
  zoneName: null,
  role: 'coverage',
  transmitPowerCdbm: 3000,
  effectivePowerCdbm: 3000,
  inventorySession: 2,
  searchMode: 'dual-target',
  tagPopulation: 128,
  enabled: true,
};

const others = {
  transmitPowerCdbm: 1234,
  inventorySession: 0,
  searchMode: 'single-target-with-tagfocus',
  tagPopulation: 1,
  enabled: false,
};

describe('GET /readers/{id}/antennas', () => {
  test('one per port 1 to 4, each with its id, at the defaults after the claim', async () => {
    const { status, body } = await tenant.call('GET', path);
    expect(status).toBe(200);
    const readerId = path.split('/')[2];
    expect(body).toEqual(
      [1, 2, 3, 4].map((port) => ({ id: expect.any(String), readerId, port, ...defaults })),
    );
    expect(new Set(body.map(({ id }: { id: string }) => id)).size).toBe(4);
  });

  test('404 for an unknown reader', async () => {
    expect((await tenant.call('GET', `/readers/${unknown}/antennas`)).status).toBe(404);
    expect((await tenant.call('PUT', `/readers/${unknown}/antennas`, [])).status).toBe(404);
  });
});

describe('PUT /readers/{id}/antennas', () => {
  test('answers the full list; ports not named stay as they are', async () => {
    const before = (await tenant.call('GET', path)).body;
    const { status, body } = await tenant.call('PUT', path, [{ port: 3, zoneId, ...others }]);
    expect(status).toBe(200);
    expect(body).toEqual(
      before.map((antenna: { port: number }) =>
        antenna.port === 3
          ? { ...antenna, zoneId, zoneName: 'Dock', ...others, effectivePowerCdbm: 1225 }
          : antenna,
      ),
    );
    expect((await tenant.call('GET', path)).body).toEqual(body);
  });

  test('rule 1: settings left out of an object stay unchanged', async () => {
    await tenant.call('PUT', path, [{ port: 1, zoneId, ...others }]);
    const { body } = await tenant.call('PUT', path, [{ port: 1, zoneId, inventorySession: 3 }]);
    expect(body[0]).toMatchObject({ zoneId, ...others, inventorySession: 3 });
  });

  test.each([
    ['omitted', {}],
    ['null', { zoneId: null }],
  ])('rule 2: zoneId %s makes the port unmapped', async (_, change) => {
    await tenant.call('PUT', path, [{ port: 1, zoneId }]);
    const { body } = await tenant.call('PUT', path, [{ port: 1, ...change }]);
    expect(body[0]).toMatchObject({ zoneId: null, zoneName: null, role: 'coverage' });
  });

  test('the new mapping is what ingest places reads by, at once', async () => {
    await tenant.call('PUT', path, [{ port: 1, zoneId }]);
    const [reader] = (await tenant.call('GET', '/readers')).body;
    expect(house.directory.reader(reader.serial)?.ports[1]?.zone?.id).toBe(zoneId);
    await tenant.call('PUT', path, [{ port: 1, zoneId, enabled: false }]);
    expect(house.directory.reader(reader.serial)?.ports[1]?.zone).toBeNull();
  });

  test('a list as GET gives it can be sent back', async () => {
    await tenant.call('PUT', path, [{ port: 1, zoneId, ...others }]);
    const { body } = await tenant.call('GET', path);
    const answer = await tenant.call('PUT', path, body);
    expect([answer.status, answer.body]).toEqual([200, body]);
  });

  test.each([
    ['the ends of the ranges', { transmitPowerCdbm: 1000, inventorySession: 0, tagPopulation: 1 }],
    ['the other ends', { transmitPowerCdbm: 3300, inventorySession: 3, tagPopulation: 32_768 }],
    ['a power between two steps of the reader, kept as sent', { transmitPowerCdbm: 2999 }],
    ['single-target', { searchMode: 'single-target' }],
  ])('takes %s', async (_, change) => {
    const { status, body } = await tenant.call('PUT', path, [{ port: 4, ...change }]);
    expect(status).toBe(200);
    expect(body[3]).toMatchObject(change);
  });

  test('an empty list changes nothing; a zone id in upper case is read', async () => {
    expect((await tenant.call('PUT', path, [])).status).toBe(200);
    const { body } = await tenant.call('PUT', path, [{ port: 1, zoneId: zoneId.toUpperCase() }]);
    expect(body[0].zoneId).toBe(zoneId);
  });

  test.each([
    ['port 0', { port: 0 }, '1.port'],
    ['port 5', { port: 5 }, '1.port'],
    ['port 1.5', { port: 1.5 }, '1.port'],
    ['port as text', { port: '2' }, '1.port'],
    ['no port', {}, '1.port'],
    ['a repeated port', { port: 1 }, '1.port'],
    ['an unknown zone', { port: 2, zoneId: unknown }, '1.zoneId'],
    ['a zone that is no id', { port: 2, zoneId: 'dock' }, '1.zoneId'],
    ['another role', { port: 2, role: 'portal' }, '1.role'],
    ['too little power', { port: 2, transmitPowerCdbm: 999 }, '1.transmitPowerCdbm'],
    ['too much power', { port: 2, transmitPowerCdbm: 3301 }, '1.transmitPowerCdbm'],
    ['a fraction of a cdBm', { port: 2, transmitPowerCdbm: 2000.5 }, '1.transmitPowerCdbm'],
    ['session 4', { port: 2, inventorySession: 4 }, '1.inventorySession'],
    ['session -1', { port: 2, inventorySession: -1 }, '1.inventorySession'],
    ['an unknown search mode', { port: 2, searchMode: 'triple' }, '1.searchMode'],
    ['no tags in view', { port: 2, tagPopulation: 0 }, '1.tagPopulation'],
    ['too many tags in view', { port: 2, tagPopulation: 32_769 }, '1.tagPopulation'],
    ['enabled as text', { port: 2, enabled: 'yes' }, '1.enabled'],
  ])('rule 4: %s is 400 naming it, and nothing is changed', async (_, bad, where) => {
    const before = (await tenant.call('GET', path)).body;
    const answer = await tenant.call('PUT', path, [{ port: 1, transmitPowerCdbm: 1100 }, bad]);
    expect(answer.status).toBe(400);
    expect(answer.body.errors.map((error: { path: string }) => error.path)).toContain(where);
    expect((await tenant.call('GET', path)).body).toEqual(before);
  });

  test('a zone of another organisation is unknown', async () => {
    const stranger = await house.tenant('Theirs');
    const theirs = await stranger.zone('Their dock');
    expect((await tenant.call('PUT', path, [{ port: 1, zoneId: theirs.id }])).status).toBe(400);
  });

  test('the audit log has the ports that changed', async () => {
    await tenant.call('PUT', path, [{ port: 2, zoneId }]);
    const note = tenant.audit().at(-1);
    expect(note).toMatchObject({ action: 'update', resource: path.slice(1) });
    expect(note?.before).toEqual({ 'port 2': expect.objectContaining({ zoneId: null }) });
    expect(note?.after).toEqual({ 'port 2': expect.objectContaining({ zoneId }) });
  });
});
