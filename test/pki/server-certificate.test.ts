import { X509Certificate } from 'node:crypto';
import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { openAuthority, PkiError } from '../../src/pki/authority.ts';
import { openssl } from '../support/openssl.ts';
import { folders, handshake, modeOf, sharedAuthority } from './fixture.ts';

const DAY_MS = 86_400_000;
const folder = folders();
const shared = sharedAuthority(folder);
const umask = process.umask();
afterEach(() => process.umask(umask));

const names = ['tagkeep', 'localhost', 'depot.example'];
const addresses = ['127.0.0.1', '::1', 'fd00:0:0::7'];

async function opened() {
  const authority = await shared.open();
  const ensure = (change: { names?: string[]; addresses?: string[]; now?: number } = {}) =>
    authority.ensureServer({ names, addresses, now: Date.now(), ...change });
  return { authority, dir: authority.dir, ensure };
}

describe('the server certificate', () => {
  test('is a server certificate for openssl, and not a client certificate', async () => {
    const { dir, ensure } = await opened();
    await ensure();
    const verify = (purpose: string) =>
      openssl(
        'verify',
        '-x509_strict',
        '-CAfile',
        join(dir, 'ca.crt'),
        '-purpose',
        purpose,
        join(dir, 'server.crt'),
      );
    expect(await verify('sslserver')).toContain('OK');
    await expect(verify('sslclient')).rejects.toThrow(/purpose/);
  });

  test('carries every name and address, and no other', async () => {
    const { ensure } = await opened();
    const certificate = new X509Certificate((await ensure()).certPem);
    for (const name of names) expect(certificate.checkHost(name)).toBe(name);
    for (const address of addresses) expect(certificate.checkIP(address)).toBeDefined();
    expect(certificate.checkHost('other.example')).toBeUndefined();
    expect(certificate.checkIP('127.0.0.2')).toBeUndefined();
    expect(certificate.subject).toBe('O=Tagkeep\nCN=tagkeep');
  });

  test('a node client accepts it by name and by address, and refuses it under another name', async () => {
    const { authority, ensure } = await opened();
    const { keyPem, chainPem } = await ensure();
    const dial = (servername?: string) =>
      handshake(
        { key: keyPem, cert: chainPem },
        { ca: authority.caCertPem, ...(servername ? { servername } : {}) },
      );
    for (const name of names) expect((await dial(name)).clientError).toBeNull();
    expect((await dial()).clientError).toBeNull();
    expect((await dial('other.example')).clientError).toMatch(/ERR_TLS_CERT_ALTNAME_INVALID|altnames/);
  });

  test('is valid for 825 days at most, from an hour ago, with a P-256 key', async () => {
    const { ensure } = await opened();
    const now = Math.floor(Date.now() / 1000) * 1000;
    const { certPem, notAfter } = await ensure({ now });
    const certificate = new X509Certificate(certPem);
    const start = Date.parse(certificate.validFrom);
    expect(start).toBe(now - 3_600_000);
    expect(notAfter - start + 1000).toBe(825 * DAY_MS);
    expect(certificate.publicKey.asymmetricKeyDetails?.namedCurve).toBe('prime256v1');
  });

  test.each(['000', '077'])('the key has mode 0600 and the certificate 0644 under umask %s', async (mask) => {
    const { dir, ensure } = await opened();
    process.umask(Number.parseInt(mask, 8));
    await ensure();
    expect(await modeOf(join(dir, 'server.key'))).toBe(0o600);
    expect(await modeOf(join(dir, 'server.crt'))).toBe(0o644);
    expect((await readdir(dir)).sort()).toEqual(['ca.crt', 'ca.key', 'server.crt', 'server.key']);
  });

  test('a name too long for the common name is still carried', async () => {
    const { ensure } = await opened();
    const long = `${'a'.repeat(60)}.${'b'.repeat(60)}.example`;
    const certificate = new X509Certificate((await ensure({ names: [long], addresses: [] })).certPem);
    expect(certificate.checkHost(long)).toBe(long);
    expect(certificate.subject).toBe('O=Tagkeep\nCN=Tagkeep server');
  });

  test('no names, too many, or a name that is none are refused', async () => {
    const { ensure, dir } = await opened();
    await expect(ensure({ names: [], addresses: [] })).rejects.toThrow(/at least one name/);
    const many = Array.from({ length: 101 }, (_, index) => `host-${index}`);
    await expect(ensure({ names: many, addresses: [] })).rejects.toThrow(/101 names and addresses/);
    await expect(ensure({ names: ['a b'] })).rejects.toThrow(PkiError);
    expect((await readdir(dir)).sort()).toEqual(['ca.crt', 'ca.key']);
  });
});

describe('the server certificate is kept', () => {
  test('over restarts, whatever the order, case and spelling of names and addresses', async () => {
    const { dir, ensure } = await opened();
    const first = await ensure();
    expect(first.issuedBecause).toBe('there was none');
    const restarted = await openAuthority({ certsDir: dir, now: Date.now() });
    const again = await restarted.ensureServer({
      names: ['Depot.Example.', 'localhost', 'TAGKEEP', 'localhost'],
      addresses: ['0:0:0:0:0:0:0:1', 'fd00::7', '127.0.0.1'],
      now: Date.now(),
    });
    expect(again).toEqual({ ...first, issuedBecause: null });
    expect(again.chainPem).toBe(again.certPem + restarted.caCertPem);
  });

  test('until 60 days before its end', async () => {
    const { ensure } = await opened();
    const { notAfter } = await ensure();
    expect((await ensure({ now: notAfter - 60 * DAY_MS })).issuedBecause).toBeNull();
    const renewed = await ensure({ now: notAfter - 60 * DAY_MS + 1 });
    expect(renewed.issuedBecause).toBe('it would end within 60 days');
    expect(renewed.notAfter).toBeGreaterThan(notAfter);
  });
});

describe('the server certificate is made anew', () => {
  test.each([
    ['a name came', { names: [...names, 'more.example'] }],
    ['a name went', { names: names.slice(1) }],
    ['an address came', { addresses: [...addresses, '10.1.2.3'] }],
  ])('when %s', async (_, change) => {
    const { ensure } = await opened();
    const first = await ensure();
    const second = await ensure(change);
    expect(second.issuedBecause).toBe('names or addresses changed');
    expect(second.certPem).not.toBe(first.certPem);
    expect((await ensure(change)).issuedBecause).toBeNull();
  });

  test('but not when an address went, which the next one still has', async () => {
    const { ensure } = await opened();
    const first = await ensure();
    const gone = { addresses: addresses.slice(1) };
    expect((await ensure(gone)).certPem).toBe(first.certPem);
    const next = await ensure({ addresses: [...addresses.slice(1), '10.1.2.3'] });
    expect(next.issuedBecause).toBe('names or addresses changed');
    const subject = new X509Certificate(next.certPem).subjectAltName ?? '';
    expect(subject).toMatch(/IP Address:10\.1\.2\.3, IP Address:127\.0\.0\.1$/);
  });

  test('with at most 20 addresses the machine had before, the latest ones', async () => {
    const { ensure } = await opened();
    for (let no = 0; no < 30; no++) await ensure({ addresses: [`10.0.0.${no}`] });
    const subject = new X509Certificate((await ensure({ addresses: ['10.0.0.29'] })).certPem).subjectAltName;
    const kept = (subject ?? '').match(/10\.0\.0\.\d+/g);
    expect(kept).toEqual(Array.from({ length: 21 }, (_, no) => `10.0.0.${29 - no}`));
  });

  test('when the authority is another one', async () => {
    const { dir, ensure } = await opened();
    await ensure();
    const other = await folder();
    await openAuthority({ certsDir: other, now: Date.now() });
    for (const file of ['server.key', 'server.crt']) {
      await writeFile(join(other, file), await readFile(join(dir, file)), { mode: 0o600 });
    }
    const moved = await openAuthority({ certsDir: other, now: Date.now() });
    const server = await moved.ensureServer({ names, addresses, now: Date.now() });
    expect(server.issuedBecause).toBe('the authority changed');
    expect(
      (await handshake({ key: server.keyPem, cert: server.chainPem }, { ca: moved.caCertPem })).clientError,
    ).toBeNull();
  });

  test.each(['server.key', 'server.crt'])(
    'when %s is missing, empty, damaged or of another pair',
    async (name) => {
      const { authority, dir, ensure } = await opened();
      await ensure();
      const other = await authority.issueClient({ commonName: 'SN-1', keyType: 'ecdsa', now: Date.now() });
      const foreign = name === 'server.key' ? other.keyPem : other.certPem;
      for (const content of ['', 'garbage', foreign]) {
        await writeFile(join(dir, name), content);
        expect((await ensure()).issuedBecause).toMatch(/^(its files were damaged|its key did not match)$/);
        expect((await ensure()).issuedBecause).toBeNull();
      }
    },
  );

  test('when the pair on disk is a client certificate of ours', async () => {
    const { authority, dir, ensure } = await opened();
    const client = await authority.issueClient({ commonName: 'SN-1', keyType: 'ecdsa', now: Date.now() });
    await writeFile(join(dir, 'server.key'), client.keyPem, { mode: 0o600 });
    await writeFile(join(dir, 'server.crt'), client.certPem);
    expect((await ensure()).issuedBecause).toBe('it was not made for a server');
  });

  test('when other users could read its key', async () => {
    const { dir, ensure } = await opened();
    await ensure();
    await chmod(join(dir, 'server.key'), 0o640);
    expect((await ensure()).issuedBecause).toBe('its key could be read by other users');
    expect(await modeOf(join(dir, 'server.key'))).toBe(0o600);
  });

  test('when the clock went back behind its start', async () => {
    const { ensure } = await opened();
    await ensure({ now: Date.now() + 400 * DAY_MS });
    expect((await ensure()).issuedBecause).toBe('it was not valid yet');
  });
});
