import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { tables } from '../../src/store/tables.ts';
import type { WebhookRecord } from '../../src/store/webhook-records.ts';
import { deadLetters, lastAttempts, putEvent, revive } from '../../src/store/webhooks.ts';
import { makeKey, makeSelfSigned } from '../support/openssl.ts';
import { stallOf } from '../support/stall.ts';
import { type StoreFolder, storeFolder } from '../support/store-folder.ts';
import { until } from '../support/wait.ts';
import { putWebhook, webhookParts } from '../support/webhook-house.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';

const HOUR = 3_600_000;
const orgId = 'org';
let folder: StoreFolder;
let parts: ReturnType<typeof webhookParts>;
let receiver: WebhookReceiver;
let url: string;
let now = Date.UTC(2026, 2, 2, 9);

async function open(): Promise<void> {
  parts = webhookParts(folder.store, () => now);
  await parts.deliverer.open();
}

beforeEach(async () => {
  now = Date.UTC(2026, 2, 2, 9);
  folder = storeFolder();
  await open();
  receiver = new WebhookReceiver();
  url = await receiver.open();
});
afterEach(async () => {
  await parts.deliverer.stop();
  await folder.close();
  await receiver.close();
});

/** Events with these subjects, numbered from `first` within all. */
function put(webhook: WebhookRecord, subjects: readonly string[], first = 0): Promise<void> {
  return folder.store.write((tx) => {
    for (const [i, subject] of subjects.entries()) {
      const data = { subject, n: first + i };
      putEvent(tx, webhook.id, {
        id: randomUUID(),
        type: 'tag_moved',
        subject,
        at: now,
        queuedAt: now,
        data,
      });
    }
  });
}

const waiting = () => folder.store.count(tables.webhookOutbox);

/** Runs, with the clock ahead a little each time, until nothing waits. */
const drained = (stepMs = 5000) =>
  until('nothing to wait', async () => {
    await parts.deliverer.run();
    if (receiver.inFlight === 0) now += stepMs;
    return waiting() === 0;
  });

/** Once nothing is due at this time. */
const settled = async (attempts: number): Promise<void> => {
  await until(`${attempts} attempts`, async () => {
    await parts.deliverer.run();
    const { delivered, failed } = parts.deliverer.counters;
    return delivered + failed >= attempts;
  });
};

describe('order and repetition', () => {
  test('each subject in order and complete, whatever fails, also over restarts', async () => {
    const subject = fc.constantFrom('tag:1', 'tag:2', 'asset:1');
    const failure = fc.constantFrom<number | 'cut' | 'lost'>(500, 302, 404, 'cut', 'lost');
    await fc.assert(
      fc.asyncProperty(
        fc.array(subject, { minLength: 1, maxLength: 12 }),
        fc.array(fc.option(failure, { nil: 204 }), { maxLength: 20 }),
        fc.nat(12),
        async (subjects, reactions, restartAfter) => {
          receiver.taken.length = 0;
          const left = [...reactions];
          receiver.react = (message) => {
            const reaction = left.shift() ?? 204;
            // Lost: taken, but the answer does not arrive.
            if (reaction === 'lost') receiver.taken.push(message);
            return typeof reaction === 'number' ? reaction : (response) => response.destroy();
          };
          const webhook = await putWebhook(folder.store, orgId, { url });
          await put(webhook, subjects.slice(0, restartAfter));
          await parts.deliverer.run();
          await parts.deliverer.stop();
          await folder.reopen();
          await open();
          await put(webhook, subjects.slice(restartAfter), restartAfter);
          await drained();
          expectInOrder(subjects);
        },
      ),
      { numRuns: 15 },
    );
  }, 60_000);

  function expectInOrder(subjects: readonly string[]): void {
    const firsts = receiver.taken.filter(
      ({ id }, i) => receiver.taken.findIndex((one) => one.id === id) === i,
    );
    for (const subject of new Set(subjects)) {
      const wanted = subjects.flatMap((one, n) => (one === subject ? [n] : []));
      const told = firsts.filter(({ data }) => data.subject === subject).map(({ data }) => data.n);
      expect(told).toEqual(wanted);
      // What comes twice comes with the same id and before what is next.
      const all = receiver.taken.filter(({ data }) => data.subject === subject).map(({ data }) => data.n);
      expect(all).toEqual(all.toSorted((a, b) => a - b));
    }
    const pairs = new Map(receiver.taken.map(({ id, data }) => [id, data.n]));
    expect(new Set(pairs.values()).size).toBe(pairs.size);
  }

  test('a subject that fails holds up no other', async () => {
    receiver.react = ({ data }) => (data.subject === 'bad' ? 400 : 204);
    const webhook = await putWebhook(folder.store, orgId, { url });
    await put(webhook, ['bad', 'good', 'bad', 'good']);
    await settled(3);
    expect(receiver.taken.map(({ data }) => data.n)).toEqual([1, 3]);
    expect(waiting()).toBe(2);
  });

  test('five at a time for one webhook, twenty in all', async () => {
    const held: (() => void)[] = [];
    receiver.react = () => (response) => void held.push(() => response.writeHead(204).end());
    const subjects = Array.from({ length: 8 }, (_, i) => `tag:${i}`);
    const webhooks = await Promise.all(
      Array.from({ length: 5 }, () => putWebhook(folder.store, orgId, { url })),
    );
    const [first] = webhooks;
    if (first) await put(first, subjects);
    await until('five on their way', () => receiver.inFlight === 5);
    for (const webhook of webhooks.slice(1)) await put(webhook, subjects);
    await until('twenty on their way', () => receiver.inFlight === 20);
    await parts.deliverer.run();
    receiver.react = () => 204;
    for (const answer of held.splice(0)) answer();
    await until('all to be delivered', () => waiting() === 0);
    expect(receiver.mostInFlight).toBe(20);
  });
});

describe('failures', () => {
  test('an outage of two days: tried with growing pauses over a restart, nothing given up, delivered soon after', async () => {
    await receiver.close();
    const { port } = new URL(url);
    const webhook = await putWebhook(folder.store, orgId, { url });
    await put(webhook, ['tag:1', 'tag:1', 'tag:2']);
    const from = now;
    for (; now - from < 48 * HOUR; now += HOUR + 60_000) {
      const before = parts.deliverer.counters.failed;
      await parts.deliverer.run();
      await until('an attempt', () => parts.deliverer.counters.failed > before);
      if (Math.floor((now - from) / HOUR) !== 24) continue;
      await parts.deliverer.stop();
      await folder.reopen();
      await open();
    }
    expect(folder.store.count(tables.webhookDead)).toBe(0);
    const tried = lastAttempts(folder.store, webhook.id).map(({ value }) => value.attempt);
    expect(Math.max(...tried)).toBeGreaterThan(8);
    expect(lastAttempts(folder.store, webhook.id)[0]?.value).toMatchObject({
      outcome: 'retrying',
      error: expect.stringContaining('refused'),
    });
    receiver = new WebhookReceiver();
    await receiver.open(Number(port));
    const back = now;
    await drained();
    expect(receiver.taken.filter(({ data }) => data.subject === 'tag:1').map(({ data }) => data.n)).toEqual([
      0, 1,
    ]);
    expect(now - back).toBeLessThan(HOUR / 4);
  }, 60_000);

  test('pauses are on disk: after a restart nothing is tried before its time', async () => {
    receiver.react = () => 503;
    const webhook = await putWebhook(folder.store, orgId, { url });
    await put(webhook, ['tag:1']);
    await settled(1);
    await parts.deliverer.stop();
    await folder.reopen();
    await open();
    now += 4999;
    await parts.deliverer.run();
    await parts.deliverer.stop();
    expect(receiver.received).toHaveLength(1);
    await open();
    now += 1;
    receiver.react = () => 204;
    await settled(1);
    expect(receiver.taken).toHaveLength(1);
    expect(receiver.received[0]?.id).toBe(receiver.received[1]?.id);
  });

  test('after three days an event is a dead letter, the next of its subject goes on, and it can be tried again', async () => {
    receiver.react = ({ data }) => (data.n === 0 ? 400 : 204);
    const webhook = await putWebhook(folder.store, orgId, { url });
    await put(webhook, ['tag:1', 'tag:1']);
    await drained(HOUR);
    const [dead] = deadLetters(folder.store, webhook.id);
    expect(dead?.value).toMatchObject({ error: 'the receiver answered 400', data: { n: 0 } });
    expect(now - (dead?.value.at ?? 0)).toBeGreaterThanOrEqual(72 * HOUR);
    expect(receiver.taken.map(({ data }) => data.n)).toEqual([1]);
    // Counted once the outcome is written, which shows a moment before.
    await vi.waitFor(() => expect(parts.deliverer.counters).toMatchObject({ delivered: 1, dead: 1 }));
    receiver.react = () => 204;
    expect(await folder.store.write((tx) => revive(tx, [webhook.id, dead?.value.id ?? ''], now))).toBe(true);
    await drained();
    expect(receiver.taken.map(({ data }) => data.n)).toEqual([1, 0]);
    expect(await folder.store.write((tx) => revive(tx, [webhook.id, dead?.value.id ?? ''], now))).toBe(false);
  });

  test('a receiver that is down is not asked for every event that waits', async () => {
    receiver.react = () => 503;
    const webhook = await putWebhook(folder.store, orgId, { url });
    await put(
      webhook,
      Array.from({ length: 100 }, (_, i) => `tag:${i}`),
    );
    await settled(5);
    for (let i = 0; i < 5; i++) await parts.deliverer.run();
    expect(receiver.received.length).toBeLessThan(10);
    receiver.react = () => 204;
    await drained(10_000);
    expect(new Set(receiver.taken.map(({ id }) => id)).size).toBe(100);
  });

  test('a clock that is set back holds nothing up', async () => {
    receiver.react = () => 503;
    const webhook = await putWebhook(folder.store, orgId, { url });
    await put(webhook, ['tag:1']);
    await settled(1);
    now -= 365 * 24 * HOUR;
    receiver.react = () => 204;
    await settled(2);
    expect(receiver.taken).toHaveLength(1);
  });

  test('no answer within the time, endless answers and redirects each end in one line', async () => {
    const webhook = await putWebhook(folder.store, orgId, { url });
    receiver.react = () => () => undefined;
    expect(await parts.deliverer.test(webhook)).toMatchObject({ error: 'no answer within 1 s' });
    receiver.react = () => (response) => response.writeHead(302, { location: url }).end();
    expect(await parts.deliverer.test(webhook)).toMatchObject({
      error: 'the receiver answered 302; redirects are not followed',
    });
    receiver.react = () => (response) => {
      response.writeHead(200);
      const more = (): unknown => !response.destroyed && response.write('x'.repeat(10_000), more);
      more();
    };
    expect(await parts.deliverer.test(webhook)).toMatchObject({ statusCode: 200, error: null });
    expect(receiver.received).toHaveLength(3);
  });

  test('whatever is no HTTP is told in one line of plain text', async () => {
    const noise = createServer((socket) => socket.end('\u0000\u0007no http\r\n\r\n')).listen(0, '127.0.0.1');
    await once(noise, 'listening');
    const at = noise.address();
    const port = typeof at === 'object' ? at?.port : 0;
    const webhook = await putWebhook(folder.store, orgId, { url: `http://127.0.0.1:${port}/` });
    const { error } = await parts.deliverer.test(webhook);
    expect(error).toMatch(/^[ -~]{5,200}$/);
    noise.close();
  });

  test('a certificate is checked: an own authority has to be told', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'tagkeep-webhook-'));
    const [keyFile, certFile] = [join(dir, 'key.pem'), join(dir, 'cert.pem')];
    await makeKey(keyFile, 'ec');
    await makeSelfSigned({ key: keyFile, out: certFile, name: 'localhost', ca: true });
    const tls = { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
    rmSync(dir, { recursive: true });
    const secure = new WebhookReceiver(tls);
    const address = (await secure.open()).replace('127.0.0.1', 'localhost');
    const strict = await putWebhook(folder.store, orgId, { url: address });
    expect(await parts.deliverer.test(strict)).toMatchObject({
      statusCode: null,
      error: expect.stringMatching(/certificate/),
    });
    const trusting = await putWebhook(folder.store, orgId, { url: address, caPem: tls.cert });
    expect(await parts.deliverer.test(trusting)).toMatchObject({ statusCode: 204, error: null });
    expect(secure.received).toHaveLength(1);
    await secure.close();
  });

  test('the stop breaks off what hangs, and it goes out after the next start', async () => {
    receiver.react = () => () => undefined;
    const webhook = await putWebhook(folder.store, orgId, { url });
    await put(webhook, ['tag:1']);
    await until('it to be on its way', () => receiver.inFlight === 1);
    const began = performance.now();
    await parts.deliverer.stop();
    expect(performance.now() - began).toBeLessThan(900);
    expect(folder.store.count(tables.webhookAttempts)).toBe(0);
    receiver.react = () => 204;
    await open();
    await settled(1);
    expect(receiver.taken).toHaveLength(1);
  });
});

describe('limits', () => {
  test('of more than 10,000 that wait the oldest are given up, 1,000 of these are kept, and 200 attempts', async () => {
    const webhook = await putWebhook(folder.store, orgId, { url, enabled: false });
    await put(
      webhook,
      Array.from({ length: 11_250 }, (_, i) => `tag:${i}`),
    );
    await parts.deliverer.run();
    expect(waiting()).toBe(10_000);
    const dead = deadLetters(folder.store, webhook.id);
    expect([dead.length, dead[0]?.value.data, dead.at(-1)?.value.data]).toEqual([
      1000,
      { subject: 'tag:1249', n: 1249 },
      { subject: 'tag:250', n: 250 },
    ]);
    expect(folder.store.count(tables.webhookDead)).toBe(1000);
    expect(parts.deliverer.counters.dead).toBe(1250);
    await folder.store.write((tx) =>
      tx.put(tables.webhooks, [orgId, webhook.id], { ...webhook, enabled: true }),
    );
    await settled(300);
    await parts.deliverer.stop();
    await open();
    await parts.deliverer.run();
    await until('attempts to be cut', () => folder.store.count(tables.webhookAttempts) <= 220);
  });

  test('while twice as many wait nothing is taken any more, and what is dropped is counted', async () => {
    const webhook = await putWebhook(folder.store, orgId, { url, enabled: false });
    const many = Array.from({ length: 20_000 }, () => 'tag:1');
    expect(parts.deliverer.hasRoom(webhook.id)).toBe(true);
    await put(webhook, many);
    expect(parts.deliverer.hasRoom(webhook.id)).toBe(false);
    expect(parts.deliverer.counters.dropped).toBe(1);
    await parts.deliverer.run();
    expect(parts.deliverer.hasRoom(webhook.id)).toBe(true);
  });

  test('ten thousand that wait are loaded and made room for without holding up the event loop', async () => {
    const webhook = await putWebhook(folder.store, orgId, { url, enabled: false });
    for (let i = 0; i < 110; i++)
      await put(
        webhook,
        Array.from({ length: 100 }, (_, n) => `tag:${i}-${n}`),
      );
    await parts.deliverer.stop();
    // As a yardstick for how busy this machine is: a look at all of them at one go.
    const started = performance.now();
    expect(Array.from(folder.store.range(tables.webhookOutbox))).toHaveLength(11_000);
    const atOneGo = performance.now() - started;
    const stall = await stallOf(async () => {
      await open();
      await parts.deliverer.run();
    });
    expect(parts.deliverer.waiting()).toBe(10_000);
    expect(stall).toBeLessThan(Math.max(20, atOneGo));
  });
});
