import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { copyFile, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls, { type TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ownCertificateRenewal } from '../../src/app/own-certificate.ts';
import { readWebCertificate } from '../../src/app/web-certificate.ts';
import { watchWebCertificate } from '../../src/app/web-certificate-watch.ts';
import { type Listening, listen } from '../../src/http/listen.ts';
import { openAuthority } from '../../src/pki/authority.ts';
import { makeKey, makeSelfSigned } from '../support/openssl.ts';

let made: string;
let dir: string;
let files: { certFile: string; keyFile: string };
let server: Listening;
let run: () => void;
let told: string[];

/** Two pairs, made once: `one` and `two`. */
beforeAll(async () => {
  made = mkdtempSync(join(tmpdir(), 'tagkeep-pairs-'));
  for (const name of ['one', 'two']) {
    await makeKey(join(made, `${name}.key`), 'ec');
    await makeSelfSigned({ key: join(made, `${name}.key`), out: join(made, `${name}.crt`), name, ca: false });
  }
});
afterAll(() => rmSync(made, { recursive: true, force: true }));

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tagkeep-web-'));
  files = { certFile: join(dir, 'web.crt'), keyFile: join(dir, 'web.key') };
  await put('crt', 'one');
  await put('key', 'one');
  const current = readWebCertificate(files);
  if (!current) throw new Error('no certificate');
  server = await listen({ handler: (_, res) => res.end('ok'), host: '127.0.0.1', port: 0, tls: current });
  told = [];
  const log = {
    info: (_: object, message: string) => void told.push(`info ${message}`),
    warn: (_: object, message: string) => void told.push(`warn ${message}`),
  };
  const use = server.replaceCertificate;
  ({ run } = watchWebCertificate({ files, current, use, log }));
});
afterEach(async () => {
  await server.close();
  rmSync(dir, { recursive: true, force: true });
});

async function put(part: 'crt' | 'key', name: string): Promise<void> {
  await copyFile(join(made, `${name}.${part}`), join(dir, `new.${part}`));
  await rename(join(dir, `new.${part}`), join(dir, `web.${part}`));
}

/** A connection to the server, as soon as TLS is through. */
function connect(options: tls.ConnectionOptions = {}): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const at = { host: '127.0.0.1', port: server.port, rejectUnauthorized: false, ...options };
    const socket = tls.connect(at, () => resolve(socket));
    socket.once('error', reject);
  });
}

/** The name on the certificate that a new connection is shown. */
async function shown(options: tls.ConnectionOptions = {}): Promise<unknown> {
  const socket = await connect(options);
  const { subject } = socket.getPeerCertificate();
  socket.destroy();
  return subject.CN;
}

describe("the operator's own certificate", () => {
  test('is taken when both files are new; open connections go on', async () => {
    const open = await connect();
    await put('key', 'two');
    await put('crt', 'two');
    run();
    expect(await shown()).toBe('two');
    expect(told).toEqual([
      expect.stringMatching(/^info HTTPS uses the new certificate of .*web\.crt, which ends on \d/),
    ]);
    open.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    const answer = await new Promise<string>((resolve) => {
      open.once('data', (chunk: Buffer) => resolve(chunk.toString()));
    });
    expect(answer).toMatch(/^HTTP\/1\.1 200/);
    open.destroy();
  });

  test('nothing happens while the files are the same, written anew or not', async () => {
    run();
    await put('crt', 'one');
    run();
    expect([told, await shown()]).toEqual([[], 'one']);
  });

  test('between the two files of a renewal nothing is said and the old pair stays', async () => {
    await put('crt', 'two');
    run();
    expect([told, await shown()]).toEqual([[], 'one']);
    await put('key', 'two');
    run();
    expect(await shown()).toBe('two');
    expect(told).toHaveLength(1);
  });

  test.each([
    { what: 'a key of another certificate', part: 'key', text: null, fault: /does not belong to .*web\.crt/ },
    {
      what: 'a certificate that is none',
      part: 'crt',
      text: 'x',
      fault: /^warn https\.certFile: .* is no certificate/,
    },
    {
      what: 'an emptied key',
      part: 'key',
      text: '',
      fault: /^warn https\.keyFile: .* is no private key in PEM/,
    },
  ] as const)(
    '$what is told in one line, once; the old pair stays until it is right',
    async ({ part, text, fault }) => {
      await (text === null ? put(part, 'two') : writeFile(join(dir, `web.${part}`), text));
      for (let i = 0; i < 4; i++) run();
      expect(told).toEqual([expect.stringMatching(fault)]);
      expect(told[0]).toMatch(/; HTTPS goes on with the certificate it had$/);
      expect(told[0]).not.toContain('\n');
      expect(await shown()).toBe('one');
      for (const each of ['crt', 'key'] as const) await put(each, 'two');
      run();
      expect(await shown()).toBe('two');
    },
  );

  test('files that are gone are told once, and again when they are gone again', async () => {
    for (let i = 0; i < 2; i++) {
      rmSync(files.keyFile);
      for (let look = 0; look < 3; look++) run();
      await put('key', 'one');
      run();
    }
    expect(told).toEqual(
      Array(2).fill(expect.stringMatching(/^warn https\.keyFile: .*web\.key can't be read/)),
    );
    expect(await shown()).toBe('one');
  });

  test('a pipe in the place of a file is told, not waited for', async () => {
    rmSync(files.keyFile);
    execFileSync('mkfifo', [files.keyFile]);
    for (let look = 0; look < 3; look++) run();
    expect(told[0]).toMatch(/^warn https\.keyFile: .*web\.key can't be read: it is not a file/);
    expect(await shown()).toBe('one');
  });

  test('a new certificate leaves the rules of TLS as they were', async () => {
    await put('key', 'two');
    await put('crt', 'two');
    run();
    await expect(
      shown({ maxVersion: 'TLSv1.1', minVersion: 'TLSv1', ciphers: 'ALL:@SECLEVEL=0' }),
    ).rejects.toThrow();
    const weak = { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA256:@SECLEVEL=0' } as const;
    await expect(shown(weak)).rejects.toThrow();
    expect(await shown({ maxVersion: 'TLSv1.2' })).toBe('two');
  });
});

test('what TLS refuses is thrown and the server goes on with what it had', async () => {
  const key = readFileSync(join(made, 'one.key'), 'utf8');
  const cert = readFileSync(join(made, 'two.crt'), 'utf8');
  expect(() => server.replaceCertificate({ key, cert })).toThrow();
  expect(await shown()).toBe('one');
});

test("the appliance's own certificate is renewed while it runs, in its last 60 days and not before", async () => {
  const DAY = 86_400_000;
  let now = Date.now();
  const authority = await openAuthority({ certsDir: join(dir, 'certs'), passphraseFile: null, now });
  const ends: number[] = [];
  const lines: string[] = [];
  const renewal = ownCertificateRenewal({
    ...{ authority, hostnames: ['box.example'], now: () => now },
    use: ({ chainPem, keyPem, notAfter }) => {
      server.replaceCertificate({ cert: chainPem, key: keyPem });
      ends.push(notAfter);
    },
    log: { info: (_, message) => lines.push(message) },
  });
  await renewal.run();
  await renewal.run();
  expect(ends).toHaveLength(1);
  const before = await connect({
    servername: 'box.example',
    ca: authority.caCertPem,
    rejectUnauthorized: true,
  });
  const first = before.getPeerCertificate().serialNumber;
  before.destroy();
  now = (ends[0] ?? 0) - 61 * DAY;
  await renewal.run();
  expect(ends).toHaveLength(1);
  now += 2 * DAY;
  await renewal.run();
  expect(ends).toHaveLength(2);
  const after = await connect();
  expect(after.getPeerCertificate().serialNumber).not.toBe(first);
  after.destroy();
  expect(lines[1]).toMatch(
    /^the appliance's own certificate is new \(it would end within 60 days\); it ends on \d/,
  );
});
