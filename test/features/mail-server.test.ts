import { randomUUID } from 'node:crypto';
import { lookup } from 'node:dns';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type MailOptions, MailServer } from '../../src/features/webhooks/mail-server.ts';
import { putEvent } from '../../src/store/webhooks.ts';
import {
  closeMailBench,
  drained,
  type MailBench,
  openMailBench,
  put,
  restart,
  subscribe,
  waiting,
} from '../support/mail-bench.ts';
import { until } from '../support/wait.ts';

let bench: MailBench;
beforeEach(async () => {
  bench = await openMailBench();
});
afterEach(() => closeMailBench(bench));

describe('who is spoken to', () => {
  const fault = async (more: Partial<MailOptions>): Promise<string | null> => {
    await restart(bench, more);
    const { error, statusCode } = await bench.parts.deliverer.test(await subscribe(bench));
    expect(statusCode).toBeNull();
    expect(bench.receiver.received).toHaveLength(0);
    return error;
  };

  test('a mail server whose certificate leads to no known authority, or is of another name, gets nothing', async () => {
    expect(await fault({ caFile: null })).toMatch(/unable to verify|certificate/i);
    await bench.receiver.close();
    const port = await bench.receiver.open(bench.certificates.tls, { host: '127.0.0.2' });
    expect(await fault({ host: '127.0.0.2', port })).toMatch(/does not match certificate|altnames/i);
  });

  test('one that offers no encryption where it is asked for gets nothing, not even the login', async () => {
    await bench.receiver.close();
    const plain = await bench.receiver.open(null);
    await restart(bench, { port: plain });
    const { error, statusCode } = await bench.parts.deliverer.test(await subscribe(bench));
    expect([statusCode, error]).toEqual([500, expect.stringMatching(/STARTTLS/)]);
    expect(bench.receiver.received).toHaveLength(0);
  });

  test('TLS from the beginning, and none at all where that is asked for', async () => {
    await bench.receiver.close();
    await restart(bench, {
      port: await bench.receiver.open(bench.certificates.tls, { atOnce: true }),
      security: 'tls',
    });
    expect(await bench.parts.deliverer.test(await subscribe(bench))).toMatchObject({
      error: null,
      statusCode: 250,
    });
    await bench.receiver.close();
    bench.receiver.login = null;
    const port = await bench.receiver.open(null);
    await restart(bench, { port, security: 'none', user: null, passwordFile: null, caFile: null });
    expect(await bench.parts.deliverer.test(await subscribe(bench))).toMatchObject({
      error: null,
      statusCode: 250,
    });
    expect(bench.receiver.taken.map(({ secure, user }) => [secure, user])).toEqual([
      [true, bench.login.user],
      [false, undefined],
    ]);
    expect(bench.receiver.taken[0]).toMatchObject({ subject: 'Tagkeep: test' });
  });

  test('one that never answers is given up in time, and the stop waits for none', async () => {
    bench.receiver.react = () => 'never';
    await put(bench, { webhook: await subscribe(bench), count: 1, type: 'alert_opened' });
    await until('a message on its way', async () => {
      await bench.parts.deliverer.run();
      return bench.receiver.received.length === 1;
    });
    const began = performance.now();
    await bench.parts.deliverer.stop();
    expect(performance.now() - began).toBeLessThan(2000);
    expect(waiting(bench)).toBe(1);
    const server = new MailServer(bench.options);
    const letter = {
      messageId: 'a@b',
      to: ['a@b.c'],
      recipients: ['a@b.c'],
      subject: '',
      text: '',
      listId: '',
      at: 0,
    };
    const sending = { lookup, signal: new AbortController().signal, timeoutMs: 300 };
    expect(await server.send(letter, sending)).toMatchObject({ error: 'no answer within 0.3 s' });
  });
});

test('names with line ends, markup and emoji add no header and no line of their own', async () => {
  const evil = 'x\r\nBcc: all@example.org\r\n\r\n<script>alert(1)</script> 🚜 \u2028\n.\r\nQUIT';
  const webhook = await subscribe(bench);
  await bench.folder.store.write((tx) => {
    const data = { epc: 'AB', label: evil, toZoneId: 'z', zoneName: `${'ä'.repeat(250)}\r\n.\r\n` };
    putEvent(tx, webhook.id, {
      id: randomUUID(),
      type: 'tag_moved',
      subject: 's',
      at: bench.now,
      queuedAt: bench.now,
      data,
    });
  });
  await drained(bench);
  const [mail] = bench.receiver.taken;
  expect(mail?.to).toEqual(['lead@example.org']);
  expect([...(mail?.headers.keys() ?? [])].toSorted()).toEqual(
    [
      ...[
        'auto-submitted',
        'content-transfer-encoding',
        'content-type',
        'date',
        'from',
        'list-id',
        'message-id',
      ],
      ...['mime-version', 'subject', 'to', 'x-auto-response-suppress'],
    ].toSorted(),
  );
  expect(mail?.subject).toContain('x Bcc: all@example.org <script>alert(1)</script> 🚜 . QUIT');
  expect(mail?.headers.get('content-type')).toMatch(/^text\/plain/);
  expect(mail?.text).toContain('ä'.repeat(250));
});
