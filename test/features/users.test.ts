import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { UserRecord } from '../../src/store/records.ts';
import { tables } from '../../src/store/tables.ts';
import {
  type AccountHouse,
  cookieOf,
  openAccountHouse,
  type Person,
  password,
} from '../support/account-house.ts';
import { noon, type Tenant } from '../support/house.ts';

const UUID = /^[0-9a-f-]{36}$/;
const email = 'grace@example.org';
let house: AccountHouse;
let tenant: Tenant;
let admin: Person & { readonly user: UserRecord };

beforeEach(async () => {
  house = await openAccountHouse();
  tenant = await house.tenant('Ours');
  admin = await house.person(tenant.orgId, { email: 'admin@example.org' });
});
afterEach(() => house.close());

const nobody = '00000000-0000-4000-8000-000000000000';
const noted = () => tenant.audit().filter(({ action }) => action !== 'login');

describe('/users', () => {
  test('API keys and operators get 403 everywhere', async () => {
    const operator = await house.person(tenant.orgId, { role: 'operator' });
    const id = admin.user.id;
    for (const [method, path, body] of [
      ['GET', '/users', undefined],
      ['POST', '/users', { email, role: 'admin' }],
      ['PATCH', `/users/${id}`, { role: 'operator' }],
      ['DELETE', `/users/${id}`, undefined],
    ] as const)
      for (const { call } of [tenant, operator]) {
        const answer = await call(method, path, body);
        expect([answer.status, answer.body.type]).toEqual([403, '/problems/forbidden']);
      }
  });

  test('lists the users of the organisation by address, without their hashes', async () => {
    const theirs = await house.tenant('Theirs');
    await house.user(theirs.orgId);
    const ada = await house.user(tenant.orgId, { email: 'ada@example.org', role: 'operator' });
    expect((await admin.call('GET', '/users')).body).toEqual([
      { id: ada.id, email: ada.email, role: 'operator', createdAt: '1970-01-01T00:00:00.000Z' },
      { id: admin.user.id, email: 'admin@example.org', role: 'admin', createdAt: '1970-01-01T00:00:00.000Z' },
    ]);
  });

  test('adds a user with a password that is made and answered once', async () => {
    const { status, body } = await admin.call('POST', '/users', {
      email: ' GRACE@example.org',
      role: 'operator',
    });
    expect([status, body]).toEqual([
      201,
      {
        id: expect.stringMatching(UUID),
        email,
        role: 'operator',
        createdAt: new Date(noon).toISOString(),
        password: expect.stringMatching(/^[A-Za-z0-9]{20}$/),
      },
    ]);
    expect((await house.logIn(email, body.password)).body).toMatchObject({ id: body.id, role: 'operator' });
    expect(JSON.stringify((await admin.call('GET', '/users')).body)).not.toContain(body.password);
    expect(noted()).toMatchObject([
      {
        action: 'create',
        actor: { kind: 'user', id: admin.user.id, name: 'admin@example.org' },
        resource: `users/${body.id}`,
        after: { email, role: 'operator' },
      },
    ]);
  });

  test('takes a password, which is not answered', async () => {
    const { body } = await admin.call('POST', '/users', { email, role: 'admin', password });
    expect(body).not.toHaveProperty('password');
    expect((await house.logIn(email, password)).status).toBe(200);
  });

  test.each([
    ['no address', { email: 'grace', role: 'admin' }, 'email'],
    ['an address with a NUL', { email: 'a\u0000@b', role: 'admin' }, 'email'],
    ['another role', { email, role: 'king' }, 'role'],
    ['a short password', { email, role: 'admin', password: 'short' }, 'password'],
    ['a long password', { email, role: 'admin', password: 'x'.repeat(257) }, 'password'],
  ])('400 for %s', async (_, body, path) => {
    const answer = await admin.call('POST', '/users', body);
    expect([answer.status, answer.body.errors[0].path]).toEqual([400, path]);
    expect(house.store.count(tables.users)).toBe(1);
  });

  test('409 for an address that is taken, in another organisation too', async () => {
    const theirs = await house.tenant('Theirs');
    await house.user(theirs.orgId, { email });
    const answer = await admin.call('POST', '/users', { email: 'Grace@example.org', role: 'operator' });
    expect([answer.status, answer.body.type]).toEqual([409, '/problems/email-taken']);
    expect(noted()).toEqual([]);
  });

  test('another role counts at once, in sessions that are open', async () => {
    const grace = await house.person(tenant.orgId, { email, role: 'operator' });
    expect((await grace.call('GET', '/users')).status).toBe(403);
    const promoted = await admin.call('PATCH', `/users/${grace.user.id}`, { role: 'admin' });
    expect([promoted.status, promoted.body.role]).toEqual([200, 'admin']);
    expect((await grace.call('GET', '/users')).status).toBe(200);
    await admin.call('PATCH', `/users/${grace.user.id}`, { role: 'operator' });
    expect((await grace.call('GET', '/users')).status).toBe(403);
    expect(noted()[0]).toMatchObject({ before: { role: 'operator' }, after: { role: 'admin' } });
  });

  test('another password ends the sessions of the user', async () => {
    const grace = await house.person(tenant.orgId, { email, role: 'operator' });
    const change = { password: 'staple correct horse' };
    expect((await admin.call('PATCH', `/users/${grace.user.id}`, change)).status).toBe(200);
    expect((await grace.call('GET', '/auth/me')).status).toBe(401);
    expect((await house.logIn(email, change.password)).status).toBe(200);
    expect(noted()[0]?.after).toEqual({ passwordChanged: true });
  });

  test("one's own other password keeps the session it is made with", async () => {
    const elsewhere = house.as(cookieOf(await house.logIn(admin.user.email, password)));
    await admin.call('PATCH', `/users/${admin.user.id}`, { password: 'staple correct horse' });
    expect((await admin.call('GET', '/auth/me')).status).toBe(200);
    expect((await elsewhere.call('GET', '/auth/me')).status).toBe(401);
  });

  test('400 for a change of nothing or a short password', async () => {
    for (const body of [{}, { email }, { password: 'short' }])
      expect((await admin.call('PATCH', `/users/${admin.user.id}`, body)).status).toBe(400);
  });

  test('a removed user is out at once', async () => {
    const grace = await house.person(tenant.orgId, { email });
    expect((await admin.call('DELETE', `/users/${grace.user.id}`)).status).toBe(204);
    expect((await grace.call('GET', '/auth/me')).status).toBe(401);
    expect((await house.logIn(email, password)).status).toBe(401);
    expect((await admin.call('DELETE', `/users/${grace.user.id}`)).status).toBe(404);
    expect(house.store.count(tables.sessions)).toBe(1);
    expect(noted()).toMatchObject([{ action: 'delete', before: { email, role: 'admin' } }]);
  });

  test('409 for removing or demoting the last administrator, oneself', async () => {
    await house.user(tenant.orgId, { role: 'operator' });
    const path = `/users/${admin.user.id}`;
    const answers = [await admin.call('DELETE', path), await admin.call('PATCH', path, { role: 'operator' })];
    for (const { status, body } of answers)
      expect([status, body.type]).toEqual([409, '/problems/last-admin']);
    expect((await admin.call('GET', '/users')).status).toBe(200);
  });

  test('404 for an unknown user and one of another organisation', async () => {
    const theirs = await house.tenant('Theirs');
    const stranger = await house.user(theirs.orgId, { email });
    for (const id of [nobody, stranger.id, 'me']) {
      expect((await admin.call('PATCH', `/users/${id}`, { role: 'admin' })).status).toBe(404);
      expect((await admin.call('DELETE', `/users/${id}`)).status).toBe(404);
    }
    expect(house.store.get(tables.users, stranger.id)).toEqual(stranger);
  });
});
