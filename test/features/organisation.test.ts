import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../../src/domain/limits.ts';
import { organisationRoutes } from '../../src/features/organisation/organisation-routes.ts';
import { siteRoutes } from '../../src/features/organisation/site-routes.ts';
import { ownTimeZone } from '../../src/lib/time-zone.ts';
import type { UserRecord } from '../../src/store/records.ts';
import { tables } from '../../src/store/tables.ts';
import { type AccountHouse, openAccountHouse, type Person } from '../support/account-house.ts';
import { noon, type Tenant } from '../support/house.ts';

const at = new Date(noon).toISOString();
const unknown = '00000000-0000-4000-8000-000000000000';
let house: AccountHouse;
let tenant: Tenant;
let admin: Person & { readonly user: UserRecord };
let maxSites = 0;

beforeEach(async () => {
  maxSites = 0;
  house = await openAccountHouse({
    more: (parts) => [...organisationRoutes(parts), ...siteRoutes({ ...parts, maxSites: () => maxSites })],
  });
  tenant = await house.tenant('Ours');
  admin = await house.person(tenant.orgId);
});
afterEach(() => house.close());

const noted = () => tenant.audit().filter(({ action }) => action !== 'login');
const site = (name: string, timeZone?: string) => admin.call('POST', '/sites', { name, timeZone });

test('API keys and operators may look, and get 403 for every change', async () => {
  const operator = await house.person(tenant.orgId, { role: 'operator' });
  for (const { call } of [tenant, operator]) {
    for (const path of ['/organisation', '/sites']) expect((await call('GET', path)).status).toBe(200);
    for (const [method, path, body] of [
      ['PATCH', '/organisation', { name: 'X' }],
      ['POST', '/sites', { name: 'X' }],
      ['PATCH', `/sites/${tenant.siteId}`, { name: 'X' }],
    ] as const)
      expect((await call(method, path, body)).status, `${method} ${path}`).toBe(403);
  }
  expect(noted()).toEqual([]);
});

describe('/organisation', () => {
  test("GET answers the caller's own", async () => {
    await house.tenant('Theirs');
    const { status, body } = await tenant.call('GET', '/organisation');
    expect([status, body]).toEqual([200, { id: tenant.orgId, name: 'Ours', createdAt: at }]);
  });

  test('PATCH renames it, blanks around the name cut off, and the audit log has both names', async () => {
    const { status, body } = await admin.call('PATCH', '/organisation', { name: '  Ørsted & Söhne ' });
    expect([status, body]).toEqual([200, { id: tenant.orgId, name: 'Ørsted & Söhne', createdAt: at }]);
    expect((await tenant.call('GET', '/organisation')).body).toEqual(body);
    expect(house.store.get(tables.orgs, tenant.orgId)?.no).toBe(tenant.orgNo);
    expect(noted()).toMatchObject([
      {
        ...{ action: 'update', resource: `organisations/${tenant.orgId}` },
        ...{ before: { name: 'Ours' }, after: { name: 'Ørsted & Söhne' } },
        actor: { kind: 'user', id: admin.user.id },
      },
    ]);
  });

  test("409 for another organisation's name, by which the command line finds that one; its own is fine", async () => {
    await house.tenant('Theirs');
    const answer = await admin.call('PATCH', '/organisation', { name: 'Theirs' });
    expect([answer.status, answer.body.type]).toEqual([409, '/problems/name-taken']);
    expect((await tenant.call('GET', '/organisation')).body.name).toBe('Ours');
    expect((await admin.call('PATCH', '/organisation', { name: 'Ours' })).status).toBe(200);
  });

  test.each([[{}], [{ name: ' ' }], [{ name: 'x'.repeat(256) }], [{ name: 7 }]])(
    '400 for %j, naming name',
    async (body) => {
      const answer = await admin.call('PATCH', '/organisation', body);
      expect([answer.status, answer.body.errors[0].path]).toEqual([400, 'name']);
    },
  );
});

describe('/sites', () => {
  test("a site made before there were time zones has the appliance's own", async () => {
    const { status, body } = await tenant.call('GET', '/sites');
    const first = { id: tenant.siteId, name: 'Main site', timeZone: ownTimeZone(), createdAt: at };
    expect([status, body]).toEqual([200, [first]]);
  });

  test("lists the caller's sites, sorted by name", async () => {
    const theirs = await house.tenant('Theirs');
    await site('Zagreb', 'Europe/Zagreb');
    await site('Aarhus', 'Europe/Copenhagen');
    const names = (await tenant.call('GET', '/sites')).body.map(({ name }: { name: string }) => name);
    expect(names).toEqual(['Aarhus', 'Main site', 'Zagreb']);
    expect((await theirs.call('GET', '/sites')).body).toHaveLength(1);
  });

  test('POST makes one, audited; without a time zone it has that of the appliance', async () => {
    const { status, body } = await site(' North ', 'America/Argentina/Buenos_Aires');
    const made = { name: 'North', timeZone: 'America/Argentina/Buenos_Aires', createdAt: at };
    expect([status, body]).toEqual([201, { id: expect.any(String), ...made }]);
    expect((await site('South')).body.timeZone).toBe(ownTimeZone());
    const { createdAt: _, ...after } = made;
    expect(noted()[0]).toMatchObject({ action: 'create', resource: `sites/${body.id}`, after });
  });

  test.each(['Europe/Nowhere', '', '+02:00', 'CEST/../x', 'x'.repeat(5000)])(
    '400 for the time zone %j, naming it',
    async (timeZone) => {
      for (const answer of [
        await site('North', timeZone),
        await admin.call('PATCH', `/sites/${tenant.siteId}`, { timeZone }),
      ]) {
        expect([answer.status, answer.body.errors[0].path]).toEqual([400, 'timeZone']);
        expect(answer.body.detail.length).toBeLessThan(300);
      }
      expect((await tenant.call('GET', '/sites')).body).toHaveLength(1);
    },
  );

  test('402 past the sites the licence allows; nothing is made', async () => {
    maxSites = 2;
    expect((await site('North')).status).toBe(201);
    const answer = await site('South');
    expect([answer.status, answer.body.type]).toEqual([402, '/problems/licence-limit']);
    expect((await tenant.call('GET', '/sites')).body).toHaveLength(2);
  });

  test('400 past the sites there may be at all', async () => {
    await house.store.write((tx) => {
      for (let n = 1; n < limits.sitesPerOrganisation; n++)
        tx.put(tables.sites, [tenant.orgId, `s${n}`], { id: `s${n}`, name: `S ${n}`, createdAt: noon });
    });
    expect((await site('One too many')).status).toBe(400);
    expect(house.store.count(tables.sites)).toBe(limits.sitesPerOrganisation);
  });

  test('409 for a name another site has, in POST and PATCH', async () => {
    const { body } = await site('North');
    for (const answer of [
      await site('Main site'),
      await admin.call('PATCH', `/sites/${body.id}`, { name: 'Main site' }),
    ])
      expect([answer.status, answer.body.type]).toEqual([409, '/problems/name-taken']);
  });

  test('PATCH changes what is sent and keeps the rest; the audit log has what differs', async () => {
    const path = `/sites/${tenant.siteId}`;
    const renamed = await admin.call('PATCH', path, { name: 'Old town' });
    expect(renamed.body).toEqual({
      ...{ id: tenant.siteId, name: 'Old town', timeZone: ownTimeZone(), createdAt: at },
    });
    expect(house.store.get(tables.sites, [tenant.orgId, tenant.siteId])).not.toHaveProperty('timeZone');
    const moved = await admin.call('PATCH', path, { timeZone: 'Asia/Kathmandu' });
    expect(moved.body).toEqual({ ...renamed.body, timeZone: 'Asia/Kathmandu' });
    expect(noted()).toMatchObject([
      { action: 'update', before: { name: 'Main site' }, after: { name: 'Old town' } },
      { action: 'update', after: { timeZone: 'Asia/Kathmandu' } },
    ]);
  });

  test("404 for an unknown site and another organisation's; 400 for an empty change", async () => {
    const theirs = await house.tenant('Theirs');
    for (const id of [unknown, theirs.siteId, 'x'])
      expect((await admin.call('PATCH', `/sites/${id}`, { name: 'Mine' })).status).toBe(404);
    expect((await admin.call('PATCH', `/sites/${tenant.siteId}`, {})).status).toBe(400);
    expect((await theirs.call('GET', '/sites')).body[0].name).toBe('Main site');
  });
});
