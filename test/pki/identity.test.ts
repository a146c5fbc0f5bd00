import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { PkiError } from '../../src/pki/authority.ts';
import { writeIdentity } from '../../src/pki/identity.ts';
import { openssl } from '../support/openssl.ts';
import { folders, handshake, modeOf, sharedAuthority } from './fixture.ts';

const folder = folders();
const shared = sharedAuthority(folder);
const umask = process.umask();
afterEach(() => process.umask(umask));
const FILES = ['ca.crt', 'client.crt', 'client.key', 'svc.json'];

async function identity(commonName = 'SN-1', authority?: Awaited<ReturnType<typeof shared.open>>) {
  const issuer = authority ?? (await shared.open());
  const issued = await issuer.issueClient({ commonName, keyType: 'ecdsa', now: Date.now() });
  const parts = { caPem: issuer.caCertPem, certPem: issued.certPem, keyPem: issued.keyPem };
  return { ...parts, user: 'root', password: 'pä"ss\n', dir: join(await folder(), 'out', 'SN-1') };
}

describe('the four identity files', () => {
  test('are written with their content, and their paths answered in order', async () => {
    const request = await identity();
    const paths = await writeIdentity(request);
    expect(paths).toEqual(FILES.map((name) => join(request.dir, name)));
    const [ca, cert, key, service] = await Promise.all(paths.map((path) => readFile(path, 'utf8')));
    expect([ca, cert, key]).toEqual([request.caPem, request.certPem, request.keyPem]);
    expect(JSON.parse(service ?? '')).toEqual({ user: 'root', password: 'pä"ss\n' });
    expect((await readdir(request.dir)).sort()).toEqual(FILES);
  });

  test('let a reader in and let it trust the broker', async () => {
    const authority = await shared.open();
    const request = await identity('SN-1', authority);
    const server = await authority.ensureServer({
      names: ['localhost'],
      addresses: ['127.0.0.1'],
      now: Date.now(),
    });
    const [ca, cert, key] = await Promise.all((await writeIdentity(request)).map((path) => readFile(path)));
    const outcome = await handshake(
      { key: server.keyPem, cert: server.chainPem, ca: authority.caCertPem, requestCert: true },
      { ca, cert, key },
    );
    expect(outcome).toMatchObject({ clientName: 'SN-1', serverError: null, clientError: null });
    expect(await openssl('x509', '-in', join(request.dir, 'client.crt'), '-noout', '-subject')).toContain(
      'CN = SN-1',
    );
  });

  test.each(['000', '077'])(
    'secrets have mode 0600, certificates 0644, a new folder 0700, under umask %s',
    async (mask) => {
      const request = await identity();
      process.umask(Number.parseInt(mask, 8));
      const paths = await writeIdentity(request);
      expect(await Promise.all(paths.map(modeOf))).toEqual([0o644, 0o644, 0o600, 0o600]);
      expect(await modeOf(request.dir)).toBe(0o700);
    },
  );

  test('files that were open to others are closed when they are replaced; the folder keeps its mode', async () => {
    const request = await identity();
    await mkdir(request.dir, { recursive: true, mode: 0o755 });
    await writeFile(join(request.dir, 'svc.json'), '{}', { mode: 0o666 });
    const before = await modeOf(request.dir);
    await writeIdentity(request);
    expect(await modeOf(join(request.dir, 'svc.json'))).toBe(0o600);
    expect(await modeOf(request.dir)).toBe(before);
  });

  test('leftovers of a crash are swept', async () => {
    const request = await identity();
    await mkdir(request.dir, { recursive: true });
    await writeFile(join(request.dir, '.client.key.0123456789abcdef.tmp'), 'half');
    await writeIdentity(request);
    expect((await readdir(request.dir)).sort()).toEqual(FILES);
  });
});

describe('a folder that is in use', () => {
  test('the same reader gets its new identity without being asked', async () => {
    const [one, two] = [await identity(), await identity()];
    await writeIdentity(one);
    await writeIdentity({ ...two, dir: one.dir });
    expect(await readFile(join(one.dir, 'client.crt'), 'utf8')).toBe(two.certPem);
    expect(await readFile(join(one.dir, 'client.key'), 'utf8')).toBe(two.keyPem);
  });

  test("another reader's identity is replaced only when asked", async () => {
    const [one, two] = [await identity(), await identity('SN-2')];
    await writeIdentity(one);
    const refused = writeIdentity({ ...two, dir: one.dir });
    await expect(refused).rejects.toThrow(PkiError);
    await expect(refused).rejects.toThrow(`${one.dir}: holds another reader's identity`);
    expect(await readFile(join(one.dir, 'client.crt'), 'utf8')).toBe(one.certPem);
    await writeIdentity({ ...two, dir: one.dir, overwrite: true });
    expect(await readFile(join(one.dir, 'client.crt'), 'utf8')).toBe(two.certPem);
  });

  test.each(['client.crt', 'client.key'])('a %s that tells no reader counts as another one', async (name) => {
    const request = await identity();
    await mkdir(request.dir, { recursive: true });
    await writeFile(join(request.dir, name), 'unknown');
    await expect(writeIdentity(request)).rejects.toThrow(/another reader's identity/);
    expect(await readdir(request.dir)).toEqual([name]);
  });

  test("the appliance's own certificates folder is refused, asked or not", async () => {
    const authority = await shared.open();
    const request = { ...(await identity('SN-1', authority)), dir: authority.dir, overwrite: true };
    await expect(writeIdentity(request)).rejects.toThrow(/holds the appliance's own ca.key/);
    expect((await readdir(authority.dir)).sort()).toEqual(['ca.crt', 'ca.key']);
  });

  test('one file that cannot be replaced changes none of the four', async () => {
    const request = await identity();
    await mkdir(join(request.dir, 'svc.json', 'child'), { recursive: true });
    await expect(writeIdentity(request)).rejects.toThrow(/svc\.json: cannot be read \(EISDIR\)/);
    expect(await readdir(request.dir)).toEqual(['svc.json']);
  });
});

describe('parts that do not belong together are refused before anything is written', () => {
  test.each([
    ['a key of another certificate', 'keyPem', /certificate and private key do not belong together/],
    ['another authority', 'caPem', /was not issued by the given authority/],
    ['a certificate that is none', 'certPem', /certificate is not valid PEM/],
    ['an endless password', 'password', /password is over 255 characters/],
  ] as const)('%s', async (_, field, message) => {
    const [request, other] = [await identity(), await identity('SN-2')];
    const wrong = { keyPem: other.keyPem, caPem: other.certPem, certPem: 'none', password: 'x'.repeat(256) };
    await expect(writeIdentity({ ...request, [field]: wrong[field] })).rejects.toThrow(message);
    await expect(readdir(request.dir)).rejects.toThrow(/ENOENT/);
  });
});
