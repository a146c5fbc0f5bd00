import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shownConfig } from '../../src/app/shown-config.ts';
import { appendAudit } from '../../src/store/audit.ts';
import { tables } from '../../src/store/tables.ts';
import { DoctorHouse, of } from '../support/doctor-house.ts';
import { until } from '../support/wait.ts';

const PASSPHRASE = 'canary passphrase of the authority';
const READER_PASSWORD = 'canary-reader-password';
const NEW_USER_PASSWORD = 'canary-user-password';
const PAYLOAD_SECRET = 'canary-in-a-payload';
const CHANGED = 'canary-in-a-change';

const empty = new DoctorHouse();
const house = new DoctorHouse((root) => {
  const file = join(root, 'canary-of-a-path');
  writeFileSync(file, `${PASSPHRASE}\n`, { mode: 0o600 });
  return { TAGKEEP_PKI__PASSPHRASE_FILE: file };
});

/** Every secret there is, by what it is. */
const secrets = new Map<string, string>();

beforeAll(async () => {
  await house.start();
  const { app, key, admin } = house;
  secrets.set('the API key', key).set('the password of the first start', admin?.password ?? '');
  secrets.set('the passphrase', PASSPHRASE).set('the place of the passphrase', 'canary-of-a-path');
  secrets.set('the password of a reader', READER_PASSWORD).set('a payload', PAYLOAD_SECRET);
  secrets.set('the password of a user', NEW_USER_PASSWORD).set('a change', CHANGED);
  secrets.set('the session cookie', await addUser(admin?.email ?? '', admin?.password ?? ''));
  const reader = await house.reader('370-10-15-0001', READER_PASSWORD);
  secrets.set('client.key', readFileSync(join(reader.dir, 'client.key'), 'utf8').slice(60, 140));
  secrets.set('ca.key', readFileSync(join(house.config.certsDir, 'ca.key'), 'utf8').slice(60, 140));
  await send(reader);
  const { orgId } = house;
  const what = { orgId, at: Date.now(), action: 'update', resource: 'zones/1' };
  await app.store.write((tx) => {
    appendAudit(tx, { ...what, before: { name: 'x' }, after: { name: CHANGED } });
    appendAudit(tx, { ...what, resource: `zones/${key}` });
  });
  for (const { value } of app.store.range(tables.apiKeys)) secrets.set('the hash of the key', value.hash);
  for (const { value } of app.store.range(tables.users))
    secrets.set(`hash of ${value.email}`, value.passwordHash);
  await house.saveDiagnostics();
}, 60_000);
afterAll(async () => {
  await house.dispose();
  await empty.dispose();
});

/** Adds a user as the admin, and answers the admin's session. */
async function addUser(email: string, password: string): Promise<string> {
  const login = await post('/auth/login', { email, password });
  const cookie = /^[^=]+=[^;]+/.exec(login.headers.get('set-cookie') ?? '')?.[0] ?? '';
  const user = { email: 'c@example.com', role: 'operator', password: NEW_USER_PASSWORD };
  const made = await post('/users', user, { cookie });
  expect([login.status, made.status]).toEqual([200, 201]);
  return cookie.slice(cookie.indexOf('=') + 1);
}

function post(path: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${house.app.endpoints.http}/api/v1${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

/** Payloads that hold what should not be there, well formed or not. */
async function send(served: Parameters<DoctorHouse['connect']>[0]): Promise<void> {
  const reader = await house.connect(served);
  const bad = [`{"password":"${PAYLOAD_SECRET}"`, JSON.stringify({ epc: PAYLOAD_SECRET, key: house.key })];
  for (const payload of bad) await reader.publish({ payload });
  const health = JSON.stringify({ type: 'health', temperatureC: PAYLOAD_SECRET });
  await reader.publish({ payload: health, topic: 'status' });
  const { diagnostics } = house.app.pipeline;
  await until('the payloads', () => diagnostics.of(served.serial).rejected > bad.length);
  await reader.close();
}

function unpack(file: string): Map<string, string> {
  const dir = `${file}.d`;
  mkdirSync(dir);
  execFileSync('tar', ['-xzf', file, '-C', dir, '--no-same-owner'], { stdio: 'inherit' });
  const inner = join(dir, 'tagkeep-support');
  return new Map(readdirSync(inner).map((name) => [name, readFileSync(join(inner, name), 'utf8')]));
}

describe('a support bundle of a running appliance', () => {
  let files: Map<string, string>;
  const file = join(house.root, 'bundle.tar.gz');
  const parsed = (name: string) => JSON.parse(files.get(name) ?? '');

  beforeAll(async () => {
    const { code, stderr } = await house.command('support-bundle', file);
    expect([code, stderr]).toEqual([0, '']);
    files = unpack(file);
  });

  it('is a .tar.gz for its owner alone, and says what is in it', () => {
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const readme = files.get('README.txt') ?? '';
    for (const name of files.keys()) if (name !== 'README.txt') expect(readme).toContain(name);
    expect(readme).toContain('There is no log in it');
  });

  it('holds none of the secrets, wherever they were planted', () => {
    expect(secrets.size).toBeGreaterThanOrEqual(12);
    for (const [what, secret] of secrets) {
      expect(secret.length, what).toBeGreaterThan(8);
      for (const [name, text] of files) expect(text.includes(secret), `${what} in ${name}`).toBe(false);
    }
    for (const [name, text] of files) expect(text, name).not.toMatch(/canary|BEGIN|tk_[\w-]{20}/);
  });

  it('holds what helps: findings, metrics, configuration, versions, counts, actions', () => {
    expect(of(parsed('doctor.json'), 'store')[0]).toMatch(/^ok -: schema/);
    expect(of(parsed('doctor.json'), 'reader.rejected')).toHaveLength(1);
    expect(of(parsed('doctor.json'), 'payload')[0]).toMatch(/^note 370-10-15-0001: 20[\d-]+T[\d:.]+Z$/);
    expect(files.get('metrics.txt')).toMatch(/^tagkeep_ingest_rejected_total \d+$/m);
    expect(parsed('configuration.json')).toMatchObject({
      dataDir: house.config.dataDir,
      'pki.passphraseFile': '(set, left out)',
      'https.keyFile': null,
    });
    expect(parsed('versions.json')).toMatchObject({ node: process.versions.node });
    expect(parsed('endpoints.json')).toEqual(house.app.endpoints);
    expect(parsed('tables.json')).toMatchObject({ readers: 1, users: 2 });
    expect(parsed('readers.json').devices).toMatchObject([{ serial: '370-10-15-0001', badPayloadsKept: 3 }]);
    const [{ actions }] = parsed('audit.json');
    expect(actions[0]).toEqual({
      ...{ at: expect.any(String), actor: { kind: 'cli', id: '' } },
      ...{ action: 'update', resource: 'zones/[redacted]' },
    });
  });

  it('does not replace a file that is there, and leaves nothing where it can not write', async () => {
    const there = await house.command('support-bundle', file);
    expect(there).toMatchObject({
      code: 1,
      stderr: `tagkeep: ${file} is there already; name another file\n`,
    });
    const nowhere = join(house.root, 'nowhere', 'b.tar.gz');
    const refused = await house.command('support-bundle', nowhere);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/^tagkeep: \S+b\.tar\.gz can't be written: ENOENT.*\n$/);
    expect(existsSync(nowhere)).toBe(false);
  });
});

describe('without an appliance', () => {
  it('there is a bundle all the same, which says what could not be had', async () => {
    const file = join(empty.root, 'empty.tar.gz');
    const { code } = await empty.command('support-bundle', file);
    const files = unpack(file);
    expect(code).toBe(0);
    expect(files.get('metrics.txt')).toBe('not to be had: no appliance is running\n');
    expect([files.get('tables.json'), files.get('audit.json')]).toEqual(['null\n', 'null\n']);
  });
});

describe('the configuration that is shown', () => {
  it('has every option, without secrets, their places, and passwords in addresses', () => {
    const { config } = empty;
    const shown = shownConfig({
      ...config,
      dataDir: 'smtp://user:canary@mail.example/x',
      https: { ...config.https, keyFile: '/etc/canary.key' },
    });
    expect(JSON.stringify(shown)).not.toContain('canary');
    expect(shown).toMatchObject({
      dataDir: 'smtp://(left out)@mail.example/x',
      'https.keyFile': '(set, left out)',
      'http.port': 0,
    });
  });
});
