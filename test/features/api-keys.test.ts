import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../../src/domain/limits.ts';
import { putApiKey } from '../../src/store/api-keys.ts';
import type { ApiKeyRecord } from '../../src/store/records.ts';
import { tables } from '../../src/store/tables.ts';
import { type AccountHouse, openAccountHouse, type Person } from '../support/account-house.ts';
import { noon, type Tenant } from '../support/house.ts';

const iso = (at: number): string => new Date(at).toISOString();
const MINUTE = 60_000;
let house: AccountHouse;
let tenant: Tenant;
let admin: Person;

beforeEach(async () => {
  house = await openAccountHouse();
  tenant = await house.tenant('Ours');
  admin = await house.person(tenant.orgId);
});
afterEach(() => house.close());

const me = (key: string): Promise<Response> =>
  fetch(`${house.server.origin}/api/v1/auth/me`, { headers: { authorization: `Bearer ${key}` } });

/** So many keys of ours beside the one every tenant has. */
function fill(count: number, more: Partial<ApiKeyRecord> = {}): Promise<void> {
  return house.store.write((tx) => {
    for (let i = 0; i < count; i++) {
      const dates = { createdAt: noon - count + i, expiresAt: null, revokedAt: null, lastUsedAt: null };
      const record = { id: randomUUID(), orgId: tenant.orgId, name: `k${i}`, hash: `h${i}`, ...dates };
      putApiKey(tx, { ...record, ...more });
    }
  });
}

describe('/api-keys', () => {
  test('API keys and operators get 403 everywhere', async () => {
    const operator = await house.person(tenant.orgId, { role: 'operator' });
    for (const { call } of [tenant, operator]) {
      expect((await call('GET', '/api-keys')).status).toBe(403);
      expect((await call('POST', '/api-keys', { name: 'ERP' })).status).toBe(403);
      expect((await call('DELETE', `/api-keys/${tenant.keyId}`)).status).toBe(403);
    }
    expect((await me(tenant.key)).status).toBe(200);
  });

  test('makes a key that works until it expires, and is answered this once', async () => {
    const expiresAt = iso(noon + MINUTE);
    const { status, body } = await admin.call('POST', '/api-keys', { name: 'ERP', expiresAt });
    const dates = { createdAt: iso(noon), expiresAt, revokedAt: null, lastUsedAt: null };
    expect([status, body]).toEqual([
      201,
      {
        id: expect.any(String),
        name: 'ERP',
        state: 'valid',
        ...dates,
        key: expect.stringMatching(/^tk_[\w-]{43}$/),
      },
    ]);
    expect(await (await me(body.key)).json()).toMatchObject({ id: body.id, viaKey: true, role: 'operator' });
    await house.authenticator.idle();
    const { key, ...listed } = body;
    expect((await admin.call('GET', '/api-keys')).body).toContainEqual({ ...listed, lastUsedAt: iso(noon) });
    house.now = noon + MINUTE;
    expect((await me(key)).status).toBe(401);
    expect((await admin.call('GET', '/api-keys')).body).toContainEqual(
      expect.objectContaining({ id: body.id, state: 'expired' }),
    );
  });

  test('never shows a key or its hash again', async () => {
    const { body } = await admin.call('POST', '/api-keys', { name: 'ERP' });
    const { hash } = house.store.get(tables.apiKeys, body.id) ?? {};
    const shown = JSON.stringify([(await admin.call('GET', '/api-keys')).body, tenant.audit()]);
    expect(shown).not.toContain(body.key);
    expect(shown).not.toContain(hash);
  });

  test.each([
    ['a blank name', { name: '  ' }, 'name'],
    ['no name', {}, 'name'],
    ['a time that has passed', { name: 'x', expiresAt: iso(noon) }, 'expiresAt'],
    ['a time that is none', { name: 'x', expiresAt: 'soon' }, 'expiresAt'],
  ])('400 for %s', async (_, body, path) => {
    const answer = await admin.call('POST', '/api-keys', body);
    expect([answer.status, answer.body.errors[0].path]).toEqual([400, path]);
  });

  test('revokes a key at once; doing it again changes nothing', async () => {
    for (let i = 0; i < 2; i++) {
      expect((await admin.call('DELETE', `/api-keys/${tenant.keyId}`)).status).toBe(204);
      expect((await me(tenant.key)).status).toBe(401);
    }
    const [key] = (await admin.call('GET', '/api-keys')).body;
    expect(key).toMatchObject({ id: tenant.keyId, state: 'revoked', revokedAt: iso(noon) });
    const notes = tenant.audit().filter(({ action }) => action === 'revoke');
    expect(notes).toMatchObject([{ resource: `api-keys/${tenant.keyId}`, before: { name: 'test' } }]);
  });

  test('404 for an unknown key and one of another organisation', async () => {
    const theirs = await house.tenant('Theirs');
    for (const id of [theirs.keyId, randomUUID(), 'x'])
      expect((await admin.call('DELETE', `/api-keys/${id}`)).status).toBe(404);
    expect((await me(theirs.key)).status).toBe(200);
    expect((await admin.call('GET', '/api-keys')).body).toHaveLength(1);
  });

  test(`an organisation has ${limits.apiKeysPerOrganisation} valid keys at most`, async () => {
    await fill(limits.apiKeysPerOrganisation - 1);
    const answer = await admin.call('POST', '/api-keys', { name: 'one more' });
    expect([answer.status, answer.body.type]).toEqual([400, '/problems/invalid']);
  });

  test('the oldest revoked or expired key makes room', async () => {
    await fill(limits.apiKeysPerOrganisation - 1, { revokedAt: noon });
    const before = (await admin.call('GET', '/api-keys')).body;
    house.now++;
    expect((await admin.call('POST', '/api-keys', { name: 'one more' })).status).toBe(201);
    const after = (await admin.call('GET', '/api-keys')).body;
    expect(after).toHaveLength(limits.apiKeysPerOrganisation);
    expect(after.slice(0, -1)).toEqual(before.slice(1));
    expect((await me(tenant.key)).status).toBe(200);
  });
});
