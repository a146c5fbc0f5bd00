import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadIdentity } from '../../src/device/identity.ts';
import {
  startVirtualReader,
  type VirtualReader,
  type VirtualReaderOptions,
} from '../../src/simulator/virtual-reader.ts';
import { createWorld } from '../../src/simulator/world.ts';
import { parsed, startTestBroker, type TestBroker, TestPki, until } from './support.ts';

const pki = new TestPki();
const identity = loadIdentity(pki.identityDir('37-0001'));
const EVENTS = 'svc/v1/37-0001/events';
const STATUS = 'svc/v1/37-0001/status';

let broker: TestBroker;
let readers: VirtualReader[];
let lines: string[];

beforeEach(async () => {
  broker = await startTestBroker(pki);
  readers = [];
  lines = [];
});
afterEach(async () => {
  await Promise.all(readers.map((reader) => reader.stop(0)));
  await broker.close();
});
afterAll(() => pki.remove());

function start(change: Partial<VirtualReaderOptions> = {}): VirtualReader {
  const reader = startVirtualReader({
    serial: identity.serial,
    url: broker.url,
    identity,
    format: 'minimal',
    qos: 1,
    bufferSize: 1000,
    log: (line) => lines.push(line),
    ...change,
  });
  readers.push(reader);
  return reader;
}

const publishNumbers = (reader: VirtualReader, from: number, to: number): void => {
  for (let at = from; at < to; at += 1) reader.publishEvent(`{"timestamp":"t${at}","n":${at}}`);
};
const on = (topic: string) => broker.received.filter((message) => message.topic === topic);
const numbers = (): unknown[] => on(EVENTS).map(({ text }) => parsed(text).n);
const count = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, at) => from + at);

describe('a virtual reader', () => {
  it('connects with its certificate as the reader does: plain client id, session kept, keep-alive, connect text', async () => {
    const reader = start();
    await until('the connect text', () => on(STATUS).length > 0);
    expect(reader.connected).toBe(true);
    expect(broker.clients).toEqual([{ id: 'R370001', clean: false, keepalive: 30 }]);
    expect(on(STATUS)[0]).toMatchObject({ text: 'connected', commonName: '37-0001' });
    expect(lines).toEqual([`reader 37-0001: connected to ${broker.url}`]);
  });

  it.each([0, 1] as const)('publishes the reads of a world to its events topic at QoS %i', async (qos) => {
    const reader = start({ qos });
    const world = createWorld({
      seed: 5,
      readers: [{ serial: '37-0001', ports: [1, 2] }],
      tags: 20,
      readsPerSecond: 500,
    });
    for (const read of world.step(1000)) reader.publish({ ...read, tickAt: 1_772_443_000_000 });
    await until('500 events', () => on(EVENTS).length === 500);
    await until('500 acknowledgements', () => reader.stats.acknowledged === 500);
    expect(
      on(EVENTS).every((message) => message.qos === qos && Buffer.byteLength(message.text) === 201),
    ).toBe(true);
    const times = on(EVENTS).map(({ text }) => String(parsed(text).timestamp));
    expect(times).toEqual([...times].sort());
    expect(reader.stats).toEqual({ sent: 500, acknowledged: 500, inFlight: 0, buffered: 0, purged: 0 });
  });

  it('delivers what happened during an outage afterwards, in order, and its will during it', async () => {
    const reader = start();
    publishNumbers(reader, 0, 50);
    await until('the first events', () => reader.stats.acknowledged === 50);
    reader.goOffline();
    await until('the will', () => on(STATUS).some(({ text }) => text === 'connection lost'));
    publishNumbers(reader, 50, 400);
    expect(reader.connected).toBe(false);
    expect(reader.stats).toMatchObject({ sent: 50, buffered: 350, purged: 0 });
    reader.goOnline();
    await until('the rest', () => reader.stats.acknowledged === 400);
    expect(numbers()).toEqual(count(0, 400));
  });

  it('tells of the events it had to purge in an overflow event, in their place', async () => {
    const reader = start({ bufferSize: 100, shape: { hostname: 'impinj-00-00-01' } });
    await until('the connection', () => reader.connected);
    reader.goOffline();
    publishNumbers(reader, 0, 250);
    expect(reader.stats).toMatchObject({ buffered: 100, purged: 150 });
    reader.goOnline();
    await until('what is left', () => reader.stats.acknowledged === 101);
    const [overflow, ...rest] = on(EVENTS).map(({ text }) => parsed(text));
    expect(overflow).toMatchObject({
      hostname: 'impinj-00-00-01',
      eventType: 'overflow',
      overflowEvent: {
        firstEventTimestamp: 't0',
        lastEventTimestamp: 't149',
        eventsPurged: 150,
        eventsRemaining: 100,
      },
    });
    expect(rest.map((event) => event.n)).toEqual(count(150, 250));
  });

  it('sends what was not acknowledged again after a break, as a duplicate under the same identifier', async () => {
    const reader = start({ inFlight: 5 });
    await until('the connection', () => reader.connected);
    const held: (() => void)[] = [];
    broker.hold = () => new Promise((resolve) => held.push(resolve));
    publishNumbers(reader, 0, 20);
    await until('messages on hold', () => held.length > 0);
    expect(reader.stats).toMatchObject({ sent: 5, inFlight: 5, buffered: 15 });
    broker.hold = undefined;
    broker.breakConnections();
    await until('everything', () => reader.stats.acknowledged === 20);
    expect(numbers()).toEqual(count(0, 20));
    expect(on(EVENTS).map(({ dup }) => dup)).toEqual(count(0, 20).map((n) => n < 5));
    expect(on(EVENTS).map(({ messageId }) => messageId)).toEqual(count(1, 21));
    expect(lines).toContain(`reader 37-0001: ${broker.url}: connection lost; trying again`);
  });

  it.each([0, 1] as const)(
    'holds no more than its buffer and its window when the broker is slower than the reads, at QoS %i',
    async (qos) => {
      const reader = start({ qos, inFlight: 10, bufferSize: 200 });
      await until('the connection', () => reader.connected);
      const held: (() => void)[] = [];
      broker.hold = () => new Promise((resolve) => held.push(resolve));
      const event = JSON.stringify({ timestamp: 't', filler: 'x'.repeat(60_000) });
      let pushed = 0;
      for (; reader.stats.purged < 500 && pushed < 20_000; pushed += 20) {
        for (let at = 0; at < 20; at += 1) reader.publishEvent(event);
        await new Promise((resolve) => setImmediate(resolve));
      }
      const { sent, inFlight, buffered, purged } = reader.stats;
      expect(inFlight).toBeLessThanOrEqual(10);
      expect(buffered).toBeLessThanOrEqual(200);
      expect(purged).toBeGreaterThanOrEqual(500);
      // What is sent beyond the events are reports of the purge, at most one a second.
      expect(sent + buffered + purged - pushed).toBeGreaterThanOrEqual(0);
      expect(sent + buffered + purged - pushed).toBeLessThan(10);
      broker.hold = undefined;
      for (const release of held) release();
      await until('the buffer to drain', () => reader.stats.buffered === 0 && reader.stats.inFlight === 0);
      expect(reader.stats.acknowledged).toBe(reader.stats.sent);
    },
  );

  it('comes back by itself when the broker was away, with what it buffered', async () => {
    const reader = start();
    await until('the connection', () => reader.connected);
    await broker.close();
    publishNumbers(reader, 0, 10);
    await until('a complaint', () =>
      lines.some((line) => line.includes('nobody listens there (ECONNREFUSED)')),
    );
    broker = await startTestBroker(pki, { port: broker.port });
    await until('the events', () => reader.stats.acknowledged === 10);
    expect(numbers()).toEqual(count(0, 10));
  });

  it('delivers what is waiting before it stops, leaves without its will, and takes nothing more', async () => {
    const reader = start();
    await until('the connection', () => reader.connected);
    publishNumbers(reader, 0, 500);
    await reader.stop();
    reader.publishEvent('{}');
    reader.goOnline();
    expect(reader.connected).toBe(false);
    expect(reader.stats).toEqual({ sent: 500, acknowledged: 500, inFlight: 0, buffered: 0, purged: 0 });
    expect(numbers()).toEqual(count(0, 500));
    expect(on(STATUS).map(({ text }) => text)).toEqual(['connected']);
  });

  it('stops in bounded time when the broker does not acknowledge, and at once when it never connected', async () => {
    const stuck = start();
    await until('the connection', () => stuck.connected);
    broker.hold = () => new Promise(() => {});
    publishNumbers(stuck, 0, 3);
    await stuck.stop(50);
    expect(stuck.stats).toMatchObject({ acknowledged: 0, inFlight: 3 });
    const absent = start({ url: 'mqtts://127.0.0.1:1' });
    publishNumbers(absent, 0, 3);
    await absent.stop();
    expect(absent.stats.buffered).toBe(3);
  });
});

describe('a virtual reader that is not let in', () => {
  it("says once that the broker's certificate is not its authority's, and goes on trying", async () => {
    const other = new TestPki();
    const reader = start({ identity: { ...identity, ca: loadIdentity(other.identityDir('x')).ca } });
    other.remove();
    await until('a complaint', () => lines.length > 0);
    expect(lines[0]).toMatch(
      /^reader 37-0001: mqtts:\S+: the broker's certificate is not signed by the identity's ca.crt \([A-Z_]+\); trying again$/,
    );
    publishNumbers(reader, 0, 2);
    await until('a second attempt', () => broker.refused > 1);
    expect(lines).toHaveLength(1);
    expect(reader.stats).toMatchObject({ sent: 0, buffered: 2 });
  });

  it('says that the broker does not know its authority', async () => {
    const other = new TestPki();
    const stranger = loadIdentity(other.identityDir('37-0001'));
    other.remove();
    start({ identity: { ...stranger, ca: identity.ca } });
    await until('a complaint', () => lines.length > 0);
    expect(lines[0]).toMatch(
      /the broker does not know the authority that signed client.crt|reset the connection|does it trust client.crt/,
    );
  });

  it("says that the broker's certificate is for another host name", async () => {
    start({ url: `mqtts://127.0.0.2:${broker.port}` });
    await broker.close();
    broker = await startTestBroker(pki, { port: broker.port, host: '127.0.0.2' });
    await until('a complaint', () =>
      lines.some((line) => line.includes('for another host name (ERR_TLS_CERT_ALTNAME_INVALID)')),
    );
    expect(broker.clients).toEqual([]);
  });

  it.each([
    [
      'the broker\'s url must be mqtts://host:port, not "mqtt://localhost:1883"',
      { url: 'mqtt://localhost:1883' },
    ],
    ['the broker\'s url must be mqtts://host:port, not "nowhere"', { url: 'nowhere' }],
    [
      'the broker\'s url must be mqtts://host:port, not "mqtts://localhost/x"',
      { url: 'mqtts://localhost/x' },
    ],
    ['serial must be 1 to 64', { serial: 'a/b' }],
    ['bufferSize must be 1 to 300000, not 0', { bufferSize: 0 }],
    ['inFlight must be 1 to 10000, not 10001', { inFlight: 10_001 }],
  ])('is refused at the start: %s', (message, change) => {
    expect(() => start(change)).toThrow(message);
  });
});
