import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Finding } from '../../src/app/doctor-finding.ts';
import { checkWebhooks } from '../../src/app/doctor-webhooks.ts';
import { tables } from '../../src/store/tables.ts';
import { settleAttempt } from '../../src/store/webhooks.ts';
import { type StoreFolder, storeFolder } from '../support/store-folder.ts';
import { putWebhook, putWebhookEvent } from '../support/webhook-house.ts';

const HOUR = 3_600_000;
const now = Date.UTC(2026, 2, 2, 9);
const url = 'https://user:canary@erp.example.org:8443/hook?token=canary';
let folder: StoreFolder;

beforeEach(() => {
  folder = storeFolder();
});
afterEach(() => folder.close());

const check = (at: number): readonly string[] =>
  checkWebhooks({ store: folder.store, now: at }).map(
    ({ level, subject, message }: Finding) => `${level} ${subject ?? '-'}: ${message}`,
  );

async function fail(webhookId: string): Promise<void> {
  const [waiting] = Array.from(folder.store.range(tables.webhookOutbox, { start: [webhookId], limit: 1 }));
  if (!waiting) throw new Error('nothing waits');
  const outcome = { statusCode: 503, durationMs: 1, error: 'the receiver answered 503', now, random: 0 };
  await folder.store.write((tx) => settleAttempt(tx, waiting.key, outcome));
}

test('without webhooks it says so', () => {
  expect(check(now)).toEqual(['ok -: no webhooks and no e-mail are set up']);
});

test('what waits for over 15 minutes is a warning with its age and the last error, of the address the host only', async () => {
  const { id } = await putWebhook(folder.store, 'org', { url });
  const other = await putWebhook(folder.store, 'org', { url: null, emailTo: ['canary@example.org'] });
  for (let i = 0; i < 3; i++) await putWebhookEvent(folder.store, id, { subject: 'tag:1', at: now });
  await putWebhookEvent(folder.store, other.id, {
    subject: 'tag:1',
    at: now - 240 * HOUR,
    queuedAt: now + HOUR,
  });
  await fail(id);
  expect(check(now + HOUR / 5)).toEqual(['ok -: 2 subscriptions, 4 events not delivered yet']);
  const told = check(now + HOUR);
  expect(told).toEqual([
    'ok -: 2 subscriptions, 4 events not delivered yet',
    `warning erp.example.org:8443 (${id}): 3 events wait, the oldest for 60 minutes; the last attempt: the receiver answered 503`,
  ]);
  expect(check(now + 3 * HOUR)[2] ?? check(now + 3 * HOUR)[1]).toContain('hours');
  expect(check(now + 3 * HOUR).join()).not.toContain('canary');
});

test('one that is switched off, by its receiver or by a person, says so with what waits', async () => {
  const gone = await putWebhook(folder.store, 'org', { url, enabled: false, paused: 'gone' });
  const off = await putWebhook(folder.store, 'other', {
    url: null,
    emailTo: ['a@example.org'],
    enabled: false,
  });
  await putWebhookEvent(folder.store, off.id, { subject: 'tag:1', at: now });
  expect(check(now + 72 * HOUR).toSorted()).toEqual([
    `note e-mail (${off.id}): switched off; 1 event waits, the oldest for 3 days`,
    'ok -: 2 subscriptions, 1 event not delivered yet',
    `warning erp.example.org:8443 (${gone.id}): switched off because its receiver says it is gone (410); 0 events wait`,
  ]);
});

test('dead letters are told with their number and the reason of the last', async () => {
  const { id } = await putWebhook(folder.store, 'org', { url });
  const event = {
    id: randomUUID(),
    type: 'tag_moved',
    subject: 'tag:1',
    at: now,
    data: {},
    attempts: 9,
  } as const;
  await folder.store.write((tx) => {
    for (const [no, error] of ['the receiver answered 400', 'the receiver answered 404'].entries())
      tx.put(tables.webhookDead, [id, no], { ...event, nextAt: 0, diedAt: now, error });
  });
  expect(check(now)).toEqual([
    'ok -: 1 subscription, 0 events not delivered yet',
    `note erp.example.org:8443 (${id}): 2 events given up; the last because the receiver answered 404`,
  ]);
});
