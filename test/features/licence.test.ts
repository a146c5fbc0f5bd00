import { generateKeyPairSync } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { createAuthenticator } from '../../src/features/auth/authenticator.ts';
import { licenceGuard } from '../../src/features/licence/licence-guard.ts';
import { licenceRoutes } from '../../src/features/licence/licence-routes.ts';
import { deviceRoutes } from '../../src/features/readers/device-routes.ts';
import { zoneRoutes } from '../../src/features/zones/zone-routes.ts';
import type { Credentials } from '../../src/http/access.ts';
import { contractBreach } from '../../src/http/answer.ts';
import { installLicence, Licences } from '../../src/store/licences.ts';
import { addSite } from '../../src/store/organisations.ts';
import { tables } from '../../src/store/tables.ts';
import {
  type Answer,
  deviceOf,
  type House,
  type HouseParts,
  noon,
  openHouse,
  type Tenant,
} from '../support/house.ts';
import { claims, makeVendor, tokenOf } from '../support/licence-token.ts';

const DAY = 86_400_000;
const vendor = makeVendor();
const stranger = makeVendor();

let house: House;
let licences: Licences;
let tenant: Tenant;

/** A house whose API keys may also act as an administrator's session: `X` before the key. */
async function open(publicPem: string | null = vendor.publicPem): Promise<void> {
  licences = new Licences(publicPem);
  house = await openHouse({
    more: (parts) => [
      ...licenceRoutes({ ...parts, licences }),
      ...zoneRoutes(parts),
      ...deviceRoutes({ ...parts, maxReaders: (tx, orgId) => licences.of(tx, orgId).maxReaders }),
    ],
    http: (parts) => ({
      beforeWrite: licenceGuard({ ...parts, licences }),
      authenticate: adminBehindKey(parts),
    }),
  });
  tenant = await house.tenant('Ours');
}
afterEach(() => house.close());

function adminBehindKey(parts: HouseParts) {
  const authenticator = createAuthenticator(parts);
  return async (credentials: Credentials) => {
    const asAdmin = credentials.bearer?.startsWith('X') ?? false;
    const bearer = asAdmin ? (credentials.bearer?.slice(1) ?? null) : credentials.bearer;
    const caller = await authenticator.authenticate({ ...credentials, bearer });
    return caller && asAdmin ? { ...caller, role: 'admin' as const, viaKey: false } : caller;
  };
}

async function install(token: unknown, key = `X${tenant.key}`): Promise<Pick<Answer, 'status' | 'body'>> {
  const response = await fetch(`${house.server.origin}/api/v1/license`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  return { status: response.status, body: await response.json() };
}

const show = async () => (await tenant.call('GET', '/license')).body;
const signed = (more: object = {}) => tokenOf(vendor, { ...claims, ...more });
const at = (ms: number) => new Date(ms).toISOString();

describe('GET /license', () => {
  test('without a token: the built-in edition, licensed, no limits, no end', async () => {
    await open(null);
    expect(await show()).toEqual({
      license: {
        ...{ valid: true, customer: '', edition: 'on-premises', state: 'licensed', readOnly: false },
        ...{ features: ['dock_doors', 'multi_site', 'api_access'], maxReaders: 0, maxSites: 0 },
        daysLeft: 36_500,
      },
      usage: { readers: 0, sites: 1 },
      knownFeatures: ['dock_doors', 'multi_site', 'api_access'],
    });
  });

  test("counts the readers and sites of the caller's organisation as they are now", async () => {
    await open();
    const other = await house.tenant('Theirs');
    await other.reader();
    const { id } = await tenant.reader();
    await tenant.reader();
    expect((await show()).usage).toEqual({ readers: 2, sites: 1 });
    await tenant.call('DELETE', `/readers/${id}`);
    await house.store.write((tx) =>
      tx.put(tables.sites, [tenant.orgId, 'b'], { id: 'b', name: 'B', createdAt: noon }),
    );
    expect((await show()).usage).toEqual({ readers: 1, sites: 2 });
  });

  test('shows what a token grants, and its end', async () => {
    await open();
    const { status, body } = await install(signed({ expiresAt: at(noon + 14 * DAY) }));
    expect(status).toBe(200);
    expect(body.license).toEqual({
      ...{ ...claims, valid: true, state: 'licensed', readOnly: false, daysLeft: 14 },
      expiresAt: at(noon + 14 * DAY),
      message: `The licence ends at ${at(noon + 14 * DAY)}: 14 days are left.`,
    });
    expect(await show()).toEqual(body);
  });

  test('goes by the clock: the licence ends without anybody asking', async () => {
    await open();
    await install(signed({ expiresAt: at(noon + DAY) }));
    expect((await show()).license).toMatchObject({ state: 'licensed', readOnly: false });
    house.now += DAY;
    expect((await show()).license).toMatchObject({
      state: 'expired',
      readOnly: true,
      valid: false,
      daysLeft: 0,
    });
  });

  test('a licence is of one organisation only', async () => {
    await open();
    const other = await house.tenant('Theirs');
    await install(signed({ state: 'closed' }));
    expect((await other.call('GET', '/license')).body.license.edition).toBe('on-premises');
    expect((await other.call('POST', '/zones', { name: 'Dock' })).status).toBe(201);
  });

  test('once the configured key is another one, an installed token is suspended and says why', async () => {
    await open();
    await install(signed());
    for (const publicPem of [stranger.publicPem, null]) {
      const changed = new Licences(publicPem).of(house.store, tenant.orgId);
      expect(changed).toMatchObject({ state: 'suspended', edition: 'unverified', customer: '' });
      expect(changed.fault).toContain('licence.publicKey');
    }
  });

  test('a token another process installs counts at once', async () => {
    await open();
    expect((await show()).license.edition).toBe('on-premises');
    const checked = new Licences(vendor.publicPem).check(signed({ edition: 'first' }));
    await house.store.write((tx) => installLicence(tx, tenant.orgId, { ...checked, now: noon }));
    expect((await show()).license.edition).toBe('first');
  });
});

test('the examples of the licence routes keep to their own schemas', async () => {
  await open();
  const routes = house.routes.filter(({ operationId }) => /Licences?$/.test(operationId));
  expect(routes).toHaveLength(2);
  for (const route of routes) {
    expect(route.body?.safeParse(route.bodyExample).error).toBeUndefined();
    const body = route.responses[200]?.example;
    if (body !== undefined) expect(contractBreach(route, { status: 200, body })).toBeNull();
  }
});

describe('PUT /license', () => {
  test('API keys get 403, and nothing is installed', async () => {
    await open();
    expect((await install(signed(), tenant.key)).status).toBe(403);
    expect(house.store.get(tables.licences, tenant.orgId)).toBeUndefined();
  });

  test('is audited with what the token grants, never with the token', async () => {
    await open();
    const token = signed();
    await install(`  ${token}\n`);
    const entry = tenant.audit().at(-1);
    expect(entry).toMatchObject({
      actor: { kind: 'user' },
      action: 'install',
      resource: 'license',
      after: { customer: 'Acme', edition: 'standard', maxReaders: 2, expiresAt: null },
    });
    expect(JSON.stringify(tenant.audit())).not.toContain(token.split('.')[2]);
    expect(house.store.get(tables.licences, tenant.orgId)?.token).toBe(token);
  });

  test('without a configured key no token can be checked: 400', async () => {
    await open(null);
    const { status, body } = await install(signed());
    expect([status, body.type]).toEqual([400, '/problems/licence-invalid']);
    expect(body.detail).toContain('licence.publicKey is not set');
  });

  const [head = '', payload = '', signature = ''] = signed().split('.');
  const { privateKey: otherKind } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const forged = Buffer.from(JSON.stringify({ ...claims, maxReaders: 0 })).toString('base64url');
  const header = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  test.each([
    ['nothing', ''],
    ['two parts', `${head}.${payload}`],
    ['four parts', `${head}.${payload}.${signature}.x`],
    ['a trailing dot', `${head}.${payload}.${signature}.`],
    ['the signature of another vendor', tokenOf(stranger)],
    ['the signature of another payload', `${head}.${forged}.${signature}`],
    ['no signature', `${head}.${payload}.`],
    ['alg none', `${header({ alg: 'none' })}.${payload}.`],
    ['alg none with a signature', tokenOf(vendor, claims, { alg: 'none' })],
    ['alg HS256', tokenOf(vendor, claims, { alg: 'HS256' })],
    ['alg eddsa', tokenOf(vendor, claims, { alg: 'eddsa' })],
    ['no alg', tokenOf(vendor, claims, {})],
    ['a critical header', tokenOf(vendor, claims, { alg: 'EdDSA', crit: ['b64'], b64: false })],
    ['a header that is no object', tokenOf(vendor, claims, ['EdDSA'])],
    ['a header that is no JSON', tokenOf(vendor, claims, '{')],
    ['padding', `${head}.${payload}.${signature}==`],
    ['the other base64 alphabet', `${head}.${payload}.${`+${signature.slice(1)}`}`],
    ['a longer signature', `${head}.${payload}.${signature}AAAA`],
    ['an ECDSA signature', tokenOf({ publicPem: '', privateKey: otherKind })],
    ['a payload that is no JSON', tokenOf(vendor, 'maxReaders=0')],
    ['a payload that is no object', tokenOf(vendor, [claims])],
    ['no customer', tokenOf(vendor, { ...claims, customer: undefined })],
    ['no maxReaders', tokenOf(vendor, { ...claims, maxReaders: undefined })],
    ['a negative limit', signed({ maxReaders: -1 })],
    ['a broken limit', signed({ maxSites: 1.5 })],
    ['a limit as text', signed({ maxReaders: '5' })],
    ['the state expired', signed({ state: 'expired' })],
    ['an end that is no time', signed({ expiresAt: 'soon' })],
    ['an end that is a number', signed({ expiresAt: 1_900_000_000 })],
    ['an endless name', signed({ customer: 'x'.repeat(256) })],
    ['too much of everything', signed({ note: 'x'.repeat(13_000) })],
  ])('%s: 400, and the licence in force stays', async (_, token) => {
    await open();
    await install(signed({ edition: 'kept' }));
    const { status, body } = await install(token);
    expect(status).toBe(400);
    expect(body.type).toMatch(/^\/problems\/(licence-)?invalid$/);
    expect((await show()).license.edition).toBe('kept');
  });

  test('a member it does not know changes nothing, one called __proto__ neither', async () => {
    await open();
    const text = JSON.stringify({ ...claims, iss: 'vendor' }).replace('{', '{"__proto__":{"maxReaders":0},');
    const { status, body } = await install(tokenOf(vendor, text));
    expect([status, body.license.maxReaders]).toEqual([200, 2]);
  });
});

describe('a read-only licence', () => {
  test.each([
    ['expired', { expiresAt: at(noon - 1) }],
    ['suspended', { state: 'suspended' }],
    ['closed', { state: 'closed' }],
  ])('that is %s: every write gets 402 and changes nothing, reading goes on', async (state, more) => {
    await open();
    const zone = await tenant.zone('Dock');
    expect((await install(signed(more))).body.license).toMatchObject({ state, readOnly: true });
    for (const [method, path] of [
      ['POST', '/zones'],
      ['PATCH', `/zones/${zone.id}`],
      ['DELETE', `/zones/${zone.id}`],
      ['POST', '/devices/claim'],
      ['DELETE', '/readers/x'],
    ] as const) {
      const { status, body } = await tenant.call(method, path, method === 'DELETE' ? undefined : {});
      expect([method, path, status, body.type]).toEqual([method, path, 402, '/problems/read-only']);
      expect(body.detail).toBe((await show()).license.message);
    }
    expect((await tenant.call('GET', '/zones')).body).toMatchObject([{ name: 'Dock' }]);
  });

  test('ends with the installation of a licence that is valid', async () => {
    await open();
    await install(signed({ state: 'suspended' }));
    expect((await install(signed({ edition: 'renewed' }))).body.license.readOnly).toBe(false);
    expect((await tenant.call('POST', '/zones', { name: 'Dock' })).status).toBe(201);
  });
});

describe('the limits of a licence', () => {
  test('a claim past maxReaders: 402, the code stays valid for later', async () => {
    await open();
    await install(signed({ maxReaders: 2 }));
    const first = await tenant.reader();
    await tenant.reader();
    const code = await house.provision('R-3');
    const claim = () => tenant.call('POST', '/devices/claim', { code, readerName: 'Third' });
    const { status, body } = await claim();
    expect([status, body.type]).toEqual([402, '/problems/licence-limit']);
    expect(body.detail).toBe('The licence allows 2 readers, and there are 2.');
    expect(deviceOf(house, 'R-3')?.state).toBe('registered');
    await tenant.call('DELETE', `/readers/${first.id}`);
    expect((await claim()).status).toBe(201);
  });

  test('claims at the same moment do not get past it', async () => {
    await open();
    await install(signed({ maxReaders: 2 }));
    const codes = await Promise.all(Array.from({ length: 8 }, (_, i) => house.provision(`R-${i}`)));
    const answers = await Promise.all(
      codes.map((code) => tenant.call('POST', '/devices/claim', { code, readerName: 'One' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 402, 402, 402, 402, 402, 402]);
    expect((await show()).usage.readers).toBe(2);
  });

  test('0 is no limit', async () => {
    await open();
    await install(signed({ maxReaders: 0 }));
    for (let i = 0; i < 5; i++) await tenant.reader();
    expect((await show()).usage.readers).toBe(5);
  });

  test('below what is in use, what there is stays and nothing is added', async () => {
    await open();
    for (let i = 0; i < 3; i++) await tenant.reader();
    expect((await install(signed({ maxReaders: 1 }))).status).toBe(200);
    expect((await tenant.call('GET', '/readers')).body).toHaveLength(3);
    const code = await house.provision('R-9');
    expect((await tenant.call('POST', '/devices/claim', { code, readerName: 'Next' })).status).toBe(402);
  });

  test('a site past maxSites is refused, one of a name that is taken is not made', async () => {
    await open();
    let last = 0;
    const add = (name: string, maxSites: number) =>
      house.store.write((tx) =>
        addSite(tx, tenant.orgId, { name, maxSites, now: noon, newId: () => `site-${++last}` }),
      );
    expect(await add('North', 2)).toMatchObject({ name: 'North' });
    await expect(add('South', 2)).rejects.toThrow('The licence allows 2 sites, and there are 2.');
    expect(await add('North', 0)).toBeNull();
    expect((await show()).usage.sites).toBe(2);
  });
});
