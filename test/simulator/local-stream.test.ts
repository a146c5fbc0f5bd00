import type { IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type LocalInterface,
  type LocalInterfaceOptions,
  startLocalInterface,
} from '../../src/simulator/local-interface.ts';
import { call, credentials, folder, open, selfSigned } from './local-support.ts';
import { parsed, until } from './support.ts';

const STREAM = '/api/v1/data/stream';
const event = (n: number, padding = '') =>
  `{"timestamp":"2026-03-02T09:15:37.${n}Z","n":${n},"p":"${padding}"}`;

let home: ReturnType<typeof folder>;
let local: LocalInterface;

beforeEach(() => {
  home = folder();
});
afterEach(async () => {
  await local.stop();
  home.remove();
});

async function start(change: Partial<LocalInterfaceOptions> = {}): Promise<void> {
  const options = { dir: home.dir, serial: 'R-1', ...credentials, tls: selfSigned, rebootMs: 0 };
  local = await startLocalInterface({ ...options, ...change });
}

/** What came on a stream so far. */
function collect(response: IncomingMessage): { text: () => string; lines: () => string[] } {
  let text = '';
  response.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  response.on('error', () => {});
  return { text: () => text, lines: () => text.split('\r\n').filter((line) => line !== '') };
}

describe('the data stream', () => {
  it('is one JSON object a line with CRLF, to everybody who listens, from then on', async () => {
    await start();
    local.pushEvent(event(0));
    const streams = await Promise.all([open(local.url, STREAM), open(local.url, STREAM)]);
    const got = streams.map(collect);
    await until('both', () => local.view().stream.consumers === 2);
    local.pushEvent(event(1));
    local.pushEvent(event(2));
    await until('the events', () => got.every(({ lines }) => lines().length === 2));
    for (const { text } of got) expect(text()).toBe(`${event(1)}\r\n${event(2)}\r\n`);
    expect(local.view().stream).toEqual({ consumers: 2, sent: 4, dropped: 0 });
  });

  it('has a blank line as keep-alive', async () => {
    await start({ keepAliveMs: 20 });
    const got = collect(await open(local.url, STREAM));
    await until('blank lines', () => got.text().startsWith('\r\n\r\n'));
    expect(got.lines()).toEqual([]);
  });

  it('is refused without credentials, and with 503 beyond eight listeners', async () => {
    await start();
    expect((await call(local.url, STREAM, { auth: null })).status).toBe(401);
    const streams = [];
    for (let at = 0; at < 8; at += 1) streams.push(await open(local.url, STREAM));
    expect((await call(local.url, STREAM)).status).toBe(503);
    streams[0]?.destroy();
    await until('one less', () => local.view().stream.consumers === 7);
    expect((await open(local.url, STREAM)).statusCode).toBe(200);
  });

  it('ends at a reboot', async () => {
    await start();
    const response = await open(local.url, STREAM);
    collect(response);
    const ended = new Promise((resolve) => response.on('close', resolve));
    await local.reboot();
    await ended;
    expect(local.view().stream.consumers).toBe(0);
    // Nobody listens: nothing to hold, nothing to fail.
    local.pushEvent(event(1));
  });

  it('a slow consumer loses the oldest events, is told how many, and holds nobody up', async () => {
    await start({ streamBufferSize: 10 });
    const slow = await open(local.url, STREAM);
    const quick = collect(await open(local.url, STREAM));
    await until('both', () => local.view().stream.consumers === 2);
    const padding = 'x'.repeat(100_000);
    let pushed = 0;
    while (local.view().stream.dropped < 50) {
      local.pushEvent(event(pushed, padding));
      pushed += 1;
      await until('the quick one', () => quick.lines().length === pushed);
    }
    const { dropped } = local.view().stream;
    const got = collect(slow);
    await until(
      'the newest event',
      () =>
        got
          .lines()
          .at(-1)
          ?.includes(`"n":${pushed - 1},`) === true,
    );
    const events = got.lines().map(parsed);
    const at = events.findIndex((one) => one.eventType === 'overflow');
    expect(events[at]?.overflowEvent).toMatchObject({ eventsPurged: dropped, eventsRemaining: 10 });
    const numbers = events.toSpliced(at, 1).map(({ n }) => n);
    expect(numbers.length).toBe(pushed - dropped);
    expect(numbers.slice(-10)).toEqual(Array.from({ length: 10 }, (_, nth) => pushed - 10 + nth));
    expect(numbers.slice(0, at)).toEqual(Array.from({ length: at }, (_, nth) => nth));
  });
});
