import createPersistence from 'aedes-persistence-level';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type BrokerPki, type Identity, makeBrokerPki } from '../support/broker-certs.ts';
import { type Rig, startRig } from '../support/broker-rig.ts';
import { publishPacket, type RawClient } from '../support/mqtt-raw.ts';

const EVENTS = 'svc/v1/R700-A/events';
const STATUS = 'svc/v1/R700-A/status';

let pki: BrokerPki;
let a: Identity;
let b: Identity;
let rig: Rig;
let client: RawClient;

beforeAll(() => {
  pki = makeBrokerPki();
  a = pki.client('R700-A');
  b = pki.client('R700-B');
});
afterAll(() => pki.remove());
beforeEach(async () => {
  // Orphaned wills are looked for every fourth heartbeat.
  rig = await startRig(pki, { limits: { heartbeatMs: 25 } });
  client = await rig.raw(a);
  await client.connect();
});
afterEach(() => rig.close());

async function untilPublished(count: number): Promise<void> {
  await vi.waitFor(() => expect(rig.published.length).toBe(count), { timeout: 10_000, interval: 5 });
}

test('a publish on each of the own topics reaches the hook with serial, kind, payload, QoS and dup', async () => {
  client.publish(EVENTS, 'e', { id: 1, qos: 0 });
  client.publish('svc/v1/R700-A/status', 's', { id: 1, qos: 1, dup: true });
  client.publish('svc/v1/R700-A/command-response', 'c', { id: 2, qos: 2 });
  await untilPublished(3);
  expect(rig.published).toMatchObject([
    { serial: 'R700-A', kind: 'events', text: 'e', qos: 0, dup: false },
    { serial: 'R700-A', kind: 'status', text: 's', qos: 1, dup: true },
    { serial: 'R700-A', kind: 'command-response', text: 'c', qos: 2, dup: false },
  ]);
});

test('the PUBACK is sent when the message is settled, not before', async () => {
  rig.settleAtOnce = false;
  client.publish(EVENTS, 'x', 7);
  await untilPublished(1);
  await client.ping();
  expect(client.ids('puback')).toEqual([]);
  rig.published[0]?.settle();
  await client.next('puback');
  expect(client.ids('puback')).toEqual([7]);
});

test('PUBACKs keep the order of the publishes whatever order they are settled in, foreign topics included', async () => {
  rig.settleAtOnce = false;
  client.send(
    ...[1, 2, 3, 4].map((id) => publishPacket(id === 3 ? 'svc/v1/R700-B/events' : EVENTS, `${id}`, id)),
  );
  await untilPublished(3);
  expect(rig.broker.counters.publishesForeign).toBe(1);
  for (const index of [2, 1]) rig.published[index]?.settle();
  rig.published[0]?.settle();
  await vi.waitFor(() => expect(client.ids('puback')).toEqual([1, 2, 3, 4]));
});

test('PUBACKs keep the order over all own topics, whichever way their publishes came in', async () => {
  rig.settleAtOnce = false;
  const topics = [EVENTS, STATUS, EVENTS, 'svc/v1/R700-B/events', EVENTS, EVENTS];
  client.send(...topics.map((topic, no) => publishPacket(topic, `${no}`, no + 1)));
  await untilPublished(5);
  for (const { settle } of [...rig.published].reverse()) settle();
  await vi.waitFor(() => expect(client.ids('puback')).toEqual([1, 2, 3, 4, 5, 6]));
});

test.each([
  ['', 0],
  ['behind others, ', 2],
])('%swhat comes behind a DISCONNECT in the same write is not taken', async (_, before) => {
  rig.settleAtOnce = false;
  const first = Array.from({ length: before }, (_unused, no) => publishPacket(EVENTS, `${no}`, no + 1));
  const late = [
    publishPacket(EVENTS, 'late', 9),
    publishPacket(EVENTS, 'later', 0),
    publishPacket(STATUS, 'last', 10),
  ];
  client.send(...first, { cmd: 'disconnect' }, ...late);
  await client.untilClosed();
  expect(rig.published.map(({ text }) => text)).toEqual(first.map((_unused, no) => `${no}`));
});

test('settling twice does nothing the second time', async () => {
  rig.settleAtOnce = false;
  client.publish(EVENTS, 'x', 1);
  client.publish(EVENTS, 'y', 2);
  await untilPublished(2);
  rig.published[0]?.settle();
  rig.published[0]?.settle();
  rig.published[1]?.settle();
  rig.published[0]?.settle();
  await client.ping();
  expect(client.ids('puback')).toEqual([1, 2]);
});

test('settling after the connection has closed does nothing and does not end the process', async () => {
  rig.settleAtOnce = false;
  client.publish(EVENTS, 'x', 1);
  client.publish(EVENTS, 'y', { id: 1, qos: 0 });
  await untilPublished(2);
  client.destroy();
  await vi.waitFor(() => expect(rig.broker.connections('R700-A')).toBe(0));
  for (const message of rig.published) message.settle();
  const next = await rig.raw(a);
  expect(await next.connect()).toBe(0);
  expect(rig.broker.counters.connectionErrors).toBe(0);
});

test('a throw in onPublish closes that connection without a PUBACK, so the client sends the message again', async () => {
  rig.overrides.onPublish = () => {
    throw new Error('queue gone');
  };
  const other = await rig.raw(b);
  await other.connect();
  client.publish(EVENTS, 'x', 1);
  await client.untilClosed();
  expect(client.ids('puback')).toEqual([]);
  const qosTwo = await rig.raw(a);
  await qosTwo.connect();
  qosTwo.publish(EVENTS, 'x', { id: 1, qos: 2 });
  await qosTwo.untilClosed();
  expect(qosTwo.ids('pubrec')).toEqual([]);
  await other.ping();
  expect(rig.broker.counters.hookErrors).toBe(2);
});

test.each([
  ["another reader's events", 'svc/v1/R700-B/events'],
  ["another reader's commands", 'svc/v1/R700-B/commands'],
  ['the own commands', 'svc/v1/R700-A/commands'],
  ['something below an own topic', 'svc/v1/R700-A/events/x'],
  ['something above it', 'svc/v1/R700-A'],
  ['another version', 'svc/v2/R700-A/events'],
  ['other letter case', 'svc/v1/r700-a/events'],
  ['$SYS', '$SYS/broker/uptime'],
  ['anything else', 'tele/x'],
])(
  'a publish on %s is silently dropped: acknowledged, connection open, nothing delivered or stored',
  async (_what, topic) => {
    const agents = await Promise.all([a, b].map((identity) => rig.mqtt(identity, { clientId: 'agent' })));
    const heard: string[] = [];
    for (const [index, agent] of agents.entries()) {
      agent.on('message', (heardTopic) => heard.push(heardTopic));
      await agent.subscribeAsync(`svc/v1/R700-${index ? 'B' : 'A'}/commands`, { qos: 1 });
    }
    client.publish(topic, 'forged', { id: 1, qos: 0, retain: true });
    client.publish(topic, 'forged', { id: 2, qos: 1, retain: true });
    client.publish(topic, 'forged', { id: 3, qos: 2, retain: true });
    await client.next('puback');
    await client.next('pubrec');
    client.send({ cmd: 'pubrel', messageId: 3 });
    await client.next('pubcomp');
    await client.ping();
    expect(client.ids('puback')).toEqual([2]);
    expect(rig.published).toEqual([]);
    expect(rig.broker.counters.publishesForeign).toBe(3);
    const late = await rig.raw(b);
    await late.connect();
    late.send({
      cmd: 'subscribe',
      messageId: 1,
      subscriptions: [{ topic: 'svc/v1/R700-B/commands', qos: 1 }],
    });
    await late.next('suback');
    await late.ping();
    expect(late.received.filter((packet) => packet.cmd === 'publish')).toEqual([]);
    expect(heard).toEqual([]);
  },
);

test('a retain flag on an own topic makes no retained message', async () => {
  client.publish(EVENTS, 'x', { id: 1, retain: true });
  await client.next('puback');
  await rig.restart();
  const next = await rig.raw(a);
  await next.connect();
  next.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: 'svc/v1/R700-A/commands', qos: 1 }] });
  await next.next('suback');
  await next.ping();
  expect(next.received.map((packet) => packet.cmd)).not.toContain('publish');
});

test('a foreign QoS 2 publish leaves no identifier behind: 1,100 of them in a row pass', async () => {
  for (let id = 1; id <= 1100; id += 50) {
    const ids = Array.from({ length: 50 }, (_, index) => id + index);
    client.send(
      ...ids.map((messageId) => publishPacket('svc/v1/R700-B/events', 'x', { id: messageId, qos: 2 })),
    );
    await vi.waitUntil(() => client.ids('pubrec').length === id + 49, { timeout: 10_000, interval: 2 });
    client.send(...ids.map((messageId) => ({ cmd: 'pubrel', messageId }) as const));
    await vi.waitUntil(() => client.ids('pubcomp').length === id + 49, { timeout: 10_000, interval: 2 });
  }
  expect(client.closed).toBe(false);
});

test('a QoS 2 publish is settled before its PUBREC and reaches the hook once, repeats included', async () => {
  rig.settleAtOnce = false;
  client.publish(EVENTS, 'x', { id: 5, qos: 2 });
  await untilPublished(1);
  await client.ping();
  expect(client.ids('pubrec')).toEqual([]);
  rig.published[0]?.settle();
  await client.next('pubrec');
  client.publish(EVENTS, 'x', { id: 5, qos: 2, dup: true });
  await vi.waitFor(() => expect(client.ids('pubrec')).toEqual([5, 5]));
  client.send({ cmd: 'pubrel', messageId: 5 });
  await client.next('pubcomp');
  client.publish(EVENTS, 'y', { id: 5, qos: 2 });
  await untilPublished(2);
  expect(rig.published.map(({ text }) => text)).toEqual(['x', 'y']);
});

test('a QoS 2 publish repeated after a broken connection, while the first is being stored, reaches the hook once', async () => {
  rig.settleAtOnce = false;
  const first = await rig.raw(a);
  await first.connect({ clientId: 'p', clean: false });
  first.publish(EVENTS, 'x', { id: 5, qos: 2 });
  await untilPublished(1);
  first.destroy();
  const second = await rig.raw(a);
  await second.connect({ clientId: 'p', clean: false });
  second.publish(EVENTS, 'x', { id: 5, qos: 2, dup: true });
  await second.ping();
  expect(second.ids('pubrec')).toEqual([]);
  rig.published[0]?.settle();
  await second.next('pubrec');
  expect(rig.published.length).toBe(1);
});

test('a QoS 2 publish that was not settled before the broker went is delivered again, one that was is not', async () => {
  const first = await rig.raw(a);
  await first.connect({ clientId: 'p', clean: false });
  first.publish(EVENTS, 'settled', { id: 1, qos: 2 });
  await first.next('pubrec');
  rig.settleAtOnce = false;
  first.publish(EVENTS, 'unsettled', { id: 2, qos: 2 });
  await untilPublished(2);
  await rig.restart();
  rig.settleAtOnce = true;
  const second = await rig.raw(a);
  await second.connect({ clientId: 'p', clean: false });
  second.publish(EVENTS, 'settled', { id: 1, qos: 2, dup: true });
  second.publish(EVENTS, 'unsettled', { id: 2, qos: 2, dup: true });
  await vi.waitFor(() => expect(second.ids('pubrec').sort()).toEqual([1, 2]));
  expect(rig.published.map(({ text }) => text)).toEqual(['settled', 'unsettled', 'unsettled']);
});

function will(topic: string) {
  return { topic, payload: Buffer.from('gone'), qos: 1 as const, retain: true };
}

test('the will on an own topic reaches the hook as a publish when the connection breaks', async () => {
  const doomed = await rig.raw(a);
  await doomed.connect({ clientId: 'doomed', will: will('svc/v1/R700-A/status') });
  doomed.destroy();
  await untilPublished(1);
  expect(rig.published).toMatchObject([
    { serial: 'R700-A', kind: 'status', text: 'gone', qos: 1, dup: false },
  ]);
});

test('a will comes after the publishes of its connection, settled or not, and not after a DISCONNECT', async () => {
  rig.settleAtOnce = false;
  const doomed = await rig.raw(a);
  await doomed.connect({ clientId: 'doomed', will: will('svc/v1/R700-A/status') });
  doomed.publish(EVENTS, 'x', 1);
  await untilPublished(1);
  doomed.destroy();
  await untilPublished(2);
  for (const message of rig.published) message.settle();
  const polite = await rig.raw(a);
  await polite.connect({ clientId: 'polite', will: will('svc/v1/R700-A/status') });
  polite.send({ cmd: 'disconnect' });
  await polite.untilClosed();
  await client.ping();
  expect(rig.published.map(({ text }) => text)).toEqual(['x', 'gone']);
});

test('a will on a foreign topic is dropped and the connection admitted', async () => {
  const agent = await rig.mqtt(b, { clientId: 'agent' });
  const heard: string[] = [];
  agent.on('message', (topic) => heard.push(topic));
  await agent.subscribeAsync('svc/v1/R700-B/commands', { qos: 1 });
  for (const topic of ['svc/v1/R700-B/commands', 'svc/v1/R700-B/status', '$SYS/x', 'svc/v1/+/status']) {
    const doomed = await rig.raw(a);
    expect(await doomed.connect({ clientId: topic, will: will(topic) })).toBe(0);
    doomed.destroy();
  }
  await vi.waitFor(() => expect(rig.broker.connections('R700-A')).toBe(1));
  await client.ping();
  expect(rig.published).toEqual([]);
  expect(heard).toEqual([]);
  expect(rig.broker.counters.publishesForeign).toBe(4);
});

test('a throw in onPublish for a will does not end the process', async () => {
  rig.overrides.onPublish = () => {
    throw new Error('boom');
  };
  const doomed = await rig.raw(a);
  await doomed.connect({ clientId: 'doomed', will: will('svc/v1/R700-A/status') });
  doomed.destroy();
  await vi.waitFor(() => expect(rig.broker.counters.hookErrors).toBe(1));
  await client.ping();
});

test('the stored will of a run that crashed is removed without error and reaches nobody', async () => {
  const own = { topic: 'svc/v1/R700-A/status', payload: Buffer.from('gone'), qos: 1, retain: true };
  await rig.restart(async (store) => {
    await createPersistence(store).putWill({ id: 'R700-A:crashed' }, own);
    await createPersistence(store).putWill(
      { id: 'R700-A:forged' },
      { ...own, topic: 'svc/v1/R700-B/commands' },
    );
  });
  const willsLeft = async (): Promise<number> => {
    let left: string[] = [];
    await rig.restart(async (store) => {
      left = await store.keys({ gte: 'will:', lt: 'will;' }).all();
    });
    return left.length;
  };
  await vi.waitUntil(async () => (await willsLeft()) === 0, { timeout: 10_000, interval: 300 });
  expect(rig.published).toEqual([]);
  expect(rig.log.filter(({ level }) => level === 'error')).toEqual([]);
});
