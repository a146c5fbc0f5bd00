import { createPrivateKey } from 'node:crypto';
import { chmod, link, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openAuthority, PkiError } from '../../src/pki/authority.ts';
import { openssl } from '../support/openssl.ts';
import { folders, modeOf, sharedAuthority } from './fixture.ts';

const folder = folders();
const shared = sharedAuthority(folder);

const SECRET = 'Grüße, wide 山 and "quoted" $ecret';

async function passphraseFile(content: string | Buffer = `${SECRET}\n`): Promise<string> {
  const file = join(await folder(), 'passphrase');
  await writeFile(file, content, { mode: 0o600 });
  return file;
}

function open(certsDir: string, file: string | null = null) {
  return openAuthority({ certsDir, passphraseFile: file, now: Date.now() });
}

async function refusal(certsDir: string, file: string | null): Promise<string> {
  const error = await open(certsDir, file).then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(PkiError);
  const { message } = error as PkiError; // Checked one line above.
  expect(message).not.toContain('\n');
  expect(message).not.toContain(SECRET);
  return message;
}

const keyOf = (certsDir: string) => readFile(join(certsDir, 'ca.key'), 'utf8');

describe('with a passphrase file the key of the authority is encrypted at rest', () => {
  test('a new one from the beginning: PKCS #8, AES-256-CBC, scrypt, mode 0600; openssl opens it with the passphrase alone', async () => {
    const certsDir = join(await folder(), 'certs');
    const file = await passphraseFile();
    const made = await open(certsDir, file);
    expect(made.warnings).toEqual([]);
    const path = join(certsDir, 'ca.key');
    expect(await readFile(path, 'utf8')).toMatch(/^-----BEGIN ENCRYPTED PRIVATE KEY-----\n/);
    expect(await modeOf(path)).toBe(0o600);
    const structure = await openssl('asn1parse', '-in', path);
    expect(structure).toMatch(/:PBES2\n.*:scrypt\n.*:4000\n.*:aes-256-cbc\n/s);
    expect(await openssl('pkey', '-in', path, '-passin', `file:${file}`, '-noout', '-text')).toContain(
      '3072 bit',
    );
    await expect(openssl('pkey', '-in', path, '-passin', 'pass:other', '-noout')).rejects.toThrow();
    const again = await open(certsDir, file);
    expect(again.caFingerprint256).toBe(made.caFingerprint256);
    expect(again.warnings).toEqual([]);
  });

  test('a plain one that is there is replaced at the next start, and nothing of it is left in the folder', async () => {
    const certsDir = await shared.copy();
    const plain = await keyOf(certsDir);
    // A second name a crash left: the plain key must not live on under it.
    await link(join(certsDir, 'ca.key'), join(certsDir, '.ca.key.0123456789abcdef.tmp'));
    const file = await passphraseFile();
    const before = await open(await shared.copy());
    const opened = await open(certsDir, file);
    expect(opened.caFingerprint256).toBe(before.caFingerprint256);
    expect(opened.warnings.join()).toMatch(/ca\.key was not encrypted; it is now, with the passphrase in /);
    expect((await readdir(certsDir)).sort()).toEqual(['ca.crt', 'ca.key']);
    const encrypted = await keyOf(certsDir);
    const key = createPrivateKey({ key: encrypted, passphrase: SECRET });
    expect(key.equals(createPrivateKey(plain))).toBe(true);
    expect(await modeOf(join(certsDir, 'ca.key'))).toBe(0o600);
    await open(certsDir, file);
    expect(await keyOf(certsDir)).toBe(encrypted);
  });

  test('it issues as before', async () => {
    const certsDir = await shared.copy();
    const authority = await open(certsDir, await passphraseFile());
    const { certPem } = await authority.issueClient({
      commonName: 'SN-1',
      keyType: 'ecdsa',
      now: Date.now(),
    });
    const client = join(certsDir, 'client.crt');
    await writeFile(client, certPem);
    expect(await openssl('verify', '-CAfile', join(certsDir, 'ca.crt'), client)).toContain('OK');
  });

  test('two starts at once on one plain key end with one encrypted key both opened', async () => {
    const certsDir = await shared.copy();
    const file = await passphraseFile();
    const [one, two] = await Promise.all([open(certsDir, file), open(certsDir, file)]);
    expect(one.caFingerprint256).toBe(two.caFingerprint256);
    expect((await open(certsDir, file)).caFingerprint256).toBe(one.caFingerprint256);
    expect((await readdir(certsDir)).sort()).toEqual(['ca.crt', 'ca.key']);
  });

  test.each(['\n', '\r\n', ''])(
    'the line end %j after the passphrase is no part of it, blanks are',
    async (end) => {
      const certsDir = await shared.copy();
      await open(certsDir, await passphraseFile(` ${SECRET} ${end}`));
      const key = await keyOf(certsDir);
      expect(createPrivateKey({ key, passphrase: ` ${SECRET} ` }).type).toBe('private');
    },
  );

  test.each(['-aes256', '-aes128', '-traditional'])(
    'a key that openssl encrypted (%s) is taken as it is',
    async (how) => {
      const certsDir = await shared.copy();
      const file = await passphraseFile();
      const path = join(certsDir, 'ca.key');
      const options = how === '-traditional' ? [how, '-aes256'] : [how];
      await openssl('pkey', '-in', path, ...options, '-passout', `file:${file}`, '-out', `${path}.new`);
      await writeFile(path, await readFile(`${path}.new`));
      const before = await keyOf(certsDir);
      expect((await open(certsDir, file)).warnings).toEqual([]);
      expect(await keyOf(certsDir)).toBe(before);
    },
  );
});

describe('what keeps the authority from opening is said in one line', () => {
  test('an encrypted key and no passphrase file', async () => {
    const certsDir = await shared.copy();
    await open(certsDir, await passphraseFile());
    expect(await refusal(certsDir, null)).toMatch(
      /ca\.key: is encrypted; name the file with its passphrase in pki\.passphraseFile$/,
    );
  });

  test('a wrong passphrase, each time', async () => {
    const certsDir = await shared.copy();
    await open(certsDir, await passphraseFile());
    const key = await keyOf(certsDir);
    for (const wrong of ['other', `${SECRET} `, SECRET.slice(1)]) {
      expect(await refusal(certsDir, await passphraseFile(wrong))).toMatch(
        /ca\.key: the passphrase in \S+ does not open it; name the right one in pki\.passphraseFile/,
      );
    }
    expect(await keyOf(certsDir)).toBe(key);
  });

  test('an encrypted key that is damaged', async () => {
    const certsDir = await shared.copy();
    const file = await passphraseFile();
    await open(certsDir, file);
    const lines = (await keyOf(certsDir)).split('\n');
    await writeFile(join(certsDir, 'ca.key'), [...lines.slice(0, 5), ...lines.slice(6)].join('\n'));
    expect(await refusal(certsDir, file)).toMatch(/ca\.key: the passphrase in .* or restore the key/);
  });

  test.each([
    ['an empty file', '', /is empty/],
    ['a line end alone', '\n', /is empty/],
    ['two lines', 'one\ntwo\n', /more than one line/],
    ['NUL', 'one\0two', /more than one line/],
    ['over 1,000 bytes', 'x'.repeat(1001), /over 1000 bytes/],
    ['over 64 kB', 'x'.repeat(70_000), /over 64 kB/],
  ])('a passphrase file with %s', async (_, content, expected) => {
    const certsDir = await shared.copy();
    const before = await keyOf(certsDir);
    const message = await refusal(certsDir, await passphraseFile(content));
    expect(message).toMatch(/^pki\.passphraseFile: /);
    expect(message).toMatch(expected);
    expect(await keyOf(certsDir)).toBe(before);
  });

  test('a passphrase file that is missing, or a folder; nothing is made then', async () => {
    const certsDir = join(await folder(), 'certs');
    const file = await passphraseFile();
    await rm(file);
    expect(await refusal(certsDir, file)).toBe(`pki.passphraseFile: ${file}: there is no such file`);
    expect(await refusal(certsDir, await folder())).toMatch(
      /^pki\.passphraseFile: .*cannot be read \(EISDIR\)/,
    );
    await expect(readdir(certsDir)).rejects.toThrow('ENOENT');
  });

  test('a pair that does not belong together stays as it is found', async () => {
    const certsDir = await shared.copy();
    await openssl(
      'genpkey',
      '-algorithm',
      'RSA',
      '-pkeyopt',
      'rsa_keygen_bits:2048',
      '-out',
      join(certsDir, 'ca.key'),
    );
    const before = await keyOf(certsDir);
    expect(await refusal(certsDir, await passphraseFile())).toMatch(/ca\.crt: does not belong to/);
    expect(await keyOf(certsDir)).toBe(before);
  });
});

test('a passphrase file that others can read is used, with a warning that says what to do', async () => {
  const certsDir = await shared.copy();
  const file = await passphraseFile();
  await chmod(file, 0o644);
  const { warnings } = await open(certsDir, file);
  expect(warnings.join()).toContain(
    `pki.passphraseFile: ${file} can be read by other users; run: chmod 600 ${file}`,
  );
  expect(await modeOf(file)).toBe(0o644);
});
