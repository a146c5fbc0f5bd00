import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type BrokerPki, makeBrokerPki } from '../support/broker-certs.ts';
import { type Rig, startRig } from '../support/broker-rig.ts';
import { attempt } from '../support/tls-attempt.ts';

let pki: BrokerPki;
/** An authority of its own: its server certificate can't be mistaken for the first one's. */
let other: BrokerPki;
let rig: Rig;

beforeAll(() => {
  pki = makeBrokerPki();
  other = makeBrokerPki();
});
afterAll(() => {
  pki.remove();
  other.remove();
});
beforeEach(async () => {
  rig = await startRig(pki);
});
afterEach(() => rig.close());

const topic = (serial: string) => `svc/v1/${serial}/events`;

test('new connections are shown the new certificate, open ones go on, readers are checked as before', async () => {
  const before = await rig.mqtt(pki.client('A'));
  rig.broker.replaceCertificate({ certPem: other.server.cert, keyPem: other.server.key });
  await before.publishAsync(topic('A'), 'open', { qos: 1 });
  const after = await rig.mqtt(pki.client('B'), { ca: other.ca.cert });
  await after.publishAsync(topic('B'), 'new', { qos: 1 });
  expect(rig.published.map(({ serial, text }) => [serial, text])).toEqual([
    ['A', 'open'],
    ['B', 'new'],
  ]);
  const url = `mqtts://127.0.0.1:${rig.broker.port}`;
  const tried = { url, serial: 'C', epc: '30AA' };
  for (const tls of [
    { ...pki.client('C'), ca: pki.ca.cert },
    { ...other.client('C'), ca: other.ca.cert },
  ])
    expect(await attempt({ ...tried, tls })).toMatchObject({
      returnCode: null,
      closed: true,
      acknowledged: false,
    });
  expect(rig.peers.map(({ commonName }) => commonName)).toEqual(['A', 'B']);
});

test('a key of another certificate is refused and the old pair stays', async () => {
  const wrong = { certPem: other.server.cert, keyPem: pki.server.key };
  expect(() => rig.broker.replaceCertificate(wrong)).toThrow();
  const client = await rig.mqtt(pki.client('A'));
  expect(client.connected).toBe(true);
});
