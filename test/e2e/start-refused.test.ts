import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Appliance } from '../support/appliance.ts';
import { refusalOf, tagkeep } from '../support/command.ts';
import { makeKey, makeSelfSigned } from '../support/openssl.ts';
import { canMount, SmallDisk } from '../support/small-disk.ts';

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

let appliance: Appliance;

beforeEach(() => {
  appliance = new Appliance();
});
afterEach(() => appliance.dispose());

/** The one line `serve` ends with, with these variables beside the appliance's own. */
async function refused(env: Readonly<Record<string, string>>, ...args: string[]): Promise<string> {
  return refusalOf(await tagkeep(['serve', ...args], { env: { ...appliance.env, ...env } }));
}

function configFile(content: string): string {
  const file = join(appliance.root, 'other.config.json');
  writeFileSync(file, content);
  return file;
}

/** After a start that was refused the first start is still to come, and tells the password. */
async function firstStartWorks(): Promise<void> {
  await appliance.start();
  expect(appliance.output).toMatch(/^ {2}password: \S{16,} {3}\(shown this once; keep it\)$/m);
}

/** Something else listens on a port until `release`. */
async function occupiedPort(): Promise<{ readonly port: string; readonly release: () => Promise<void> }> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server on a TCP port has an address of this form.
  const { port } = server.address() as AddressInfo;
  return { port: String(port), release: () => new Promise((resolve) => server.close(() => resolve())) };
}

describe('a configuration that is wrong stops the start in one line with exit code 1', () => {
  test('an unknown key is named, with the one that was meant', async () => {
    const file = configFile('{"http": {"prot": 1}}');
    expect(await refused({}, '--config', file)).toMatch(
      /"http\.prot" in .*other\.config\.json.*"http\.port"/,
    );
    expect(existsSync(appliance.dataDir)).toBe(false);
  });

  test('a bad value is named with its key', async () => {
    const file = configFile('{"mqtts": {"port": 70000}}');
    expect(await refused({}, '--config', file)).toMatch(/mqtts\.port in .*other\.config\.json.*70000/);
  });

  test('a file that is no JSON is named', async () => {
    expect(await refused({}, '--config', configFile('{"http": '))).toMatch(/other\.config\.json/);
  });

  test('an unknown TAGKEEP_ variable is named', async () => {
    expect(await refused({ TAGKEEP_HTPP__PORT: '1' })).toMatch(/TAGKEEP_HTPP__PORT/);
    expect(existsSync(appliance.dataDir)).toBe(false);
  });

  test('a bad value in a variable is named with the variable', async () => {
    expect(await refused({ TAGKEEP_HTTP__PORT: 'eighty' })).toMatch(/TAGKEEP_HTTP__PORT.*eighty/);
  });
});

describe('a start that cannot succeed leaves nothing half-made', () => {
  test('an occupied port is named with its option, and the next start is the first', async () => {
    const { port, release } = await occupiedPort();
    try {
      for (const name of ['HTTP', 'HTTPS', 'MQTTS']) {
        const line = await refused({ [`TAGKEEP_${name}__PORT`]: port });
        expect(line).toContain(`127.0.0.1:${port} (${name.toLowerCase()}.port) is in use`);
      }
      expect(existsSync(join(appliance.dataDir, 'db'))).toBe(false);
      expect(readdirSync(join(appliance.dataDir, 'run'))).toEqual([]);
    } finally {
      await release();
    }
    await firstStartWorks();
  });

  test('one port for two listeners is refused and names both', async () => {
    const { port, release } = await occupiedPort();
    await release();
    const line = await refused({ TAGKEEP_HTTP__PORT: port, TAGKEEP_MQTTS__PORT: port });
    expect(line).toMatch(
      new RegExp(`127\\.0\\.0\\.1:${port} \\(mqtts\\.port\\) is also the port of http\\.port`),
    );
    expect(existsSync(join(appliance.dataDir, 'db'))).toBe(false);
  });

  test('an address this machine does not have is named', async () => {
    expect(await refused({ TAGKEEP_HTTPS__HOST: '192.0.2.1' })).toMatch(/192\.0\.2\.1 \(https\.host\)/);
  });

  test('certificate files of HTTPS that are not there, or are none, are named with their option', async () => {
    const certFile = join(appliance.root, 'https.crt');
    const keyFile = join(appliance.root, 'https.key');
    const files = { TAGKEEP_HTTPS__CERT_FILE: certFile, TAGKEEP_HTTPS__KEY_FILE: keyFile };
    expect(await refused(files)).toContain(`https.certFile: ${certFile} can't be read`);
    for (const file of [certFile, keyFile]) writeFileSync(file, 'nothing of the kind');
    expect(await refused(files)).toContain(`https.certFile: ${certFile} is no certificate`);
    expect(existsSync(join(appliance.dataDir, 'db'))).toBe(false);
  });

  test('a key that does not belong to the certificate of HTTPS is named', async () => {
    const certFile = join(appliance.root, 'https.crt');
    const keys = ['https.key', 'other.key'].map((name) => join(appliance.root, name));
    for (const key of keys) await makeKey(key, 'ec');
    await makeSelfSigned({ key: String(keys[0]), out: certFile, name: 'localhost', ca: false });
    const files = { TAGKEEP_HTTPS__CERT_FILE: certFile, TAGKEEP_HTTPS__KEY_FILE: String(keys[1]) };
    expect(await refused(files)).toBe(`https.keyFile: ${keys[1]} does not belong to ${certFile}`);
  });

  test('a broken ca.key is named', async () => {
    const certs = join(appliance.root, 'certs');
    mkdirSync(certs, { mode: 0o700 });
    writeFileSync(join(certs, 'ca.key'), 'not a key', { mode: 0o600 });
    expect(await refused({})).toMatch(/certs\/ca\.key: not a private key/);
    expect(existsSync(join(appliance.dataDir, 'db'))).toBe(false);
  });

  test('a ca.key that was lost is not replaced: the readers trust the old one', async () => {
    const certs = join(appliance.root, 'certs');
    mkdirSync(certs, { mode: 0o700 });
    const key = join(appliance.root, 'lost.key');
    await makeKey(key, 'rsa:2048');
    await makeSelfSigned({ key, out: join(certs, 'ca.crt'), name: 'Tagkeep CA', ca: true });
    expect(await refused({})).toMatch(/certs\/ca\.key: missing, though ca\.crt is there/);
    expect(existsSync(join(certs, 'ca.key'))).toBe(false);
  });
});

describe('a data folder that cannot be used is refused in one line', () => {
  test('a file in its place', async () => {
    writeFileSync(appliance.dataDir, 'a file');
    expect(await refused({})).toContain(`data folder ${appliance.dataDir} is not a folder`);
  });

  test.each([
    ['emptied', () => Buffer.alloc(0)],
    ['overwritten', () => Buffer.alloc(32_768, 7)],
  ])('one whose database was %s: it is no first start', async (_, content) => {
    const file = join(appliance.dataDir, 'db', 'tagkeep.mdb');
    mkdirSync(join(appliance.dataDir, 'db'), { recursive: true });
    chmodSync(appliance.dataDir, 0o700);
    writeFileSync(file, content());
    expect(await refused({})).toContain(`${file} is damaged`);
    expect(readFileSync(file)).toEqual(content());
  });

  // Root may write everywhere, so it runs the program as somebody else.
  test('one that the user may not write', async () => {
    chmodSync(appliance.root, 0o755);
    mkdirSync(appliance.dataDir, { mode: 0o555 });
    const result = await tagkeep(['serve'], { env: appliance.env, ...(isRoot ? { uid: NOBODY } : {}) });
    const user = isRoot ? NOBODY : process.getuid?.();
    expect(refusalOf(result)).toContain(`data folder ${appliance.dataDir} is not writable by user ${user}`);
    expect(readdirSync(appliance.dataDir)).toEqual([]);
  });

  test.skipIf(!canMount())('one on a disk that is mounted read-only', async () => {
    const disk = new SmallDisk('size=1m,ro');
    try {
      const line = await refused({ TAGKEEP_DATA_DIR: disk.dir });
      expect(line).toMatch(/data folder .* is not writable .*read-only file system/);
    } finally {
      disk.remove();
    }
  });

  test('one that another process serves, whose pid is named; that one goes on', async () => {
    const { http, pid } = await appliance.start();
    expect(await refused({})).toBe(`another tagkeep (pid ${pid}) is serving ${appliance.dataDir}`);
    expect((await fetch(`${http}/readyz`)).status).toBe(200);
    expect(appliance.endpoints().pid).toBe(pid);
  });

  test('a folder shared by everybody, such as /tmp', async () => {
    expect(await refused({ TAGKEEP_DATA_DIR: '/tmp' })).toMatch(/data folder \/tmp is shared/);
  });
});
