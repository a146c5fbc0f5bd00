import { afterAll, beforeAll, expect, test } from 'vitest';
import { epcReadingExample } from '../../src/contract/epc-reading.ts';
import { epcRoutes } from '../../src/features/epcs/epc-routes.ts';
import { type House, openHouse, type Tenant } from '../support/house.ts';

let house: House;
let tenant: Tenant;
beforeAll(async () => {
  house = await openHouse({ more: () => epcRoutes() });
  tenant = await house.tenant('Ours');
});
afterAll(() => house.close());

test('GET /epcs/{epc} says what the number says, known or not, with lower case folded', async () => {
  const { status, body } = await tenant.call('GET', '/epcs/3074257bf7194e4000001a85');
  expect([status, body]).toEqual([200, epcReadingExample]);
});

test('an EPC that follows no scheme is 200 with a problem in words', async () => {
  const { status, body } = await tenant.call('GET', '/epcs/E2801160600002000000AB01');
  expect([status, body.scheme, body.text]).toEqual([
    200,
    null,
    'No GS1 code: header 0xE2, as chips have it before an EPC is written',
  ]);
});

test.each(['ABC', 'XYZXYZXY', '0'.repeat(65)])('%s is no EPC at all: 400 that quotes it', async (text) => {
  const { status, body } = await tenant.call('GET', `/epcs/${text}`);
  expect(status).toBe(400);
  expect(body.errors[0].path).toBe('epc');
});
