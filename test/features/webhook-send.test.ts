import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { tables } from '../../src/store/tables.ts';
import { type StoreFolder, storeFolder } from '../support/store-folder.ts';
import { until } from '../support/wait.ts';
import { putWebhook, putWebhookEvent, webhookParts } from '../support/webhook-house.ts';

const orgId = 'org';
let folder: StoreFolder;
let parts: ReturnType<typeof webhookParts>;
let server: Server;
let url: string;
const sockets = new Set<Socket>();
/** What the receiver writes once a request came. */
let answer: (socket: Socket) => void;
let requests: number;

beforeEach(async () => {
  requests = 0;
  folder = storeFolder();
  parts = webhookParts(folder.store, Date.now);
  await parts.deliverer.open();
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    socket.once('data', () => {
      requests++;
      answer(socket);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const at = server.address();
  url = `http://127.0.0.1:${typeof at === 'object' ? at?.port : 0}/`;
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  server.close();
  await parts.deliverer.stop();
  await folder.close();
});

const lines = (...head: readonly string[]): string => [...head, '', ''].join('\r\n');
const upgrade = lines('HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', 'Upgrade: websocket');
const endless = lines('HTTP/1.1 200 OK', 'Content-Length: 1000');

describe('an answer that is none', () => {
  test.each([
    ['101 with an upgrade', upgrade, /answered 101/],
    ['101 without one', lines('HTTP/1.1 101 Switching Protocols'), /answered 101|no answer/],
    ['100 and nothing more', lines('HTTP/1.1 100 Continue'), /no answer within 1 s/],
  ])('%s ends the attempt in its time, and the connection', async (_, text, error) => {
    answer = (socket) => void socket.write(text);
    const webhook = await putWebhook(folder.store, orgId, { url });
    expect(await parts.deliverer.test(webhook)).toMatchObject({ error: expect.stringMatching(error) });
    await until('no connection', () => sockets.size === 0);
  });

  test('of twenty such receivers holds up nobody, and not the stop', async () => {
    answer = (socket) => void socket.write(upgrade);
    for (let i = 0; i < 20; i++) {
      const { id } = await putWebhook(folder.store, orgId, { url });
      await putWebhookEvent(folder.store, id, { subject: 'tag:1' });
    }
    await until('twenty attempts', () => parts.deliverer.counters.failed >= 20);
    const began = performance.now();
    await parts.deliverer.stop();
    expect(performance.now() - began).toBeLessThan(900);
  });
});

describe('the status decides once it came', () => {
  test.each<readonly [string, (socket: Socket) => void]>([
    ['slow', (socket) => void socket.write(`${endless}a`)],
    ['cut short', (socket) => void socket.end(`${endless}a`)],
    ['reset', (socket) => void socket.write(`${endless}a`, () => socket.resetAndDestroy())],
    [
      'endless',
      (socket) => {
        const more = (): unknown => !socket.destroyed && socket.write('x'.repeat(10_000), more);
        socket.write(lines('HTTP/1.1 200 OK', 'Connection: close'), more);
      },
    ],
  ])('2xx with a body that is %s is delivered, once', async (_, react) => {
    answer = react;
    const { id } = await putWebhook(folder.store, orgId, { url });
    await putWebhookEvent(folder.store, id, { subject: 'tag:1' });
    await until('one attempt', () => parts.deliverer.counters.delivered === 1);
    expect(parts.deliverer.counters).toMatchObject({ delivered: 1, failed: 0 });
    expect([folder.store.count(tables.webhookOutbox), requests]).toEqual([0, 1]);
    await until('no connection', () => sockets.size === 0);
  });

  test('another status with a body that never ends is what it says', async () => {
    answer = (socket) => void socket.write(endless.replace('200 OK', '503 Busy'));
    const webhook = await putWebhook(folder.store, orgId, { url });
    expect(await parts.deliverer.test(webhook)).toMatchObject({
      ...{ statusCode: 503, error: 'the receiver answered 503' },
    });
  });

  test('half a head is no answer', async () => {
    answer = (socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-');
    const webhook = await putWebhook(folder.store, orgId, { url });
    expect(await parts.deliverer.test(webhook)).toMatchObject({ error: 'no answer within 1 s' });
  });
});

test('deleting a webhook ends what is on its way to it', async () => {
  answer = () => undefined;
  const webhook = await putWebhook(folder.store, orgId, { url });
  const other = await putWebhook(folder.store, orgId, { url });
  await putWebhookEvent(folder.store, webhook.id, { subject: 'tag:1' });
  await putWebhookEvent(folder.store, other.id, { subject: 'tag:1' });
  await until('both on their way', () => requests === 2);
  await folder.store.write((tx) => tx.remove(tables.webhooks, [orgId, webhook.id]));
  await until('one connection', () => sockets.size === 1);
  await parts.deliverer.run();
  expect(folder.store.count(tables.webhookAttempts)).toBe(0);
  expect(parts.deliverer.counters.failed).toBe(0);
});
