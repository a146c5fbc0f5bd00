import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Person } from '../support/account-house.ts';
import { until } from '../support/wait.ts';
import { openWebhookHouse, type WebhookHouse } from '../support/webhook-house.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';

let rig: WebhookHouse;
let admin: Person;
let receiver: WebhookReceiver;
let id: string;

beforeEach(async () => {
  rig = await openWebhookHouse();
  const tenant = await rig.house.tenant('Ours');
  admin = await rig.house.person(tenant.orgId, { email: 'admin@example.org' });
  receiver = new WebhookReceiver();
  const url = await receiver.open();
  const { body } = await admin.call('POST', '/webhooks', { url, types: ['asset_created'] });
  id = body.id;
});
afterEach(async () => {
  await rig.close();
  await receiver.close();
});

const happen = () => {
  const number = randomUUID();
  return admin.call('POST', '/assets', { name: `Cart ${number}`, assetTagNumber: number });
};
const attempts = (count: number) =>
  until(`${count} attempts`, async () => {
    await rig.deliverer.run();
    const { delivered, failed } = rig.deliverer.counters;
    return delivered + failed >= count;
  });
const webhook = async () => (await admin.call('GET', '/webhooks')).body[0];

describe('a receiver that asks for time (429, 503 with Retry-After)', () => {
  const answer = (status: number, retryAfter: string) => {
    receiver.react = () => (response) => response.writeHead(status, { 'retry-after': retryAfter }).end();
  };

  test.each<readonly [number, () => string, number]>([
    [429, () => '120', 120_000],
    [503, () => '120', 120_000],
    [429, () => '86400', 3_600_000],
    [503, () => new Date(Date.now() + 86_400_000).toUTCString(), 3_600_000],
  ])(
    '%i: nothing goes out before, also about others, and an hour is the most',
    async (status, header, pauseMs) => {
      answer(status, header());
      await happen();
      await attempts(1);
      await happen();
      receiver.react = () => 204;
      rig.house.now += pauseMs - 1;
      await rig.deliverer.run();
      expect(receiver.received).toHaveLength(1);
      rig.house.now += 1;
      await attempts(3);
      expect(receiver.taken).toHaveLength(2);
    },
  );

  test.each([
    [429, 'soon'],
    [429, '-5'],
    [500, '600'],
  ])('%i with "%s" asks for nothing: tried after the usual pause', async (status, header) => {
    answer(status, header);
    await happen();
    await attempts(1);
    receiver.react = () => 204;
    rig.house.now += 5000;
    await attempts(2);
    expect(receiver.taken).toHaveLength(1);
  });
});

test('one that is gone (410) is switched off and shown so; switched on again it gets what waited', async () => {
  receiver.react = () => 410;
  await happen();
  await attempts(1);
  expect(await webhook()).toMatchObject({ enabled: false, paused: 'gone', waiting: 1 });
  rig.house.now += 3_600_000;
  await rig.deliverer.run();
  expect(receiver.received).toHaveLength(1);
  receiver.react = () => 204;
  const { body } = await admin.call('PATCH', `/webhooks/${id}`, { enabled: true });
  expect(body).toMatchObject({ enabled: true, paused: null });
  await attempts(2);
  expect(receiver.taken).toHaveLength(1);
});
