import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { identityIssuer } from '../../src/app/identity-issuer.ts';
import { provisionRoutes } from '../../src/features/readers/provision-routes.ts';
import { unclaimedRoutes } from '../../src/features/readers/unclaimed-routes.ts';
import { type Authority, openAuthority } from '../../src/pki/authority.ts';
import { provisionDevice } from '../../src/store/provision-device.ts';
import { tables } from '../../src/store/tables.ts';
import { type AccountHouse, openAccountHouse, type Person } from '../support/account-house.ts';
import { deviceOf, noon, type Tenant } from '../support/house.ts';
import { stallOf } from '../support/stall.ts';

const serial = '370-21-09-0042';
const PASSWORD = 'canary-password-of-a-reader';
const at = new Date(noon).toISOString();
const dir = mkdtempSync(join(tmpdir(), 'tagkeep-authority-'));
let authority: Authority;
let house: AccountHouse;
let tenant: Tenant;
let admin: Person;
/** RSA, as it is in service, takes long: only where it matters. */
let keyType: 'rsa' | 'ecdsa' = 'ecdsa';
let maxReaders = 0;
let claimed: string[] = [];
/** What the route waits for before the identity is issued. */
let before: () => Promise<unknown> = async () => {};

beforeAll(async () => {
  authority = await openAuthority({ certsDir: dir, now: noon });
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));
beforeEach(async () => {
  maxReaders = 0;
  claimed = [];
  before = async () => {};
  keyType = 'ecdsa';
  const issue = identityIssuer({
    ...authority,
    issueClient: (request) => authority.issueClient({ ...request, keyType }),
  });
  house = await openAccountHouse({
    more: (parts) => [
      ...provisionRoutes({
        ...parts,
        issueIdentity: async (wish) => {
          await before();
          return issue(wish);
        },
        maxReaders: () => maxReaders,
        onClaimed: (one) => claimed.push(one),
      }),
      ...unclaimedRoutes(parts),
    ],
  });
  tenant = await house.tenant('Ours');
  admin = await house.person(tenant.orgId);
});
afterEach(() => house.close());

const provision = (more: object = {}, by = admin) => by.call('POST', '/devices', { serial, ...more });
const unclaimed = async (by = admin) => (await by.call('GET', '/devices/unclaimed')).body;
const stranger = async () => {
  const theirs = await house.tenant('Theirs');
  return { tenant: theirs, admin: await house.person(theirs.orgId) };
};
const certificates = () => [...house.store.range(tables.certificates)];

test('API keys and operators get 403, and nothing is made', async () => {
  const operator = await house.person(tenant.orgId, { role: 'operator' });
  for (const { call } of [tenant, operator]) {
    expect((await call('POST', '/devices', { serial })).status).toBe(403);
    expect((await call('GET', '/devices/unclaimed')).status).toBe(403);
  }
  expect(certificates()).toEqual([]);
});

describe('POST /devices', () => {
  test('answers the identity files, whose parts belong together, and a claim code that works', async () => {
    keyType = 'rsa';
    const { status, body } = await provision({ model: 'R720', firmware: '10.2.0', readerUser: 'admin' });
    expect(status).toBe(201);
    const { files, certificate, claimCode, ...device } = body;
    expect(device).toEqual({ serial, model: 'R720', firmware: '10.2.0', readerId: null });
    const made = new X509Certificate(files['client.crt']);
    expect(made.subject).toContain(`CN=${serial}`);
    expect(made.verify(new X509Certificate(files['ca.crt']).publicKey)).toBe(true);
    expect(made.serialNumber).toBe(certificate.serialNumber);
    expect(Date.parse(certificate.notAfter)).toBe(Date.parse(made.validTo));
    expect(files['client.key']).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
    expect(JSON.parse(files['svc.json'])).toEqual({ user: 'admin', password: 'impinj' });
    expect(certificates()).toMatchObject([
      { key: certificate.serialNumber, value: { serial, revokedAt: null } },
    ]);
    const claim = await tenant.call('POST', '/devices/claim', { code: claimCode, readerName: 'Dock' });
    expect(claim.status).toBe(201);
  });

  test('with claim it is a reader at once, by its name or else its serial', async () => {
    const { body } = await provision({ claim: true, name: 'Dock door 1' });
    expect(body).toMatchObject({ claimCode: null, readerId: expect.any(String) });
    await provision({ serial: 'R-2', claim: true });
    const readers = (await tenant.call('GET', '/readers')).body;
    expect(readers).toMatchObject([
      { id: body.readerId, name: 'Dock door 1', serial, enabled: true },
      { name: 'R-2', serial: 'R-2' },
    ]);
    expect(house.directory.reader(serial)?.orgId).toBe(tenant.orgId);
    expect(claimed).toEqual([serial, 'R-2']);
  });

  test('again: another certificate beside the old one, another code and the old one void', async () => {
    const [first, second] = [(await provision()).body, (await provision()).body];
    expect(second.certificate.serialNumber).not.toBe(first.certificate.serialNumber);
    expect(certificates().filter(({ value }) => value.revokedAt === null)).toHaveLength(2);
    const claim = (code: string) => tenant.call('POST', '/devices/claim', { code, readerName: 'R' });
    expect((await claim(first.claimCode)).status).toBe(404);
    expect((await claim(second.claimCode)).status).toBe(201);
  });

  test('of a reader one has: another certificate, it stays the reader it is, model and firmware as they were', async () => {
    const { readerId } = (await provision({ model: 'R720', claim: true, name: 'Dock' })).body;
    const { status, body } = await provision({ claim: true, name: 'Other' });
    expect([status, body]).toMatchObject([201, { readerId, claimCode: null, model: 'R720' }]);
    expect((await tenant.call('GET', '/readers')).body).toMatchObject([{ id: readerId, name: 'Dock' }]);
    expect(claimed).toEqual([serial]);
  });

  test('takes a withdrawn and revoked device back into service', async () => {
    await provision();
    await house.store.write((tx) => {
      const device = tx.get(tables.devices, serial);
      if (device) tx.put(tables.devices, serial, { ...device, state: 'withdrawn', connectRevoked: true });
    });
    expect((await provision()).status).toBe(201);
    expect(deviceOf(house, serial)).toMatchObject({ state: 'registered', connectRevoked: false });
    expect(certificates().filter(({ value }) => value.revokedAt === null)).toHaveLength(1);
  });

  test('409 for a serial another organisation claimed or provisioned; nothing of it changes', async () => {
    const theirs = await stranger();
    for (const claim of [false, true]) {
      await provision({ claim }, theirs.admin);
      const [device, count] = [deviceOf(house, serial), certificates().length];
      const answer = await provision({ claim: true });
      expect([answer.status, answer.body.type]).toEqual([409, '/problems/device-taken']);
      expect(JSON.stringify(answer.body)).not.toContain('Theirs');
      expect([deviceOf(house, serial), certificates().length]).toEqual([device, count]);
    }
  });

  test('409 too when it changes hands while the key is made', async () => {
    const theirs = await stranger();
    before = () =>
      house.store.write((tx) => {
        const parts = { serial, model: undefined, firmware: undefined, certificate: 'X', now: noon };
        provisionDevice(tx, { ...parts, orgId: theirs.tenant.orgId, random: (n) => new Uint8Array(n) });
      });
    expect((await provision()).status).toBe(409);
    expect(certificates()).toEqual([]);
  });

  test('of a device nobody is known to have provisioned: only while there is no other organisation', async () => {
    await house.provision(serial);
    expect((await provision()).status).toBe(201);
    await house.provision('R-2');
    await stranger();
    expect((await provision({ serial: 'R-2' })).status).toBe(409);
  });

  test('what was provisioned for another organisation and is handed over keeps none of its certificates', async () => {
    const theirs = await stranger();
    const { certificate } = (await provision({}, theirs.admin)).body;
    await house.store.write((tx) => {
      const parts = { serial, model: undefined, firmware: undefined, certificate: 'X', now: noon };
      provisionDevice(tx, {
        ...parts,
        orgId: tenant.orgId,
        random: () => crypto.getRandomValues(new Uint8Array(16)),
      });
    });
    expect(certificates()).toMatchObject([{ key: certificate.serialNumber, value: { revokedAt: noon } }]);
  });

  test('402 past the readers the licence allows: not even the certificate is kept', async () => {
    maxReaders = 1;
    await tenant.reader();
    const answer = await provision({ claim: true });
    expect([answer.status, answer.body.type]).toEqual([402, '/problems/licence-limit']);
    expect([deviceOf(house, serial), certificates(), claimed]).toEqual([undefined, [], []]);
    expect((await provision()).status).toBe(201);
  });

  test.each([
    [{ serial: 'a/b' }, 'serial'],
    [{ serial: '#' }, 'serial'],
    [{ serial: '' }, 'serial'],
    [{ serial: 'x'.repeat(65) }, 'serial'],
    [{ serial: undefined }, 'serial'],
    [{ model: ' ' }, 'model'],
    [{ firmware: 'x'.repeat(256) }, 'firmware'],
    [{ claim: 'yes' }, 'claim'],
    [{ claim: true, name: '' }, 'name'],
    [{ readerUser: '' }, 'readerUser'],
    [{ readerPassword: PASSWORD.repeat(20) }, 'readerPassword'],
  ])('400 for %j, naming %s', async (more, path) => {
    const answer = await provision(more);
    expect([answer.status, answer.body.errors]).toMatchObject([400, [{ path }]]);
    expect(JSON.stringify(answer.body)).not.toContain(PASSWORD);
    expect(house.store.count(tables.devices)).toBe(0);
  });

  test('429 with Retry-After when too many wait; those that wait are served', async () => {
    let open = (): void => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    before = () => gate;
    let refused = 0;
    const answers = Array.from({ length: 30 }, async (_, n) => {
      const answer = await provision({ serial: `R-${n}` });
      if (answer.status === 429 && ++refused === 9) open();
      return answer;
    });
    const all = await Promise.all(answers);
    const full = all.filter(({ status }) => status === 429);
    expect([all.filter(({ status }) => status === 201).length, full.length]).toEqual([21, 9]);
    expect(full[0]?.headers.get('retry-after')).toBe('5');
    expect(house.store.count(tables.devices)).toBe(21);
  }, 60_000);

  test('neither the key, the code nor the password is in the store, in the audit log or in any later answer', async () => {
    const { body } = await provision({ readerPassword: PASSWORD });
    const key = body.files['client.key'].split('\n')[1];
    expect(key.length).toBeGreaterThan(50);
    await provision({ serial: 'R-2', claim: true, readerPassword: PASSWORD });
    const kept = Object.values(tables).flatMap((table) =>
      // Tables of all types, read as what they have in common.
      [...house.store.range(table as typeof tables.devices)].map(({ value }) => JSON.stringify(value)),
    );
    const told = [await unclaimed(), tenant.audit()].map((one) => JSON.stringify(one));
    for (const text of [...kept, ...told])
      for (const secret of [key, PASSWORD]) expect(text).not.toContain(secret);
    expect(told.join()).not.toContain(body.claimCode);
    expect(JSON.parse(body.files['svc.json']).password).toBe(PASSWORD);
    expect(tenant.audit().filter(({ action }) => action !== 'login')).toMatchObject([
      { action: 'provision', resource: `devices/${serial}`, actor: { kind: 'user' } },
      { action: 'provision', resource: 'devices/R-2' },
      { action: 'claim', after: { serial: 'R-2', name: 'R-2' } },
    ]);
  });

  test('the event loop is held for far less than the making of a key takes', async () => {
    keyType = 'rsa';
    await provision({ serial: 'warm' });
    const stalls: number[] = [];
    for (let n = 0; n < 3; n++) stalls.push(await stallOf(() => provision({ serial: `R-${n}` })));
    // Of three the shortest: other processes hold it too.
    expect(Math.min(...stalls)).toBeLessThan(60);
  });
});

describe('GET /devices/unclaimed', () => {
  test('has what is registered or released, the latest first, with its connection', async () => {
    await provision({ model: 'R720', firmware: '10.2.0' });
    house.now += 1000;
    await provision({ serial: 'R-2' });
    await provision({ serial: 'R-3', claim: true });
    house.connect('R-2');
    expect(await unclaimed()).toEqual([
      {
        ...{ serial: 'R-2', model: 'R700', firmware: '', provisionedAt: new Date(noon + 1000).toISOString() },
        ...{ brokerStatus: 'connected', lastSeenAt: new Date(noon + 1000).toISOString() },
      },
      {
        ...{ serial, model: 'R720', firmware: '10.2.0', provisionedAt: at },
        ...{ brokerStatus: 'never', lastSeenAt: null },
      },
    ]);
    const [reader] = (await tenant.call('GET', '/readers')).body;
    await tenant.call('DELETE', `/readers/${reader.id}`);
    const serials = (await unclaimed()).map((one: { serial: string }) => one.serial);
    expect(serials).toEqual(['R-2', 'R-3', serial]);
  });

  test("has neither withdrawn devices nor another organisation's", async () => {
    const theirs = await stranger();
    await provision({}, theirs.admin);
    await house.provision('R-2');
    await provision({ serial: 'R-3' });
    await house.store.write((tx) => {
      const device = tx.get(tables.devices, 'R-3');
      if (device) tx.put(tables.devices, 'R-3', { ...device, state: 'withdrawn' });
    });
    expect(await unclaimed()).toEqual([]);
    expect(await unclaimed(theirs.admin)).toMatchObject([{ serial }]);
  });

  test('ends at 1,000, the latest ones', async () => {
    await house.store.write((tx) => {
      for (let n = 0; n < 1001; n++) {
        const parts = { serial: `R-${n}`, model: undefined, firmware: undefined, certificate: 'X' };
        const random = () => crypto.getRandomValues(new Uint8Array(16));
        provisionDevice(tx, { ...parts, orgId: tenant.orgId, now: noon + n, random });
      }
    });
    const serials = (await unclaimed()).map((one: { serial: string }) => one.serial);
    expect([serials.length, serials[0], serials.includes('R-0')]).toEqual([1000, 'R-1000', false]);
  });
});
