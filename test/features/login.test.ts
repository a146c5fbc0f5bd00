import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage, RequestListener } from 'node:http';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { listen } from '../../src/http/listen.ts';
import { openAuthority } from '../../src/pki/authority.ts';
import { hostNames } from '../../src/pki/host-names.ts';
import { tables } from '../../src/store/tables.ts';
import { hashPassword } from '../../src/store/users.ts';
import {
  type AccountHouse,
  cookieOf,
  openAccountHouse,
  type Person,
  password,
} from '../support/account-house.ts';
import { type Answer, noon, type Tenant } from '../support/house.ts';

const MINUTE = 60_000;
const email = 'ada@example.org';
let house: AccountHouse;
let tenant: Tenant;

beforeEach(async () => {
  house = await openAccountHouse();
  tenant = await house.tenant('Ours');
});
afterEach(() => house.close());

const me = (person: Person): Promise<Answer> => person.call('GET', '/auth/me');
const sessionCount = (): number => house.store.count(tables.sessions);

async function fail(times: number, who = email, headers = {}): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let i = 0; i < times; i++) answers.push(await house.logIn(who, 'not the password', headers));
  return answers;
}

describe('POST /auth/login', () => {
  test('answers the identity and sets a cookie out of reach of scripts and other sites', async () => {
    const user = await house.user(tenant.orgId, { email });
    const answer = await house.logIn(' ADA@Example.org ', password);
    expect([answer.status, answer.body]).toEqual([200, { id: user.id, email, role: 'admin', viaKey: false }]);
    expect(answer.headers.get('set-cookie')).toMatch(
      /^tagkeep_session=[A-Za-z0-9_-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/,
    );
    expect((await me(house.as(cookieOf(answer)))).body).toEqual(answer.body);
  });

  test('over TLS the cookie is for TLS only', async () => {
    await house.user(tenant.orgId, { email });
    const dir = mkdtempSync(join(tmpdir(), 'tagkeep-login-'));
    const authority = await openAuthority({ certsDir: dir, now: Date.now() });
    const { chainPem, keyPem } = await authority.ensureServer({ ...hostNames([]), now: Date.now() });
    const tls = { cert: chainPem, key: keyPem };
    const [handler] = house.server.server.listeners('request') as RequestListener[]; // a server has this listener
    const server = await listen({ handler: handler ?? (() => {}), host: '127.0.0.1', port: 0, tls });
    const url = `${server.origin}/api/v1/auth/login`;
    const headers = { 'content-type': 'application/json' };
    const [answer] = await new Promise<IncomingMessage[]>((resolve, reject) => {
      const request = https.request(url, { method: 'POST', headers, ca: authority.caCertPem, agent: false });
      request.on('response', (response) => resolve([response.resume()])).on('error', reject);
      request.end(JSON.stringify({ email, password }));
    });
    expect([answer?.statusCode, answer?.headers['set-cookie']]).toEqual([
      200,
      [expect.stringMatching(/; HttpOnly; SameSite=Strict; Secure$/)],
    ]);
    await server.close();
    rmSync(dir, { recursive: true });
  });

  test('only the hash of the session is stored', async () => {
    const { cookie } = await house.person(tenant.orgId);
    const token = cookie.split('=')[1] ?? '';
    const [session] = [...house.store.range(tables.sessions)];
    expect(session?.key).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.stringify(session)).not.toContain(token);
    expect((await me(house.as(`tagkeep_session=${session?.key}`))).status).toBe(401);
  });

  test('a wrong password, an unknown address and what is no address are answered alike', async () => {
    await house.user(tenant.orgId, { email });
    const answers = [
      await house.logIn(email, 'not the password'),
      await house.logIn('nobody@example.org', password),
      await house.logIn('no address', password),
    ];
    for (const { status, body, headers } of answers) {
      expect([status, body]).toEqual([401, answers[0]?.body]);
      expect(headers.get('set-cookie')).toBeNull();
    }
    expect(answers[0]?.body.type).toBe('/problems/login-failed');
  });

  test('forms are refused: the body must be JSON', async () => {
    const form = await fetch(`${house.server.origin}/api/v1/auth/login`, {
      method: 'POST',
      body: new URLSearchParams({ email, password }),
    });
    expect(form.status).toBe(415);
  });

  test.each([
    [{ origin: 'https://evil.example' }],
    [{ origin: 'null' }],
    [{ 'sec-fetch-site': 'cross-site' }],
    [{ 'sec-fetch-site': 'same-site' }],
  ])('a login another site makes a browser send is refused: %j', async (headers) => {
    await house.user(tenant.orgId, { email });
    const answer = await house.logIn(email, password, headers);
    expect([answer.status, answer.body.type]).toEqual([403, '/problems/forbidden']);
    expect(sessionCount()).toBe(0);
  });

  test('a login in the same browser ends the session it had', async () => {
    const person = await house.person(tenant.orgId, { email });
    const again = await house.logIn(email, password, { cookie: person.cookie });
    expect((await me(person)).status).toBe(401);
    expect((await me(house.as(cookieOf(again)))).status).toBe(200);
  });

  test('a password changed while the old one was being checked lets nobody in', async () => {
    const user = await house.user(tenant.orgId, { email });
    const passwordHash = await hashPassword('another password');
    // The line of passwords to check is kept busy: the login waits in it, having read the user.
    const busy = Array.from({ length: 4 }, () => hashPassword('somebody else'));
    const login = house.logIn(email, password);
    await busy[0];
    await house.store.write((tx) => tx.put(tables.users, user.id, { ...user, passwordHash }));
    expect((await login).status).toBe(401);
    expect(sessionCount()).toBe(0);
  });
});

describe('failed logins', () => {
  test('after five failures the account waits, longer after each one, and a success clears it', async () => {
    await house.user(tenant.orgId, { email });
    expect((await fail(5)).map(({ status }) => status)).toEqual([401, 401, 401, 401, 401]);
    for (const seconds of [30, 60, 120, 240, 480, 900, 900]) {
      const answer = await house.logIn(email, password);
      expect([answer.status, answer.body.type, answer.headers.get('retry-after')]).toEqual([
        429,
        '/problems/too-many-requests',
        String(seconds),
      ]);
      house.now += seconds * 1000;
      expect((await house.logIn(email, 'not the password')).status).toBe(401);
    }
    house.now += 900_000;
    expect((await house.logIn(email, password)).status).toBe(200);
    expect((await fail(4)).map(({ status }) => status)).toEqual([401, 401, 401, 401]);
    expect((await house.logIn(email, password)).status).toBe(200);
  });

  test('an unknown account waits like a known one', async () => {
    await fail(5, 'nobody@example.org');
    const answer = await house.logIn('Nobody@example.org', password);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '30']);
  });

  test('another account is not kept waiting', async () => {
    await house.user(tenant.orgId, { email });
    await fail(5, 'nobody@example.org');
    expect((await house.logIn(email, password)).status).toBe(200);
  });

  test('twenty failures from one address keep it waiting, whatever the accounts', async () => {
    await house.user(tenant.orgId, { email });
    for (let i = 0; i < 20; i++) await fail(1, `nobody-${i}@example.org`);
    expect((await house.logIn(email, password)).status).toBe(429);
    house.now += 30_000;
    expect((await house.logIn(email, password)).status).toBe(200);
  });

  test('many tries at once are not more tries', async () => {
    await house.user(tenant.orgId, { email });
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => house.logIn(email, 'not the password')),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(5);
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
  });

  test('failures are forgotten a quarter of an hour after the last one', async () => {
    await house.user(tenant.orgId, { email });
    await fail(4);
    house.now += 15 * MINUTE;
    expect((await fail(4)).map(({ status }) => status)).toEqual([401, 401, 401, 401]);
    expect((await house.logIn(email, password)).status).toBe(200);
  });

  test('they are in the audit log, once a minute for an account, never the password that was tried', async () => {
    const user = await house.user(tenant.orgId, { email });
    await fail(4);
    house.now += MINUTE;
    await fail(1);
    await house.settled();
    const notes = tenant.audit().filter(({ action }) => action === 'login-failed');
    const resource = `users/${user.id}`;
    const actor = { kind: 'system', id: '' };
    expect(notes).toMatchObject([
      { at: noon, actor, address: '127.0.0.1', resource, after: { failures: 1 } },
      { at: noon + MINUTE, actor, address: '127.0.0.1', resource, after: { failures: 4 } },
    ]);
    expect(JSON.stringify(notes)).not.toContain('not the password');
  });

  test('those of unknown accounts are in the log only, once a minute, without what was typed', async () => {
    for (let i = 0; i < 5; i++) await fail(1, `my-password-${i}`);
    expect(house.warnings).toEqual([
      { fields: { address: '127.0.0.1', failures: 1 }, message: expect.stringContaining('unknown e-mail') },
    ]);
    expect(house.store.count(tables.audit)).toBe(0);
  });
});

describe('POST /auth/logout', () => {
  test('ends the session and clears the cookie', async () => {
    const person = await house.person(tenant.orgId);
    const answer = await person.call('POST', '/auth/logout');
    expect(answer.status).toBe(204);
    expect(answer.headers.get('set-cookie')).toBe(
      'tagkeep_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict',
    );
    expect((await me(person)).status).toBe(401);
    expect(sessionCount()).toBe(0);
  });

  test('without a session the answer is the same, and nothing is noted', async () => {
    for (const cookie of ['', 'tagkeep_session=unknown']) {
      const answer = await house.as(cookie).call('POST', '/auth/logout');
      expect([answer.status, answer.headers.get('set-cookie')]).toEqual([
        204,
        expect.stringContaining('Max-Age=0'),
      ]);
    }
    expect(tenant.audit()).toEqual([]);
  });

  test("another site's page cannot log anybody out", async () => {
    const person = await house.person(tenant.orgId);
    const response = await fetch(`${house.server.origin}/api/v1/auth/logout`, {
      method: 'POST',
      headers: { cookie: person.cookie, 'sec-fetch-site': 'cross-site' },
    });
    expect([response.status, response.headers.get('set-cookie')]).toEqual([403, null]);
    expect((await me(person)).status).toBe(200);
  });

  test('login and logout are in the audit log under the name of the user', async () => {
    const { call, user } = await house.person(tenant.orgId, { email });
    await call('POST', '/auth/logout');
    const what = { actor: { kind: 'user', id: user.id, name: email }, resource: `users/${user.id}` };
    expect(tenant.audit()).toMatchObject([
      { ...what, action: 'login', address: '127.0.0.1' },
      { ...what, action: 'logout', address: '127.0.0.1' },
    ]);
  });
});
