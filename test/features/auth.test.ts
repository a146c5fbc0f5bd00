import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hashApiKey, makeApiKey } from '../../src/store/api-keys.ts';
import { tables } from '../../src/store/tables.ts';
import { type House, noon, openHouse, type Tenant } from '../support/house.ts';

const MINUTE = 60_000;
let house: House;
let tenant: Tenant;

beforeEach(async () => {
  house = await openHouse();
  tenant = await house.tenant('Ours');
});
afterEach(() => house.close());

function me(authorization?: string): Promise<Response> {
  return fetch(`${house.server.origin}/api/v1/auth/me`, { headers: authorization ? { authorization } : {} });
}

async function lastUsedAt(): Promise<number | null | undefined> {
  await house.authenticator.idle();
  return house.store.get(tables.apiKeys, tenant.keyId)?.lastUsedAt;
}

describe('GET /auth/me', () => {
  test('an API key is an operator without e-mail address, viaKey true', async () => {
    const { status, body } = await tenant.call('GET', '/auth/me');
    expect(status).toBe(200);
    expect(body).toEqual({ id: tenant.keyId, email: '', role: 'operator', viaKey: true });
  });
});

describe('API keys', () => {
  test('a key is tk_ and 43 characters base64url, kept as its SHA-256 only', () => {
    const key = makeApiKey();
    expect(key).toMatch(/^tk_[A-Za-z0-9_-]{43}$/);
    expect(hashApiKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(makeApiKey()).not.toBe(key);
    for (const { value } of house.store.range(tables.apiKeys))
      expect(JSON.stringify(value)).not.toContain(tenant.key.slice(3));
  });

  test.each([
    ['none', () => undefined],
    ['an unknown one', () => `Bearer ${makeApiKey()}`],
    ['a malformed one', () => 'Bearer tk_short'],
    ['another scheme', () => `Basic ${tenant.key}`],
    ['one in another case', () => `Bearer ${tenant.key.toUpperCase()}`],
    ['an empty one', () => 'Bearer '],
  ])('%s gets 401 with WWW-Authenticate: Bearer', async (_, header) => {
    const response = await me(header());
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    expect(response.headers.get('content-type')).toContain('application/problem+json');
  });

  test('an expired key gets 401 from its last moment on', async () => {
    const key = await house.key(tenant.orgId, { expiresAt: noon + MINUTE });
    house.now = noon + MINUTE - 1;
    expect((await me(`Bearer ${key}`)).status).toBe(200);
    house.now = noon + MINUTE;
    expect((await me(`Bearer ${key}`)).status).toBe(401);
  });

  test('a revoked key gets 401 at once', async () => {
    expect((await me(`Bearer ${tenant.key}`)).status).toBe(200);
    await house.store.write((tx) => {
      const record = tx.get(tables.apiKeys, tenant.keyId);
      if (record) tx.put(tables.apiKeys, tenant.keyId, { ...record, revokedAt: noon });
    });
    expect((await me(`Bearer ${tenant.key}`)).status).toBe(401);
  });

  test('the last use is noted, at most once a minute', async () => {
    await me(`Bearer ${tenant.key}`);
    expect(await lastUsedAt()).toBe(noon);
    house.now = noon + MINUTE - 1;
    await me(`Bearer ${tenant.key}`);
    expect(await lastUsedAt()).toBe(noon);
    house.now = noon + MINUTE;
    await me(`Bearer ${tenant.key}`);
    expect(await lastUsedAt()).toBe(noon + MINUTE);
  });

  test('noting the last use brings no revoked key back', async () => {
    const before = house.store.get(tables.apiKeys, tenant.keyId);
    const request = me(`Bearer ${tenant.key}`);
    await house.store.write((tx) => {
      const record = tx.get(tables.apiKeys, tenant.keyId);
      if (record) tx.put(tables.apiKeys, tenant.keyId, { ...record, revokedAt: noon });
    });
    await request;
    await house.authenticator.idle();
    expect(before?.revokedAt).toBeNull();
    expect(house.store.get(tables.apiKeys, tenant.keyId)?.revokedAt).toBe(noon);
  });
});
