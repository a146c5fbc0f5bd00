import { X509Certificate } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isCommonName, PkiError } from '../../src/pki/authority.ts';
import { makeSerialNumber } from '../../src/pki/certificate.ts';
import { addYears } from '../../src/pki/validity.ts';
import { makeKey, openssl, signWith } from '../support/openssl.ts';
import { folders, handshake, sharedAuthority } from './fixture.ts';

const folder = folders();
const shared = sharedAuthority(folder);
const local = { names: ['localhost'], addresses: ['127.0.0.1'] };

async function mutualTls(options: { keyType: 'rsa' | 'ecdsa'; version: 'TLSv1.2' | 'TLSv1.3' }) {
  const authority = await shared.open();
  const server = await authority.ensureServer({ ...local, now: Date.now() });
  const client = await authority.issueClient({
    commonName: 'SN-1',
    keyType: options.keyType,
    now: Date.now(),
  });
  const outcome = await handshake(
    {
      key: server.keyPem,
      cert: server.chainPem,
      ca: authority.caCertPem,
      requestCert: true,
      maxVersion: options.version,
    },
    { key: client.keyPem, cert: client.certPem, ca: authority.caCertPem },
  );
  return { outcome, client };
}

describe.each(['rsa', 'ecdsa'] as const)('a client certificate with an %s key', (keyType) => {
  test('is a client certificate for openssl, and not a server certificate', async () => {
    const { issueClient, dir } = await shared.open();
    const issued = await issueClient({ commonName: 'SN-1', keyType, now: Date.now() });
    const path = join(dir, 'client.crt');
    await writeFile(path, issued.certPem);
    const verify = (purpose: string) =>
      openssl('verify', '-x509_strict', '-CAfile', join(dir, 'ca.crt'), '-purpose', purpose, path);
    expect(await verify('sslclient')).toContain('OK');
    await expect(verify('sslserver')).rejects.toThrow(/purpose/);
  });

  test.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'authenticates over %s, and the server sees its serial number',
    async (version) => {
      const { outcome, client } = await mutualTls({ keyType, version });
      expect(outcome).toEqual({
        clientName: 'SN-1',
        peerSerialNumber: client.serialNumber,
        serverError: null,
        clientError: null,
      });
    },
  );

  test('belongs to its private key, which is PKCS #8 PEM', async () => {
    const { issueClient, dir } = await shared.open();
    const issued = await issueClient({ commonName: 'SN-1', keyType, now: Date.now() });
    const path = join(dir, 'client.key');
    await writeFile(path, issued.keyPem);
    const publicPem = await openssl('pkey', '-in', path, '-pubout');
    const certificate = new X509Certificate(issued.certPem);
    expect(certificate.publicKey.export({ type: 'spki', format: 'pem' })).toBe(publicPem);
    expect(issued.keyPem).toMatch(/^-----BEGIN PRIVATE KEY-----/);
  });
});

describe('what a client certificate says', () => {
  test('RSA is the key type when none is asked for', async () => {
    const { issueClient } = await shared.open();
    const { certPem } = await issueClient({ commonName: 'SN-1', now: Date.now() });
    expect(new X509Certificate(certPem).publicKey.asymmetricKeyDetails?.modulusLength).toBe(2048);
  });

  test('name, purpose, constraints and key identifiers, with the critical ones marked', async () => {
    const { issueClient, dir } = await shared.open();
    const { certPem } = await issueClient({ commonName: 'R700_a.b-9', keyType: 'ecdsa', now: Date.now() });
    const path = join(dir, 'client.crt');
    await writeFile(path, certPem);
    const text = await openssl('x509', '-in', path, '-noout', '-text');
    expect(text).toContain('Subject: O = Tagkeep, CN = R700_a.b-9');
    expect(text).toMatch(/Basic Constraints: critical\s+CA:FALSE/);
    expect(text).toMatch(/X509v3 Key Usage: critical\s+Digital Signature\n/);
    expect(text).toMatch(/Extended Key Usage: \s+TLS Web Client Authentication\n/);
    const ca = await openssl('x509', '-in', join(dir, 'ca.crt'), '-noout', '-ext', 'subjectKeyIdentifier');
    const identifier = /[0-9A-F]{2}(:[0-9A-F]{2}){19}/.exec(ca)?.[0] ?? 'none';
    expect(text.split('Authority Key Identifier')[1]).toContain(identifier);
  });

  test('valid for ten calendar years from an hour ago, in whole seconds', async () => {
    const { issueClient } = await shared.open();
    const now = Date.UTC(2027, 4, 6, 7, 8, 9, 10);
    const issued = await issueClient({ commonName: 'SN-1', keyType: 'ecdsa', now });
    expect(new Date(issued.notBefore).toISOString()).toBe('2027-05-06T06:08:09.000Z');
    expect(new Date(issued.notAfter).toISOString()).toBe('2037-05-06T07:08:09.000Z');
  });

  test('ten years from 29 February end on 1 March, never a day early', async () => {
    const { issueClient } = await shared.open();
    const issued = await issueClient({
      commonName: 'SN-1',
      keyType: 'ecdsa',
      now: Date.UTC(2028, 1, 29, 12),
    });
    expect(new Date(issued.notAfter).toISOString()).toBe('2038-03-01T12:00:00.000Z');
  });

  test('adding years keeps month, day and time of every other date', () => {
    const time = fc.date({ min: new Date('2020-01-01'), max: new Date('2060-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(time, fc.integer({ min: 1, max: 40 }), (start, years) => {
        fc.pre(!(start.getUTCMonth() === 1 && start.getUTCDate() === 29));
        const end = new Date(addYears(start.getTime(), years)).toISOString();
        expect(end).toBe(`${start.getUTCFullYear() + years}${start.toISOString().slice(4)}`);
      }),
    );
  });

  test('serial numbers are positive, 32 digits, and printed alike by us and by node', async () => {
    const { issueClient } = await shared.open();
    const issued = await issueClient({ commonName: 'SN-1', keyType: 'ecdsa', now: Date.now() });
    expect(issued.serialNumber).toMatch(/^[4-7][0-9A-F]{31}$/);
    expect(new X509Certificate(issued.certPem).serialNumber).toBe(issued.serialNumber);
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
        expect(makeSerialNumber(() => bytes)).toMatch(/^[4-7][0-9A-F]{31}$/);
      }),
    );
  });

  test('two certificates for one reader differ in key and serial number', async () => {
    const { issueClient } = await shared.open();
    const request = { commonName: 'SN-1', keyType: 'ecdsa', now: Date.now() } as const;
    const [one, two] = await Promise.all([issueClient(request), issueClient(request)]);
    expect(one.serialNumber).not.toBe(two.serialNumber);
    expect(one.keyPem).not.toBe(two.keyPem);
  });

  test.each(['', ' ', 'a b', '#', '+', '../x', 'a/b', 'ä', 'a\n', 'a\u0000', 'x'.repeat(65)])(
    'a common name that cannot be a serial is refused: %j',
    async (commonName) => {
      const { issueClient } = await shared.open();
      const refused = issueClient({ commonName, now: Date.now() });
      await expect(refused).rejects.toThrow(PkiError);
      await expect(refused).rejects.toThrow(/^"[^\n]*: a serial is 1 to 64/);
      expect(isCommonName(commonName)).toBe(false);
    },
  );
});

describe('what nobody can do with a certificate of ours', () => {
  async function serverOf(authority: Awaited<ReturnType<typeof shared.open>>) {
    const server = await authority.ensureServer({ ...local, now: Date.now() });
    return { key: server.keyPem, cert: server.chainPem, ca: authority.caCertPem, requestCert: true };
  }

  test('a server certificate does not authenticate a client', async () => {
    const authority = await shared.open();
    const server = await authority.ensureServer({ ...local, now: Date.now() });
    const outcome = await handshake(await serverOf(authority), {
      key: server.keyPem,
      cert: server.certPem,
      ca: authority.caCertPem,
    });
    expect(outcome.clientName).toBeNull();
    expect(outcome.serverError).not.toBeNull();
  });

  test('no client certificate, no connection', async () => {
    const authority = await shared.open();
    const outcome = await handshake(await serverOf(authority), { ca: authority.caCertPem });
    expect(outcome.clientName).toBeNull();
  });

  async function throughIssuer(issuer: 'client' | 'sub-authority') {
    const authority = await shared.open();
    const { dir } = authority;
    const path = (name: string) => join(dir, name);
    if (issuer === 'client') {
      const issued = await authority.issueClient({ commonName: 'SN-1', now: Date.now() });
      await writeFile(path('middle.crt'), issued.certPem);
      await writeFile(path('middle.key'), issued.keyPem);
    } else {
      await makeKey(path('middle.key'), 'rsa:2048');
      const root = { issuerCert: path('ca.crt'), issuerKey: path('ca.key') };
      const extensions = 'basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign\n';
      await signWith({
        dir,
        key: path('middle.key'),
        out: path('middle.crt'),
        name: 'sub',
        ...root,
        extensions,
      });
    }
    await makeKey(path('rogue.key'), 'ec');
    const middle = { issuerCert: path('middle.crt'), issuerKey: path('middle.key') };
    const extensions = 'extendedKeyUsage=clientAuth\n';
    await signWith({
      dir,
      key: path('rogue.key'),
      out: path('rogue.crt'),
      name: 'SN-2',
      ...middle,
      extensions,
    });
    const chain = [
      await openssl('x509', '-in', path('rogue.crt')),
      await openssl('x509', '-in', path('middle.crt')),
    ];
    const key = await openssl('pkey', '-in', path('rogue.key'));
    const client = { key, cert: chain.join(''), ca: authority.caCertPem };
    return { dir, outcome: await handshake(await serverOf(authority), client) };
  }

  test('a client certificate cannot sign another one', async () => {
    const { outcome, dir } = await throughIssuer('client');
    expect(outcome.clientName).toBeNull();
    expect(outcome.serverError).not.toBeNull();
    const chain = [
      '-CAfile',
      join(dir, 'ca.crt'),
      '-untrusted',
      join(dir, 'middle.crt'),
      join(dir, 'rogue.crt'),
    ];
    await expect(openssl('verify', ...chain)).rejects.toThrow(/invalid CA certificate/);
  });

  test('path length 0: even an authority signed with our own key cannot sign for a client', async () => {
    const { outcome, dir } = await throughIssuer('sub-authority');
    expect(outcome.clientName).toBeNull();
    expect(outcome.serverError).not.toBeNull();
    const chain = [
      '-CAfile',
      join(dir, 'ca.crt'),
      '-untrusted',
      join(dir, 'middle.crt'),
      join(dir, 'rogue.crt'),
    ];
    await expect(openssl('verify', ...chain)).rejects.toThrow(/path length constraint exceeded/);
  });
});
