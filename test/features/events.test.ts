import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type House, openHouse, type Tenant } from '../support/house.ts';
import { openSse, type SseClient } from '../support/http-sse.ts';

let house: House;
let tenant: Tenant;

beforeEach(async () => {
  house = await openHouse();
  tenant = await house.tenant('Ours');
});
afterEach(() => house.close());

function stream({ key }: Tenant): Promise<SseClient> {
  const headers = { authorization: `Bearer ${key}` };
  return openSse(`${house.server.origin}/api/v1/events/stream`, { headers });
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
    expect((await fetch(`${house.server.origin}/api/v1/events/stream`)).status).toBe(401);
  });
});
