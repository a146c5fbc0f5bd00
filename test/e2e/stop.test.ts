import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { Appliance } from '../support/appliance.ts';
import { openSse } from '../support/http-sse.ts';
import { LoadedHouse } from '../support/loaded-house.ts';

const STOP_MS = 5000;

let closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.reverse()) await close();
  closers = [];
});

/** A connection that has sent this much and then hangs. */
async function hanging(url: string, bytes: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  closers.push(() => socket.destroy());
  await once(socket, 'connect');
  if (bytes !== '') socket.write(bytes);
  return socket;
}

test('SIGTERM with streams, half requests and publishing readers: ends within 5 s with exit code 0, and what was acknowledged is there', async () => {
  const house = await LoadedHouse.open(2, 7);
  closers.push(() => house.close());
  const { endpoints, rest, appliance } = house;
  const stream = await openSse(`${endpoints.http}/api/v1/events/stream`, { headers: rest.headers });
  closers.push(() => stream.close());
  const paused = await openSse(`${endpoints.http}/api/v1/events/stream`, { headers: rest.headers });
  closers.push(() => paused.close());
  paused.pause();
  const head = `POST /api/v1/zones HTTP/1.1\r\nHost: x\r\nAuthorization: ${rest.headers.Authorization}\r\n`;
  const half = 'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"name": "Half';
  const hung = [
    await hanging(endpoints.http, head),
    await hanging(endpoints.http, head + half),
    await hanging(endpoints.https, ''),
    await hanging(endpoints.mqtts, ''),
  ];
  await house.load();
  await house.acknowledged(1000);
  await stream.next('tag_read');

  const at = performance.now();
  expect(await house.stopped('SIGTERM')).toBe(0);
  expect(performance.now() - at).toBeLessThan(STOP_MS);
  expect(existsSync(join(appliance.dataDir, 'run', 'endpoints.json'))).toBe(false);
  await stream.ended;
  for (const socket of hung) expect(socket.closed || (await once(socket, 'close'))).toBeTruthy();

  await house.restart();
  expect(await house.faults()).toEqual([]);
  expect((await house.rest.get<{ name: string }[]>('/zones')).map(({ name }) => name)).not.toContain('Half');
});

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s at the very moment the appliance is ready is an orderly end',
  async (signal) => {
    const appliance = new Appliance();
    closers.push(() => appliance.dispose());
    await appliance.start();
    expect(await appliance.stop(signal)).toBe(0);
    expect(existsSync(join(appliance.dataDir, 'run', 'endpoints.json'))).toBe(false);
  },
);

test('the demo stops within 5 s, and starts again on what it has made', async () => {
  const appliance = new Appliance();
  closers.push(() => appliance.dispose());
  for (const _ of ['first', 'second']) {
    await appliance.start(['--demo']);
    const at = performance.now();
    expect(await appliance.stop('SIGTERM')).toBe(0);
    expect(performance.now() - at).toBeLessThan(STOP_MS);
  }
});
