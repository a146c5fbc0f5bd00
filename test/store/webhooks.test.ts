import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tables } from '../../src/store/tables.ts';
import { deadLetters, hasWebhook, putEvent, revive } from '../../src/store/webhooks.ts';
import { type StoreFolder, storeFolder } from '../support/store-folder.ts';
import { putWebhook } from '../support/webhook-house.ts';

let folder: StoreFolder;

beforeEach(() => {
  folder = storeFolder();
});
afterEach(() => folder.close());

test('events wait in the order they were put, in however many transactions, kept or rolled back', async () => {
  let n = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ count: fc.nat(40), fails: fc.boolean() }), { maxLength: 8 }),
      async (transactions) => {
        const id = randomUUID();
        const put: number[] = [];
        for (const { count, fails } of transactions) {
          const ns = Array.from({ length: count }, () => ++n);
          const written = folder.store.write((tx) => {
            for (const one of ns) {
              const event = { subject: 's', at: one, queuedAt: one, data: {} };
              putEvent(tx, id, { id: randomUUID(), type: 'tag_moved', ...event });
            }
            if (fails) throw new Error('rolled back');
          });
          await written.catch(() => undefined);
          if (!fails) put.push(...ns);
        }
        const range = { start: [id], end: [id, Number.MAX_VALUE] };
        expect(Array.from(folder.store.range(tables.webhookOutbox, range), ({ value }) => value.at)).toEqual(
          put,
        );
      },
    ),
    { numRuns: 30 },
  );
});

test('thousands of events in one transaction take the counter a dozen times', async () => {
  let taken = 0;
  await folder.store.write((tx) => {
    const counted = {
      ...tx,
      next: (counter: string, count?: number) => {
        taken++;
        return tx.next(counter, count);
      },
    };
    for (let i = 0; i < 2000; i++)
      putEvent(counted, 'w', { id: `${i}`, type: 'tag_moved', subject: 's', at: i, queuedAt: i, data: {} });
  });
  expect(taken).toBeLessThan(12);
  expect(folder.store.count(tables.webhookOutbox)).toBe(2000);
});

test('a dead letter that is tried again waits after all that was put before', async () => {
  const event = {
    id: randomUUID(),
    type: 'tag_moved',
    subject: 's',
    at: 1,
    data: {},
    attempts: 8,
    nextAt: 0,
  } as const;
  await folder.store.write((tx) => {
    tx.put(tables.webhookDead, ['w', 1], { ...event, diedAt: 1, error: 'e' });
    for (let at = 0; at < 5; at++)
      putEvent(tx, 'w', { id: randomUUID(), type: 'tag_moved', subject: 's', at, queuedAt: at, data: {} });
    expect(revive(tx, ['w', event.id], 9)).toBe(true);
    putEvent(tx, 'w', { id: randomUUID(), type: 'tag_moved', subject: 's', at: 7, queuedAt: 7, data: {} });
  });
  const waiting = Array.from(folder.store.range(tables.webhookOutbox), ({ value }) => value);
  expect(waiting.map(({ queuedAt }) => queuedAt)).toEqual([0, 1, 2, 3, 4, 9, 7]);
  expect(deadLetters(folder.store, 'w')).toEqual([]);
});

test('a subscription that is deleted is known as such in the next transaction', async () => {
  const { id } = await putWebhook(folder.store, 'org', {});
  expect(await folder.store.write((tx) => hasWebhook(tx, 'org', id) && hasWebhook(tx, 'org', id))).toBe(true);
  await folder.store.write((tx) => tx.remove(tables.webhooks, ['org', id]));
  expect(await folder.store.write((tx) => hasWebhook(tx, 'org', id))).toBe(false);
});
