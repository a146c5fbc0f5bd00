import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { LiveEvent } from '../../src/contract/events.ts';
import { refuse } from '../../src/domain/refusal.ts';
import { route } from '../../src/http/route.ts';
import { createLiveBus, type LiveBus } from '../../src/live/bus.ts';
import { frameOf } from '../../src/live/frame.ts';
import { openStream } from '../../src/live/sse.ts';
import { startHttp, type TestServer } from '../support/http-server.ts';
import { openSse, strictParser } from '../support/http-sse.ts';

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
  bus = createLiveBus({ flushMs: 5, maxConsumersPerOrg: 3 });
  const stream = route({
    method: 'GET',
    path: '/events/stream',
    operationId: 'stream',
    summary: 's',
    tag: 't',
    access: 'caller',
    responses: { 200: { description: 'Events', contentType: 'text/event-stream' } },
    handle: ({ caller, raw }) => {
      const state = openStream({ bus, orgId: caller.orgId, callerId: caller.id, ...raw, heartbeatSeconds });
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

describe('frames', () => {
  const naughty = [
    'a\r\nb',
    '\r',
    '\n\n',
    'data: x\n\nevent: y',
    '\0',
    '\u2028\u2029',
    '\ud800',
    '😀',
    '"\\',
    '__proto__',
    '',
  ];
  test.each(naughty)('the label %j stays inside its frame', (label) => {
    const [event, ...more] = strictParser().push(Buffer.from(frameOf(read(1, label))));
    expect(more).toEqual([]);
    expect(event).toEqual({ type: 'tag_read', data: read(1, label).data });
  });

  test('a tag_read frame is what JSON.stringify makes of it, whatever its strings hold', () => {
    const text = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(
        text,
        fc.option(text, { nil: undefined }),
        fc.option(fc.integer(), { nil: undefined }),
        (id, zone, rssi) => {
          const base = read(1).data;
          const data = { ...base, label: undefined, attrs: undefined, epc: id, tagId: id, readerId: id };
          const event = {
            type: 'tag_read',
            data: { ...data, zoneId: zone, zoneName: zone, rssiCdbm: rssi },
          } as LiveEvent;
          const line = frameOf(event).split('\n')[1]?.slice('data: '.length);
          expect(JSON.parse(line ?? '')).toEqual(JSON.parse(JSON.stringify(event.data)));
        },
      ),
    );
  });

  test('whatever strings labels and attributes hold, frames come through one by one, cut anywhere', () => {
    const text = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(text, fc.dictionary(text, text))),
        fc.integer({ min: 1, max: 50 }),
        (items, cut) => {
          const events = items.map(([label, attrs]): LiveEvent => {
            const event = read(1, label);
            return event.type === 'tag_read' ? { ...event, data: { ...event.data, attrs } } : event;
          });
          const bytes = Buffer.from(events.map(frameOf).join(''));
          const parser = strictParser();
          const got = [];
          for (let at = 0; at < bytes.length; at += cut)
            got.push(...parser.push(bytes.subarray(at, at + cut)));
          expect(got).toEqual(
            events.map(({ type, data }) => ({ type, data: JSON.parse(JSON.stringify(data)) })),
          );
        },
      ),
      { numRuns: 40 },
    );
  });
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

  test('HEAD answers the headers and opens nothing', async () => {
    const res = await fetch(url, { method: 'HEAD', headers });
    expect([res.status, res.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    expect(bus.counters.consumers).toBe(0);
  });

  test('the one above the limit gets 503, and a place that becomes free can be had', async () => {
    const clients = await Promise.all([1, 2, 3].map(() => openSse(url, { headers })));
    const res = await fetch(url, { headers });
    expect([res.status, res.headers.get('content-type')]).toEqual([
      503,
      'application/problem+json; charset=utf-8',
    ]);
    clients[0]?.close();
    await vi.waitFor(() => expect(bus.counters.consumers).toBe(2));
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
    const taken = slow.events
      .slice(1)
      .map(({ data }) => data.readCount)
      .filter((count) => count >= 0);
    expect(taken).toEqual(taken.toSorted((a, b) => a - b));
    expect(taken.length).toBeLessThan(published);
    quick.close();
    slow.close();
  });

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
