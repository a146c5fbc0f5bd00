import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type BrokerPki, type Identity, makeBrokerPki } from '../support/broker-certs.ts';
import { type Rig, startRig } from '../support/broker-rig.ts';

// Independent peers: Debian's mosquitto clients must be installed.
const run = promisify(execFile);

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

function flags(topic: string): string[] {
  const tls = ['--cafile', pki.ca.certFile, '--cert', a.certFile, '--key', a.keyFile];
  return ['-h', '127.0.0.1', '-p', String(rig.broker.port), ...tls, '-t', topic];
}

test.each(['0', '1', '2'])('mosquitto_pub with QoS %s is heard', async (qos) => {
  await run('mosquitto_pub', [...flags('svc/v1/R700-A/events'), '-q', qos, '-m', '{"epc":"3034"}'], {
    timeout: 10_000,
  });
  await vi.waitFor(() =>
    expect(rig.published).toMatchObject([{ kind: 'events', text: '{"epc":"3034"}', qos: Number(qos) }]),
  );
});

test.each(['1', '2'])(
  'mosquitto_pub with QoS %s on a foreign topic ends well and nothing is heard',
  async (qos) => {
    await run('mosquitto_pub', [...flags('svc/v1/R700-B/events'), '-q', qos, '-m', 'forged', '-r'], {
      timeout: 10_000,
    });
    expect(rig.published).toEqual([]);
    expect(rig.broker.counters.publishesForeign).toBe(1);
  },
);

test('mosquitto_sub gets the retained command and the next', async () => {
  await rig.broker.publishCommand('R700-A', { id: '1' });
  const subscriber = spawn('mosquitto_sub', [
    ...flags('svc/v1/R700-A/commands'),
    '-q',
    '1',
    '-C',
    '2',
    '-W',
    '10',
    '-v',
  ]);
  const output: Buffer[] = [];
  subscriber.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  await vi.waitFor(() => expect(Buffer.concat(output).toString()).toContain('"1"'), { timeout: 8000 });
  await rig.broker.publishCommand('R700-A', { id: '2' });
  await once(subscriber, 'close');
  expect(Buffer.concat(output).toString()).toBe(
    'svc/v1/R700-A/commands {"id":"1"}\nsvc/v1/R700-A/commands {"id":"2"}\n',
  );
});
