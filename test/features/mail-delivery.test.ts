import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { deadLetters, lastAttempts, revive } from '../../src/store/webhooks.ts';
import {
  attempts,
  closeMailBench,
  drained,
  type MailBench,
  openMailBench,
  put,
  restart,
  subscribe,
  told,
  tried,
  waiting,
} from '../support/mail-bench.ts';
import { Reply } from '../support/mail-receiver.ts';
import { until } from '../support/wait.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);

let bench: MailBench;
beforeEach(async () => {
  bench = await openMailBench();
});
afterEach(() => closeMailBench(bench));

describe('what goes out together', () => {
  test('everything that is due in one message, in order, encrypted, logged in, logged once', async () => {
    const webhook = await subscribe(bench, ['lead@example.org', 'Chef@example.org']);
    await put(bench, { webhook, count: 40 });
    await drained(bench);
    expect(told(bench)).toEqual([upTo(40)]);
    const [mail] = bench.receiver.taken;
    expect(mail).toMatchObject({ secure: true, user: bench.login.user, from: 'tagkeep@site.example' });
    expect(mail?.to).toEqual(['lead@example.org', 'Chef@example.org']);
    expect(mail?.subject).toBe('Tagkeep: tag 0; (AB0) is now in Hall (and 39 more)');
    const headers = Object.fromEntries(mail?.headers ?? []);
    expect(headers).toMatchObject({
      'auto-submitted': 'auto-generated',
      'list-id': `Tagkeep <${webhook.id}.tagkeep.site.example>`,
      from: 'Tagkeep <tagkeep@site.example>',
      date: 'Mon, 02 Mar 2026 09:00:10 +0000',
    });
    expect(headers['message-id']).toMatch(/^<[0-9a-f]{32}@site\.example>$/);
    expect(headers['x-mailer']).toBeUndefined();
    expect(attempts(bench)).toEqual([
      expect.objectContaining({
        outcome: 'delivered',
        statusCode: 250,
        events: 40,
        response: '250 queued as 42',
      }),
    ]);
    // Counted once the outcome is written, which shows a moment before.
    await vi.waitFor(() =>
      expect(bench.parts.deliverer.counters).toMatchObject({ delivered: 40, failed: 0 }),
    );
  });

  test('moves gather for five seconds, one message a minute, a hundred events in each', async () => {
    const webhook = await subscribe(bench);
    await put(bench, { webhook, count: 1 });
    await bench.parts.deliverer.run();
    bench.now += 4999;
    await put(bench, { webhook, count: 249, first: 1 });
    await bench.parts.deliverer.run();
    expect(bench.receiver.connections).toBe(0);
    bench.now += 1;
    await tried(bench, 1);
    bench.now += MINUTE - 1;
    await bench.parts.deliverer.run();
    expect(bench.receiver.received).toHaveLength(1);
    expect(bench.receiver.taken[0]?.text).toContain('150 more wait');
    bench.now += 1;
    await tried(bench, 2);
    await drained(bench);
    expect(told(bench).map((numbers) => numbers.length)).toEqual([100, 100, 50]);
    expect(told(bench).flat()).toEqual(upTo(250));
  });

  test('an alert goes at once when the minute is free, with what waits before it', async () => {
    const webhook = await subscribe(bench);
    await put(bench, { webhook, count: 2 });
    await put(bench, { webhook, count: 1, first: 2, type: 'alert_opened' });
    await tried(bench, 1);
    expect(told(bench)).toEqual([[0, 1, 2]]);
    expect(bench.receiver.taken[0]?.subject).toMatch(
      /^Tagkeep: Alert, critical: tag 2; is lost \(and 2 more\)$/,
    );
    await put(bench, { webhook, count: 1, first: 3, type: 'alert_opened' });
    await bench.parts.deliverer.run();
    expect(bench.receiver.connections).toBe(1);
    bench.now += MINUTE;
    await tried(bench, 2);
    expect(told(bench)).toEqual([[0, 1, 2], [3]]);
  });

  test('the minute holds over a restart', async () => {
    const webhook = await subscribe(bench);
    await put(bench, { webhook, count: 1, type: 'alert_opened' });
    await tried(bench, 1);
    await put(bench, { webhook, count: 1, first: 1, type: 'alert_opened' });
    await restart(bench);
    await bench.parts.deliverer.run();
    expect(bench.receiver.connections).toBe(1);
    bench.now += MINUTE;
    await tried(bench, 2);
    expect(told(bench)).toEqual([[0], [1]]);
  });

  test('three at a time, so that a slow mail server holds up no webhook', async () => {
    bench.receiver.react = () => 'never';
    for (let i = 0; i < 5; i++)
      await put(bench, { webhook: await subscribe(bench), count: 1, type: 'alert_opened' });
    await until('three on their way', async () => {
      await bench.parts.deliverer.run();
      return bench.receiver.received.length >= 3;
    });
    await bench.parts.deliverer.run();
    expect(bench.receiver.connections).toBe(3);
  });
});

describe('a backlog', () => {
  test('of moves keeps no alert waiting: it is in the next message, and the order of everything else stays', async () => {
    const webhook = await subscribe(bench);
    await put(bench, { webhook, count: 250 });
    await put(bench, { webhook, count: 2, first: 900, type: 'alert_opened' });
    await drained(bench);
    const [first = [], ...rest] = told(bench);
    expect(first).toEqual([900, 901, ...upTo(98)]);
    expect(rest.flat()).toEqual(upTo(250).slice(98));
  });
});

describe('what fails', () => {
  test('a later refusal (4xx) is tried again over a restart, the same message with the same id, and nothing overtakes it', async () => {
    bench.receiver.react = () => new Reply(451, 'try later');
    const webhook = await subscribe(bench);
    await put(bench, { webhook, count: 3, type: 'alert_opened' });
    await tried(bench, 1);
    await put(bench, { webhook, count: 2, first: 3, type: 'alert_opened' });
    await restart(bench);
    bench.receiver.react = () => null;
    await drained(bench);
    expect(told(bench)).toEqual([
      [0, 1, 2],
      [3, 4],
    ]);
    const ids = bench.receiver.received.map(({ headers }) => headers.get('message-id'));
    expect(ids[0]).toBe(ids[1]);
    expect(ids[1]).not.toBe(ids[2]);
    expect(attempts(bench).map(({ outcome, statusCode, attempt }) => [outcome, statusCode, attempt])).toEqual(
      [
        ['retrying', 451, 1],
        ['delivered', 250, 2],
        ['delivered', 250, 1],
      ],
    );
    expect(attempts(bench)[0]).toMatchObject({
      error: 'the mail server answered 451 to DATA',
      response: '451 try later',
      events: 3,
    });
  });

  test('an answer that is lost: the same message comes again, with the same id', async () => {
    let cuts = 2;
    bench.receiver.react = () => (cuts-- > 0 ? 'cut' : null);
    await put(bench, { webhook: await subscribe(bench), count: 4 });
    await drained(bench);
    expect(told(bench)).toEqual([upTo(4), upTo(4), upTo(4)]);
    expect(new Set(bench.receiver.taken.map(({ headers }) => headers.get('message-id'))).size).toBe(1);
  });

  test('a refusal for good (5xx) makes dead letters of the message, what comes after goes on, and each can be tried again', async () => {
    bench.receiver.react = ({ text }) => (text.includes('tag 0;') ? new Reply(554, 'looks like spam') : null);
    const webhook = await subscribe(bench);
    await put(bench, { webhook, count: 2, type: 'alert_opened' });
    await tried(bench, 1);
    await put(bench, { webhook, count: 1, first: 2, type: 'alert_opened' });
    await drained(bench);
    expect(told(bench)).toEqual([[2]]);
    const dead = deadLetters(bench.folder.store, webhook.id);
    expect(dead.map(({ value }) => value.error)).toEqual(
      Array(2).fill('the mail server answered 554 to DATA'),
    );
    // Counted once the outcome is written, which shows a moment before.
    await vi.waitFor(() =>
      expect(bench.parts.deliverer.counters).toMatchObject({ dead: 2, failed: 1, delivered: 1 }),
    );
    bench.receiver.react = () => null;
    await bench.folder.store.write((tx) => revive(tx, [webhook.id, dead[0]?.value.id ?? ''], bench.now));
    await drained(bench);
    expect(told(bench)).toEqual([[2], [1]]);
  });

  test('a recipient that has to wait gets it later, and nobody twice', async () => {
    let isBusy = true;
    bench.receiver.onRecipient = (address) =>
      isBusy && address === 'b@example.org' ? new Reply(450, 'busy') : null;
    const webhook = await subscribe(bench, ['a@example.org', 'b@example.org']);
    await put(bench, { webhook, count: 2 });
    bench.now += 5000;
    await tried(bench, 1);
    expect(attempts(bench)[0]).toMatchObject({
      outcome: 'retrying',
      error: expect.stringContaining('b@example.org'),
    });
    isBusy = false;
    await restart(bench);
    await drained(bench);
    expect(bench.receiver.taken.map(({ to }) => to)).toEqual([['a@example.org'], ['b@example.org']]);
    expect(told(bench)).toEqual([
      [0, 1],
      [0, 1],
    ]);
  });

  test('a recipient that has to wait for good keeps nothing from the others: it is given up after some attempts, and named', async () => {
    bench.receiver.onRecipient = (address) =>
      address === 'full@example.org' ? new Reply(452, 'mailbox full') : null;
    const webhook = await subscribe(bench, ['a@example.org', 'full@example.org']);
    const began = bench.now;
    for (const count of [1, 2]) await put(bench, { webhook, count, type: 'alert_opened' });
    await drained(bench);
    expect(bench.now - began).toBeLessThan(2 * HOUR);
    expect(bench.receiver.taken.every(({ to }) => to.join() === 'a@example.org')).toBe(true);
    expect(told(bench).flat()).toEqual([0, 0, 1]);
    expect(attempts(bench).find(({ outcome }) => outcome === 'delivered')).toMatchObject({
      outcome: 'delivered',
      response: expect.stringMatching(/given up: .*(full@example\.org|452)/),
    });
    expect(deadLetters(bench.folder.store, webhook.id)).toEqual([]);
  });

  test('a recipient that is refused for good holds up nobody and is named; all refused is a dead letter', async () => {
    bench.receiver.onRecipient = (address) =>
      address.startsWith('gone') ? new Reply(550, 'no such user') : null;
    await put(bench, { webhook: await subscribe(bench, ['gone@example.org', 'a@example.org']), count: 1 });
    await drained(bench);
    expect(bench.receiver.taken.map(({ to }) => to)).toEqual([['a@example.org']]);
    expect(attempts(bench)[0]).toMatchObject({
      outcome: 'delivered',
      response: '250 queued as 42; not for gone@example.org: 550 no such user',
    });
    const lost = await subscribe(bench, ['gone@example.org']);
    await put(bench, { webhook: lost, count: 1 });
    await drained(bench);
    expect(deadLetters(bench.folder.store, lost.id)).toHaveLength(1);
  });

  test('an outage of two days: one attempt a minute at most, nothing given up, all told after it', async () => {
    await bench.receiver.close();
    const webhook = await subscribe(bench);
    await put(bench, { webhook, count: 3, type: 'alert_opened' });
    const end = bench.now + 48 * HOUR;
    for (
      let attempts = 0;
      bench.now < end;
      bench.now += HOUR, attempts = bench.parts.deliverer.counters.failed
    ) {
      await bench.parts.deliverer.run();
      await until(
        'the attempt to end',
        () => bench.now >= end || bench.parts.deliverer.counters.failed > attempts || waiting(bench) === 0,
      );
    }
    expect(bench.parts.deliverer.counters.failed).toBeGreaterThan(8);
    expect(lastAttempts(bench.folder.store, webhook.id)[0]?.value).toMatchObject({
      statusCode: null,
      error: 'the connection was refused: nothing listens there',
    });
    await bench.receiver.open(bench.certificates.tls, { port: bench.options.port });
    await drained(bench);
    expect(told(bench)).toEqual([[0, 1, 2]]);
    expect(bench.parts.deliverer.counters.dead).toBe(0);
  }, 30_000);

  test('a wrong password or a login that is asked for is tried again until the file is right, without a restart', async () => {
    const file = join(bench.dir, 'changing');
    writeFileSync(file, 'canary-wrong\n');
    await restart(bench, { passwordFile: file });
    const webhook = await subscribe(bench);
    expect(await bench.parts.deliverer.test(webhook)).toMatchObject({
      statusCode: 535,
      error: 'the mail server answered 535 to the login',
    });
    await put(bench, { webhook, count: 1 });
    bench.now += 5000;
    await until('an attempt', async () => {
      await bench.parts.deliverer.run();
      return bench.parts.deliverer.counters.failed === 1;
    });
    writeFileSync(file, bench.login.password);
    await drained(bench);
    expect(told(bench)).toEqual([[0]]);
    expect(JSON.stringify(attempts(bench))).not.toContain('canary');
  });
});
