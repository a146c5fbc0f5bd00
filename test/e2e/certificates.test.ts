import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStore, type Tx } from '../../src/store/store.ts';
import { tables } from '../../src/store/tables.ts';
import {
  Appliance,
  type Endpoints,
  type ReaderInService,
  Rest,
  readerInService,
} from '../support/appliance.ts';
import { makeKey, openssl, signWith } from '../support/openssl.ts';
import { Publisher, plainRead } from '../support/publisher.ts';
import { metric } from '../support/rest-pages.ts';

const CLIENT =
  'basicConstraints=critical,CA:FALSE\nkeyUsage=critical,digitalSignature\nextendedKeyUsage=clientAuth\n';

const appliance = new Appliance({ env: { TAGKEEP_LOG__LEVEL: 'warn' } });
const certs = join(appliance.root, 'certs');
let endpoints: Endpoints;
let rest: Rest;
let reader: ReaderInService;
let epcs = 0;

beforeAll(async () => {
  endpoints = await appliance.start();
  rest = new Rest(endpoints, await appliance.key());
  reader = await readerInService(appliance, rest, { serial: '370-10-15-0200' });
});
afterAll(() => appliance.dispose());

const connect = (serial: string, identity: string | { cert: Buffer; key: Buffer; ca: Buffer }) =>
  Publisher.connect({ url: endpoints.mqtts, serial, identity });
const nextEpc = () => `E28011600000CE${(++epcs).toString().padStart(10, '0')}`;
const isStored = async (epc: string) => (await rest.get<unknown[]>(`/tags?q=${epc}`)).length === 1;
const dropped = () => metric(endpoints, 'tagkeep_ingest_dropped_total');

/** A key, and a certificate for it that any issuer signed. */
async function signed(
  name: string,
  issuer: { readonly cert: string; readonly key: string },
): Promise<{ readonly cert: Buffer; readonly key: Buffer; readonly ca: Buffer }> {
  const at = (file: string) => join(appliance.root, file);
  await makeKey(at('leaf.key'), 'ec');
  const files = { dir: appliance.root, key: at('leaf.key'), out: at('leaf.crt') };
  await signWith({ ...files, name, issuerCert: issuer.cert, issuerKey: issuer.key, extensions: CLIENT });
  const [cert, key, ca] = [files.out, files.key, join(certs, 'ca.crt')].map((file) => readFileSync(file));
  if (!cert || !key || !ca) throw new Error('three files were read');
  return { cert, key, ca };
}

/** What an administrator's command changes, from another process while the appliance runs. */
async function change(action: (tx: Tx) => void): Promise<void> {
  const store = openStore(appliance.dataDir);
  try {
    await store.write(action);
  } finally {
    await store.close();
  }
}

async function provisioned(
  serial: string,
  folder = serial,
): Promise<{ readonly dir: string; readonly claimCode: string }> {
  const dir = join(appliance.root, folder);
  const { claimCode } = await appliance.cliJson<{ claimCode: string }>(
    ...['reader', 'provision', serial, '--out', dir, '--key-type', 'ecdsa'],
  );
  return { dir, claimCode };
}

describe('a certificate is accepted only if we issued it, it is not revoked, and its name is a registered serial', () => {
  const own = { cert: join(certs, 'ca.crt'), key: join(certs, 'ca.key') };

  test('a name nobody registered, signed by our own authority, is refused', async () => {
    await expect(connect('370-10-15-9999', await signed('370-10-15-9999', own))).rejects.toThrow('CONNACK 5');
  });

  test('the name of a registered reader in a certificate that is not on record is refused', async () => {
    await expect(connect(reader.serial, await signed(reader.serial, own))).rejects.toThrow('CONNACK 5');
  });

  test('another authority with the same name does not get through TLS', async () => {
    const subject = new X509Certificate(readFileSync(own.cert)).subject.split('\n').join('/');
    const other = { cert: join(appliance.root, 'other-ca.crt'), key: join(appliance.root, 'other-ca.key') };
    await makeKey(other.key, 'rsa:2048');
    await openssl(
      ...[
        'req',
        '-x509',
        '-new',
        '-key',
        other.key,
        '-out',
        other.cert,
        '-days',
        '30',
        '-subj',
        `/${subject}`,
      ],
      ...['-addext', 'basicConstraints=critical,CA:TRUE'],
    );
    const [ours, theirs] = [own.cert, other.cert].map((file) => new X509Certificate(readFileSync(file)));
    expect(theirs?.subject).toBe(ours?.subject);
    const before = await metric(endpoints, 'tagkeep_broker_tls_errors_total');
    await expect(connect(reader.serial, await signed(reader.serial, other))).rejects.toThrow();
    expect(await metric(endpoints, 'tagkeep_broker_tls_errors_total')).toBe(before + 1);
  });

  test('no certificate at all does not get through TLS', async () => {
    const ca = readFileSync(own.cert);
    await expect(
      Publisher.connect({ url: endpoints.mqtts, serial: reader.serial, identity: { ca } }),
    ).rejects.toThrow();
  });

  test('a certificate revoked while the appliance runs is refused at the next connection, another of the same reader is not', async () => {
    const { dir } = await provisioned(reader.serial, 'second');
    const open = await connect(reader.serial, dir);
    const { serialNumber } = new X509Certificate(readFileSync(join(dir, 'client.crt')));
    const whose = await revokeCertificate(serialNumber);
    expect(whose).toBe(reader.serial);
    await expect(connect(reader.serial, dir)).rejects.toThrow('CONNACK 5');
    const first = await Publisher.connect({
      url: endpoints.mqtts,
      serial: reader.serial,
      identity: reader.dir,
      clientId: 'first',
    });
    await first.close();
    const epc = nextEpc();
    await open.publish({ payload: plainRead(epc) });
    expect(await isStored(epc)).toBe(true);
    await open.close();
  });
});

/** Revokes a certificate on record; answers whose it was. */
async function revokeCertificate(serialNumber: string): Promise<string> {
  let serial = '';
  await change((tx) => {
    const certificate = tx.get(tables.certificates, serialNumber);
    if (!certificate) throw new Error(`certificate ${serialNumber} is not on record`);
    serial = certificate.serial;
    tx.put(tables.certificates, serialNumber, { ...certificate, revokedAt: Date.now() });
  });
  return serial;
}

describe('whose data is taken', () => {
  test('an unclaimed reader may connect, its reads are acknowledged, counted and dropped; from the claim on they are taken', async () => {
    const serial = '370-10-15-0201';
    const { dir, claimCode } = await provisioned(serial);
    const publisher = await connect(serial, dir);
    const early = nextEpc();
    const before = await dropped();
    await publisher.publish({ payload: plainRead(early) });
    await publisher.publish({ payload: plainRead(early), qos: 2 });
    expect(await dropped()).toBe(before + 2);
    expect(await rest.send('POST', '/devices/claim', { code: claimCode, readerName: 'New' })).toMatchObject({
      status: 201,
      body: { serial, firstSeenAt: expect.stringMatching(/Z$/) },
    });
    const late = nextEpc();
    await publisher.publish({ payload: plainRead(late) });
    expect(await isStored(late)).toBe(true);
    expect(await isStored(early)).toBe(false);
    expect(await dropped()).toBe(before + 2);
    await publisher.close();
  });

  test('a device revoked in the service stays connected and may connect, but its reads are dropped and counted', async () => {
    const publisher = await connect(reader.serial, reader.dir);
    await revoke({ dataRevoked: true });
    const before = await dropped();
    const epc = nextEpc();
    await publisher.publish({ payload: plainRead(epc) });
    const again = await Publisher.connect({
      url: endpoints.mqtts,
      serial: reader.serial,
      identity: reader.dir,
      clientId: 'again',
    });
    await again.publish({ payload: plainRead(epc) });
    expect(await dropped()).toBe(before + 2);
    expect(await isStored(epc)).toBe(false);
    expect(publisher.closed).toBe(false);
    await revoke({ dataRevoked: false });
    await publisher.publish({ payload: plainRead(epc) });
    expect(await isStored(epc)).toBe(true);
    await Promise.all([publisher.close(), again.close()]);
  });

  test('a device revoked on the broker is refused at its next connection; the open one continues until it drops', async () => {
    const publisher = await connect(reader.serial, reader.dir);
    await revoke({ connectRevoked: true });
    await expect(connect(reader.serial, reader.dir)).rejects.toThrow('CONNACK 5');
    await publisher.ping();
    expect(publisher.closed).toBe(false);
    await publisher.close();
    await revoke({ connectRevoked: false });
    await (await connect(reader.serial, reader.dir)).close();
  });

  async function revoke(flags: { dataRevoked?: boolean; connectRevoked?: boolean }): Promise<void> {
    await change((tx) => {
      const device = tx.get(tables.devices, reader.serial);
      if (!device) throw new Error('the reader is registered');
      tx.put(tables.devices, reader.serial, { ...device, ...flags });
    });
  }
});
