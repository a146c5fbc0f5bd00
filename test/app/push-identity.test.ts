import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findReader, type Pushed, pushIdentity } from '../../src/app/push-identity.ts';
import { defaultPushPath, PushError, type PushOptions, pushTarget } from '../../src/app/push-target.ts';
import { openAuthority } from '../../src/pki/authority.ts';
import { writeIdentity } from '../../src/pki/identity.ts';
import { BenchReader, type OwnCertificate, ownCertificate } from '../support/bench-reader.ts';

const serial = '370-21-09-0042';
const password = 'correct horse "battery"';
const root = mkdtempSync(join(tmpdir(), 'tagkeep-push-'));
const dir = join(root, 'identity');
const order = ['ca.crt', 'client.key', 'svc.json', 'client.crt'];
const putOf = (name: string) => `PUT ${defaultPushPath}/${name}`;

let own: OwnCertificate;
let reader: BenchReader;

beforeAll(async () => {
  own = ownCertificate('reader');
  await identityFor(serial, dir);
});
beforeEach(async () => {
  reader = await BenchReader.start(serial, own);
  for (const name of order) reader.answers.set(putOf(name), { status: 204 });
});
afterEach(() => reader.close());
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function identityFor(commonName: string, folder: string): Promise<void> {
  const now = Date.now();
  const authority = await openAuthority({ certsDir: join(root, 'certs'), now });
  const { certPem, keyPem } = await authority.issueClient({ commonName, keyType: 'ecdsa', now });
  const parts = { certPem, keyPem, caPem: authority.caCertPem };
  await writeIdentity({ dir: folder, ...parts, user: 'root', password });
}

async function push(options: Partial<PushOptions> = {}, folder = dir): Promise<Pushed> {
  const target = pushTarget({ url: reader.url, user: 'root', password, timeoutMs: 5000, ...options });
  const found = await findReader(target, serial);
  const { warnings, ...pushed } = await pushIdentity(found, folder);
  return { ...pushed, warnings: [...found.warnings, ...warnings] };
}

/** What a push that fails says: one line without a secret. */
async function refusal(options: Partial<PushOptions> = {}, folder = dir): Promise<string> {
  const error = await push(options, folder).then(
    () => new Error('the push went through'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof PushError)) throw error;
  expect(error.message).not.toMatch(/\n|battery|BEGIN|PRIVATE/);
  return error.message;
}

const written = (): readonly string[] =>
  reader.titles.filter((title) => title.startsWith(`PUT ${defaultPushPath}/`));

describe('a push', () => {
  test('writes the four files, the certificate last, byte for byte', async () => {
    const { files, mqttClient } = await push();
    expect([files, mqttClient]).toEqual([order, 'left']);
    expect(written()).toEqual(order.map(putOf));
    for (const name of order) expect(reader.bodyOf(putOf(name))).toBe(readFileSync(join(dir, name), 'utf8'));
  });

  test('shows the credentials at every call, and leaves the MQTT client alone', async () => {
    await push();
    const basic = `Basic ${Buffer.from(`root:${password}`).toString('base64')}`;
    expect(new Set(reader.calls.map(({ authorization }) => authorization))).toEqual(new Set([basic]));
    expect(reader.titles.filter((title) => /mqtt|certificates/.test(title))).toEqual([]);
  });

  test('says that the certificate was taken on trust, and which one', async () => {
    const { warnings } = await push();
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('taken on trust');
    expect(warnings[0]).toContain(new X509Certificate(own.cert).fingerprint256);
  });

  test('goes to another path when it is told to', async () => {
    for (const name of order) reader.answers.set(`PUT /files/${name}`, { status: 201 });
    await push({ path: '/files' });
    expect(reader.titles.slice(-4)).toEqual(order.map((name) => `PUT /files/${name}`));
  });

  test.each([
    ['10.0.0.240', 0],
    ['12.3', 0],
    ['9.1.0.118', 1],
    ['unreadable', 1],
  ])('firmware %s: %i warnings of it', async (primaryFirmware, count) => {
    reader.answers.set('GET /api/v1/system/image', { status: 200, json: { primaryFirmware } });
    const { warnings } = await push();
    expect(warnings.filter((line) => line.includes('10.0.0 or later'))).toHaveLength(count);
  });

  test('a reader that does not tell its firmware is no failure', async () => {
    reader.answers.delete('GET /api/v1/system/image');
    expect((await push()).warnings[1]).toContain('does not say its firmware');
  });
});

describe('a push is refused before anything is written', () => {
  afterEach(() => expect(written()).toEqual([]));

  test('to another reader, naming both serials', async () => {
    reader.answers.set('GET /api/v1/system', { status: 200, json: { serialNumber: '370-00-00-0001' } });
    const line = await refusal();
    expect(line).toContain('"370-00-00-0001"');
    expect(line).toContain(`"${serial}"`);
  });

  test.each([
    ['no serial', { status: 200, json: { productModel: 'R700' } }],
    ['a serial that is no text', { status: 200, json: { serialNumber: { toString: 1 } } }],
    ['no JSON', { status: 200, text: '<html>' }],
    ['JSON that is no object', { status: 200, json: null }],
  ])('to something that answers with %s', async (_, answer) => {
    reader.answers.set('GET /api/v1/system', answer);
    expect(await refusal()).toContain('does not say its serial');
  });

  test.each([401, 403])('with wrong credentials (%i), naming the user and the options', async (status) => {
    reader.answers.set('GET /api/v1/system', { status, json: { message: `no ${password}` } });
    const line = await refusal();
    expect(line).toContain('refuses the user "root"');
    expect(line).toContain('--reader-password-stdin');
  });

  test('to somebody who sends us elsewhere: redirections are not followed', async () => {
    reader.answers.set('GET /api/v1/system', { status: 302, location: `${reader.url}/elsewhere` });
    expect(await refusal()).toContain('answers 302 to GET /api/v1/system');
    expect(reader.titles).toEqual(['GET /api/v1/system']);
  });

  test('by an answer over 64 kB', async () => {
    reader.answers.set('GET /api/v1/system', { status: 200, text: 'x'.repeat(65_537) });
    expect(await refusal()).toContain('over 64 kB');
  });

  test('by silence, after the time of a call', async () => {
    reader.answers.set('GET /api/v1/system', () => {});
    expect(await refusal({ timeoutMs: 200 })).toContain('no answer within 0.2 s (GET /api/v1/system)');
  });

  test('by an answer that never ends', async () => {
    reader.answers.set('GET /api/v1/system', (response) => response.writeHead(200).write('{'));
    expect(await refusal({ timeoutMs: 200 })).toContain('no answer within 0.2 s');
  });

  test('where nobody listens', async () => {
    expect(await refusal({ url: 'https://127.0.0.1:1' })).toContain('nobody listens there (ECONNREFUSED)');
  });

  test('by somebody who does not speak TLS', async () => {
    const plain = createServer((socket) => void socket.on('error', () => {}).end('HTTP/1.1 400\r\n\r\n'));
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
    const address = plain.address();
    const port = typeof address === 'object' ? address?.port : 0;
    try {
      expect(await refusal({ url: `https://127.0.0.1:${port}` })).toContain(`https://127.0.0.1:${port}: `);
    } finally {
      plain.close();
    }
  });

  test('of an identity of another reader', async () => {
    const other = join(root, 'other');
    await identityFor('370-00-00-0001', other);
    expect(await refusal({}, other)).toContain(`is for "370-00-00-0001", not for "${serial}"`);
  });

  test('of a folder without an identity', async () => {
    expect(await refusal({}, join(root, 'nothing'))).toContain('ca.crt: is missing');
  });

  test('of a folder without svc.json', async () => {
    const part = join(root, 'part');
    await identityFor(serial, part);
    rmSync(join(part, 'svc.json'));
    expect(await refusal({}, part)).toContain('svc.json: cannot be read');
  });

  test('of a svc.json over 64 kB', async () => {
    const large = join(root, 'large');
    await identityFor(serial, large);
    writeFileSync(join(large, 'svc.json'), 'x'.repeat(65_537));
    expect(await refusal({}, large)).toContain('over 64 kB');
  });
});

describe('a push that is interrupted', () => {
  test.each(order.map((name, at) => [name, at] as const))(
    'at %s leaves no certificate, says what is there, and is done again',
    async (name, at) => {
      reader.answers.set(putOf(name), { status: 507, json: { message: 'No space left', detail: '/cust' } });
      const line = await refusal();
      expect(line).toContain('507');
      expect(line).toContain('No space left; /cust');
      expect(line).toContain(`known to be written: ${order.slice(0, at).join(', ') || 'none'};`);
      expect(line).toContain(dir);
      expect(written()).toEqual(order.slice(0, at + 1).map(putOf));
      reader.answers.set(putOf(name), { status: 204 });
      expect((await push()).files).toEqual(order);
    },
  );

  test('by a connection that breaks', async () => {
    reader.answers.set(putOf('svc.json'), (_, socket) => socket.destroy());
    expect(await refusal()).toContain('known to be written: ca.crt, client.key;');
  });

  test('by another certificate than before: nothing more is sent', async () => {
    reader.answers.set(putOf('ca.crt'), (response) => {
      reader.show(ownCertificate('somebody else'));
      response.writeHead(204).end();
    });
    expect(await refusal()).toContain('another certificate than a moment ago');
    expect(written()).toEqual([putOf('ca.crt')]);
  });

  test.each([
    ['the password', password],
    ['the password in JSON', JSON.stringify({ password })],
    ['the credentials', Buffer.from(`root:${password}`).toString('base64')],
    ['a key', '-----BEGIN PRIVATE KEY-----'],
  ])('by a reader that repeats %s: it is not shown', async (_, secret) => {
    reader.answers.set(putOf('svc.json'), { status: 400, json: { message: `bad: ${secret}` } });
    const line = await refusal();
    expect(line).toContain('its words hold a secret');
    expect(line).not.toContain(secret);
  });

  test('by a reader with many words: they are cut, on one line', async () => {
    const message = `first\nsecond ${'x'.repeat(5000)}`;
    reader.answers.set(putOf('ca.crt'), { status: 500, json: { message } });
    expect((await refusal()).length).toBeLessThan(600);
  });
});

describe('a reader without a call for files', () => {
  beforeEach(() => {
    for (const name of order) reader.answers.delete(putOf(name));
  });

  test('the line says what happened, why, and what to do', async () => {
    const line = await refusal();
    expect(line).toContain(`takes no files at ${defaultPushPath} (404)`);
    expect(line).toContain(`from ${dir} to /cust/rw_dir`);
    expect(line).toContain('--push-path');
    expect(written()).toHaveLength(1);
  });

  test.each([400, 405, 415, 501])('%i at the first file means the same', async (status) => {
    reader.answers.set(putOf('ca.crt'), { status, json: { message: 'the body is not JSON' } });
    expect(await refusal()).toContain(`takes no files at ${defaultPushPath} (${status})`);
  });

  test('its own MQTT client is set up all the same', async () => {
    expect(await refusal({ broker: 'tagkeep.local:8883' })).toMatch(
      /--push-path; its own MQTT client is set up$/,
    );
    expect(JSON.parse(reader.bodyOf('PUT /api/v1/mqtt'))).toMatchObject({ active: true });
  });

  test('when it has no call for that either, the line says what is left', async () => {
    reader.answers.delete('PUT /api/v1/system/certificates/tls/services/mqtt-client');
    expect(await refusal({ broker: 'tagkeep.local:8883' })).toContain('--forward-events');
  });

  test('when that fails too, the line says both', async () => {
    reader.answers.set('PUT /api/v1/mqtt', { status: 400, json: { message: 'no such host' } });
    const line = await refusal({ broker: 'tagkeep.local:8883' });
    expect(line).toMatch(
      /takes no files at .* its own MQTT client: .*400 to PUT \/api\/v1\/mqtt: no such host$/,
    );
  });
});

const certificates = '/api/v1/system/certificates';
const mqttCalls = [
  'GET /api/v1/mqtt',
  `POST ${certificates}/ca/certs`,
  `POST ${certificates}/tls/certs`,
  `PUT ${certificates}/tls/services/mqtt-client`,
  'PUT /api/v1/mqtt',
];

describe('the MQTT client of the reader itself', () => {
  const broker = 'tagkeep.local:8884';

  test('after the files: authority, certificate with key, the two put in use, then the settings', async () => {
    expect((await push({ broker })).mqttClient).toBe('set-up');
    expect(reader.titles.slice(-5)).toEqual(mqttCalls);
    expect(JSON.parse(reader.bodyOf(mqttCalls[3] ?? ''))).toEqual({ certId: 7 });
  });

  test('has our topics, QoS 1, a keep-alive, a will, and a client id its firmware takes', async () => {
    await push({ broker });
    expect(JSON.parse(reader.bodyOf('PUT /api/v1/mqtt'))).toEqual({
      active: true,
      brokerHostname: 'tagkeep.local',
      brokerPort: 8884,
      clientId: expect.stringMatching(/^[a-zA-Z0-9]{1,23}$/),
      cleanSession: false,
      tlsEnabled: true,
      eventTopic: `svc/v1/${serial}/events`,
      eventQualityOfService: 1,
      eventBufferSize: 100_000,
      eventPendingDeliveryLimit: 100,
      keepAliveIntervalSeconds: 30,
      willTopic: `svc/v1/${serial}/status`,
      willMessage: 'connection lost',
      willQualityOfService: 1,
      connectMessage: 'connected',
    });
  });

  test('older firmware is not sent what it does not know', async () => {
    reader.answers.set('GET /api/v1/mqtt', { status: 200, json: { active: false } });
    await push({ broker });
    expect(JSON.parse(reader.bodyOf('PUT /api/v1/mqtt'))).not.toHaveProperty('connectMessage');
  });

  test('gets a certificate and the key that belongs to it, in one PEM file of a form', async () => {
    await push({ broker });
    const sent = reader.calls.find(({ title }) => title === mqttCalls[2]);
    const form = await new Response(sent?.body, { headers: { 'content-type': sent?.type ?? '' } }).formData();
    const file = form.get('certFile');
    const pem = typeof file === 'string' ? file : await file?.text();
    const certificate = new X509Certificate(pem ?? '');
    expect(certificate.subject).toContain(`CN=${serial}`);
    expect(certificate.checkPrivateKey(createPrivateKey(pem ?? ''))).toBe(true);
  });

  test.each(mqttCalls)('without %s it is left alone, with a warning; the push goes on', async (missing) => {
    reader.answers.delete(missing);
    const { files, mqttClient, warnings } = await push({ broker });
    expect([files, mqttClient]).toEqual([order, 'unsupported']);
    expect(warnings.at(-1)).toContain(missing.split(' ')[1]);
    expect(warnings.at(-1)).toContain('--forward-events');
    // The settings come last: nothing is active that has no certificate.
    expect(reader.titles.at(-1)).toBe(missing);
  });

  test.each(mqttCalls)('a refusal of %s ends the push; the files are written', async (title) => {
    reader.answers.set(title, { status: 400, json: { message: 'Invalid' } });
    const line = await refusal({ broker });
    expect(line).toContain(`answers 400 to ${title}: Invalid`);
    expect(line).toContain('all four files are written');
    expect(written()).toHaveLength(4);
  });

  test('an authority that is there already is fine', async () => {
    reader.answers.set(mqttCalls[1] ?? '', { status: 409, json: { message: 'exists' } });
    expect((await push({ broker })).mqttClient).toBe('set-up');
  });

  test.each([
    ['a list', [{ certId: 9 }], 9],
    ['an object', { certId: 9 }, 9],
  ])('the number of the certificate is read from %s', async (_, json, certId) => {
    reader.answers.set(mqttCalls[2] ?? '', { status: 201, json });
    await push({ broker });
    expect(JSON.parse(reader.bodyOf(mqttCalls[3] ?? ''))).toEqual({ certId });
  });

  test.each([[{}], [[]], ['7'], [{ certId: '7' }], [null]])(
    'an answer %j without number is refused',
    async (json) => {
      reader.answers.set(mqttCalls[2] ?? '', { status: 200, json });
      expect(await refusal({ broker })).toContain('has no certId');
    },
  );
});
