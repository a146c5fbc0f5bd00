import { afterEach, beforeEach, expect, test } from 'vitest';
import { ReceiverTrouble } from '../../src/features/webhooks/receiver-trouble.ts';
import { type StoreFolder, storeFolder } from '../support/store-folder.ts';
import { until } from '../support/wait.ts';
import { putWebhook, putWebhookEvent, webhookParts } from '../support/webhook-house.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';

const MINUTE = 60_000;
const logged: string[] = [];
let now = Date.UTC(2026, 2, 2, 9);
let folder: StoreFolder;
let parts: ReturnType<typeof webhookParts>;
let receiver: WebhookReceiver;

beforeEach(async () => {
  logged.length = 0;
  folder = storeFolder();
  parts = webhookParts(folder.store, () => now, { logged });
  await parts.deliverer.open();
  receiver = new WebhookReceiver();
});
afterEach(async () => {
  await parts.deliverer.stop();
  await folder.close();
  await receiver.close();
});

test('a word is due after 15 minutes of failures, then once an hour, and anew after a success', () => {
  const trouble = new ReceiverTrouble();
  const failing = Array.from({ length: 140 }, (_, minute) => minute).filter(
    (minute) => trouble.attempted('a', false, minute * MINUTE) === 0,
  );
  expect(failing).toEqual([15, 75, 135]);
  expect(trouble.attempted('b', false, 140 * MINUTE)).toBeNull();
  expect(trouble.attempted('a', true, 140 * MINUTE)).toBeNull();
  expect(trouble.attempted('a', false, 141 * MINUTE)).toBeNull();
  expect(trouble.attempted('a', false, 156 * MINUTE)).toBe(141 * MINUTE);
  // The clock is set back: counted anew.
  expect(trouble.attempted('a', false, 0)).toBeNull();
  expect(trouble.attempted('a', false, 15 * MINUTE)).toBe(0);
});

test('the log says which receiver fails, by its host only, and why', async () => {
  receiver.react = () => 503;
  const { host } = new URL(await receiver.open());
  const webhook = await putWebhook(folder.store, 'org', {
    url: `http://canary:canary@${host}/canary?canary`,
  });
  await putWebhookEvent(folder.store, webhook.id, { subject: 'tag:1', at: now });
  await until('two hours to be over', async () => {
    await parts.deliverer.run();
    if (receiver.inFlight === 0) now += MINUTE;
    return parts.deliverer.counters.failed > 10;
  });
  expect(logged.length).toBeGreaterThan(0);
  expect(logged[0]).toContain(`"receiver":"${host}"`);
  expect(logged[0]).toContain('the receiver answered 503');
  expect(logged.join()).not.toContain('canary');
});
