import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Store, WriteFailed } from '../../src/store/store.ts';
import { tables } from '../../src/store/tables.ts';
import { type StoreFolder, storeFolder } from '../support/store-folder.ts';
import { until } from '../support/wait.ts';
import { putWebhook, putWebhookEvent, webhookParts } from '../support/webhook-house.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';

const orgId = 'org';
let folder: StoreFolder;
let parts: ReturnType<typeof webhookParts>;
let receiver: WebhookReceiver;
let refuses = false;
let refused = 0;
let now = Date.UTC(2026, 2, 2, 9);

/** The store, whose disk refuses when told to. */
function refusing(store: Store): Store {
  return new Proxy(store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (name === 'write' && refuses)
        return () => {
          refused++;
          return Promise.reject(new WriteFailed(new Error('EIO')));
        };
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

beforeEach(async () => {
  [refuses, refused] = [false, 0];
  folder = storeFolder();
  parts = webhookParts(refusing(folder.store), () => now);
  await parts.deliverer.open();
  receiver = new WebhookReceiver();
});
afterEach(async () => {
  await parts.deliverer.stop();
  await folder.close();
  await receiver.close();
});

test('what is sent while its outcome cannot be written is not sent again at once, but when the disk may be back', async () => {
  const webhook = await putWebhook(folder.store, orgId, { url: await receiver.open() });
  refuses = true;
  await putWebhookEvent(folder.store, webhook.id, { subject: 'tag:1', at: now });
  await until('an outcome that is refused', () => refused === 1);
  for (let turns = 0; turns < 50; turns++) {
    await parts.deliverer.run();
    await new Promise((resolve) => setImmediate(resolve));
  }
  now += 4999;
  await parts.deliverer.run();
  expect(receiver.received).toHaveLength(1);
  refuses = false;
  now += 1;
  await until('the event to be settled', async () => {
    await parts.deliverer.run();
    return folder.store.count(tables.webhookOutbox) === 0;
  });
  expect(receiver.received).toHaveLength(2);
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1);
  // Counted once the outcome is written, which shows a moment before.
  await vi.waitFor(() => expect(parts.deliverer.counters).toMatchObject({ delivered: 1, failed: 0 }));
});
