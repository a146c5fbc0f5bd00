import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Subscriptions } from '../../src/features/webhooks/subscriptions.ts';
import { Tidy } from '../../src/features/webhooks/tidy.ts';
import type { Store } from '../../src/store/store.ts';
import { tables } from '../../src/store/tables.ts';
import type { DeadWebhookEventRecord } from '../../src/store/webhook-records.ts';
import { stallOf } from '../support/stall.ts';
import { type StoreFolder, storeFolder } from '../support/store-folder.ts';
import { putWebhook } from '../support/webhook-house.ts';

const orgId = 'org';
let folder: StoreFolder;
let tidy: Tidy;

beforeEach(() => {
  folder = storeFolder();
  open();
});
afterEach(() => folder.close());

function open(store: Store = folder.store): void {
  tidy = new Tidy({ store, subscriptions: new Subscriptions(store), lines: new Map(), now: Date.now });
}

const letter = (no: number): DeadWebhookEventRecord => ({
  ...{
    id: randomUUID(),
    type: 'tag_moved',
    subject: `tag:${no}`,
    at: no,
    attempts: 8,
    nextAt: 0,
    diedAt: no,
  },
  ...{
    error: 'the receiver answered 400',
    data: { epc: 'e'.repeat(24), zoneName: `Dock ${no}`, tagId: randomUUID() },
  },
});

async function putDead(webhookId: string, from: number, count: number): Promise<void> {
  for (let slice = from; slice < from + count; slice += 100)
    await folder.store.write((tx) => {
      for (let no = slice; no < Math.min(slice + 100, from + count); no++)
        tx.put(tables.webhookDead, [webhookId, no], letter(no));
    });
}

const deadOf = (webhookId: string): readonly number[] =>
  Array.from(folder.store.range(tables.webhookDead), ({ key }) => key).flatMap(([id, no]) =>
    id === webhookId ? [no] : [],
  );

async function manyWithDeadLetters(count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    const { id } = await putWebhook(folder.store, orgId, { url: 'http://127.0.0.1:9/' });
    ids.push(id);
    await putDead(id, 0, 1000);
  }
  return ids;
}

describe('the last 1,000 dead letters', () => {
  test('stay of each webhook, whatever became too many before or after the start', async () => {
    const [one = '', other = ''] = await manyWithDeadLetters(2);
    await putDead(one, 1000, 250);
    open();
    await tidy.run();
    expect([deadOf(one)[0], deadOf(one).length, deadOf(other).length]).toEqual([250, 1000, 1000]);
    await putDead(other, 5000, 1);
    await tidy.run();
    expect([deadOf(one)[0], deadOf(other)[0], deadOf(other).at(-1)]).toEqual([250, 1, 5000]);
  });

  test('of twenty webhooks hold up the event loop neither at the start, nor while more come', async () => {
    const ids = await manyWithDeadLetters(20);
    const started = performance.now();
    expect(Array.from(folder.store.range(tables.webhookDead))).toHaveLength(20_000);
    // As a yardstick for how busy this machine is: a part of a look at all of them at one go.
    const part = (performance.now() - started) / 4;
    open();
    const atStart = await stallOf(() => tidy.run());
    for (const id of ids) await putDead(id, 1000, 20);
    const later = await stallOf(() => tidy.run());
    expect(folder.store.count(tables.webhookDead)).toBe(20_000);
    expect(Math.max(atStart, later)).toBeLessThan(Math.max(20, part));
  }, 30_000);

  test('are looked at only after a change: a pass with nothing new reads nothing', async () => {
    const [id = ''] = await manyWithDeadLetters(1);
    let looks = 0;
    const counted = new Proxy(folder.store, {
      get: (target, name) => {
        if (name === 'range' || name === 'keys' || name === 'count') looks++;
        const member: unknown = Reflect.get(target, name, target);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
    open(counted);
    await tidy.run();
    looks = 0;
    await tidy.run();
    expect(looks).toBe(0);
    await putDead(id, 1000, 1);
    await tidy.run();
    expect(looks).toBeGreaterThan(0);
    expect(deadOf(id)).toHaveLength(1000);
  });
});

test('nothing stays of a deleted webhook, deleted now or while nobody looked', async () => {
  const [now = '', before = '', kept = ''] = await manyWithDeadLetters(3);
  await folder.store.write((tx) => tx.remove(tables.webhooks, [orgId, before]));
  open();
  await tidy.run();
  expect([deadOf(now).length, deadOf(before).length, deadOf(kept).length]).toEqual([1000, 0, 1000]);
  await folder.store.write((tx) => tx.remove(tables.webhooks, [orgId, now]));
  await tidy.run();
  expect([deadOf(now).length, deadOf(kept).length]).toEqual([0, 1000]);
});
