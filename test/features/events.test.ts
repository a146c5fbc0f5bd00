import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { LiveEvent } from '../../src/contract/events.ts';
import { eventRoutes } from '../../src/features/events/event-routes.ts';
import { isCallerLive } from '../../src/store/sessions.ts';
import { type AccountHouse, openAccountHouse } from '../support/account-house.ts';
import { type House, openHouse, type Tenant } from '../support/house.ts';
import { openSse, type SseClient } from '../support/http-sse.ts';

let house: House;
let tenant: Tenant;

beforeEach(async () => {
  house = await openHouse();
  tenant = await house.tenant('Ours');
});
afterEach(() => house.close());

const address = '/api/v1/events/stream';

function stream({ key }: Tenant, query = '', headers: Record<string, string> = {}): Promise<SseClient> {
  return openSse(`${house.server.origin}${address}${query}`, {
    headers: { authorization: `Bearer ${key}`, ...headers },
  });
}

const moved = {
  type: 'tag_moved',
  data: { tagId: 't', epc: '3034', toZoneId: 'z', zoneName: 'Dock', at: '2026-03-02T09:15:37.412Z' },
} as const;

describe('GET /events/stream', () => {
  test('begins with hello and carries the events of the own organisation only', async () => {
    const stranger = await house.tenant('Theirs');
    const client = await stream(tenant);
    expect(client.headers['content-type']).toContain('text/event-stream');
    expect(await client.next()).toEqual({ type: 'hello', data: {} });
    house.bus.publish(stranger.orgId, [{ ...moved, data: { ...moved.data, zoneName: 'Theirs' } }]);
    house.bus.publish(tenant.orgId, [moved]);
    expect(await client.next()).toEqual(moved);
    client.close();
  });

  test('closing a key closes its streams', async () => {
    const client = await stream(tenant);
    await client.next('hello');
    expect(house.bus.closeFor(tenant.keyId)).toBe(1);
    await client.ended;
  });

  test('503 problem details when there are as many streams as there may be', async () => {
    const clients = [await stream(tenant), await stream(tenant)];
    const answer = await tenant.call('GET', '/events/stream');
    expect([answer.status, answer.body.type]).toEqual([503, '/problems/unavailable']);
    for (const client of clients) client.close();
  });

  test('401 without a key', async () => {
    expect((await fetch(`${house.server.origin}${address}`)).status).toBe(401);
  });
});

describe('GET /events/stream, narrowed (extension)', () => {
  const zoneId = '2f6d9a10-7c3b-4c5d-9e8f-0a1b2c3d4e5f';
  const otherZoneId = '3f6d9a10-7c3b-4c5d-9e8f-0a1b2c3d4e5f';
  const at = '2026-03-02T09:15:37.412Z';
  const seen = { tagId: 't', readerId: 'r', antennaPort: 1, readCount: 1 };
  const events: readonly LiveEvent[] = [
    { type: 'tag_read', data: { ...seen, epc: 'AAAA0001', zoneId, zoneName: 'Dock', lastSeen: at } },
    { type: 'tag_read', data: { ...seen, epc: 'AAAA0002', lastSeen: at } },
    {
      type: 'tag_moved',
      data: { ...seen, epc: 'AAAA0003', fromZoneId: zoneId, toZoneId: 'z', zoneName: 'Z', at },
    },
    { type: 'session_started', data: { ...seen, epc: 'AAAA0001', at } },
    { type: 'session_ended', data: { ...seen, epc: 'AAAA0001', at } },
  ];

  test.each([
    ['', [0, 1, 2, 3, 4]],
    ['?types=tag_read', [0, 1]],
    ['?types=tag_moved,%20session_ended', [2, 4]],
    [`?zoneId=${zoneId.toUpperCase()}`, [0, 2]],
    [`?zoneId=${otherZoneId},${zoneId}`, [0, 2]],
    ['?epc=aaaa0001', [0, 3, 4]],
    ['?epc=AAAA0001,AAAA0003&types=tag_read,tag_moved', [0, 2]],
    [`?zoneId=${zoneId}&epc=AAAA0003&types=tag_read`, []],
  ])('%s gets, after hello, those of the events that agree with all it names', async (query, expected) => {
    const [all, client] = [await stream(tenant), await stream(tenant, query)];
    for (const one of [all, client]) await one.next('hello');
    house.bus.publish(tenant.orgId, events);
    await vi.waitFor(() => expect(all.events).toHaveLength(1 + events.length));
    await vi.waitFor(() => expect(client.events.length).toBe(1 + expected.length));
    expect(client.events.slice(1)).toEqual(expected.map((nth) => events[nth]));
    for (const one of [all, client]) one.close();
  });

  const epcs = Array.from({ length: 101 }, (_, n) => `AAAA0${String(n).padStart(3, '0')}`);
  test.each([
    ['types=tag_read,tag_lost', 'types', /^names "tag_lost", which is none of tag_read, tag_moved, session_/],
    ['types=hello', 'types', /"hello"/],
    ['types=', 'types', /^names "", which/],
    ['types=tag_read,', 'types', /^names "", which/],
    ['zoneId=dock', 'zoneId', /^names "dock", which is no UUID$/],
    ['epc=AAAA0001,xyz', 'epc', /^names "xyz", which is not 8 to 64 hexadecimal digits$/],
    ['epc=AAAA0001&epc=AAAA0002', 'epc', /^must be one text, not a list$/],
    [`epc=${epcs.join()}`, 'epc', /^may name 100 at most$/],
    [`epc=${'A'.repeat(5000)}`, 'epc', /^names "A{70}", which/],
    [`lastEventId=${'1'.repeat(201)}`, 'lastEventId', /at most 200 characters/],
  ])('?%.60s is refused with 400 that names %s', async (query, path, message) => {
    const answer = await tenant.call('GET', `/events/stream?${query}`);
    expect([answer.status, answer.body.type]).toEqual([400, '/problems/invalid']);
    expect(answer.body.errors).toEqual([{ path, message: expect.stringMatching(message) }]);
    expect(house.bus.counters.consumers).toBe(0);
  });

  test('a hundred EPCs are taken', async () => {
    const client = await stream(tenant, `?epc=${epcs.slice(0, 100).join()}`);
    expect(client.status).toBe(200);
    client.close();
  });

  test("a zone of another organisation is one that nothing happens in: its events don't come", async () => {
    const stranger = await house.tenant('Theirs');
    const theirs = await stranger.zone('Dock');
    const [client, owner] = [await stream(tenant, `?zoneId=${theirs.id}`), await stream(stranger)];
    const data = { ...seen, epc: 'BBBB0001', zoneId: theirs.id, zoneName: 'Dock', lastSeen: at };
    house.bus.publish(stranger.orgId, [{ type: 'tag_read', data }]);
    await owner.next('tag_read');
    house.bus.publish(tenant.orgId, [{ type: 'tag_read', data: { ...data, epc: 'AAAA0001' } }]);
    expect((await client.next('tag_read')).data.epc).toBe('AAAA0001');
    for (const one of [client, owner]) one.close();
  });
});

describe('GET /events/stream, resumed (extension)', () => {
  const numbered = (no: number): LiveEvent => ({ ...moved, data: { ...moved.data, epc: `AAAA000${no}` } });

  /** The id of the last event of a stream that ended after the event 1; 2 and 3 came since. */
  async function lastId(): Promise<string> {
    const client = await stream(tenant);
    house.bus.publish(tenant.orgId, [numbered(1)]);
    await client.next('tag_moved');
    client.close();
    await vi.waitFor(() => expect(house.bus.counters.consumers).toBe(0));
    house.bus.publish(tenant.orgId, [numbered(2), numbered(3)]);
    return String(client.lastEventId());
  }

  test('without an id nothing is replayed', async () => {
    await lastId();
    const witness = await stream(tenant, '', { 'last-event-id': '' });
    const after = await stream(tenant);
    for (const one of [witness, after]) await one.next('hello');
    await vi.waitFor(() => expect(after.lastEventId()).toMatch(/-3$/));
    house.bus.publish(tenant.orgId, [numbered(4)]);
    for (const one of [witness, after]) expect((await one.next()).data.epc).toBe('AAAA0004');
    for (const one of [witness, after]) one.close();
  });

  test.each(['header', 'query'])(
    'with the last id in the %s what was missed comes after hello',
    async (place) => {
      const id = await lastId();
      const client = await (place === 'header'
        ? stream(tenant, '?lastEventId=stale-1', { 'last-event-id': id })
        : stream(tenant, `?lastEventId=${id}`));
      const got = [await client.next(), await client.next(), await client.next()];
      expect(got.map(({ type, data }) => data.epc ?? type)).toEqual(['hello', 'AAAA0002', 'AAAA0003']);
      client.close();
    },
  );

  test("another organisation's id resumes nothing: hello, then resync", async () => {
    const id = await lastId();
    const stranger = await house.tenant('Theirs');
    const client = await stream(stranger, '', { 'last-event-id': id });
    expect([await client.next(), await client.next()]).toEqual([
      { type: 'hello', data: {} },
      { type: 'resync', data: {} },
    ]);
    house.bus.publish(stranger.orgId, [numbered(9)]);
    expect((await client.next()).data.epc).toBe('AAAA0009');
    client.close();
  });
});

describe('GET /events/stream with the cookie of a session', () => {
  let accounts: AccountHouse;
  beforeEach(async () => {
    accounts = await openAccountHouse({ more: ({ bus }) => eventRoutes({ bus, heartbeatSeconds: 15 }) });
  });
  afterEach(() => accounts.close());

  test("is open to a browser's EventSource, and ends with that session only", async () => {
    const { orgId } = await accounts.tenant('Ours');
    const people = [await accounts.person(orgId), await accounts.person(orgId)];
    const url = `${accounts.server.origin}${address}`;
    // As a page of the appliance itself asks.
    const site = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' };
    const [one, two] = await Promise.all(
      people.map(({ cookie }) => openSse(url, { headers: { cookie, ...site } })),
    );
    accounts.bus.publish(orgId, [moved]);
    for (const client of [one, two]) expect(await client?.next('tag_moved')).toEqual(moved);
    await people[0]?.call('POST', '/auth/logout');
    for (const id of accounts.bus.callers())
      if (!isCallerLive(accounts.store, id, accounts.now)) accounts.bus.closeFor(id);
    await one?.ended;
    accounts.bus.publish(orgId, [moved]);
    expect(await two?.next('tag_moved')).toEqual(moved);
    two?.close();
  });

  test('401 with a cookie of no session', async () => {
    const headers = { cookie: `tagkeep_session=${'x'.repeat(43)}` };
    expect((await fetch(`${accounts.server.origin}${address}`, { headers })).status).toBe(401);
  });
});
