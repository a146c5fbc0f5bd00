import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DoctorReport } from '../../src/app/doctor.ts';
import { declared } from '../../src/config/options.ts';
import type { BackupsAnswer, DoctorAnswer, SystemHealth } from '../../src/contract/system.ts';
import { Appliance, type Endpoints, Rest, readerInService } from '../support/appliance.ts';
import { Publisher, plainRead } from '../support/publisher.ts';
import { until } from '../support/wait.ts';

const PASSPHRASE = 'correct horse battery canary';
const appliance = new Appliance();
const backups = join(appliance.root, 'backups');
const passphraseFile = join(appliance.root, 'passphrase');
const config = join(appliance.root, 'site.json');

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the parsed JSON of any answer
  readonly body: any;
}
type Call = (method: string, path: string) => Promise<Answer>;

let endpoints: Endpoints;
let admin: Call;
let operator: Call;
let stranger: Call;
let key: string;

beforeAll(async () => {
  mkdirSync(backups);
  writeFileSync(passphraseFile, `${PASSPHRASE}\n`, { mode: 0o600 });
  const backup = { dir: 'backups', passphraseFile: 'passphrase', keep: 5 };
  writeFileSync(config, JSON.stringify({ backup, presence: { windowSeconds: 120 } }));
  endpoints = await appliance.start(['--config', config]);
  key = await appliance.key();
  admin = await person('admin');
  operator = await person('operator');
  await appliance.cli('org', 'add', 'Tenants');
  stranger = await person('admin', 'Tenants');
}, 60_000);
afterAll(() => appliance.dispose());

/** A user who has logged in. */
async function person(role: string, org?: string): Promise<Call> {
  const email = `${role}-${org ?? 'first'}@example.org`.replace(' ', '-').toLowerCase();
  const of = org === undefined ? [] : ['--org', org];
  const { password } = await appliance.cliJson<{ password: string }>(
    'user',
    'add',
    email,
    '--role',
    role,
    ...of,
  );
  const base = `${endpoints.http}/api/v1`;
  const response = await fetch(`${base}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  expect(response.status).toBe(200);
  return async (method, path) => {
    const answer = await fetch(base + path, { method, headers: { cookie } });
    return { status: answer.status, body: await answer.json() };
  };
}

const routes = [
  ['GET', '/system/health'],
  ['GET', '/system/doctor'],
  ['GET', '/system/configuration'],
  ['GET', '/system/backups'],
  ['POST', '/system/backups'],
] as const;

describe('who may see to the appliance', () => {
  test.each(routes)('%s %s is for administrators of the first organisation alone', async (method, path) => {
    const byKey = await new Rest(endpoints, key).send(method, path);
    const statuses = [
      byKey.status,
      (await operator(method, path)).status,
      (await stranger(method, path)).status,
    ];
    expect(statuses).toEqual([403, 403, 403]);
    expect((await stranger(method, path)).body.detail).toMatch(/first organisation/);
    expect((await fetch(`${endpoints.http}/api/v1${path}`, { method })).status).toBe(401);
  });
});

describe('GET /system/health', () => {
  test('has the figures of the appliance, and they follow what happens', async () => {
    const { status, body } = await admin('GET', '/system/health');
    const before: SystemHealth = body;
    expect(status).toBe(200);
    expect(before).toMatchObject({
      ...{ hostname: hostname(), node: process.version, ready: { ok: true, reasons: [] } },
      ...{ streams: 0, brokerConnections: 0, store: { tags: 0, schemaVersion: expect.any(Number) } },
      ingest: { readsPerSecond: 0, waiting: 0, refused: 0, dropped: 0 },
    });
    expect(Math.abs(Date.parse(before.startedAt) + before.uptimeSeconds * 1000 - Date.now())).toBeLessThan(
      3000,
    );
    expect(before.memory.rssBytes).toBeGreaterThan(before.memory.heapBytes);
    expect(before.disk?.totalBytes).toBeGreaterThan(before.disk?.freeBytes ?? 0);
    expect(before.disk?.floorBytes).toBeGreaterThan(0);
    expect(before.store.bytes).toBeGreaterThan(8000);

    const rest = new Rest(endpoints, key);
    const { dir, serial } = await readerInService(appliance, rest, { serial: '370-10-15-0001' });
    const reader = await Publisher.connect({ url: endpoints.mqtts, serial, identity: dir });
    for (let n = 0; n < 30; n++) await reader.publish({ payload: plainRead(`AAAA00${10 + n}`) });
    const after: SystemHealth = (await admin('GET', '/system/health')).body;
    expect(after).toMatchObject({ brokerConnections: 1, store: { tags: 30 } });
    expect(after.ingest.readsPerSecond).toBeGreaterThan(0.3);
    await reader.close();
    await until(
      'the reader gone',
      async () => (await admin('GET', '/system/health')).body.brokerConnections === 0,
    );
  });
});

describe('GET /system/doctor', () => {
  async function ready(): Promise<boolean> {
    expect((await fetch(`${endpoints.http}/readyz`)).status).toBe(200);
    return false;
  }

  test('finds what the command finds, from a process of its own, and tells it again for a while', async () => {
    const asked = admin('GET', '/system/doctor');
    let answered = 0;
    const isThrough = asked.then(() => true);
    while (!(await Promise.race([isThrough, ready()]))) answered++;
    // While it looks around the appliance goes on.
    expect(answered).toBeGreaterThan(5);
    const { status, body } = await asked;
    const report: DoctorAnswer = body;
    expect(status).toBe(200);
    const command = await appliance.cli('doctor', '--json', '--config', config);
    const found: DoctorReport = JSON.parse(command.stdout);
    // Of readers it knows what the appliance last told, which is more by now.
    const kinds = (findings: readonly { check: string; level: string }[]) =>
      findings
        .filter(({ check }) => !check.startsWith('reader'))
        .map(({ check, level }) => `${check} ${level}`);
    expect(kinds(report.findings)).toEqual(kinds(found.findings));
    const own = report.findings.find(({ check }) => check === 'appliance');
    expect(own).toMatchObject({ level: 'ok', text: expect.stringContaining(`pid ${appliance.pid}`) });
    expect((await admin('GET', '/system/doctor')).body).toEqual(report);
  });
});

describe('GET /system/configuration', () => {
  test('has every option in force, and of secrets only whether they are set', async () => {
    const { status, body } = await admin('GET', '/system/configuration');
    expect(status).toBe(200);
    expect(body.map((one: { key: string }) => one.key)).toEqual(declared.map((one) => one.key));
    const of = (name: string) => body.find((one: { key: string }) => one.key === name);
    expect(of('presence.windowSeconds')).toMatchObject({ value: '120', default: '300', isDefault: false });
    expect(of('backup.passphraseFile')).toMatchObject({ value: 'set', default: 'not set', isDefault: false });
    expect(of('backup.dir').value).toBe(backups);
    expect(of('backup.at')).toMatchObject({ value: '02:00', isDefault: true });
  });
});

describe('/system/backups', () => {
  const tell = async (): Promise<BackupsAnswer> => (await admin('GET', '/system/backups')).body;

  test('POST makes one now, 409 while one is made; GET tells of it and of no secret', {
    timeout: 90_000,
  }, async () => {
    await until('the scheduled one', async () => (await tell()).last?.ok && !(await tell()).running, 30_000);
    expect((await tell()).files).toHaveLength(1);
    const begun = await admin('POST', '/system/backups');
    expect(begun).toEqual({ status: 202, body: { running: true } });
    const again = await admin('POST', '/system/backups');
    expect(again).toMatchObject({ status: 409, body: { type: '/problems/backup-running' } });
    expect((await tell()).running).toBe(true);
    const told = await until(
      'its end',
      async () => {
        const now = await tell();
        return now.running ? null : now;
      },
      30_000,
    );
    expect(told.schedule).toEqual({ folder: backups, at: '02:00', everyHours: 24, keep: 5, encrypted: true });
    expect(told.files.map(({ name }) => name).toSorted()).toEqual(readdirSync(backups).toSorted());
    expect(told.files).toHaveLength(2);
    expect(told.last).toMatchObject({ ok: true, file: told.files[0]?.name, bytes: told.files[0]?.bytes });
    expect(JSON.stringify(told)).not.toMatch(/correct horse|passphrase/);
    const file = join(backups, told.last?.file ?? '');
    const { stdout } = await appliance.cli('verify', file, '--passphrase-file', passphraseFile);
    expect(stdout).toContain('can be restored');
    const { body: audit } = await admin('GET', '/audit?resource=system/backups');
    expect(audit).toMatchObject([{ action: 'create', actor: { name: 'admin-first@example.org' } }]);
  });

  test('without a folder there is nothing to tell, and POST is a 409 that names the option', {
    timeout: 60_000,
  }, async () => {
    await appliance.stop();
    endpoints = await appliance.start();
    const again = await person('admin', 'My organisation');
    expect((await again('GET', '/system/backups')).body).toMatchObject({
      schedule: null,
      running: false,
      files: [],
    });
    const refused = await again('POST', '/system/backups');
    expect(refused).toMatchObject({ status: 409, body: { type: '/problems/backup-folder-missing' } });
    expect(refused.body.detail).toContain('backup.dir');
    const { body: audit } = await again('GET', '/audit?resource=system/backups');
    expect(audit).toHaveLength(1);
  });
});
