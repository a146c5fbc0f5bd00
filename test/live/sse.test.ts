import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { LiveEvent } from '../../src/contract/events.ts';
import { refuse } from '../../src/domain/refusal.ts';
import { route } from '../../src/http/route.ts';
import { createLiveBus, type LiveBus } from '../../src/live/bus.ts';
import { eventFilter } from '../../src/live/filter.ts';
import { openStream } from '../../src/live/sse.ts';
import { startHttp, type TestServer } from '../support/http-server.ts';
import { openSse } from '../support/http-sse.ts';

function read(n: number, label = 'x'): LiveEvent {
  const data = {
    epc: 'AA',
    tagId: 't',
    label,
    readerId: 'r',
    antennaPort: 1,
    lastSeen: '2026-03-01T12:00:00.000Z',
    readCount: n,
  };
  return { type: 'tag_read', data };
}

const headers = { authorization: 'Bearer operator' };
let bus: LiveBus;
let server: TestServer;
let url: string;
let heartbeatSeconds = 15;

beforeEach(async () => {
  heartbeatSeconds = 15;
  bus = createLiveBus({ flushMs: 5, maxConsumersPerOrg: 12, lingerMs: 0 });
  const stream = route({
    method: 'GET',
    path: '/events/stream',
    operationId: 'stream',
    summary: 's',
    tag: 't',
    access: 'caller',
    responses: { 200: { description: 'Events', contentType: 'text/event-stream' } },
    query: z.object({ epc: z.string().optional() }),
    handle: ({ caller, query, raw }) => {
      const filter = eventFilter({ epcs: query.epc?.split(',') });
      const lastEventId = raw.req.headers['last-event-id']?.toString() ?? null;
      const wish = { filter, lastEventId, heartbeatSeconds };
      const state = openStream({ bus, orgId: caller.orgId, callerId: caller.id, ...raw, ...wish });
      if (state === 'full') throw refuse('unavailable', 'Too many streams.');
      return 'taken';
    },
  });
  server = await startHttp([stream]);
  url = `${server.origin}/api/v1/events/stream`;
});
afterEach(async () => {
  bus.closeAll();
  await server.close();
});

describe('a stream', () => {
  test('begins with hello and carries events in order, unbuffered and unstored', async () => {
    const client = await openSse(url, { headers });
    expect(client.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-request-id': expect.any(String),
    });
    expect(await client.next()).toEqual({ type: 'hello', data: {} });
    bus.publish('org-1', [read(1, 'a\r\nb'), read(2)]);
    expect(await client.next('tag_read')).toMatchObject({ data: { readCount: 1, label: 'a\r\nb' } });
    expect(await client.next()).toMatchObject({ data: { readCount: 2 } });
    client.close();
    await vi.waitFor(() => expect(bus.listening('org-1')).toBe(false));
  });

  test("carries no other organisation's events", async () => {
    const client = await openSse(url, { headers });
    await client.next('hello');
    bus.publish('org-2', [read(1)]);
    bus.publish('org-1', [read(2)]);
    expect((await client.next()).data.readCount).toBe(2);
    client.close();
  });

  test('has a heartbeat comment', async () => {
    heartbeatSeconds = 0.02;
    const client = await openSse(url, { headers });
    await vi.waitFor(() => expect(client.comments()).toBeGreaterThan(2));
    expect(client.events).toHaveLength(1);
    client.close();
  });

  test('its first message is, byte for byte, the hello of the interface; its events keep the line order of the interface', async () => {
    const res = await fetch(url, { headers });
    const reader = res.body?.getReader();
    let text = '';
    const take = async (): Promise<void> => {
      text += new TextDecoder().decode((await reader?.read())?.value);
    };
    while (!text.includes('\n\n')) await take();
    expect(text.startsWith('event: hello\ndata: {}\n\n')).toBe(true);
    bus.publish('org-1', [read(1)]);
    while (!text.includes('tag_read')) await take();
    expect(text).toMatch(/\n\nid: \S+\nevent: tag_read\ndata: \{.*\}\n\n$/);
    await reader?.cancel();
  });

  test('that goes on from an id carries what was missed after hello; from an unknown id, hello and resync', async () => {
    const [stays, client] = [await openSse(url, { headers }), await openSse(url, { headers })];
    bus.publish('org-1', [read(1)]);
    await client.next('tag_read');
    client.close();
    await vi.waitFor(() => expect(bus.counters.consumers).toBe(1));
    bus.publish('org-1', [read(2), read(3)]);
    for (const _ of [1, 2, 3]) await stays.next('tag_read');
    const back = await openSse(url, { headers: { ...headers, 'last-event-id': `${client.lastEventId()}` } });
    bus.publish('org-1', [read(4)]);
    while (back.events.length < 4) await back.next();
    expect(back.events.map(({ type, data }) => data.readCount ?? type)).toEqual(['hello', 2, 3, 4]);
    const lost = await openSse(url, { headers: { ...headers, 'last-event-id': 'unknown-1' } });
    expect([await lost.next(), await lost.next()].map(({ type }) => type)).toEqual(['hello', 'resync']);
    await vi.waitFor(() => expect(lost.lastEventId()).toBe(back.lastEventId()));
    for (const one of [stays, back, lost]) one.close();
  });

  test('a client that never got an event can go on, too: it has a position from the start', async () => {
    const client = await openSse(url, { headers });
    await vi.waitFor(() => expect(client.lastEventId()).toMatch(/-0$/));
    const stays = await openSse(url, { headers });
    await stays.next('hello');
    client.close();
    bus.publish('org-1', [read(1)]);
    await stays.next('tag_read');
    const back = await openSse(url, { headers: { ...headers, 'last-event-id': `${client.lastEventId()}` } });
    expect((await back.next('tag_read')).data.readCount).toBe(1);
    for (const one of [stays, back]) one.close();
  });

  test('with a filter has heartbeats that move its position on', async () => {
    heartbeatSeconds = 0.02;
    const picky = await openSse(`${url}?epc=BB`, { headers });
    const all = await openSse(url, { headers });
    for (const one of [picky, all]) await one.next('hello');
    bus.publish('org-1', [read(1)]);
    await all.next('tag_read');
    await vi.waitFor(() => expect(picky.lastEventId()).toBe(all.lastEventId()));
    expect(picky.events).toHaveLength(1);
    for (const one of [picky, all]) one.close();
  });

  test('HEAD answers the headers and opens nothing', async () => {
    const res = await fetch(url, { method: 'HEAD', headers });
    expect([res.status, res.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    expect([bus.counters.consumers, bus.listening('org-1')]).toEqual([0, false]);
  });

  test('the one above the limit gets 503, and a place that becomes free can be had', async () => {
    const clients = await Promise.all(Array.from({ length: 12 }, () => openSse(url, { headers })));
    const res = await fetch(url, { headers });
    expect([res.status, res.headers.get('content-type')]).toEqual([
      503,
      'application/problem+json; charset=utf-8',
    ]);
    clients[0]?.close();
    await vi.waitFor(() => expect(bus.counters.consumers).toBe(11));
    const again = await openSse(url, { headers });
    expect(again.status).toBe(200);
    for (const client of [...clients, again]) client.close();
  });

  test('is ended by the revocation of its key, and at the stop', async () => {
    const client = await openSse(url, { headers });
    await client.next('hello');
    expect(bus.closeFor('another')).toBe(0);
    expect(bus.closeFor('key-1')).toBe(1);
    await client.ended;
    await expect(client.next()).rejects.toThrow('ended');
    const last = await openSse(url, { headers });
    await last.next('hello');
    bus.closeAll();
    await last.ended;
    expect((await fetch(url, { headers })).status).toBe(503);
  });
});

describe('a consumer that stops reading', () => {
  // Up to far more than socket buffers take.
  async function flood(count: number, until: () => boolean): Promise<void> {
    const label = 'x'.repeat(1000);
    for (let n = 0; n < count && !until(); n++) {
      bus.publish(
        'org-1',
        Array.from({ length: 100 }, (_, k) => read(n * 100 + k, label)),
      );
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  test('has events dropped and counted while another gets every one, with bounded memory', async () => {
    const slow = await openSse(url, { headers });
    const quick = await openSse(url, { headers });
    await slow.next('hello');
    slow.pause();
    const before = process.memoryUsage().arrayBuffers;
    let published = 0;
    for (; published < 30_000; published += 500) {
      bus.publish(
        'org-1',
        Array.from({ length: 500 }, (_, k) => read(published + k, 'x'.repeat(1000))),
      );
      await vi.waitFor(() => expect(quick.events.length).toBe(published + 501), { interval: 1 });
    }
    expect(bus.counters.dropped).toBeGreaterThan(5000);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(30 * 1024 * 1024);
    const counts = quick.events.slice(1).map(({ data }) => data.readCount);
    expect(counts).toEqual(Array.from({ length: published }, (_, n) => n));
    slow.resume();
    await vi.waitFor(() => {
      bus.publish('org-1', [read(-1)]);
      expect(slow.events.at(-1)?.data.readCount).toBe(-1);
    });
    const told = slow.events.slice(1).map(({ type, data }) => data.readCount ?? type);
    const gap = told.indexOf('resync');
    expect(told.slice(0, gap)).toEqual(Array.from({ length: gap }, (_, n) => n));
    expect(gap).toBeLessThan(published);
    expect(new Set(told.slice(gap))).toEqual(new Set(['resync', -1]));
    expect(bus.counters.resyncs).toBe(1);
    quick.close();
    slow.close();
  });

  test('is told so as soon as it has read up, without waiting for another event', async () => {
    const slow = await openSse(url, { headers });
    await slow.next('hello');
    slow.pause();
    await flood(10_000, () => bus.counters.dropped > 500);
    expect(bus.counters.resyncs).toBe(0);
    slow.resume();
    await slow.next('resync', 20_000);
    expect(bus.counters).toMatchObject({ resyncs: 1, consumers: 1 });
    slow.close();
  }, 30_000);

  test('three of ten that do not read hold the others up in nothing', async () => {
    const clients = await Promise.all(Array.from({ length: 10 }, () => openSse(url, { headers })));
    const [slow, quick] = [clients.slice(0, 3), clients.slice(3)];
    for (const client of clients) await client.next('hello');
    for (const client of slow) client.pause();
    let published = 0;
    for (; bus.counters.dropped < 3000; published += 100) {
      bus.publish(
        'org-1',
        Array.from({ length: 100 }, (_, k) => read(published + k, 'x'.repeat(1000))),
      );
      await vi.waitFor(
        () => {
          for (const client of quick) expect(client.events.length).toBe(published + 101);
        },
        { interval: 1, timeout: 5000 },
      );
    }
    const counts = Array.from({ length: published }, (_, n) => n);
    for (const { events } of quick) expect(events.slice(1).map(({ data }) => data.readCount)).toEqual(counts);
    expect(bus.counters.delivered + bus.counters.dropped).toBe(10 * published);
    for (const client of clients) client.close();
  }, 60_000);

  test('is cut off after four heartbeats it did not take', async () => {
    heartbeatSeconds = 0.02;
    const slow = await openSse(url, { headers });
    await slow.next('hello');
    slow.pause();
    await flood(10_000, () => bus.counters.consumers === 0 || bus.counters.dropped > 5000);
    await vi.waitFor(() => expect(bus.counters.consumers).toBe(0));
    slow.close();
  });
});
