import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { findReader, type Pushed, pushIdentity } from '../../src/app/push-identity.ts';
import { defaultPushPath, pushTarget } from '../../src/app/push-target.ts';
import { loadIdentity } from '../../src/device/identity.ts';
import { openAuthority } from '../../src/pki/authority.ts';
import { writeIdentity } from '../../src/pki/identity.ts';
import { type LocalInterface, startLocalInterface } from '../../src/simulator/local-interface.ts';
import { type OwnCertificate, ownCertificate } from '../support/bench-reader.ts';

const serial = '370-21-09-0042';
const password = 'impinj';
const names = ['ca.crt', 'client.key', 'svc.json', 'client.crt'];
const root = mkdtempSync(join(tmpdir(), 'tagkeep-bench-'));
const [old, fresh] = [join(root, 'old'), join(root, 'fresh')];

let tls: OwnCertificate;
let flash: string;
let reader: LocalInterface;

beforeAll(async () => {
  tls = ownCertificate('reader');
  const now = Date.now();
  const authority = await openAuthority({ certsDir: join(root, 'certs'), now });
  for (const dir of [old, fresh]) {
    const { certPem, keyPem } = await authority.issueClient({ commonName: serial, keyType: 'ecdsa', now });
    await writeIdentity({ dir, certPem, keyPem, caPem: authority.caCertPem, user: 'root', password });
  }
});
beforeEach(async () => {
  flash = mkdtempSync(join(root, 'flash-'));
  reader = await startLocalInterface({ dir: flash, serial, user: 'root', password, tls });
});
afterEach(() => reader.stop());
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function push(dir: string, broker?: string): Promise<Pushed> {
  const target = pushTarget({ url: reader.url, user: 'root', password, broker, timeoutMs: 5000 });
  return pushIdentity(await findReader(target, serial), dir);
}

const onReader = (name: string): string => join(flash, 'rw_dir', name);
const textOf = (file: string): string => readFileSync(file, 'utf8');
const answerOf = (path: string): unknown =>
  reader.reader.handle({ method: 'GET', path: `/api/v1${path}` }).body;

test('a stand-in reader has the identity as it was issued, and its agent can use it', async () => {
  expect((await push(fresh)).files).toEqual(names);
  for (const name of names) expect(textOf(onReader(name))).toBe(textOf(join(fresh, name)));
  expect(loadIdentity(join(flash, 'rw_dir')).serial).toBe(serial);
  expect(statSync(onReader('client.key')).mode & 0o777).toBe(0o600);
  expect(statSync(onReader('svc.json')).mode & 0o777).toBe(0o600);
});

test('its own MQTT client is active with the certificate, and stays so over a reboot', async () => {
  expect((await push(fresh, 'localhost:8883')).mqttClient).toBe('set-up');
  await reader.reboot({ rebootMs: 0 });
  expect(answerOf('/mqtt')).toMatchObject({
    ...{ active: true, tlsEnabled: true, brokerHostname: 'localhost', brokerPort: 8883 },
    ...{ eventTopic: `svc/v1/${serial}/events`, eventQualityOfService: 1, keepAliveIntervalSeconds: 30 },
    ...{ willTopic: `svc/v1/${serial}/status`, cleanSession: false },
  });
  expect(answerOf('/system/certificates/tls/services/mqtt-client')).toEqual({ certId: expect.any(Number) });
});

test.each(names.flatMap((name) => [[name, 'before'] as const, [name, 'after'] as const]))(
  'a connection that breaks at %s, %s it is written, leaves no new certificate without its key',
  async (name, when) => {
    await push(old);
    reader.setFaults({ dropNext: { path: `${defaultPushPath}/${name}`, when } });
    await expect(push(fresh)).rejects.toThrow(`PUT ${defaultPushPath}/${name}`);
    const hasNewKey = textOf(onReader('client.key')) === textOf(join(fresh, 'client.key'));
    const hasNewCertificate = textOf(onReader('client.crt')) === textOf(join(fresh, 'client.crt'));
    expect(hasNewCertificate).toBe(name === 'client.crt' && when === 'after');
    // One of each is no identity, and the agent says so.
    if (hasNewKey !== hasNewCertificate)
      expect(() => loadIdentity(join(flash, 'rw_dir'))).toThrow('client.key');
    else expect(loadIdentity(join(flash, 'rw_dir')).serial).toBe(serial);
    await push(fresh);
    for (const one of names) expect(textOf(onReader(one))).toBe(textOf(join(fresh, one)));
  },
);

test('wrong credentials: nothing is written', async () => {
  reader.setFaults({ credentials: 'refused' });
  await expect(push(fresh)).rejects.toThrow('refuses the user "root" (401');
  expect(() => statSync(onReader('ca.crt'))).toThrow('ENOENT');
});

test('a reader that is slow is waited for; one that is slower than the limit is not', async () => {
  reader.setFaults({ delayMs: 150 });
  expect((await push(fresh)).files).toEqual(names);
  const target = pushTarget({ url: reader.url, user: 'root', password, timeoutMs: 50 });
  await expect(findReader(target, serial)).rejects.toThrow('no answer within 0.05 s');
});
