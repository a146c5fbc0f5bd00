import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { startBroker } from '../../src/broker/broker.ts';
import type { BrokerOptions } from '../../src/broker/types.ts';
import { type BrokerPki, type Identity, makeBrokerPki } from '../support/broker-certs.ts';
import { type Rig, startRig } from '../support/broker-rig.ts';

const EVENTS = 'svc/v1/R700-A/events';

let pki: BrokerPki;
let a: Identity;
let rig: Rig;

beforeAll(() => {
  pki = makeBrokerPki();
  a = pki.client('R700-A');
});
afterAll(() => pki.remove());
beforeEach(async () => {
  rig = await startRig(pki);
});
afterEach(() => rig.close());

test('stop closes every connection and the port, once and the same for all callers', async () => {
  const client = await rig.raw(a);
  await client.connect();
  const unauthenticated = await rig.raw(a);
  const stopped = rig.broker.stop();
  expect(rig.broker.stop()).toBe(stopped);
  await stopped;
  await Promise.all([client.untilClosed(), unauthenticated.untilClosed()]);
  await expect(rig.raw(a)).rejects.toThrow();
  await expect(rig.broker.publishCommand('R700-A', {})).rejects.toThrow('stopped');
  await vi.waitFor(() => expect(rig.happened).toEqual(['connected R700-A c1', 'disconnected R700-A c1']));
});

test('stop also ends a connection whose TLS handshake never came to its end', async () => {
  const socket = connect(rig.broker.port, '127.0.0.1');
  socket.on('error', () => {});
  socket.resume();
  await once(socket, 'connect');
  const client = await rig.raw(a);
  await client.connect();
  const closed = once(socket, 'close');
  await rig.broker.stop();
  await closed;
});

test('stop waits for what is unsettled and sends the answers, but takes nothing new', async () => {
  rig.settleAtOnce = false;
  const client = await rig.raw(a);
  await client.connect();
  client.publish(EVENTS, 'x', 1);
  await vi.waitFor(() => expect(rig.published.length).toBe(1));
  const stopped = rig.broker.stop();
  client.publish(EVENTS, 'y', 2);
  rig.published[0]?.settle();
  await stopped;
  await client.untilClosed();
  expect(client.ids('puback')).toEqual([1]);
  expect(rig.published.length).toBe(1);
});

test('stop is done within 2 s even when a message is never settled and a client does not read', async () => {
  rig.settleAtOnce = false;
  const client = await rig.raw(a);
  await client.connect({
    will: { topic: 'svc/v1/R700-A/status', payload: Buffer.from('gone'), qos: 1, retain: false },
  });
  client.socket.pause();
  client.publish(EVENTS, 'x', 1);
  await vi.waitFor(() => expect(rig.published.length).toBe(1));
  const begun = performance.now();
  await rig.broker.stop();
  expect(performance.now() - begun).toBeLessThan(2000);
  expect(rig.published.map(({ text }) => text)).toEqual(['x']);
});

function options(more: Partial<BrokerOptions>): BrokerOptions {
  const unused = (): never => {
    throw new Error('not expected');
  };
  const hooks = {
    admit: unused,
    onPublish: unused,
    onConnected: unused,
    onDisconnected: unused,
    onCommandsSubscribed: unused,
  };
  const log = { info: unused, warn: unused, error: unused };
  const pems = { caPem: pki.ca.cert, certPem: pki.server.cert, keyPem: pki.server.key };
  return { host: '127.0.0.1', port: 0, ...pems, dataDir: join(rig.dataDir, 'other'), hooks, log, ...more };
}

test('a taken port is refused, and leaves the store free for another try', async () => {
  await expect(startBroker(options({ port: rig.broker.port }))).rejects.toThrow('EADDRINUSE');
  const broker = await startBroker(options({}));
  await broker.stop();
});

test('a store in use by another broker is refused in one line that names the folder', async () => {
  const failure = await startBroker(options({ dataDir: rig.dataDir })).catch((error: Error) => error.message);
  expect(failure).toMatch(/^cannot open the broker's store in .*: .*lock/);
  expect(failure).not.toContain('\n');
});

test('a data folder that is a file is refused', async () => {
  const file = join(rig.dataDir, 'file');
  writeFileSync(file, '');
  await expect(startBroker(options({ dataDir: file }))).rejects.toThrow('EEXIST');
});

test('a key that does not belong to the certificate is refused, and leaves the store free', async () => {
  await expect(startBroker(options({ keyPem: pki.ca.key }))).rejects.toThrow('key values mismatch');
  const broker = await startBroker(options({}));
  await broker.stop();
});
