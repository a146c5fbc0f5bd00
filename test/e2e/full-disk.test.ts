import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { refusalOf, tagkeep } from '../support/command.ts';
import { openSse, type SseClient } from '../support/http-sse.ts';
import { LoadedHouse } from '../support/loaded-house.ts';
import { metric } from '../support/rest-pages.ts';
import { canMount, SmallDisk } from '../support/small-disk.ts';
import { until } from '../support/wait.ts';

describe.skipIf(!canMount())(
  'a data disk that is filled to the last byte under load (needs the right to mount)',
  () => {
    let disk: SmallDisk;
    let house: LoadedHouse;
    let stream: SseClient;

    beforeAll(async () => {
      disk = new SmallDisk('size=64m');
      const env = { TAGKEEP_LIVE__HEARTBEAT_SECONDS: '0.2' };
      house = await LoadedHouse.open(2, 3, { dataDir: disk.dir, env });
      const { endpoints, rest } = house;
      stream = await openSse(`${endpoints.http}/api/v1/events/stream`, { headers: rest.headers });
      await house.load();
      await house.acknowledged(500);
      disk.fill();
      await until('ingest to say that it is stalled', isStalled);
    });
    afterAll(async () => {
      stream?.close();
      await house?.close();
      disk?.remove();
    });

    const isStalled = async () => (await metric(house.endpoints, 'tagkeep_ingest_stalled')) === 1;
    const get = (path: string) => fetch(house.endpoints.http + path, { headers: house.rest.headers });

    const post = () =>
      fetch(`${house.endpoints.http}/api/v1/zones`, {
        method: 'POST',
        headers: { ...house.rest.headers, 'Content-Type': 'application/json' },
        body: '{"name": "No room"}',
      });

    test('reads are not acknowledged, and /readyz says 503 and why', async () => {
      const before = house.ledger.acknowledged;
      const ready = await get('/readyz');
      expect(ready.status).toBe(503);
      // The probe's answer is fixed.
      const { status, reasons } = (await ready.json()) as { status: string; reasons: readonly string[] };
      expect(status).toBe('unavailable');
      // The store's own refusal, the watch over free space, or both, whichever came first.
      expect(reasons.join('; ')).toMatch(/^(the disk is full or failing|disk nearly full: )/);
      expect((await get('/healthz')).status).toBe(200);
      expect(house.unanswered).toBeGreaterThan(0);
      expect(await isStalled()).toBe(true);
      expect(house.ledger.acknowledged).toBe(before);
    });

    test('REST writes get 507 with problem details and nothing else goes wrong, REST reads go on', async () => {
      // Until the free space is looked at the next time, the store itself refuses, or still finds a free page.
      const early = await until('507', async () => {
        const answer = await post();
        expect([201, 507]).toContain(answer.status);
        return answer.status === 507 && answer;
      });
      expect(early.headers.get('content-type')).toMatch(/^application\/problem\+json/);
      expect(await early.json()).toMatchObject({
        type: '/problems/disk-full',
        status: 507,
        detail: expect.stringContaining('disk'),
      });
      await until('the reason with figures', async () =>
        /disk nearly full: 0 MB free in .*, \d+ MB needed/.test(await (await get('/readyz')).text()),
      );
      expect((await post()).status).toBe(507);
      for (const path of ['/tags', '/zones', '/inventory/summary', '/readers', '/auth/me']) {
        expect((await get(`/api/v1${path}`)).status).toBe(200);
      }
    });

    test('the command line reads on, and a write is done whole or refused in one line', async () => {
      const { env } = house.appliance;
      const run = (...args: string[]) => tagkeep(args, { env });
      const list = await run('reader', 'list', '--json');
      expect({ code: list.code, stderr: list.stderr }).toEqual({ code: 0, stderr: '' });
      const [first] = JSON.parse(list.stdout);
      const made = await run('key', 'create', 'no room', '--json');
      // A page that is free in the file may be enough.
      if (made.code !== 0) expect(refusalOf(made)).toMatch(/disk is full/);
      expect(first.serial).toMatch(/^[A-Z0-9-]+$/);
    });

    test('the open stream lives, and a new one is greeted', async () => {
      const heartbeats = stream.comments();
      await until('two more heartbeats', () => stream.comments() > heartbeats + 1);
      const { endpoints, rest } = house;
      const fresh = await openSse(`${endpoints.http}/api/v1/events/stream`, { headers: rest.headers });
      expect((await fresh.next()).type).toBe('hello');
      fresh.close();
    });

    test('with room again it recovers by itself: held reads are acknowledged, all of them are there, and /readyz is 200', async () => {
      const before = house.ledger.acknowledged;
      disk.empty();
      await house.acknowledged(house.unanswered + 200);
      expect(house.ledger.acknowledged).toBeGreaterThan(before);
      expect((await get('/readyz')).status).toBe(200);
      await house.rest.ok('POST', '/zones', { name: 'Room again' });
      await stream.next('tag_read');
      await house.settle();
      expect(await house.faults()).toEqual([]);
    });

    test('kill -9 on a full disk loses nothing that was acknowledged', async () => {
      await house.load();
      await house.acknowledged(200);
      disk.fill();
      await until('ingest to say that it is stalled', isStalled);
      await house.stopped('SIGKILL');
      expect(refusalOf(await tagkeep(['serve'], { env: house.appliance.env }))).toMatch(/full disk/);
      disk.empty();
      await house.restart();
      expect(await house.faults()).toEqual([]);
    });

    test('SIGTERM on a full disk ends in time, and what was not acknowledged is sent again and kept', async () => {
      await house.load();
      await house.acknowledged(200);
      disk.fill();
      await until('ingest to say that it is stalled', isStalled);
      const at = performance.now();
      expect(await house.stopped('SIGTERM')).toBe(0);
      expect(performance.now() - at).toBeLessThan(5000);
      disk.empty();
      await house.restart();
      expect(await house.faults()).toEqual([]);
      await house.load();
      await house.settle();
      expect(await house.faults()).toEqual([]);
    });
  },
);
