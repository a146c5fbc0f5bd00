import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type App, startApp } from '../../src/app/create-app.ts';
import type { FirstStart } from '../../src/app/first-start.ts';
import { loadConfig } from '../../src/config/load.ts';
import { createLog } from '../../src/log/log.ts';
import { tables } from '../../src/store/tables.ts';
import { Publisher, plainRead } from '../support/publisher.ts';
import { until } from '../support/wait.ts';

const serial = '370-21-09-0042';
const NEW_PASSWORD = 'canary-password-of-a-user';
const READER_PASSWORD = 'canary-password-of-a-reader';
const epc = '3034257BF7194E4000001A85';
const root = mkdtempSync(join(tmpdir(), 'tagkeep-hub-rest-'));
const identity = join(root, 'identity');
const logged: string[] = [];
let app: App;
let admin: FirstStart | null = null;
let cookie = '';
let reader: Publisher;
let readerId = '';
let key = '';

beforeAll(async () => {
  const env = {
    TAGKEEP_DATA_DIR: join(root, 'data'),
    TAGKEEP_CERTS_DIR: join(root, 'certs'),
    TAGKEEP_HTTP__PORT: '0',
    TAGKEEP_HTTPS__HOST: '127.0.0.1',
    TAGKEEP_HTTPS__PORT: '0',
    TAGKEEP_MQTTS__HOST: '127.0.0.1',
    TAGKEEP_MQTTS__PORT: '0',
  };
  app = await startApp({
    config: loadConfig({ env, cwd: root }),
    log: createLog({ level: 'trace', pretty: false, out: { write: (line) => logged.push(line) } }),
    onFirstStart: (made) => {
      admin = made;
    },
    checkResponses: true,
  });
});
afterAll(async () => {
  await reader?.close();
  await app?.stop();
  rmSync(root, { recursive: true, force: true });
});

// biome-ignore lint/suspicious/noExplicitAny: the parsed JSON of any answer
type Answer = { readonly status: number; readonly body: any; readonly headers: Headers };

async function call(method: string, path: string, body?: object): Promise<Answer> {
  const response = await fetch(`${app.endpoints.http}/api/v1${path}`, {
    method,
    headers: { cookie, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const { status, headers } = response;
  return { status, headers, body: text === '' ? null : JSON.parse(text) };
}

// One story: each step begins where the one before it ended.

test('whoever logs in with the first password is told to change it, until it is changed', async () => {
  const login = await call('POST', '/auth/login', { ...admin });
  cookie = login.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  expect(login.body).toMatchObject({ role: 'admin', mustChangePassword: true });
  expect((await call('GET', '/auth/me')).body).toEqual(login.body);
  const currentPassword = admin?.password;
  const same = await call('POST', '/auth/password', { currentPassword, newPassword: currentPassword });
  expect([same.status, same.body.errors[0].path]).toEqual([400, 'newPassword']);
  const wrong = await call('POST', '/auth/password', { currentPassword: 'x', newPassword: NEW_PASSWORD });
  expect([wrong.status, (await call('GET', '/auth/me')).body.mustChangePassword]).toEqual([400, true]);
  const changed = await call('POST', '/auth/password', { currentPassword, newPassword: NEW_PASSWORD });
  expect(changed.status).toBe(204);
  expect((await call('GET', '/auth/me')).body).not.toHaveProperty('mustChangePassword');
});

test('the organisation and its site are shown and renamed', async () => {
  expect((await call('GET', '/organisation')).body.name).toBe('My organisation');
  expect((await call('PATCH', '/organisation', { name: 'Acme' })).status).toBe(200);
  const [site] = (await call('GET', '/sites')).body;
  const moved = await call('PATCH', `/sites/${site.id}`, { name: 'Harbour', timeZone: 'Europe/Lisbon' });
  expect(moved.body).toEqual({ ...site, name: 'Harbour', timeZone: 'Europe/Lisbon' });
});

test('a reader provisioned over REST connects with the files it was given, and its reads are taken', async () => {
  const wanted = { serial, claim: true, name: 'Dock door', readerPassword: READER_PASSWORD };
  const { status, body } = await call('POST', '/devices', wanted);
  expect(status).toBe(201);
  readerId = body.readerId;
  key = body.files['client.key'].split('\n')[3];
  mkdirSync(identity);
  for (const [name, text] of Object.entries(body.files)) writeFileSync(join(identity, name), String(text));
  reader = await Publisher.connect({ url: app.endpoints.mqtts, serial, identity, clientId: 'own' });
  await reader.publish({ payload: plainRead(epc) });
  await until('the tag', async () => (await call('GET', '/tags')).body[0]?.epc === epc);
});

test('its diagnostics have the connection, the certificate and what could not be read, the newest first', async () => {
  await reader.publish({ payload: 'no JSON at all' });
  await reader.publish({ payload: JSON.stringify({ epc: 'xyz', antennaPort: 1 }) });
  const path = `/readers/${readerId}/diagnostics`;
  const body = await until('both payloads', async () => {
    const answer = await call('GET', path);
    expect(answer.status).toBe(200);
    return answer.body.badPayloads.length === 2 && answer.body;
  });
  expect(body).toMatchObject({
    ...{ badPayloadCount: 2, skewedReads: 0, dropped: { messages: 0 } },
    badPayloads: [
      { sample: expect.stringContaining('xyz'), reason: expect.any(String) },
      { sample: 'no JSON at all' },
    ],
    connections: [{ clientId: 'own', address: expect.stringMatching(/127\.0\.0\.1$/) }],
  });
  expect(Math.abs(Date.parse(body.connections[0].connectedAt) - Date.now())).toBeLessThan(60_000);
  const { key: serialNumber } = [...app.store.range(tables.certificates)][0] ?? {};
  expect(body.certificate.serialNumber).toBe(serialNumber);
  await reader.close();
  await until('no connection', async () => (await call('GET', path)).body.connections.length === 0);
});

test("payloads of the device's former owner are not shown", async () => {
  expect((await call('DELETE', `/readers/${readerId}`)).status).toBe(204);
  expect((await call('GET', '/devices/unclaimed')).body).toMatchObject([
    { serial, brokerStatus: 'disconnected' },
  ]);
  readerId = (await call('POST', '/devices', { serial, claim: true })).body.readerId;
  const { body } = await call('GET', `/readers/${readerId}/diagnostics`);
  expect(body).toMatchObject({ badPayloads: [], badPayloadCount: 2 });
});

test('renaming a reader sends it no command', async () => {
  const { body } = await call('PATCH', `/readers/${readerId}`, { name: 'Gate 7' });
  expect(body.name).toBe('Gate 7');
  expect((await call('GET', `/readers/${readerId}/commands`)).body).toEqual([]);
});

test('no secret is in the log, in the audit log or in what later answers say', async () => {
  const audit = JSON.stringify((await call('GET', '/audit?limit=100')).body);
  for (const part of ['organisations/', 'sites/', 'devices/', 'readers/']) expect(audit).toContain(part);
  const told = [audit, logged.join('\n')];
  for (const path of ['/devices', '/devices/unclaimed', '/readers', `/readers/${readerId}/diagnostics`])
    told.push(JSON.stringify((await call('GET', path)).body));
  expect(key.length).toBeGreaterThan(50);
  for (const secret of [key, READER_PASSWORD, NEW_PASSWORD, admin?.password ?? '']) {
    expect(secret.length).toBeGreaterThan(8);
    expect(told.filter((text) => text.includes(secret))).toEqual([]);
  }
});
