import createPersistence from 'aedes-persistence-level';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type BrokerPki, type Identity, makeBrokerPki } from '../support/broker-certs.ts';
import { type Rig, startRig } from '../support/broker-rig.ts';
import type { RawClient } from '../support/mqtt-raw.ts';

const COMMANDS = 'svc/v1/R700-A/commands';

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
beforeEach(async () => {
  rig = await startRig(pki);
});
afterEach(() => rig.close());

async function subscribe(client: RawClient, ...topics: string[]): Promise<unknown> {
  client.send({
    cmd: 'subscribe',
    messageId: 9,
    subscriptions: topics.map((topic) => ({ topic, qos: 1 as const })),
  });
  const answer = await client.next('suback');
  return answer.cmd === 'suback' ? answer.granted : undefined;
}

/** What a client was sent on any topic, as `id retain`. */
function commandsOf(client: RawClient): string[] {
  return client.received.flatMap((packet) =>
    packet.cmd === 'publish' ? [`${JSON.parse(packet.payload.toString()).id} ${packet.retain}`] : [],
  );
}

async function agent(clientId: string, clean: boolean): Promise<RawClient> {
  const client = await rig.raw(a);
  await client.connect({ clientId, clean });
  return client;
}

async function untilOffline(): Promise<void> {
  await vi.waitFor(() => expect(rig.broker.connections('R700-A')).toBe(0));
}

test('a command reaches the subscribed agent with QoS 1', async () => {
  const client = await agent('agent', true);
  expect(await subscribe(client, COMMANDS)).toEqual([1]);
  await rig.broker.publishCommand('R700-A', { kind: 'start', id: '1' });
  expect(await client.next('publish')).toMatchObject({ topic: COMMANDS, qos: 1, retain: false });
  expect(commandsOf(client)).toEqual(['1 false']);
});

test('the newest command is retained and delivered on subscribing, after a restart too', async () => {
  await rig.broker.publishCommand('R700-A', { kind: 'start', id: '1' });
  await rig.broker.publishCommand('R700-A', { kind: 'stop', id: '2' });
  await rig.broker.publishCommand('R700-B', { kind: 'stop', id: 'other' });
  const before = await agent('agent', true);
  await subscribe(before, COMMANDS);
  await before.next('publish');
  await rig.restart();
  const after = await agent('agent', true);
  await subscribe(after, COMMANDS);
  await after.next('publish');
  await after.ping();
  expect(commandsOf(before)).toEqual(['2 true']);
  expect(commandsOf(after)).toEqual(['2 true']);
});

test('commands sent at the same time for one reader are retained in the order of the calls', async () => {
  await Promise.all(Array.from({ length: 40 }, (_, id) => rig.broker.publishCommand('R700-A', { id })));
  await rig.restart();
  const client = await agent('agent', true);
  await subscribe(client, COMMANDS);
  await client.next('publish');
  expect(commandsOf(client)).toEqual(['39 true']);
});

test('a command published without retain leaves the retained one in place', async () => {
  const client = await agent('agent', true);
  await rig.broker.publishCommand('R700-A', { kind: 'stop', id: 'kept' });
  await subscribe(client, COMMANDS);
  await rig.broker.publishCommand('R700-A', { kind: 'push-config', id: 'once' }, { retain: false });
  await vi.waitFor(() => expect(commandsOf(client).length).toBe(2));
  const next = await agent('next', true);
  await subscribe(next, COMMANDS);
  await next.next('publish');
  await next.ping();
  expect(commandsOf(next)).toEqual(['kept true']);
});

test.each(['', '#', '+', 'R700-A/commands', 'a b', 'x'.repeat(65)])(
  'publishCommand refuses the serial %j',
  async (serial) => {
    await expect(rig.broker.publishCommand(serial, {})).rejects.toThrow('no reader serial');
  },
);

test.each([
  '#',
  '+/#',
  'svc/#',
  'svc/v1/+/commands',
  'svc/v1/R700-B/commands',
  'svc/v1/R700-A/#',
  'svc/v1/R700-A/commands/#',
  'svc/v1/R700-A/+',
  'svc/v1/R700-A/events',
  '$SYS/#',
  '$share/g/svc/v1/R700-A/commands',
])('a subscription to %s is answered with 0x80 and the connection stays', async (topic) => {
  const client = await agent('agent', true);
  expect(await subscribe(client, topic)).toEqual([128]);
  await rig.broker.publishCommand('R700-A', { id: 'mine' });
  await rig.broker.publishCommand('R700-B', { id: 'theirs' });
  await client.ping();
  expect(commandsOf(client)).toEqual([]);
  expect(rig.broker.counters.subscriptionsRefused).toBe(1);
  expect(rig.happened).toEqual(['connected R700-A c1']);
});

test('of several filters in one SUBSCRIBE only the own commands are granted', async () => {
  const client = await agent('agent', true);
  expect(await subscribe(client, '#', COMMANDS, 'svc/v1/R700-B/commands')).toEqual([128, 1, 128]);
  await rig.broker.publishCommand('R700-B', { id: 'theirs' });
  await rig.broker.publishCommand('R700-A', { id: 'mine' });
  await client.next('publish');
  await client.ping();
  expect(commandsOf(client)).toEqual(['mine false']);
});

test('refused filters of a persistent session are not stored: nothing of another reader is queued or delivered later', async () => {
  const first = await agent('agent', false);
  expect(await subscribe(first, COMMANDS, 'svc/v1/R700-B/commands', '#')).toEqual([1, 128, 128]);
  first.destroy();
  await untilOffline();
  await rig.broker.publishCommand('R700-B', { id: 'theirs' });
  await rig.broker.publishCommand('R700-A', { id: 'mine' });
  await rig.restart(async (store) => {
    expect(await store.keys({ gte: 'subscriptions:', lt: 'subscriptions;' }).all()).toEqual([
      `subscriptions:R700-A%3Aagent:${COMMANDS}`,
    ]);
  });
  await rig.broker.publishCommand('R700-B', { id: 'theirs too' });
  const second = await agent('agent', false);
  expect(await second.next('connack')).toMatchObject({ sessionPresent: true });
  await second.next('publish');
  await rig.broker.publishCommand('R700-B', { id: 'still theirs' });
  await second.ping();
  expect(commandsOf(second).map((command) => command.split(' ')[0])).toEqual(['mine']);
});

test('a stored subscription to a foreign topic, however it got there, delivers nothing', async () => {
  await rig.restart(async (store) => {
    const topics = [COMMANDS, 'svc/v1/R700-B/commands', '#'];
    const subscriptions = topics.map((topic) => ({ topic, qos: 1 }));
    await createPersistence(store).addSubscriptions({ id: 'R700-A:agent' }, subscriptions);
  });
  await rig.broker.publishCommand('R700-B', { id: 'theirs' });
  await rig.broker.publishCommand('R700-A', { id: 'mine' });
  const client = await agent('agent', false);
  await client.next('publish');
  await rig.broker.publishCommand('R700-B', { id: 'theirs too' });
  await client.ping();
  expect(client.received.flatMap((packet) => (packet.cmd === 'publish' ? [packet.topic] : []))).not.toContain(
    'svc/v1/R700-B/commands',
  );
});

test('commands wait for a persistent session, over a restart, in the order they were sent', async () => {
  const first = await agent('agent', false);
  await subscribe(first, COMMANDS);
  first.destroy();
  await untilOffline();
  for (const id of ['1', '2']) await rig.broker.publishCommand('R700-A', { id }, { retain: false });
  await rig.restart();
  await rig.broker.publishCommand('R700-A', { id: '3' }, { retain: false });
  const second = await agent('agent', false);
  await vi.waitFor(() => expect(commandsOf(second).length).toBe(3));
  expect(commandsOf(second)).toEqual(['1 false', '2 false', '3 false']);
});

test('of the commands waiting for a session the newest 32 are kept', async () => {
  const first = await agent('agent', false);
  await subscribe(first, COMMANDS);
  first.destroy();
  await untilOffline();
  for (let id = 1; id <= 40; id++) await rig.broker.publishCommand('R700-A', { id }, { retain: false });
  const second = await agent('agent', false);
  await vi.waitFor(() => expect(commandsOf(second).at(-1)).toBe('40 false'));
  expect(commandsOf(second)[0]).toBe('9 false');
  expect(commandsOf(second).length).toBe(32);
});

test('of the stored sessions of one name the newest 16 are kept, those connected in any case', async () => {
  const oldest = await agent('oldest', false);
  await subscribe(oldest, COMMANDS);
  for (let index = 0; index < 20; index++) {
    const client = await agent(`s${index}`, false);
    await subscribe(client, COMMANDS);
    client.destroy();
    if (index === 10) {
      oldest.destroy();
      await untilOffline();
      const back = await agent('oldest', false);
      expect(await back.next('connack')).toMatchObject({ sessionPresent: true });
    }
  }
  await rig.restart();
  const present = async (clientId: string): Promise<unknown> => {
    const client = await agent(clientId, false);
    const answer = await client.next('connack');
    return answer.cmd === 'connack' && answer.sessionPresent;
  };
  expect(await present('s0')).toBe(false);
  expect(await present('s19')).toBe(true);
  expect(await present('oldest')).toBe(true);
});

test('the hook learns of a subscription to the commands: at SUBSCRIBE and when a session that had one returns', async () => {
  const first = await agent('agent', false);
  await subscribe(first, COMMANDS);
  await vi.waitFor(() => expect(rig.happened).toEqual(['connected R700-A c1', 'subscribed R700-A c1']));
  first.destroy();
  await untilOffline();
  await agent('agent', false);
  await vi.waitFor(() =>
    expect(rig.happened.slice(3)).toEqual(['connected R700-A c2', 'subscribed R700-A c2']),
  );
});

test("a reader's publishes are not forwarded to anybody", async () => {
  const client = await agent('agent', true);
  await subscribe(client, COMMANDS, 'svc/v1/R700-A/events');
  const other = await rig.raw(b);
  await other.connect();
  await subscribe(other, 'svc/v1/R700-A/events', '#');
  client.publish('svc/v1/R700-A/events', '{"id":"event"}', 1);
  await client.next('puback');
  await Promise.all([client.ping(), other.ping()]);
  expect([...commandsOf(client), ...commandsOf(other)]).toEqual([]);
});

test('an agent that does not read its socket does not hold up the commands of others', async () => {
  const stuck = await agent('stuck', true);
  await subscribe(stuck, COMMANDS);
  stuck.socket.pause();
  const padding = 'x'.repeat(200_000);
  const flood = Promise.allSettled(
    Array.from({ length: 60 }, (_, id) =>
      rig.broker.publishCommand('R700-A', { id, padding }, { retain: false }),
    ),
  );
  const other = await rig.raw(b);
  await other.connect();
  await subscribe(other, 'svc/v1/R700-B/commands');
  await rig.broker.publishCommand('R700-B', { id: 'prompt' });
  await other.next('publish');
  expect(commandsOf(other)).toEqual(['prompt false']);
  stuck.destroy();
  await flood;
});
