import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventRoutes } from '../../src/features/events/event-routes.ts';
import { isCallerLive, sessionRules } from '../../src/store/sessions.ts';
import { tables } from '../../src/store/tables.ts';
import {
  type AccountHouse,
  cookieOf,
  openAccountHouse,
  type Person,
  password,
} from '../support/account-house.ts';
import { type Answer, noon, type Tenant } from '../support/house.ts';
import { openSse } from '../support/http-sse.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
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

describe('a session', () => {
  test('ends when it was not used for 12 hours', async () => {
    const person = await house.person(tenant.orgId);
    house.now += sessionRules.idleMs - 1;
    expect((await me(person)).status).toBe(200);
    await house.authenticator.idle();
    house.now += sessionRules.idleMs;
    expect((await me(person)).status).toBe(401);
  });

  test('ends 30 days after the login, however much it is used', async () => {
    const person = await house.person(tenant.orgId);
    const end = noon + sessionRules.absoluteMs;
    for (; house.now < end; house.now += 6 * HOUR) {
      expect((await me(person)).status).toBe(200);
      await house.authenticator.idle();
    }
    house.now = end - 1;
    expect((await me(person)).status).toBe(200);
    house.now = end;
    expect((await me(person)).status).toBe(401);
  });

  test('its last use is noted, at most once a minute', async () => {
    const person = await house.person(tenant.orgId);
    const lastUsedAt = async (): Promise<unknown> => {
      await me(person);
      await house.authenticator.idle();
      return [...house.store.range(tables.sessions)][0]?.value.lastUsedAt;
    };
    house.now = noon + MINUTE - 1;
    expect(await lastUsedAt()).toBe(noon);
    house.now = noon + MINUTE;
    expect(await lastUsedAt()).toBe(noon + MINUTE);
  });

  test('noting the last use brings no ended session back', async () => {
    const person = await house.person(tenant.orgId);
    house.now += MINUTE;
    await Promise.all([me(person), person.call('POST', '/auth/logout')]);
    await house.authenticator.idle();
    expect(sessionCount()).toBe(0);
  });

  test('an API key that is sent decides alone', async () => {
    const { cookie } = await house.person(tenant.orgId);
    const both = (authorization: string): Promise<Response> =>
      fetch(`${house.server.origin}/api/v1/auth/me`, { headers: { cookie, authorization } });
    expect(await (await both(`Bearer ${tenant.key}`)).json()).toMatchObject({ viaKey: true });
    expect((await both('Bearer tk_unknown')).status).toBe(401);
  });

  test('of another organisation shows that one', async () => {
    const theirs = await house.tenant('Theirs');
    await theirs.zone('Their zone');
    const person = await house.person(tenant.orgId);
    expect((await person.call('GET', '/zones')).body).toEqual([]);
  });

  test('may do what an API key may; its writes are in the audit log under the name of the user', async () => {
    const { call, user } = await house.person(tenant.orgId, { email, role: 'operator' });
    expect((await call('POST', '/zones', { name: 'Dock' })).status).toBe(201);
    const note = tenant.audit().find(({ action }) => action === 'create');
    expect(note?.actor).toEqual({ kind: 'user', id: user.id, name: email });
  });

  test('an open stream ends with the session or the user behind it', async () => {
    const streaming = await openAccountHouse({
      // What the event routes do once they name a stream after its session.
      more: ({ bus }) =>
        eventRoutes({ bus, heartbeatSeconds: 15 }).map((route) => ({
          ...route,
          handle: (call) => {
            const { caller } = call;
            return route.handle({ ...call, caller: { ...caller, id: caller.sessionId ?? caller.id } });
          },
        })),
    });
    const ours = await streaming.tenant('Ours');
    const [one, two] = [await streaming.person(ours.orgId), await streaming.person(ours.orgId)];
    const url = `${streaming.server.origin}/api/v1/events/stream`;
    const streams = await Promise.all([one, two].map(({ cookie }) => openSse(url, { headers: { cookie } })));
    const sweep = (): void => {
      for (const id of streaming.bus.callers())
        if (!isCallerLive(streaming.store, id, streaming.now)) streaming.bus.closeFor(id);
    };
    sweep();
    expect(streaming.bus.callers().size).toBe(2);
    await one.call('POST', '/auth/logout');
    sweep();
    await streams[0]?.ended;
    await streaming.store.write((tx) => tx.remove(tables.users, two.user.id));
    sweep();
    await streams[1]?.ended;
    expect(isCallerLive(streaming.store, ours.keyId, streaming.now)).toBe(true);
    await streaming.close();
  });
});

describe('POST /auth/password', () => {
  const next = 'staple correct horse';
  const change = (person: Person, currentPassword = password, newPassword = next): Promise<Answer> =>
    person.call('POST', '/auth/password', { currentPassword, newPassword });

  test('changes it for whoever knows the current one and ends the other sessions', async () => {
    const person = await house.person(tenant.orgId, { email, role: 'operator' });
    const other = house.as(cookieOf(await house.logIn(email, password)));
    const stranger = await house.person(tenant.orgId);
    expect((await change(person)).status).toBe(204);
    expect([(await me(person)).status, (await me(other)).status, (await me(stranger)).status]).toEqual([
      200, 401, 200,
    ]);
    expect((await house.logIn(email, password)).status).toBe(401);
    expect((await house.logIn(email, next)).status).toBe(200);
  });

  test('400 for a wrong current one, which counts as a failed login', async () => {
    const person = await house.person(tenant.orgId, { email });
    for (let i = 0; i < 5; i++) {
      const { status, body } = await change(person, 'not the password');
      expect([status, body.errors]).toEqual([400, [{ path: 'currentPassword', message: 'is wrong' }]]);
    }
    expect((await change(person)).status).toBe(429);
    expect((await house.logIn(email, password)).status).toBe(429);
  });

  test.each([
    ['too short', 'short', /at least 10 characters/],
    ['too long', 'x'.repeat(257), /at most 256 characters/],
  ])('400 for a new one that is %s', async (_, newPassword, detail) => {
    const person = await house.person(tenant.orgId);
    const { status, body } = await change(person, password, newPassword);
    expect([status, body.detail]).toEqual([400, expect.stringMatching(detail)]);
  });

  test('403 for an API key', async () => {
    const body = { currentPassword: password, newPassword: next };
    expect((await tenant.call('POST', '/auth/password', body)).status).toBe(403);
  });
});
