import { once } from 'node:events';
import net from 'node:net';
import { generate } from 'mqtt-packet';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { BrokerLimits } from '../../src/broker/types.ts';
import { type BrokerPki, type Identity, makeBrokerPki } from '../support/broker-certs.ts';
import { type Rig, type RigOptions, startRig } from '../support/broker-rig.ts';
import { connectPacket, publishPacket, type RawClient } from '../support/mqtt-raw.ts';

const EVENTS = 'svc/v1/R700-A/events';
const MESSAGE_MAX = 256 * 1024;

let pki: BrokerPki;
let a: Identity;
let b: Identity;
let rig: Rig;

beforeAll(() => {
  pki = makeBrokerPki();
  a = pki.client('R700-A');
  b = pki.client('R700-B');
});
afterAll(() => pki.remove());
afterEach(() => rig.close());

async function start(limits: Partial<BrokerLimits> = {}, more: RigOptions = {}): Promise<void> {
  rig = await startRig(pki, { limits, ...more });
}

async function connected(identity: Identity = a, clientId = 'client'): Promise<RawClient> {
  const client = await rig.raw(identity);
  await client.connect({ clientId });
  return client;
}

/** A QoS 1 PUBLISH whose packet, without the fixed header, has exactly that size. */
function publishOf(packetBytes: number) {
  return publishPacket(EVENTS, 'x'.repeat(packetBytes - EVENTS.length - 4), 1);
}

test('a PUBLISH of 256 kB passes, one byte more closes that connection and is counted', async () => {
  await start();
  const client = await connected();
  client.send(publishOf(MESSAGE_MAX));
  await client.next('puback');
  client.send(publishOf(MESSAGE_MAX + 1));
  await client.untilClosed();
  expect(rig.published.length).toBe(1);
  expect(rig.broker.counters.packetsOversized).toBe(1);
  expect(rig.log).toMatchObject([{ details: { serial: 'R700-A', reason: 'packet over the size limit' } }]);
  await connected();
});

test('the header of an unfinished 100 MB PUBLISH closes the connection: what follows is not buffered', async () => {
  await start();
  const client = await connected();
  const other = await connected(b);
  const before = process.memoryUsage().arrayBuffers;
  client.send(Buffer.from([0x32, 0x80, 0xc2, 0xd7, 0x2f]));
  const block = Buffer.alloc(1024 * 1024);
  for (let i = 0; i < 100 && !client.closed; i++) {
    if (!client.socket.write(block))
      await Promise.race([once(client.socket, 'drain'), once(client.socket, 'close')]).catch(() => {});
  }
  await client.untilClosed();
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * 1024);
  expect(rig.broker.counters.packetsOversized).toBe(1);
  await other.ping();
});

test.each([
  ['CONNECT', 0x10],
  ['SUBSCRIBE', 0x82],
  ['UNSUBSCRIBE', 0xa2],
])('a %s over 16 kB closes the connection', async (_what, header) => {
  await start();
  const client = header === 0x10 ? await rig.raw(a) : await connected();
  client.send(Buffer.from([header, 0x81, 0x80, 0x01]));
  await client.untilClosed();
  expect(rig.broker.counters.packetsOversized).toBe(1);
});

test('a client that floods while nothing is settled is held back, packet by packet or in bulk, and goes on afterwards', async () => {
  await start({ unsettledMessages: 50 });
  rig.settleAtOnce = false;
  const single = await connected(a, 'single');
  for (let id = 1; id <= 1000; id++) {
    single.publish(EVENTS, 'x'.repeat(200), id);
    // Each in a read of its own: that is where Aedes alone would go on reading.
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
  const bulk = await connected(a, 'bulk');
  for (let id = 1; id <= 3000; id += 100) {
    bulk.send(
      ...Array.from({ length: 100 }, (_, index) => publishPacket(EVENTS, 'y'.repeat(200), id + index)),
    );
  }
  const other = await connected(b);
  for (let i = 0; i < 20; i++) await other.ping();
  // One read beyond the limit, of at most what the socket buffers (64 kB on newer Node) twice over.
  const readMax = Math.ceil((2 * 65_536) / 200);
  expect(rig.published.filter(({ text }) => text.startsWith('x')).length).toBeLessThan(50 + 40);
  expect(rig.published.filter(({ text }) => text.startsWith('y')).length).toBeLessThan(50 + readMax);
  rig.settleAtOnce = true;
  for (const message of [...rig.published]) message.settle();
  await vi.waitFor(() => expect(rig.published.length).toBe(4000), { timeout: 15_000 });
  const upTo = (length: number): number[] => Array.from({ length }, (_, index) => index + 1);
  await vi.waitFor(() => expect(bulk.ids('puback')).toEqual(upTo(3000)), { timeout: 15_000 });
  expect(single.ids('puback')).toEqual(upTo(1000));
}, 60_000);

test('QoS 0 publishes are held back in the same way', async () => {
  await start({ unsettledMessages: 50 });
  rig.settleAtOnce = false;
  const client = await connected();
  for (let id = 0; id < 3000; id++) client.publish(EVENTS, 'x'.repeat(200), { id: id, qos: 0 });
  const other = await connected(b);
  for (let i = 0; i < 20; i++) await other.ping();
  expect(rig.published.length).toBeLessThan(50 + 700);
  rig.settleAtOnce = true;
  for (const message of [...rig.published]) message.settle();
  await vi.waitFor(() => expect(rig.published.length).toBe(3000), { timeout: 15_000 });
});

test('unsettled bytes are bounded over all connections, and every one of them goes on afterwards', async () => {
  await start({ unsettledTotalBytes: 300_000 });
  rig.settleAtOnce = false;
  const clients = await Promise.all(
    Array.from({ length: 8 }, (_, index) => connected(index % 2 ? a : b, `c${index}`)),
  );
  const send = (client: RawClient, index: number): void => {
    const topic = `svc/v1/R700-${index % 2 ? 'A' : 'B'}/events`;
    for (let id = 1; id <= 10; id++) client.publish(topic, 'x'.repeat(100_000), id);
  };
  clients.forEach(send);
  await vi.waitFor(() => expect(rig.published.length).toBeGreaterThanOrEqual(3));
  const late = await rig.raw(a);
  late.send(connectPacket({ clientId: 'late' }));
  expect(rig.published.length).toBeLessThanOrEqual(8);
  const settled = new Set<unknown>();
  await vi.waitUntil(
    () => {
      for (const message of rig.published) {
        if (!settled.has(message)) message.settle();
        settled.add(message);
      }
      return rig.published.length === 80;
    },
    { timeout: 15_000, interval: 1 },
  );
  await late.next('connack');
  await vi.waitFor(() => expect(clients.every((client) => client.ids('puback').length === 10)).toBe(true));
}, 60_000);

test('messages that were not taken close their connection and count as unsettled no longer', async () => {
  await start({ unsettledTotalBytes: 300_000 });
  rig.overrides.onPublish = () => false;
  for (let turn = 0; turn < 8; turn++) {
    const client = await connected();
    client.publish(EVENTS, 'x'.repeat(100_000), 1);
    await client.untilClosed();
    expect(client.ids('puback')).toEqual([]);
  }
  expect(rig.broker.counters.hookErrors).toBe(0);
  rig.overrides.onPublish = undefined;
  const client = await connected();
  client.publish(EVENTS, 'x', 1);
  await client.next('puback');
});

test('a connection that never sends a TLS hello is closed', async () => {
  await start({ handshakeTimeoutMs: 100 });
  const socket = net.connect(rig.broker.port, '127.0.0.1');
  socket.on('error', () => {});
  socket.resume();
  await once(socket, 'close');
  expect(rig.broker.counters.tlsErrors).toBe(1);
  expect(rig.log).toMatchObject([
    { details: { error: 'the client did not come to the end of the handshake in time' } },
  ]);
});

test('a connection that never sends CONNECT is closed, also when it drips', async () => {
  await start({ connectTimeoutMs: 300 });
  const silent = await rig.raw(a);
  const dripping = await rig.raw(a);
  const bytes = [0x10, 0xf4, 0x03, ...Buffer.alloc(500)];
  const drip = setInterval(() => dripping.socket.write(Buffer.from([bytes.shift() ?? 0])), 50);
  await Promise.all([silent.untilClosed(), dripping.untilClosed()]);
  clearInterval(drip);
  expect(rig.broker.counters.connectionErrors).toBe(2);
});

test('a client silent for one and a half times its keepalive is closed, one that pings or publishes is not', async () => {
  await start();
  const opened = async (clientId: string) => {
    const client = await rig.raw(a);
    await client.connect({ clientId, keepalive: 1 });
    return client;
  };
  const [silent, pinging, publishing] = [await opened('1'), await opened('2'), await opened('3')];
  const signs = setInterval(() => {
    pinging.send({ cmd: 'pingreq' });
    publishing.send(publishPacket(EVENTS, 'x', 1));
  }, 400);
  await silent.untilClosed();
  for (const alive of [pinging, publishing]) await alive.ping();
  clearInterval(signs);
  expect(rig.log).toMatchObject([{ details: { reason: 'keep alive timeout' } }]);
});

test('a client that does not read its answers is closed after the drain timeout', async () => {
  await start({ drainTimeoutMs: 300 });
  await rig.broker.publishCommand('R700-A', { padding: 'x'.repeat(200_000) });
  const client = await connected();
  client.socket.pause();
  const subscriptions = [{ topic: 'svc/v1/R700-A/commands', qos: 1 as const }];
  client.send(
    ...Array.from({ length: 200 }, (_, id) => ({
      cmd: 'subscribe' as const,
      messageId: id + 1,
      subscriptions,
    })),
  );
  await vi.waitFor(() => expect(rig.broker.connections('R700-A')).toBe(0), { timeout: 10_000 });
  expect(rig.log).toMatchObject([{ details: { reason: 'drain timeout' } }]);
});

test('a client that publishes and does not read its PUBACKs is closed after the drain timeout', async () => {
  await start({ drainTimeoutMs: 300 });
  const client = await connected();
  client.socket.pause();
  const packets = Buffer.concat(Array.from({ length: 5000 }, () => generate(publishPacket(EVENTS, '', 1))));
  // Until the buffers of both machines are full of answers, which are small.
  const flood = setInterval(() => client.socket.writableLength < 500_000 && client.socket.write(packets), 1);
  await vi.waitFor(() => expect(rig.broker.connections('R700-A')).toBe(0), { timeout: 50_000 });
  clearInterval(flood);
  expect(rig.log).toMatchObject([{ details: { reason: 'drain timeout' } }]);
}, 60_000);

test('connections beyond the total are dropped, the newest first, and counted', async () => {
  await start({}, { maxConnections: 2 });
  const first = await connected(a, '1');
  await connected(a, '2');
  await expect(rig.raw(a)).rejects.toThrow();
  expect(rig.broker.counters.connectionsDropped).toBe(1);
  first.destroy();
  await vi.waitFor(() => expect(rig.broker.connections('R700-A')).toBe(1));
  await connected(a, '3');
});

test('connections beyond the limit of one certificate name are refused, others are not', async () => {
  await start({ connectionsPerName: 2 });
  const first = await connected(a, '1');
  await connected(a, '2');
  const third = await rig.raw(a);
  await third.untilClosed();
  expect(rig.broker.counters.connectionsRefusedByName).toBe(1);
  await connected(b);
  first.destroy();
  await vi.waitFor(() => expect(rig.broker.connections('R700-A')).toBe(1));
  await connected(a, '3');
});

test('a backlog sent at once behind CONNECT, before CONNACK, is taken in order', async () => {
  await start();
  const client = await rig.raw(a);
  const backlog = Array.from({ length: 300 }, (_, index) => publishPacket(EVENTS, `${index}`, index + 1));
  client.send(connectPacket(), ...backlog);
  await vi.waitFor(() => expect(client.ids('puback').length).toBe(300));
  expect(rig.published.map(({ text }) => Number(text))).toEqual(
    Array.from({ length: 300 }, (_, index) => index),
  );
});

const hostile: [string, Buffer][] = [
  ['a wildcard in a topic', framed(0x30, [...utf8('svc/v1/+/events'), 1])],
  ['a hash in a topic', framed(0x30, [...utf8('svc/v1/#'), 1])],
  ['an empty topic', framed(0x30, [0, 0, 1])],
  ['a topic of 150 levels', framed(0x30, [...utf8('a/'.repeat(150)), 1])],
  ['QoS 3', framed(0x36, [...utf8(EVENTS), 0, 1, 1])],
  ['a topic longer than its packet', framed(0x30, [0xff, 0xff, 1])],
  ['a publish without room for its identifier', framed(0x32, utf8(EVENTS))],
  ['a length of five bytes', Buffer.from([0x30, 0xff, 0xff, 0xff, 0xff, 0x7f])],
  ['a second CONNECT', framed(0x10, [...utf8('MQTT'), 4, 2, 0, 60, ...utf8('x')])],
  ['packet type 0', framed(0x00, [])],
  ['packet type 15', framed(0xf0, [])],
  ['a CONNACK', framed(0x20, [0, 0])],
  ['a SUBSCRIBE without filters', framed(0x82, [])],
  ['a SUBSCRIBE with a bad filter', framed(0x82, [0, 1, ...utf8('a#b'), 1])],
  ['a SUBSCRIBE with an empty filter', framed(0x82, [0, 1, ...utf8(''), 1])],
  ['a SUBSCRIBE with QoS 3', framed(0x82, [0, 1, ...utf8('a'), 3])],
  ['a SUBSCRIBE with wrong flags', framed(0x80, [0, 1, ...utf8('a'), 1])],
  ['a PUBREL with wrong flags', framed(0x60, [0, 1])],
  ['an UNSUBSCRIBE of an empty filter', framed(0xa2, [0, 1, ...utf8('')])],
];

test.each(hostile)('%s closes only that connection', async (_what, bytes) => {
  await start();
  const other = await connected(b);
  const client = await connected();
  client.send(bytes, Buffer.from([0xc0, 0]));
  await client.untilClosed();
  await other.ping();
  expect(rig.published).toEqual([]);
});

test.each([
  ['a PUBLISH', framed(0x30, [...utf8(EVENTS), 1])],
  ['a SUBSCRIBE', framed(0x82, [0, 1, ...utf8('svc/v1/R700-A/commands'), 1])],
  ['a PINGREQ', Buffer.from([0xc0, 0])],
  ['another protocol', Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n')],
  ['a CONNECT of version 6', framed(0x10, [...utf8('MQTT'), 6, 2, 0, 60, ...utf8('x')])],
  ['a CONNECT of another protocol name', framed(0x10, [...utf8('AMQP'), 4, 2, 0, 60, ...utf8('x')])],
  ['a cut CONNECT', framed(0x10, [...utf8('MQTT'), 4])],
])('%s as the first packet closes only that connection', async (_what, bytes) => {
  await start();
  const other = await connected(b);
  const client = await rig.raw(a);
  client.send(bytes);
  await client.untilClosed();
  await other.ping();
  expect(rig.published).toEqual([]);
  expect(rig.happened.filter((line) => line.includes('R700-A'))).toEqual([]);
});

test('random packets never end the process, nor reach another reader', async () => {
  await start();
  const other = await connected(b);
  other.send({
    cmd: 'subscribe',
    messageId: 1,
    subscriptions: [{ topic: 'svc/v1/R700-B/commands', qos: 1 }],
  });
  await other.next('suback');
  const random = seeded(20_261_121);
  for (let round = 0; round < 150; round++) {
    const client = await rig.raw(a);
    if (random(4) > 0) client.send(connectPacket({ clientId: `r${random(5)}`, clean: random(2) === 0 }));
    const packets = Array.from({ length: 1 + random(4) }, () =>
      framed(
        random(256),
        Array.from({ length: random(60) }, () => random(256)),
      ),
    );
    client.send(...packets);
    client.socket.end();
    await client.untilClosed();
  }
  await other.ping();
  expect(other.received.map((packet) => packet.cmd)).not.toContain('publish');
}, 60_000);

function utf8(text: string): number[] {
  return [text.length >> 8, text.length & 255, ...Buffer.from(text)];
}

/** A packet with a body under 16 kB. */
function framed(header: number, body: number[]): Buffer {
  const length = body.length < 128 ? [body.length] : [(body.length % 128) + 128, body.length >> 7];
  return Buffer.from([header, ...length, ...body]);
}

/** Whole numbers below a bound, the same at every run. */
function seeded(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >> 8) % bound;
  };
}
