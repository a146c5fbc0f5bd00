import { expect, test } from 'vitest';
import { Subscriptions } from '../../src/features/webhooks/subscriptions.ts';
import { moveWeight } from '../../src/features/webhooks/webhook-events.ts';
import { storeFolder } from '../support/store-folder.ts';
import { putWebhook } from '../support/webhook-house.ts';

test('a move weighs nothing where nobody is told of moves, and more with each who is', async () => {
  const folder = storeFolder();
  const subscriptions = new Subscriptions(folder.store);
  const weight = (orgId: string): number => moveWeight(subscriptions, orgId);
  expect(weight('org')).toBe(0);
  await putWebhook(folder.store, 'org', {});
  await putWebhook(folder.store, 'org', { types: ['tag_moved'], enabled: false });
  await putWebhook(folder.store, 'other', { types: ['tag_moved'] });
  expect(weight('org')).toBe(0);
  await putWebhook(folder.store, 'org', { types: ['tag_moved'] });
  const one = weight('org');
  expect(one).toBeGreaterThan(0);
  await putWebhook(folder.store, 'org', { types: ['alert_opened', 'tag_moved'] });
  expect(weight('org')).toBeGreaterThan(one);
  expect(weight('other')).toBe(one);
  await folder.close();
});
