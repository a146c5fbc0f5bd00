import { createPrivateKey, X509Certificate } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PkiError } from '../../src/pki/pki-error.ts';
import { makeSelfSigned } from '../../src/pki/self-signed.ts';
import { openssl } from '../support/openssl.ts';
import { folders, handshake } from './fixture.ts';

const folder = folders();
const request = { commonName: 'reader', hosts: ['reader.local', '127.0.0.1'], now: Date.now() };

describe('a self-signed certificate', () => {
  test('is signed by its own key, for its names and addresses, for ten years', async () => {
    const { cert, key } = await makeSelfSigned(request);
    const certificate = new X509Certificate(cert);
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.checkPrivateKey(createPrivateKey(key))).toBe(true);
    expect(certificate.subject).toBe(certificate.issuer);
    expect(certificate.checkHost('reader.local')).toBe('reader.local');
    expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(certificate.ca).toBe(false);
    const years = (Date.parse(certificate.validTo) - request.now) / (365.25 * 86_400_000);
    expect(years).toBeCloseTo(10, 1);
  });

  test('openssl trusts it when it is told to, and only then', async () => {
    const { cert } = await makeSelfSigned(request);
    const file = join(await folder(), 'own.crt');
    await writeFile(file, cert);
    expect(await openssl('verify', '-CAfile', file, '-purpose', 'sslserver', file)).toContain('OK');
    await expect(openssl('verify', '-no-CAfile', '-no-CApath', file)).rejects.toThrow(/self.signed/);
  });

  test('serves TLS to a client that does not ask who it is, and to no other', async () => {
    const server = await makeSelfSigned(request);
    expect((await handshake(server, { rejectUnauthorized: false })).clientError).toBeNull();
    expect((await handshake(server, {})).clientError).toMatch(/self.signed/);
  });

  test('no two have the same key or serial number', async () => {
    const [one, other] = await Promise.all([makeSelfSigned(request), makeSelfSigned(request)]);
    expect(new X509Certificate(one.cert).serialNumber).not.toBe(new X509Certificate(other.cert).serialNumber);
    expect(one.key).not.toBe(other.key);
  });

  test('what is neither a name nor an address is refused', async () => {
    await expect(makeSelfSigned({ ...request, hosts: ['no name'] })).rejects.toThrow(PkiError);
  });
});
