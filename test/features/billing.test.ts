import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type AccountHouse, licence, openAccountHouse } from '../support/account-house.ts';

let house: AccountHouse;
beforeEach(async () => {
  house = await openAccountHouse();
});
afterEach(() => house.close());

describe('GET /billing/portal', () => {
  test('on premises there is none; the licence in force is answered', async () => {
    const { orgId } = await house.tenant('Ours');
    const admin = await house.person(orgId);
    const { status, body } = await admin.call('GET', '/billing/portal');
    expect([status, body]).toEqual([200, { url: null, licence }]);
  });

  test('API keys and operators get 403', async () => {
    const tenant = await house.tenant('Ours');
    const operator = await house.person(tenant.orgId, { role: 'operator' });
    for (const { call } of [tenant, operator])
      expect((await call('GET', '/billing/portal')).status).toBe(403);
  });
});
