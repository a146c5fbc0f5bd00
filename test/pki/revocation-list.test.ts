import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openAuthority } from '../../src/pki/authority.ts';
import { makeSerialNumber } from '../../src/pki/certificate.ts';
import { integer, time } from '../../src/pki/der-writer.ts';
import type { RevocationListContent } from '../../src/pki/revocation-list.ts';
import { openssl } from '../support/openssl.ts';
import { folders, sharedAuthority } from './fixture.ts';

const folder = folders();
const shared = sharedAuthority(folder);
const DAY = 86_400_000;

const content = (more: Partial<RevocationListContent> = {}): RevocationListContent => ({
  revoked: [],
  number: 1,
  thisUpdate: Date.now(),
  nextUpdate: Date.now() + 7 * DAY,
  ...more,
});

/** A list of a fresh authority, on disk, and what openssl says to it. */
async function listed(list: RevocationListContent) {
  const authority = await shared.open();
  const path = join(authority.dir, 'ca.crl');
  const der = await authority.revocationList(list);
  await writeFile(path, der);
  const ca = join(authority.dir, 'ca.crt');
  const checked = ['crl', '-inform', 'DER', '-in', path, '-verify', '-CAfile', ca];
  return { authority, path, ca, der, text: await openssl(...checked, '-noout', '-text') };
}

/** As openssl prints a time: `Jan  2 09:15:37 2026 GMT`. */
function openSslTime(at: number): string {
  const [, day = '', month, year, clock] = new Date(at).toUTCString().split(' ');
  return `${month} ${String(Number(day)).padStart(2, ' ')} ${clock} ${year} GMT`;
}

describe('the revocation list', () => {
  test('with nobody on it: version 2, of our authority, with its dates and number', async () => {
    const list = content({ number: 1_790_000_000 });
    const { authority, text } = await listed(list);
    expect(text).toContain('Version 2 (0x1)');
    expect(text).toContain('Signature Algorithm: sha256WithRSAEncryption');
    expect(text).toContain('No Revoked Certificates.');
    expect(text).toMatch(/Issuer: O = Tagkeep, CN = Tagkeep CA [0-9A-F]{8}\n/);
    expect(text).toContain(`Last Update: ${openSslTime(list.thisUpdate)}`);
    expect(text).toContain(`Next Update: ${openSslTime(list.nextUpdate)}`);
    expect(text).toMatch(/X509v3 CRL Number: \n\s+1790000000\n/);
    expect(text).toContain('X509v3 Authority Key Identifier');
    expect(authority.warnings).toEqual([]);
  });

  test('with three: each serial number with the date it was revoked', async () => {
    const revoked = [0, 1, 2].map((n) => ({
      serialNumber: makeSerialNumber(randomBytes),
      revokedAt: Date.UTC(2026, n * 4, 3, 9, 15, 37, 412),
    }));
    const { text } = await listed(content({ revoked, number: 2 }));
    for (const { serialNumber, revokedAt } of revoked)
      expect(text).toContain(
        `Serial Number: ${serialNumber}\n        Revocation Date: ${openSslTime(revokedAt)}`,
      );
    expect(text.match(/Serial Number:/g)).toHaveLength(3);
  });

  test('makes openssl refuse the certificates on it, and no others', async () => {
    const authority = await shared.open();
    const issue = () => authority.issueClient({ commonName: 'SN-1', keyType: 'ecdsa', now: Date.now() });
    const [bad, good] = [await issue(), await issue()];
    const revoked = [{ serialNumber: bad.serialNumber, revokedAt: Date.now() }];
    const at = (name: string) => join(authority.dir, name);
    await writeFile(at('ca.crl'), await authority.revocationList(content({ revoked })));
    await openssl('crl', '-inform', 'DER', '-in', at('ca.crl'), '-out', at('ca.crl.pem'));
    await writeFile(at('bad.crt'), bad.certPem);
    await writeFile(at('good.crt'), good.certPem);
    const check = [
      'verify',
      '-crl_check',
      '-x509_strict',
      '-CAfile',
      at('ca.crt'),
      '-CRLfile',
      at('ca.crl.pem'),
    ];
    expect(await openssl(...check, at('good.crt'))).toContain('OK');
    await expect(openssl(...check, at('bad.crt'))).rejects.toThrow(/certificate revoked/);
  });

  test('of another authority with a key of its own is not ours', async () => {
    const { path } = await listed(content());
    const other = await folder();
    await openAuthority({ certsDir: other, now: Date.now() });
    const ca = join(other, 'ca.crt');
    const args = ['crl', '-inform', 'DER', '-in', path, '-verify', '-CAfile', ca, '-noout'];
    await expect(openssl(...args)).rejects.toThrow();
  });

  test('reaches beyond 2049, where the form of a date changes', async () => {
    const revokedAt = Date.UTC(2050, 0, 1);
    const revoked = [{ serialNumber: '4A', revokedAt }];
    const { text } = await listed(content({ revoked, thisUpdate: revokedAt, nextUpdate: revokedAt + DAY }));
    expect(text).toContain('Revocation Date: Jan  1 00:00:00 2050 GMT');
    expect(text).toContain('Next Update: Jan  2 00:00:00 2050 GMT');
  });

  test('of 10,000 is made in slices: the event loop stays free', async () => {
    const authority = await shared.open();
    const revoked = Array.from({ length: 10_000 }, () => ({
      serialNumber: makeSerialNumber(randomBytes),
      revokedAt: Date.now(),
    }));
    await authority.revocationList(content());
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const der = await authority.revocationList(content({ revoked }));
    delay.disable();
    expect(der.length).toBeGreaterThan(300_000);
    expect(der.length).toBeLessThan(500_000);
    // 20 ms is the house's rule; a loaded machine adds what it adds.
    expect(delay.max / 1e6).toBeLessThan(100);
  });
});

describe('DER', () => {
  test('a whole number is as short as it can be and never negative', () => {
    expect(integer(0).toString('hex')).toBe('020100');
    expect(integer(127).toString('hex')).toBe('02017f');
    expect(integer(128).toString('hex')).toBe('02020080');
    expect(integer(16_384).toString('hex')).toBe('02024000');
    expect(integer(Buffer.from('00ff', 'hex')).toString('hex')).toBe('020200ff');
  });

  test('a number comes back out of its bytes', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (value) => {
        const der = integer(value);
        expect(der.readUInt8(1)).toBe(der.length - 2);
        expect(der.readUInt8(2)).toBeLessThan(0x80);
        expect(Number.parseInt(der.subarray(2).toString('hex'), 16)).toBe(value);
      }),
    );
  });

  test('a time has whole seconds, with two digits for the year until 2049', () => {
    expect(
      time(Date.UTC(2026, 2, 2, 9, 15, 37, 999))
        .subarray(2)
        .toString(),
    ).toBe('260302091537Z');
    expect(time(Date.UTC(2049, 11, 31, 23, 59, 59)).toString('latin1')).toBe('\x17\x0d491231235959Z');
    expect(time(Date.UTC(2050, 0, 1)).toString('latin1')).toBe('\x18\x0f20500101000000Z');
  });
});
