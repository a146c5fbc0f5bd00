import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../../src/domain/limits.ts';
import { appendAudit } from '../../src/store/audit.ts';
import { purgeAudit } from '../../src/store/audit-log.ts';
import { tables } from '../../src/store/tables.ts';
import { type AccountHouse, cookieOf, openAccountHouse, type Person } from '../support/account-house.ts';
import { type Answer, noon, type Tenant } from '../support/house.ts';

const email = 'ada@example.org';
let house: AccountHouse;
let tenant: Tenant;
let admin: Person;

beforeEach(async () => {
  house = await openAccountHouse({ lookThrough: 1000 });
  tenant = await house.tenant('Ours');
  admin = await house.person(tenant.orgId, { email });
});
afterEach(() => house.close());

/** `count` entries, several in each millisecond. */
function fill(count: number, resource: (i: number) => string, more: object = {}): Promise<void> {
  return house.store.write((tx) => {
    for (let i = 0; i < count; i++) {
      const at = noon + 1000 + Math.floor(i / 3);
      appendAudit(tx, { orgId: tenant.orgId, at, action: `a${i}`, resource: resource(i), ...more });
    }
  });
}

const nextOf = ({ headers }: Answer): string | null =>
  /^<\/api\/v1(.+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1] ?? null;

/** The actions on each page, following the links. */
async function pages(path: string): Promise<readonly (readonly string[])[]> {
  const found: string[][] = [];
  for (let next: string | null = path; next !== null; ) {
    const answer: Answer = await admin.call('GET', next);
    expect(answer.status).toBe(200);
    found.push(answer.body.map(({ action }: { action: string }) => action));
    next = nextOf(answer);
  }
  return found;
}

const actions = (from: number, to: number): string[] =>
  Array.from({ length: from - to + 1 }, (_, i) => `a${from - i}`);

describe('GET /audit', () => {
  test('API keys and operators get 403', async () => {
    const operator = await house.person(tenant.orgId, { role: 'operator' });
    for (const { call } of [tenant, operator]) expect((await call('GET', '/audit')).status).toBe(403);
  });

  test('says who did what, when, from where, newest first, with what changed', async () => {
    const { body: zone } = await tenant.call('POST', '/zones', { name: 'Dock' });
    house.now++;
    await admin.call('PATCH', `/zones/${zone.id}`, { name: 'Dock 1' });
    const { body } = await admin.call('GET', '/audit?resource=zones');
    expect(body).toEqual([
      {
        at: new Date(noon + 1).toISOString(),
        actor: { kind: 'user', id: expect.any(String), name: email },
        address: '127.0.0.1',
        action: 'update',
        resource: `zones/${zone.id}`,
        before: { name: 'Dock' },
        after: { name: 'Dock 1' },
      },
      {
        at: new Date(noon).toISOString(),
        actor: { kind: 'key', id: tenant.keyId, name: 'test' },
        address: '127.0.0.1',
        action: 'create',
        resource: `zones/${zone.id}`,
        after: zone,
      },
    ]);
  });

  test('the name of a user who is gone is still known', async () => {
    const other = await house.person(tenant.orgId);
    await admin.call('POST', '/zones', { name: 'Dock' });
    const [me] = [...house.store.range(tables.users)].filter(({ value }) => value.email === email);
    await other.call('DELETE', `/users/${me?.key}`);
    const { body } = await other.call('GET', '/audit?resource=zones');
    expect(body[0].actor.name).toBe(email);
  });

  test('the command line has neither id nor address', async () => {
    await fill(1, () => 'api-keys/x');
    const { body } = await admin.call('GET', '/audit?resource=api-keys');
    expect(body).toMatchObject([{ actor: { kind: 'cli', id: '' }, address: null }]);
  });

  test('resource is one record or all of a kind, not the beginning of a word', async () => {
    await fill(4, (i) => ['zones/1', 'zones/12', 'zonesque/1', 'zones'][i] ?? '');
    expect(await pages('/audit?resource=zones')).toEqual([['a3', 'a1', 'a0']]);
    expect(await pages('/audit?resource=zones/')).toEqual([['a3', 'a1', 'a0']]);
    expect(await pages('/audit?resource=zones/1')).toEqual([['a0']]);
    expect(await pages('/audit?resource=nothing')).toEqual([[]]);
    expect((await admin.call('GET', '/audit?resource=')).status).toBe(400);
  });

  test(`answers ${limits.auditPerAnswer} at most, and the rest page by page`, async () => {
    await fill(1100, () => 'zones/1');
    const answer = await pages('/audit?resource=zones');
    expect(answer.map((page) => page.length)).toEqual([500, 500, 100]);
    expect(answer.flat()).toEqual(actions(1099, 0));
    expect(await pages('/audit?resource=zones&limit=400')).toHaveLength(3);
    expect((await admin.call('GET', '/audit?limit=501')).status).toBe(400);
    expect((await admin.call('GET', '/audit?cursor=rubbish')).status).toBe(400);
  });

  test('a full page that is the last has no link', async () => {
    await fill(10, () => 'zones/1');
    const all = (await admin.call('GET', '/audit')).body.length;
    expect(nextOf(await admin.call('GET', `/audit?limit=${all}`))).toBeNull();
  });

  test('looks through a bounded part of a long log, and the link leads on', async () => {
    await fill(2500, (i) => (i % 1249 === 0 ? 'readers/1' : 'zones/1'));
    const answer = await pages('/audit?resource=readers');
    expect(answer).toEqual([['a2498'], ['a1249'], ['a0']]);
    expect(await pages('/audit?resource=nothing')).toEqual([[], [], []]);
  });

  test('a page of very long entries ends early', async () => {
    await fill(8, () => 'zones/1', { after: { text: 'x'.repeat(1_500_000) } });
    const answer = await pages('/audit?resource=zones');
    expect(answer.map((page) => page.length)).toEqual([3, 3, 2]);
    expect(answer.flat()).toEqual(actions(7, 0));
  });

  test('the event loop is held for one very long entry at a time, not for a hundred', async () => {
    const longest = async (path: string): Promise<number> => {
      const delay = monitorEventLoopDelay({ resolution: 1 });
      delay.enable();
      expect(await pages(path)).toEqual([[]]);
      delay.disable();
      return delay.max / 1e6;
    };
    for (let i = 0; i < 10; i++) await fill(10, () => 'zones/1', { after: { text: 'x'.repeat(950_000) } });
    // As a yardstick for how busy this machine is: all of them at one go.
    const started = performance.now();
    expect([...house.store.range(tables.audit)].length).toBeGreaterThan(100);
    const atOneGo = performance.now() - started;
    await longest('/audit?resource=nothing');
    expect(await longest('/audit?resource=nothing')).toBeLessThan(Math.max(20, atOneGo / 2));
  });

  test('a cursor that no entry is older than leads to an empty last page', async () => {
    await fill(3, () => 'zones/1');
    for (const position of ['-,5', '0,0', '0,5'])
      expect(await pages(`/audit?cursor=${btoa(position).replaceAll('=', '')}`)).toEqual([[]]);
  });

  test('shows nothing of another organisation', async () => {
    const theirs = await house.tenant('Theirs');
    await theirs.zone('Their zone');
    const { body } = await admin.call('GET', '/audit');
    expect(body.map(({ action }: { action: string }) => action)).toEqual(['login']);
  });

  test('what is older than its time is removed, of every organisation, and nothing else', async () => {
    const theirs = await house.tenant('Theirs');
    await theirs.zone('Their zone');
    await fill(301, () => 'zones/1');
    expect(await purgeAudit(house.store, noon)).toBe(0);
    expect(await purgeAudit(house.store, noon + 1000)).toBe(2);
    expect(theirs.audit()).toEqual([]);
    expect(await purgeAudit(house.store, noon + 1100)).toBe(300);
    expect((await pages('/audit')).flat()).toEqual(['a300']);
  });

  test('no password, key, session or hash is in the log, in an answer, or in the audit log', async () => {
    const canaries = ['canary-password-1', 'canary-password-2', 'canary-password-3'];
    const [first = '', second = '', third = ''] = canaries;
    const answers: Answer[] = [];
    const keep = async (answer: Promise<Answer>): Promise<Answer> => {
      answers.push(await answer);
      return answer;
    };
    const made = await keep(
      admin.call('POST', '/users', { email: 'b@b.example', role: 'admin', password: first }),
    );
    const logged = await keep(house.logIn('b@b.example', first));
    const other = house.as(cookieOf(logged));
    await keep(other.call('POST', '/auth/password', { currentPassword: first, newPassword: second }));
    await keep(other.call('POST', '/auth/password', { currentPassword: third, newPassword: 'short' }));
    await keep(house.logIn('b@b.example', third));
    await keep(admin.call('PATCH', `/users/${made.body.id}`, { password: third }));
    const given = await admin.call('POST', '/users', { email: 'c@c.example', role: 'admin' });
    const key = await admin.call('POST', '/api-keys', { name: 'ERP' });
    await house.settled();
    for (const path of ['/users', '/api-keys', '/audit', '/auth/me']) await keep(admin.call('GET', path));
    const tokens = [admin, other].map(({ cookie }) => cookie.split('=')[1] ?? '');
    const hashes = [...house.store.range(tables.users)].map(({ value }) => value.passwordHash);
    const keyHashes = [...house.store.range(tables.apiKeys)].map(({ value }) => value.hash);
    const secrets = [...canaries, given.body.password, key.body.key, ...tokens, ...hashes, ...keyHashes];
    const shown = JSON.stringify([
      answers.map(({ body }) => body),
      house.warnings,
      house.server.errors,
      tenant.audit(),
    ]);
    expect(secrets.filter((secret) => shown.includes(secret))).toEqual([]);
  });
});
