import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  Appliance,
  type Endpoints,
  type ReaderInService,
  Rest,
  readerInService,
} from '../support/appliance.ts';
import { openSse, type SseClient } from '../support/http-sse.ts';
import { Publisher, plainRead } from '../support/publisher.ts';
import { type ListedTag, metric } from '../support/rest-pages.ts';
import { until } from '../support/wait.ts';

const CORPUS = 'test/corpus/json-parsing';
const KILOBYTE = 1024;

const appliance = new Appliance({ env: { TAGKEEP_LOG__LEVEL: 'warn' } });
let endpoints: Endpoints;
let rest: Rest;
let zoneId: string;
let bad: ReaderInService;
let good: ReaderInService;
let badReader: Publisher;
let goodReader: Publisher;
let stream: SseClient;
let goodTags = 0;

beforeAll(async () => {
  endpoints = await appliance.start();
  rest = new Rest(endpoints, await appliance.key());
  zoneId = (await rest.ok<{ id: string }>('POST', '/zones', { name: 'Dock' })).id;
  bad = await readerInService(appliance, rest, { serial: '370-10-15-0666', zones: { 1: zoneId } });
  good = await readerInService(appliance, rest, { serial: '370-10-15-0001', zones: { 1: zoneId } });
  stream = await openSse(`${endpoints.http}/api/v1/events/stream`, { headers: rest.headers });
  [badReader, goodReader] = await Promise.all([connect(bad), connect(good)]);
});
afterAll(async () => {
  stream?.close();
  await appliance.dispose();
});

/** Whoever is cut off comes back, as readers do. */
beforeEach(async () => {
  if (badReader.closed) badReader = await connect(bad);
});

const connect = (reader: ReaderInService) =>
  Publisher.connect({ url: endpoints.mqtts, serial: reader.serial, identity: reader.dir });

const countOf = (name: string) => metric(endpoints, `tagkeep_ingest_${name}_total`);

const tagOf = async (epc: string) => (await rest.get<ListedTag[]>(`/tags?q=${epc}`))[0];

/** What the counters grew by while something was done. */
async function growth(
  names: readonly string[],
  action: () => Promise<unknown>,
): Promise<Readonly<Record<string, number>>> {
  const before = await Promise.all(names.map(countOf));
  await action();
  const after = await Promise.all(names.map(countOf));
  return Object.fromEntries(names.map((name, index) => [name, Number(after[index]) - Number(before[index])]));
}

/** A good reader's read is on disk, in REST and on the stream; answers how long the stream took, ms. */
async function goodReadArrives(): Promise<number> {
  const epc = `E28011600000${(++goodTags).toString(16).toUpperCase().padStart(12, '0')}`;
  const at = performance.now();
  await goodReader.publish({ payload: plainRead(epc) });
  await until(`the read of ${epc} on the stream`, () =>
    stream.events.some(({ type, data }) => type === 'tag_read' && data.epc === epc),
  );
  const tookMs = performance.now() - at;
  expect(await tagOf(epc)).toMatchObject({ epc, zoneName: 'Dock' });
  return tookMs;
}

describe('a payload that is no read is acknowledged, counted and stored nowhere, and the connection stays', () => {
  const notReads: readonly (readonly [string, string | Buffer])[] = [
    ['no bytes at all', ''],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x00, 0x80, 0xc3, 0x28])],
    ['text that is no JSON', 'hello reader'],
    ['half a message', '{"epc": "E28011600000'],
    ['arrays nested 100,000 deep', '['.repeat(100_000)],
    ['closed arrays nested 100,000 deep', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['objects nested 40,000 deep', '{"a":'.repeat(40_000)],
    ['a number', '1e999'],
    ['a text', '"E28011600000BAD000000001"'],
    ['an EPC of 7 digits', plainRead('E280116')],
    ['an EPC of 1,000 digits', plainRead('E'.repeat(1000))],
    ['an EPC that is no hex', plainRead('E28011600000BAD0000000ZZ')],
    ['an EPC that is a number', '{"epc": 12345678, "antennaPort": 1}'],
    ['port 0', plainRead('E28011600000BAD000000002', { port: 0 })],
    ['port 9', plainRead('E28011600000BAD000000003', { port: 9 })],
    ['a port that is a text', '{"epc": "E28011600000BAD000000004", "antennaPort": "1"}'],
    ['a count that is none', '{"epc": "E28011600000BAD000000005", "antennaPort": 1, "count": -1}'],
  ];

  test.each(notReads)('%s', async (_, payload) => {
    const counted = await growth(['messages', 'rejected', 'reads'], () => badReader.publish({ payload }));
    expect(counted).toEqual({ messages: 1, rejected: 1, reads: 0 });
    expect(badReader.closed).toBe(false);
    expect(await rest.get('/tags?q=BAD')).toEqual([]);
  });

  test('every file of the JSON parsing corpus, with QoS 0, 1 and 2, and on the status topic too', async () => {
    const files = readdirSync(CORPUS).filter((name) => name.endsWith('.json'));
    expect(files.length).toBeGreaterThan(250);
    const known = (await rest.get<ListedTag[]>('/tags')).length;
    const send = async () => {
      for (const [index, name] of files.entries()) {
        const payload = readFileSync(join(CORPUS, name));
        const qos = ([0, 1, 2] as const)[index % 3] ?? 0;
        await badReader.publish({ payload, qos });
        if (index % 5 === 0) await badReader.publish({ payload, topic: 'status' });
      }
      await badReader.ping();
    };
    const counted = await growth(['messages', 'rejected', 'reads'], send);
    expect(counted).toMatchObject({ messages: files.length, reads: 0 });
    const mustFail = files.filter((name) => name.startsWith('n_')).length;
    expect(counted.rejected).toBeGreaterThanOrEqual(mustFail);
    expect(await rest.get<ListedTag[]>('/tags')).toHaveLength(known);
    expect(badReader.closed).toBe(false);
  });
});

describe('what is wrong with a part costs only that part', () => {
  test('of a list, what can be read is taken and the rest is rejected', async () => {
    const epc = 'E28011600000C00000000001';
    const payload = `[${plainRead('E280116')},${plainRead(epc)},7,${plainRead('E28011600000BAD000000009', { port: 9 })}]`;
    const counted = await growth(['messages', 'rejected', 'reads'], () => badReader.publish({ payload }));
    expect(counted).toEqual({ messages: 1, rejected: 3, reads: 1 });
    expect(await tagOf(epc)).toMatchObject({ epc, zoneName: 'Dock' });
  });

  test('a time of 1970 is history and is kept as it is; it never moves back what is known', async () => {
    const epc = 'E28011600000C00000000002';
    await badReader.publish({ payload: plainRead(epc, { at: 0 }) });
    expect(await tagOf(epc)).toMatchObject({ lastSeenAt: '1970-01-01T00:00:00.000Z' });
    const now = Date.now();
    await badReader.publish({ payload: plainRead(epc, { at: now }) });
    await badReader.publish({ payload: plainRead(epc, { at: 1000 }) });
    expect(await tagOf(epc)).toMatchObject({ lastSeenAt: new Date(now).toISOString() });
  });

  test('a time of 2099 is replaced by the time of arrival and counted as clock skew', async () => {
    const epc = 'E28011600000C00000000003';
    const before = Date.now();
    const counted = await growth(['clock_skewed', 'reads'], () =>
      badReader.publish({ payload: plainRead(epc, { at: Date.UTC(2099, 0, 1) }) }),
    );
    expect(counted).toEqual({ clock_skewed: 1, reads: 1 });
    const seenAt = Date.parse(String((await tagOf(epc))?.lastSeenAt));
    expect(seenAt).toBeGreaterThanOrEqual(before);
    expect(seenAt).toBeLessThanOrEqual(Date.now());
  });

  test.each([0, 1, 2] as const)('a read sent with QoS %i is taken once', async (qos) => {
    const epc = `E28011600000C0000000001${qos}`;
    const counted = await growth(['reads', 'repeats'], async () => {
      await badReader.publish({ payload: plainRead(epc, { at: Date.now() }), qos });
      await until('the tag', () => tagOf(epc));
    });
    expect(counted).toEqual({ reads: 1, repeats: 0 });
  });
});

describe('a reader that goes too far is the only one to feel it', () => {
  test('a message of 1 MB cuts its sender off and is counted; one of 250 kB is taken', async () => {
    const big = (bytes: number) => ({ payload: `{"filler": "${'x'.repeat(bytes)}"}` });
    await badReader.publish(big(250 * KILOBYTE));
    const before = await metric(endpoints, 'tagkeep_broker_packets_oversized_total');
    await expect(badReader.publish(big(1024 * KILOBYTE))).rejects.toThrow('ended before the acknowledgement');
    await badReader.ended();
    expect(await metric(endpoints, 'tagkeep_broker_packets_oversized_total')).toBe(before + 1);
    expect(goodReader.closed).toBe(false);
    await goodReadArrives();
  });

  test('10,000 messages/s and more of one reader: all counted, none lost, others and REST go on', async () => {
    const flood = { perTick: 500, tickMs: 20, ticks: 100, tags: 500 };
    const sent = flood.perTick * flood.ticks;
    let slowestReadMs = 0;
    let slowestRestMs = 0;
    const begun = performance.now();
    let endedAt = begun;
    const counted = await growth(['messages', 'reads', 'rejected', 'shed'], async () => {
      const flooding = floodWith(badReader, flood).then(() => {
        endedAt = performance.now();
      });
      let isOver = false;
      const answered = flooding.then(() =>
        until('the flood to be worked off', () => badReader.unanswered === 0, 30_000),
      );
      void answered.finally(() => {
        isOver = true;
      });
      while (!isOver) {
        slowestReadMs = Math.max(slowestReadMs, await goodReadArrives());
        const at = performance.now();
        expect((await rest.send('GET', '/auth/me')).status).toBe(200);
        slowestRestMs = Math.max(slowestRestMs, performance.now() - at);
      }
      await answered;
      await badReader.ping();
    });
    expect(sent / ((endedAt - begun) / 1000)).toBeGreaterThan(10_000);
    expect(counted).toMatchObject({ rejected: 0, shed: 0 });
    expect(Number(counted.messages)).toBeGreaterThanOrEqual(sent);
    expect(counted.reads).toBe(counted.messages);
    expect(slowestReadMs).toBeLessThan(5000);
    expect(slowestRestMs).toBeLessThan(3000);
    expect(badReader.closed).toBe(false);
    const flooded = await rest.get<ListedTag[]>('/tags?q=F100D');
    expect(flooded).toHaveLength(flood.tags);
  }, 60_000);

  test('after all of this: alive, ready, the good reader never cut off, and everything is there after a restart', async () => {
    expect((await fetch(`${endpoints.http}/readyz`)).status).toBe(200);
    expect(goodReader.closed).toBe(false);
    await goodReadArrives();
    const all = (await rest.get<ListedTag[]>('/tags?q=E28011600000')).map(({ epc, lastSeenAt }) => ({
      epc,
      lastSeenAt,
    }));
    expect(await appliance.stop()).toBe(0);
    endpoints = await appliance.start();
    rest = new Rest(endpoints, await appliance.key());
    expect(await rest.get('/tags?q=E28011600000')).toMatchObject(all);
    expect(await rest.get('/tags?q=F100D')).toHaveLength(500);
  });
});

/** Sends in bursts, half of it with QoS 1, without ever waiting for an answer. */
async function floodWith(
  reader: Publisher,
  { perTick, tickMs, ticks, tags }: { perTick: number; tickMs: number; ticks: number; tags: number },
): Promise<void> {
  let count = 0;
  for (let tick = 0; tick < ticks; tick++) {
    const due = performance.now() + tickMs;
    reader.socket.cork();
    for (let index = 0; index < perTick; index++, count++) {
      const epc = `F100D${(count % tags).toString(16).toUpperCase().padStart(19, '0')}`;
      reader.send({ payload: plainRead(epc), qos: count % 2 === 0 ? 0 : 1 });
    }
    reader.socket.uncork();
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
  }
}
