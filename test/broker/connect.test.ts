import { once } from 'node:events';
import net from 'node:net';
import tls from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type BrokerPki, type Identity, makeBrokerPki } from '../support/broker-certs.ts';
import { type Rig, startRig } from '../support/broker-rig.ts';

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

test('a certificate of our authority whose name is a serial is admitted, with serial number and fingerprint to judge by', async () => {
  const client = await rig.raw(a);
  expect(await client.connect()).toBe(0);
  const x509 = client.socket.getX509Certificate();
  expect(rig.peers).toEqual([
    {
      commonName: 'R700-A',
      certificateSerial: x509?.serialNumber,
      fingerprint256: x509?.fingerprint256,
      address: '127.0.0.1',
    },
  ]);
  await vi.waitFor(() => expect(rig.happened).toEqual(['connected R700-A c1']));
  expect(rig.broker.connections('R700-A')).toBe(1);
});

test('names such as __proto__ are ordinary serials that can do no harm', async () => {
  const client = await rig.raw(pki.client('__proto__'));
  expect(await client.connect()).toBe(0);
  client.publish('svc/v1/__proto__/events', 'x', 1);
  await client.next('puback');
  expect(rig.published).toMatchObject([{ serial: '__proto__', text: 'x' }]);
  expect(rig.broker.connections('__proto__')).toBe(1);
  expect(rig.broker.connections('constructor')).toBe(0);
});

test('a reader that is not admitted gets CONNACK 5 and its reason is logged', async () => {
  rig.refused.set('R700-A', 'certificate revoked');
  const client = await rig.raw(a);
  expect(await client.connect()).toBe(5);
  await client.untilClosed();
  expect(rig.log).toMatchObject([{ details: { serial: 'R700-A', reason: 'certificate revoked' } }]);
  expect(rig.broker.connections('R700-A')).toBe(0);
  expect(rig.happened).toEqual([]);
});

test('a throw in admit refuses the connection and does not end the process', async () => {
  rig.overrides.admit = () => {
    throw new Error('store closed');
  };
  const client = await rig.raw(a);
  expect(await client.connect()).toBe(5);
  expect(rig.broker.counters.hookErrors).toBe(1);
});

test('throws in the other hooks do not end the process either', async () => {
  const fail = (): never => {
    throw new Error('boom');
  };
  Object.assign(rig.overrides, { onConnected: fail, onDisconnected: fail, onCommandsSubscribed: fail });
  const client = await rig.raw(a);
  await client.connect();
  client.send({
    cmd: 'subscribe',
    messageId: 1,
    subscriptions: [{ topic: 'svc/v1/R700-A/commands', qos: 1 }],
  });
  await client.next('suback');
  client.destroy();
  await vi.waitFor(() => expect(rig.broker.counters.hookErrors).toBe(3));
});

test('username and password of CONNECT count for nothing', async () => {
  const client = await rig.raw(a);
  expect(await client.connect({ username: 'R700-B', password: Buffer.from('secret') })).toBe(0);
  expect(rig.broker.connections('R700-A')).toBe(1);
  expect(rig.broker.connections('R700-B')).toBe(0);
});

test('an MQTT 5 CONNECT is answered with unacceptable protocol version', async () => {
  const client = await rig.raw(a);
  client.send({
    cmd: 'connect',
    protocolId: 'MQTT',
    protocolVersion: 5,
    clean: true,
    clientId: 'x',
    keepalive: 60,
  });
  expect(await client.next('connack')).toMatchObject({ returnCode: 1 });
  await client.untilClosed();
});

test('MQTT 3.1 is taken, with client ids beyond its 23 characters', async () => {
  const client = await rig.raw(a);
  const clientId = 'a'.repeat(60);
  expect(await client.connect({ protocolId: 'MQIsdp', protocolVersion: 3, clientId })).toBe(0);
});

test('empty client ids with clean session are told apart', async () => {
  const first = await rig.raw(a);
  const second = await rig.raw(a);
  expect(await first.connect({ clientId: '' })).toBe(0);
  expect(await second.connect({ clientId: '' })).toBe(0);
  await first.ping();
  expect(rig.broker.connections('R700-A')).toBe(2);
});

test('an empty client id without clean session is answered with CONNACK 2', async () => {
  const client = await rig.raw(a);
  client.send(Buffer.from([0x10, 12, 0, 4, ...Buffer.from('MQTT'), 4, 0, 0, 60, 0, 0]));
  expect(await client.next('connack')).toMatchObject({ returnCode: 2 });
  await client.untilClosed();
});

test('a client id over 128 characters is answered with CONNACK 2', async () => {
  expect(await (await rig.raw(a)).connect({ clientId: 'a'.repeat(129) })).toBe(2);
  expect(await (await rig.raw(a)).connect({ clientId: 'a'.repeat(128) })).toBe(0);
});

test('a second connection of the same reader with the same client id closes the first', async () => {
  const first = await rig.raw(a);
  await first.connect({ clientId: 'agent' });
  const second = await rig.raw(a);
  expect(await second.connect({ clientId: 'agent' })).toBe(0);
  await first.untilClosed();
  await second.ping();
  await vi.waitFor(() =>
    expect([...rig.happened].sort()).toEqual([
      'connected R700-A c1',
      'connected R700-A c2',
      'disconnected R700-A c1',
    ]),
  );
  expect(rig.broker.connections('R700-A')).toBe(1);
});

test('a reader and its agent stay connected side by side under one certificate', async () => {
  const reader = await rig.raw(a);
  const agent = await rig.raw(a);
  await reader.connect({ clientId: 'reader' });
  await agent.connect({ clientId: 'agent' });
  await Promise.all([reader.ping(), agent.ping()]);
  expect(rig.broker.connections('R700-A')).toBe(2);
});

test("another reader can't kick a client by using its client id, nor reach its session", async () => {
  const mine = await rig.raw(a);
  await mine.connect({ clientId: 'agent', clean: false });
  mine.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: 'svc/v1/R700-A/commands', qos: 1 }] });
  await mine.next('suback');
  const other = await rig.raw(b);
  await other.connect({ clientId: 'agent', clean: false });
  expect(await other.next('connack')).toMatchObject({ sessionPresent: false });
  await mine.ping();
  mine.destroy();
  await vi.waitFor(() => expect(rig.broker.connections('R700-A')).toBe(0));
  await rig.broker.publishCommand('R700-A', { kind: 'stop', id: 'q' });
  other.destroy();
  const again = await rig.raw(b);
  await again.connect({ clientId: 'agent', clean: false });
  await again.ping();
  expect(again.received.filter((packet) => packet.cmd === 'publish')).toEqual([]);
});

test('disconnect cuts every connection of a reader and of nobody else', async () => {
  const [one, two, other] = [await rig.raw(a), await rig.raw(a), await rig.raw(b)];
  await one.connect({ clientId: '1' });
  await two.connect({ clientId: '2' });
  await other.connect();
  expect(await rig.broker.disconnect('R700-A')).toBe(2);
  expect(await rig.broker.disconnect('R700-A')).toBe(0);
  await one.untilClosed();
  await two.untilClosed();
  await other.ping();
});

test('a client without a certificate does not get through TLS', async () => {
  const socket = tls.connect({
    host: '127.0.0.1',
    port: rig.broker.port,
    ca: pki.ca.cert,
    servername: 'localhost',
  });
  socket.on('error', () => {});
  await new Promise((resolve) => socket.once('close', resolve));
  expect(rig.broker.counters.tlsErrors).toBe(1);
  expect(rig.log).toMatchObject([{ message: 'TLS handshake failed', details: { address: '127.0.0.1' } }]);
});

test('TLS below 1.2 and TLS 1.2 without authenticated encryption or forward secrecy are refused', async () => {
  const attempt = async (options: tls.ConnectionOptions): Promise<string | null> => {
    const socket = tls.connect({
      host: '127.0.0.1',
      port: rig.broker.port,
      ca: pki.ca.cert,
      cert: a.cert,
      key: a.key,
      servername: 'localhost',
      ...options,
    });
    const result = await new Promise<string | null>((resolve) => {
      socket.once('secureConnect', () => resolve(socket.getCipher().name));
      socket.once('error', () => resolve(null));
    });
    socket.destroy();
    return result;
  };
  expect(
    await attempt({ maxVersion: 'TLSv1.1', minVersion: 'TLSv1', ciphers: 'DEFAULT:@SECLEVEL=0' }),
  ).toBeNull();
  expect(
    await attempt({ maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA256:AES128-GCM-SHA256' }),
  ).toBeNull();
  expect(
    await attempt({ maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-CCM8:ECDHE-ECDSA-AES256-SHA' }),
  ).toBeNull();
  const noSuite = 'the client offers no cipher suite that is accepted';
  await vi.waitFor(() =>
    expect(rig.log.map(({ details }) => details)).toMatchObject([
      { error: 'the client offers nothing newer than TLS 1.1' },
      { error: noSuite },
      { error: noSuite },
    ]),
  );
  expect(await attempt({ maxVersion: 'TLSv1.2' })).toMatch(/^ECDHE-ECDSA-.*(GCM|POLY1305)/);
  expect(await attempt({ minVersion: 'TLSv1.3' })).toMatch(/^TLS_/);
});

test('bytes that are no TLS are logged, at most 20 lines a minute', async () => {
  for (let i = 0; i < 25; i++) {
    const socket = net.connect(rig.broker.port, '127.0.0.1', () => socket.end('GET / HTTP/1.1\r\n\r\n'));
    socket.on('error', () => {});
    socket.resume();
    await once(socket, 'close');
  }
  await vi.waitFor(() => expect(rig.broker.counters.tlsErrors).toBe(25));
  expect(rig.log.length).toBe(20);
  expect(rig.log[0]?.details).toMatchObject({ address: '127.0.0.1', error: 'what was sent is not TLS' });
});
