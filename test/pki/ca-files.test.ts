import { X509Certificate } from 'node:crypto';
import { chmod, link, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { openAuthority, PkiError } from '../../src/pki/authority.ts';
import { addYears } from '../../src/pki/validity.ts';
import { makeKey, makeSelfSigned, openssl, signWith } from '../support/openssl.ts';
import { folders, modeOf, sharedAuthority } from './fixture.ts';

const folder = folders();
const shared = sharedAuthority(folder);
const umask = process.umask();
afterEach(() => process.umask(umask));

function open(certsDir: string, now = Date.now()) {
  return openAuthority({ certsDir, now });
}

async function refusal(certsDir: string, now = Date.now()): Promise<string> {
  const error = await open(certsDir, now).then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(PkiError);
  const { message } = error as PkiError; // Checked one line above.
  expect(message).not.toContain('\n');
  return message;
}

describe('the first start', () => {
  test('makes an authority that openssl takes, with its constraints critical', async () => {
    const certsDir = join(await folder(), 'a', 'certs');
    const authority = await open(certsDir);
    const path = join(certsDir, 'ca.crt');
    expect(await openssl('verify', '-x509_strict', '-check_ss_sig', '-CAfile', path, path)).toContain('OK');
    const text = await openssl('x509', '-in', path, '-noout', '-text');
    expect(text).toMatch(/Basic Constraints: critical\s+CA:TRUE, pathlen:0\n/);
    expect(text).toMatch(/Key Usage: critical\s+Certificate Sign, CRL Sign\n/);
    expect(text).toContain('Subject Key Identifier');
    expect(text).toContain('Authority Key Identifier');
    expect(text).toMatch(/Subject: O = Tagkeep, CN = Tagkeep CA [0-9A-F]{8}\n/);
    expect(authority.caFingerprint256).toBe(new X509Certificate(authority.caCertPem).fingerprint256);
    expect(authority.caNotAfter).toBeGreaterThanOrEqual(addYears(Date.now(), 20));
  });

  test.each(['000', '077'])('modes are 0700, 0600 and 0644 under umask %s', async (mask) => {
    const certsDir = join(await folder(), 'certs');
    process.umask(Number.parseInt(mask, 8));
    await open(certsDir);
    expect(await modeOf(certsDir)).toBe(0o700);
    expect(await modeOf(join(certsDir, 'ca.key'))).toBe(0o600);
    expect(await modeOf(join(certsDir, 'ca.crt'))).toBe(0o644);
  });

  test('two appliances have different authorities; the organisation is as configured', async () => {
    const one = await openAuthority({
      certsDir: await folder(),
      organisation: 'Küche & Co',
      now: Date.now(),
    });
    const two = new X509Certificate(await readFile(join(await shared.copy(), 'ca.crt'), 'utf8'));
    expect(new X509Certificate(one.caCertPem).subject).toMatch(/^O=Küche & Co\nCN=Tagkeep CA [0-9A-F]{8}$/);
    expect(new X509Certificate(one.caCertPem).subject.split('CN=')[1]).not.toBe(two.subject.split('CN=')[1]);
  });

  test('the second start finds the same authority and leaves its files alone', async () => {
    const certsDir = await shared.copy();
    const before = await readFile(join(certsDir, 'ca.key'), 'utf8');
    const [first, second] = [await open(certsDir), await open(certsDir)];
    expect(second.caFingerprint256).toBe(first.caFingerprint256);
    expect(second.warnings).toEqual([]);
    expect(await readFile(join(certsDir, 'ca.key'), 'utf8')).toBe(before);
  });

  test('four starts at once on one empty folder agree on one matching pair and leave nothing else', async () => {
    const certsDir = await folder();
    const all = await Promise.all([1, 2, 3, 4].map(() => open(certsDir)));
    expect(new Set(all.map((each) => each.caFingerprint256)).size).toBe(1);
    expect((await readdir(certsDir)).sort()).toEqual(['ca.crt', 'ca.key']);
    expect((await open(certsDir)).caFingerprint256).toBe(all[0]?.caFingerprint256);
  });
});

describe('after a crash', () => {
  test('between key and certificate: the certificate is made from the key, under the same name', async () => {
    const certsDir = await shared.copy();
    const lost = await open(certsDir);
    const { certPem } = await lost.issueClient({ commonName: 'SN-1', keyType: 'ecdsa', now: Date.now() });
    await rm(join(certsDir, 'ca.crt'));
    const again = await open(certsDir);
    expect(again.warnings.join()).toMatch(/ca\.crt was missing and has been made again/);
    const client = join(certsDir, 'client.crt');
    await writeFile(client, certPem);
    expect(await openssl('verify', '-CAfile', join(certsDir, 'ca.crt'), client)).toContain('OK');
  });

  test('temporary files left behind are no keys and are swept; other files stay', async () => {
    const certsDir = await folder();
    await writeFile(join(certsDir, '.ca.key.0123456789abcdef.tmp'), 'half a k');
    await writeFile(join(certsDir, '.ca.crt.0123456789abcdef.tmp'), '');
    await writeFile(join(certsDir, '.server.key.0123456789abcdef.tmp'), '');
    await writeFile(join(certsDir, '.notes.txt.0123456789abcdef.tmp'), 'mine');
    await writeFile(join(certsDir, 'README.md'), 'mine');
    await open(certsDir);
    const left = (await readdir(certsDir)).sort();
    expect(left).toEqual(['.notes.txt.0123456789abcdef.tmp', 'README.md', 'ca.crt', 'ca.key']);
  });

  test('between link and unlink: the second name of the key is swept, the key stays', async () => {
    const certsDir = await shared.copy();
    await link(join(certsDir, 'ca.key'), join(certsDir, '.ca.key.0123456789abcdef.tmp'));
    await open(certsDir);
    expect((await readdir(certsDir)).sort()).toEqual(['ca.crt', 'ca.key']);
  });
});

describe('files that cannot be used are refused in one line that names the file', () => {
  test('a key that others can read is closed, with a warning', async () => {
    const certsDir = await shared.copy();
    await chmod(join(certsDir, 'ca.key'), 0o644);
    const { warnings } = await open(certsDir);
    expect(warnings.join()).toMatch(/ca\.key could be read by other users/);
    expect(await modeOf(join(certsDir, 'ca.key'))).toBe(0o600);
  });

  test('a certificate whose key is missing is never replaced by a new authority', async () => {
    const certsDir = await shared.copy();
    await rm(join(certsDir, 'ca.key'));
    expect(await refusal(certsDir)).toMatch(/ca\.key: missing.*restore it from your backup, or move .* away/);
    expect(await readdir(certsDir)).toEqual(['ca.crt']);
  });

  test.each(['ca.crt', 'ca.key'])('garbage, nothing or too much in %s', async (name) => {
    const certsDir = await shared.copy();
    for (const content of ['garbage', '', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n']) {
      await writeFile(join(certsDir, name), content);
      expect(await refusal(certsDir)).toMatch(new RegExp(`${name}: not a .*restore it from your backup`));
    }
    await writeFile(join(certsDir, name), 'x'.repeat(70_000));
    expect(await refusal(certsDir)).toMatch(new RegExp(`${name}: over 64 kB`));
  });

  test('a folder where a file should be, and a file where the folder should be', async () => {
    const certsDir = await shared.copy();
    await rm(join(certsDir, 'ca.crt'));
    await mkdir(join(certsDir, 'ca.crt'));
    expect(await refusal(certsDir)).toMatch(/ca\.crt: cannot be read \(EISDIR\)/);
    expect(await refusal(join(certsDir, 'ca.key'))).toMatch(/ca\.key: the folder cannot be made \(EEXIST\)/);
  });

  test('a key and a certificate that do not belong together', async () => {
    const certsDir = await shared.copy();
    await makeKey(join(certsDir, 'ca.key'), 'rsa:2048');
    expect(await refusal(certsDir)).toMatch(/ca\.crt: does not belong to .*ca\.key; restore both/);
  });

  test.each(['ec', 'rsa:1024'] as const)('a key of the wrong kind: %s', async (kind) => {
    const certsDir = await folder();
    await makeKey(join(certsDir, 'ca.key'), kind);
    expect(await refusal(certsDir)).toMatch(/ca\.key: a key of the wrong kind \((ec|RSA with 1024 bits)\)/);
  });

  test('a certificate that is not one of an authority', async () => {
    const certsDir = await folder();
    const files = { key: join(certsDir, 'ca.key'), out: join(certsDir, 'ca.crt') };
    await makeKey(files.key, 'rsa:2048');
    await makeSelfSigned({ ...files, name: 'plain', ca: false });
    expect(await refusal(certsDir)).toMatch(/ca\.crt: not the certificate of an authority/);
  });

  test('an authority below another authority', async () => {
    const [root, certsDir] = [await shared.copy(), await folder()];
    const files = { key: join(certsDir, 'ca.key'), out: join(certsDir, 'ca.crt') };
    await makeKey(files.key, 'rsa:2048');
    const issuer = { issuerCert: join(root, 'ca.crt'), issuerKey: join(root, 'ca.key') };
    const extensions = 'basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign\n';
    await signWith({ dir: certsDir, ...files, name: 'sub', ...issuer, extensions });
    expect(await refusal(certsDir)).toMatch(/ca\.crt: issued by another authority/);
  });

  test('expired, not valid yet, and a clock that was never set', async () => {
    const certsDir = await shared.copy();
    expect(await refusal(certsDir, addYears(Date.now(), 31))).toMatch(/ca\.crt: expired on /);
    expect(await refusal(certsDir, Date.now() - 2 * 3_600_000)).toMatch(/ca\.crt: not valid before .* clock/);
    expect(await refusal(certsDir, 0)).toMatch(/the clock says 1970-01-01T00:00:00.000Z/);
  });

  test('an organisation name that does not fit into a certificate', async () => {
    const certsDir = await folder();
    for (const organisation of ['', 'x'.repeat(65), 'a\nb']) {
      await expect(openAuthority({ certsDir, organisation, now: Date.now() })).rejects.toThrow(
        /an organisation name has/,
      );
    }
    expect(await readdir(certsDir)).toEqual([]);
  });
});

test('an authority made with openssl works: issuer name and key identifier are taken as they stand', async () => {
  const certsDir = await folder();
  const files = { key: join(certsDir, 'ca.key'), out: join(certsDir, 'ca.crt') };
  await makeKey(files.key, 'rsa:2048');
  await makeSelfSigned({ ...files, name: 'Own root', ca: true });
  const authority = await open(certsDir);
  const client = join(certsDir, 'client.crt');
  const issued = await authority.issueClient({ commonName: 'SN-1', keyType: 'ecdsa', now: Date.now() });
  await writeFile(client, issued.certPem);
  expect(await openssl('verify', '-CAfile', files.out, '-purpose', 'sslclient', client)).toContain('OK');
});
