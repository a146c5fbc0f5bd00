import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tables } from '../../src/store/tables.ts';
import { deadLetters, lastAttempts, revive } from '../../src/store/webhooks.ts';
import { type StoreFolder, storeFolder } from '../support/store-folder.ts';
import { until } from '../support/wait.ts';
import { putWebhook, putWebhookEvent, webhookParts } from '../support/webhook-house.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';

const HOUR = 3_600_000;
const orgId = 'org';
let folder: StoreFolder;
let parts: ReturnType<typeof webhookParts>;
let receiver: WebhookReceiver;
let url: string;
let now: number;

beforeEach(async () => {
  now = Date.UTC(2026, 2, 2, 9);
  folder = storeFolder();
  parts = webhookParts(folder.store, () => now);
  await parts.deliverer.open();
  receiver = new WebhookReceiver();
  receiver.react = () => 400;
  url = await receiver.open();
});
afterEach(async () => {
  await parts.deliverer.stop();
  await folder.close();
  await receiver.close();
});

/** Runs, an hour at a time, until the only event is given up; answers after how long, ms. */
async function untilDead(): Promise<number> {
  const began = now;
  await until('a dead letter', async () => {
    await parts.deliverer.run();
    if (receiver.inFlight === 0) now += HOUR;
    return folder.store.count(tables.webhookOutbox) === 0;
  });
  return now - began;
}

test('a dead letter that is tried again has three days anew', async () => {
  const webhook = await putWebhook(folder.store, orgId, { url });
  await putWebhookEvent(folder.store, webhook.id, { subject: 'tag:1', at: now });
  await untilDead();
  const [dead] = deadLetters(folder.store, webhook.id);
  now += 24 * HOUR;
  expect(await folder.store.write((tx) => revive(tx, [webhook.id, dead?.value.id ?? ''], now))).toBe(true);
  expect(await untilDead()).toBeGreaterThanOrEqual(72 * HOUR);
  expect(deadLetters(folder.store, webhook.id)[0]?.value.id).toBe(dead?.value.id);
});

test('an event of long ago, read late, has three days from when it came', async () => {
  const webhook = await putWebhook(folder.store, orgId, { url });
  await putWebhookEvent(folder.store, webhook.id, {
    subject: 'tag:1',
    at: now - 240 * HOUR,
    queuedAt: now,
  });
  expect(await untilDead()).toBeGreaterThanOrEqual(72 * HOUR);
  expect(lastAttempts(folder.store, webhook.id).length).toBeGreaterThan(20);
});

test('an event of an earlier version, which does not say when it came, counts from its time', async () => {
  const webhook = await putWebhook(folder.store, orgId, { url });
  const old = { id: randomUUID(), type: 'tag_moved', subject: 'tag:1', data: {}, attempts: 0 } as const;
  await folder.store.write((tx) =>
    tx.put(tables.webhookOutbox, [webhook.id, 1], { ...old, at: now - 48 * HOUR, nextAt: 0 }),
  );
  const lived = await untilDead();
  expect(lived).toBeGreaterThanOrEqual(24 * HOUR);
  expect(lived).toBeLessThan(60 * HOUR);
});
