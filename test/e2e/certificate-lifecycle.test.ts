import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SecureVersion } from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStore } from '../../src/store/store.ts';
import { tables } from '../../src/store/tables.ts';
import {
  Appliance,
  type Endpoints,
  type ReaderInService,
  Rest,
  readerInService,
} from '../support/appliance.ts';
import { refusalOf } from '../support/command.ts';
import { RawClient } from '../support/mqtt-raw.ts';
import { openssl } from '../support/openssl.ts';
import { Publisher, plainRead } from '../support/publisher.ts';
import { metric } from '../support/rest-pages.ts';
import { until } from '../support/wait.ts';

const run = promisify(execFile);
const SECRET = 'correct horse battery staple';

const appliance = new Appliance({ env: { TAGKEEP_LOG__LEVEL: 'warn' } });
const at = (...path: string[]) => join(appliance.root, ...path);
appliance.env.TAGKEEP_PKI__PASSPHRASE_FILE = at('passphrase');
let endpoints: Endpoints;
let rest: Rest;
let readers = 0;
let epcs = 0;

beforeAll(async () => {
  writeFileSync(at('passphrase'), `${SECRET}\n`, { mode: 0o600 });
  endpoints = await appliance.start();
  rest = new Rest(endpoints, await appliance.key());
}, 60_000);
afterAll(() => appliance.dispose());

const newReader = (): Promise<ReaderInService> =>
  readerInService(appliance, rest, { serial: `370-10-15-${String(++readers).padStart(4, '0')}` });
const connect = (serial: string, dir: string, clientId = 'reader') =>
  Publisher.connect({ url: endpoints.mqtts, serial, identity: dir, clientId });
const nextEpc = () => `E28011600000C1F${(++epcs).toString().padStart(9, '0')}`;
const isStored = async (epc: string) => (await rest.get<unknown[]>(`/tags?q=${epc}`)).length === 1;
const dropped = () => metric(endpoints, 'tagkeep_ingest_dropped_total');
const serialNumberIn = (dir: string) =>
  new X509Certificate(readFileSync(join(dir, 'client.crt'))).serialNumber;

/** Debian's client, with the identity files as they are. */
function mosquitto(serial: string, dir: string) {
  const { hostname, port } = new URL(endpoints.mqtts);
  const file = (name: string) => join(dir, name);
  const identity = ['--cafile', file('ca.crt'), '--cert', file('client.crt'), '--key', file('client.key')];
  const message = ['-q', '1', '-t', `svc/v1/${serial}/events`, '-m', plainRead(nextEpc())];
  return run('mosquitto_pub', ['-h', hostname, '-p', port, ...identity, ...message]);
}

interface Revoked {
  readonly changed: boolean;
  readonly certificatesRevoked: readonly string[];
  readonly dataRevoked: boolean;
  readonly connectRevoked: boolean;
}
const revoke = (serial: string, ...how: readonly string[]) =>
  appliance.cliJson<Revoked>('reader', 'revoke', serial, ...how);
const reissue = (serial: string, ...how: readonly string[]) =>
  appliance.cliJson<{ files: string[]; revoked: string[]; certificate: { serialNumber: string } }>(
    ...['reader', 'reissue', serial, '--key-type', 'ecdsa', ...how],
  );

interface Listed {
  readonly serial: string;
  readonly state: string;
  readonly certificateState: string;
  readonly certificateDaysLeft: number | null;
  readonly certificatesUsable: number;
}
async function listed(serial: string): Promise<Listed> {
  const all = await appliance.cliJson<readonly Listed[]>('reader', 'list');
  const found = all.find((one) => one.serial === serial);
  if (!found) throw new Error(`${serial} is not in the list`);
  return found;
}

/** What the audit log has of a device, oldest first. */
async function audited(serial: string): Promise<readonly string[]> {
  const store = openStore(appliance.dataDir);
  try {
    return Array.from(store.range(tables.audit), ({ value }) => value)
      .filter(({ resource }) => resource === `devices/${serial}`)
      .map(({ action }) => action);
  } finally {
    await store.close();
  }
}

describe('tagkeep reader revoke', () => {
  test('refuses the data and keeps the connection: publishes are acknowledged, dropped and counted', async () => {
    const { serial, dir } = await newReader();
    const open = await connect(serial, dir);
    const before = await dropped();
    expect(await revoke(serial)).toMatchObject({
      ...{ changed: true, dataRevoked: true, connectRevoked: false, certificatesRevoked: [] },
    });
    const epc = nextEpc();
    await open.publish({ payload: plainRead(epc) });
    expect(await dropped()).toBe(before + 1);
    expect(await isStored(epc)).toBe(false);
    await (await connect(serial, dir, 'another')).close();
    expect(open.closed).toBe(false);
    await open.close();
    expect(await listed(serial)).toMatchObject({ state: 'revoked', certificateState: 'valid' });
  });

  test('--broker leaves the open connection and refuses the next, whichever certificate it shows', async () => {
    const { serial, dir } = await newReader();
    await reissue(serial, '--out', at('both'));
    const open = await connect(serial, dir);
    const { certificatesRevoked } = await revoke(serial, '--broker');
    expect([...certificatesRevoked].sort()).toEqual([serialNumberIn(dir), serialNumberIn(at('both'))].sort());
    await open.ping();
    await expect(connect(serial, dir, 'next')).rejects.toThrow('CONNACK 5');
    await expect(connect(serial, at('both'), 'next')).rejects.toThrow('CONNACK 5');
    await expect(mosquitto(serial, dir)).rejects.toMatchObject({
      stderr: expect.stringContaining('not authorised'),
    });
    await open.ping();
    await open.close();
    expect(await listed(serial)).toMatchObject({
      ...{ state: 'revoked on the broker', certificateState: 'revoked', certificatesUsable: 0 },
    });
  });

  test.each(['TLSv1.2', 'TLSv1.3'] as const)('--broker refuses a resumed %s session too', async (version) => {
    const { serial, dir } = await newReader();
    const identity = identityIn(dir, version);
    const session = await sessionOf(identity);
    const resumed = await RawClient.open({ ...identity, session });
    expect(resumed.socket.isSessionReused()).toBe(true);
    expect(await resumed.connect()).toBe(0);
    resumed.destroy();
    const another = await sessionOf(identity);
    await revoke(serial, '--broker');
    const late = await RawClient.open({ ...identity, session: another });
    expect(late.socket.isSessionReused()).toBe(true);
    expect(await late.connect()).toBe(5);
    late.destroy();
  });

  test('--disconnect cuts every open connection of the reader at once, and of nobody else', async () => {
    const [{ serial, dir }, other] = [await newReader(), await newReader()];
    const open = [await connect(serial, dir), await connect(serial, dir, 'agent')];
    const spared = await connect(other.serial, other.dir);
    expect(await revoke(serial, '--disconnect')).toMatchObject({ connectRevoked: true });
    await until('the cut', () => open.every(({ closed }) => closed), 3000);
    await expect(connect(serial, dir)).rejects.toThrow('CONNACK 5');
    await spared.ping();
    await spared.close();
    expect(await audited(serial)).toEqual(['provision', 'revoke', 'disconnect']);
  });

  test('--disconnect after --broker cuts what had been left open', async () => {
    const { serial, dir } = await newReader();
    const open = await connect(serial, dir);
    await revoke(serial, '--broker');
    await open.ping();
    expect(await revoke(serial, '--disconnect')).toMatchObject({ changed: false });
    await until('the cut', () => open.closed, 3000);
  });

  test('done again says that it was so already, and is not audited again', async () => {
    const { serial } = await newReader();
    const [first, again] = [
      await appliance.cli('reader', 'revoke', serial, '--broker'),
      await appliance.cli('reader', 'revoke', serial, '--broker'),
    ];
    expect(first).toMatchObject({ code: 0, stdout: expect.stringMatching(/^revoked 370/) });
    expect(again).toMatchObject({ code: 0, stdout: expect.stringMatching(/^already revoked: 370/) });
    expect(await audited(serial)).toEqual(['provision', 'revoke']);
  });

  test('a serial nobody registered is refused in one line', async () => {
    expect(refusalOf(await appliance.cli('reader', 'revoke', 'NOBODY'))).toMatch(/there is no device NOBODY/);
  });
});

describe('provisioning again takes a revoked reader back', () => {
  test('with the new certificate, and with no old one that was revoked on the broker', async () => {
    const { serial, dir, readerId } = await newReader();
    await revoke(serial, '--disconnect');
    const again = await appliance.cliJson<{ claimCode: string | null }>(
      ...['reader', 'provision', serial, '--out', at('again'), '--key-type', 'ecdsa'],
    );
    expect(again.claimCode).toBeNull();
    await expect(connect(serial, dir)).rejects.toThrow('CONNACK 5');
    const publisher = await connect(serial, at('again'));
    const epc = nextEpc();
    await publisher.publish({ payload: plainRead(epc) });
    expect(await isStored(epc)).toBe(true);
    await publisher.close();
    const known = await rest.get<{ id: string }[]>('/readers');
    expect(known.map(({ id }) => id)).toContain(readerId);
    expect(await listed(serial)).toMatchObject({
      state: 'claimed',
      certificateState: 'valid',
      certificatesUsable: 1,
    });
  });

  test('a withdrawn reader is claimed again, by whom it was', async () => {
    const { serial, readerId, dir } = await newReader();
    await appliance.cliJson('reader', 'withdraw', serial);
    await appliance.cliJson('reader', 'provision', serial, '--out', at('taken-back'), '--key-type', 'ecdsa');
    const devices = await rest.get<{ serial: string; readerId: string }[]>('/devices');
    expect(devices).toContainEqual(expect.objectContaining({ serial, readerId }));
    const publisher = await connect(serial, dir);
    const epc = nextEpc();
    await publisher.publish({ payload: plainRead(epc) });
    expect(await isStored(epc)).toBe(true);
    await publisher.close();
  });

  test('but not for another organisation', async () => {
    const { serial } = await newReader();
    await appliance.cliJson('org', 'add', `Org of ${serial}`);
    const dir = at('foreign');
    const provision = ['reader', 'provision', serial, '--out', dir, '--org', `Org of ${serial}`];
    expect(refusalOf(await appliance.cli(...provision))).toMatch(/belongs to My organisation; give --org/);
    expect(() => statSync(join(dir, 'client.crt'))).toThrow('ENOENT');
    expect(await listed(serial)).toMatchObject({ certificatesUsable: 1 });
  });
});

describe('tagkeep reader reissue', () => {
  test('makes a second certificate: both connect, the state stays, no claim code', async () => {
    const { serial, dir } = await newReader();
    const made = await reissue(serial, '--out', at('second'));
    expect(made.certificate.serialNumber).toBe(serialNumberIn(at('second')));
    expect(made.revoked).toEqual([]);
    expect(made).not.toHaveProperty('claimCode');
    for (const each of [dir, at('second')]) await (await connect(serial, each)).close();
    expect(await listed(serial)).toMatchObject({ state: 'claimed', certificatesUsable: 2 });
    expect(await audited(serial)).toEqual(['provision', 'reissue']);
  });

  test('--revoke-old refuses the older ones at their next connection', async () => {
    const { serial, dir } = await newReader();
    const open = await connect(serial, dir, 'open');
    const made = await reissue(serial, '--out', at('third'), '--revoke-old');
    expect(made.revoked).toEqual([serialNumberIn(dir)]);
    await open.ping();
    await open.close();
    await expect(connect(serial, dir)).rejects.toThrow('CONNACK 5');
    await (await connect(serial, at('third'))).close();
    expect(await audited(serial)).toEqual(['provision', 'reissue', 'revoke']);
  });

  test('into the folder of the reader keeps the credentials it holds', async () => {
    const { serial, dir } = await newReader();
    writeFileSync(join(dir, 'svc.json'), JSON.stringify({ user: 'root', password: 'changed' }));
    await reissue(serial, '--out', dir);
    expect(JSON.parse(readFileSync(join(dir, 'svc.json'), 'utf8'))).toEqual({
      user: 'root',
      password: 'changed',
    });
    expect(statSync(join(dir, 'client.key')).mode & 0o777).toBe(0o600);
    await (await connect(serial, dir)).close();
  });

  test.each([
    ['withdrawn', ['withdraw']],
    ['revoked on the broker', ['revoke', '--broker']],
  ])('of a reader that is %s is refused, and no file is written', async (why, [verb = '', ...options]) => {
    const { serial } = await newReader();
    await appliance.cliJson('reader', verb, serial, ...options);
    const message = refusalOf(await appliance.cli('reader', 'reissue', serial, '--out', at(`no-${verb}`)));
    expect(message).toContain(`${serial} is ${why}; "tagkeep reader provision" takes it back`);
    expect(() => statSync(at(`no-${verb}`))).toThrow('ENOENT');
  });

  test('of an unknown serial, and without --out', async () => {
    expect(refusalOf(await appliance.cli('reader', 'reissue', 'NOBODY', '--out', at('x')))).toMatch(
      /no device NOBODY/,
    );
    expect((await appliance.cli('reader', 'reissue', 'NOBODY')).code).toBe(2);
  });
});

describe('what anybody can fetch', () => {
  test('the CA is at /pki/ca.crt, as PEM, on HTTP and on the HTTPS it makes trustworthy', async () => {
    const response = await fetch(`${endpoints.http}/pki/ca.crt`);
    expect(response.headers.get('content-type')).toBe('application/x-x509-ca-cert');
    const pem = await response.text();
    expect(pem).toBe(readFileSync(at('certs', 'ca.crt'), 'utf8'));
    const trusting = ['-s', '--cacert', at('certs', 'ca.crt'), `${endpoints.https}/pki/ca.crt`];
    expect((await run('curl', trusting)).stdout).toBe(pem);
  });

  test('the revocation list is at /pki/ca.crl: openssl takes it and finds who was revoked, and no one else', async () => {
    const [gone, stays] = [await newReader(), await newReader()];
    const before = await crl();
    await revoke(gone.serial, '--broker');
    const after = await crl();
    expect(before.text).not.toContain(serialNumberIn(gone.dir));
    expect(after.text).toContain(`Serial Number: ${serialNumberIn(gone.dir)}`);
    expect(after.text).not.toContain(serialNumberIn(stays.dir));
    expect(after.number).toBeGreaterThan(before.number);
    expect(after.contentType).toBe('application/pkix-crl');
  });

  test('nothing else is, and nothing can be sent there', async () => {
    expect((await fetch(`${endpoints.http}/pki/ca.key`)).status).toBe(404);
    expect((await fetch(`${endpoints.http}/pki/ca.crl`, { method: 'POST' })).status).toBe(405);
    const head = await fetch(`${endpoints.http}/pki/ca.crl`, { method: 'HEAD' });
    expect(head.headers.get('content-type')).toBe('application/pkix-crl');
  });
});

test('certificates and their ends are metrics', async () => {
  const { serial } = await newReader();
  const figure = (labels: string) => metric(endpoints, labels.replaceAll(/[{}]/g, '\\$&'));
  const before = await figure('tagkeep_reader_certificates{state="revoked"}');
  await revoke(serial, '--broker');
  expect(await figure('tagkeep_reader_certificates{state="revoked"}')).toBe(before + 1);
  const year = 365 * 86_400;
  expect(await figure('tagkeep_certificate_expires_seconds{certificate="ca"}')).toBeGreaterThan(29 * year);
  expect(await figure('tagkeep_certificate_expires_seconds{certificate="server"}')).toBeGreaterThan(2 * year);
  expect(await figure('tagkeep_certificate_expires_seconds{certificate="reader"}')).toBeGreaterThan(9 * year);
});

test("with pki.passphraseFile the authority's key is encrypted on disk", () => {
  expect(readFileSync(at('certs', 'ca.key'), 'utf8')).toMatch(/^-----BEGIN ENCRYPTED PRIVATE KEY-----/);
});

test('a missing passphrase file refuses the start in one line; revoking and listing need none', async () => {
  const { serial } = await newReader();
  await appliance.stop();
  const named = appliance.env.TAGKEEP_PKI__PASSPHRASE_FILE;
  appliance.env.TAGKEEP_PKI__PASSPHRASE_FILE = at('nowhere');
  expect(refusalOf(await appliance.cli('serve'))).toBe(
    `pki.passphraseFile: ${at('nowhere')}: there is no such file`,
  );
  delete appliance.env.TAGKEEP_PKI__PASSPHRASE_FILE;
  expect(refusalOf(await appliance.cli('serve'))).toMatch(/ca\.key: is encrypted; name the file/);
  const provision = ['reader', 'provision', serial, '--out', at('locked')];
  expect(refusalOf(await appliance.cli(...provision))).toMatch(/ca\.key: is encrypted; name the file/);
  expect(await revoke(serial)).toMatchObject({ changed: true });
  expect(await listed(serial)).toMatchObject({ state: 'revoked' });
  appliance.env.TAGKEEP_PKI__PASSPHRASE_FILE = named;
  endpoints = await appliance.start();
  expect((await crl()).number).toBeGreaterThan(0);
});

async function crl(): Promise<{ text: string; number: number; contentType: string | null }> {
  const response = await fetch(`${endpoints.http}/pki/ca.crl`);
  writeFileSync(at('ca.crl'), Buffer.from(await response.arrayBuffer()));
  const args = ['-inform', 'DER', '-in', at('ca.crl'), '-CAfile', at('certs', 'ca.crt'), '-verify'];
  const text = await openssl('crl', ...args, '-noout', '-text');
  const number = Number(/CRL Number: \n\s+(\d+)/.exec(text)?.[1]);
  return { text, number, contentType: response.headers.get('content-type') };
}

function identityIn(dir: string, version: SecureVersion) {
  const { hostname: host, port } = new URL(endpoints.mqtts);
  const file = (name: string) => readFileSync(join(dir, name));
  const certificates = { ca: file('ca.crt'), cert: file('client.crt'), key: file('client.key') };
  return { host, port: Number(port), ...certificates, minVersion: version, maxVersion: version };
}

/** A session that can be resumed: the server gives it out after the handshake. */
async function sessionOf(identity: ReturnType<typeof identityIn>): Promise<Buffer> {
  const client = await RawClient.open(identity);
  let session: Buffer | undefined = client.socket.getSession();
  client.socket.on('session', (ticket: Buffer) => (session = ticket));
  expect(await client.connect()).toBe(0);
  await client.ping();
  client.destroy();
  if (!session) throw new Error('the server gave no session');
  return session;
}
