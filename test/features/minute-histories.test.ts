import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { antennaNoOf } from '../../src/domain/tag-state.ts';
import { inventoryHistoryRoutes } from '../../src/features/inventory/history-route.ts';
import { InventoryHistory } from '../../src/features/inventory/inventory-history.ts';
import { activityRoutes } from '../../src/features/readers/activity-routes.ts';
import { ReaderHistory } from '../../src/features/readers/reader-history.ts';
import { formatInstant } from '../../src/lib/instant.ts';
import { type House, noon, openHouse, PRESENCE_MS, placed, type Tenant } from '../support/house.ts';

const MINUTE = 60_000;
/** The whole minute before noon: the house's clock is not at a whole one. */
const first = Math.floor(noon / MINUTE) * MINUTE;

let house: House;
let ours: Tenant;
let inventory: InventoryHistory;
let readers: ReaderHistory;
/** Reads stored and not taken yet, by antenna. */
const counted = new Map<number, number>();

beforeEach(async () => {
  counted.clear();
  house = await openHouse({
    more: (parts) => {
      inventory = new InventoryHistory({ ...parts, presenceMs: PRESENCE_MS });
      readers = new ReaderHistory({ ...parts, takeCounted });
      return [
        ...inventoryHistoryRoutes({ inventoryHistory: inventory }),
        ...activityRoutes({ ...parts, readerHistory: readers }),
      ];
    },
  });
  ours = await house.tenant('ours');
});
afterEach(() => house.close());

function takeCounted(antennaNo: number): number {
  const reads = counted.get(antennaNo) ?? 0;
  counted.delete(antennaNo);
  return reads;
}

async function at(ms: number): Promise<void> {
  house.now = ms;
  await inventory.sample();
  await readers.sample();
}

async function get(path: string, tenant = ours) {
  const { status, body } = await tenant.call('GET', path);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

const wrong = ['0', '361', '1.5', 'x', ''];

describe('GET /inventory/history', () => {
  test('a point a minute, counted like the summary; null before the start and before the zone', async () => {
    const dock = await ours.zone('Dock');
    await ours.tags([
      ['3034000000000001', placed(dock.no, noon)],
      ['3034000000000002', placed(dock.no, noon - PRESENCE_MS + 60_000)],
      ['3034000000000003', placed(dock.no, noon - PRESENCE_MS - 1)],
    ]);
    await at(noon);
    const summary = await get('/inventory/summary');
    const bay = await ours.zone('Bay');
    await at(first + MINUTE);
    await at(first + MINUTE + 500);
    await at(first + 2 * MINUTE);
    const body = await get('/inventory/history?minutes=5');
    expect(body.at).toEqual([-2, -1, 0, 1, 2].map((n) => formatInstant(first + n * MINUTE)));
    expect(summary[0].total).toBe(2);
    expect(body.zones).toEqual([
      { zoneId: bay.id, zoneName: 'Bay', counts: [null, null, null, 0, 0] },
      { zoneId: dock.id, zoneName: 'Dock', counts: [null, null, 2, 2, 1] },
    ]);
  });

  test('a minute without a sample is null, and the last point is the last sample', async () => {
    const dock = await ours.zone('Dock');
    await at(first);
    await at(first + 2 * MINUTE);
    house.now = first + 3 * MINUTE + 100;
    const body = await get('/inventory/history?minutes=3');
    expect(body.at.at(-1)).toBe(formatInstant(first + 2 * MINUTE));
    expect(body.zones).toEqual([{ zoneId: dock.id, zoneName: 'Dock', counts: [0, null, 0] }]);
  });

  test('360 points at most, an hour when nothing is said, and only the zones of the caller', async () => {
    await ours.zone('Dock');
    const theirs = await house.tenant('theirs');
    await theirs.zone('Secret');
    await at(first);
    expect((await get('/inventory/history')).at).toHaveLength(60);
    const all = await get('/inventory/history?minutes=360');
    expect(all.zones.map(({ zoneName }: { zoneName: string }) => zoneName)).toEqual(['Dock']);
    expect(all.zones[0].counts).toHaveLength(360);
    for (const minutes of wrong)
      expect((await ours.call('GET', `/inventory/history?minutes=${minutes}`)).status).toBe(400);
  });

  test('a ring that has gone round shows the last 360 minutes only', async () => {
    const dock = await ours.zone('Dock');
    await ours.tag('3034000000000001', placed(dock.no, noon));
    for (let n = 0; n < 365; n++) await at(first + n * MINUTE);
    const { zones } = await get('/inventory/history?minutes=360');
    // Present for five minutes from noon, of which the first five points are gone.
    expect(zones[0].counts.slice(0, 2)).toEqual([1, 0]);
    expect(zones[0].counts).not.toContain(null);
  });
});

describe('GET /readers/{id}/activity', () => {
  test('reads a second of the minute before, and the health figures told by then', async () => {
    const { id, no, serial } = await ours.reader();
    house.connect(serial, { temperatureC: 41.5, cpuPercent: 12 });
    counted.set(antennaNoOf(no, 1), 30);
    // The start was 37.412 s into its minute.
    await at(first + MINUTE);
    counted.set(antennaNoOf(no, 1), 600).set(antennaNoOf(no, 4), 60).set(antennaNoOf(no, 0), 6);
    await at(first + 2 * MINUTE);
    await at(first + 2 * MINUTE + 1000);
    await at(first + 5 * MINUTE);
    const body = await get(`/readers/${id}/activity?minutes=6`);
    expect(body.at).toEqual([0, 1, 2, 3, 4, 5].map((n) => formatInstant(first + n * MINUTE)));
    expect(body.readsPerSecond).toEqual([null, 1.33, 11.1, null, null, 0]);
    expect(body.antennas.map(({ port }: { port: number }) => port)).toEqual([1, 2, 3, 4]);
    expect(body.antennas[0].readsPerSecond).toEqual([null, 1.33, 10, null, null, 0]);
    expect(body.antennas[3].readsPerSecond).toEqual([null, 0, 1, null, null, 0]);
    expect(body.temperatureC).toEqual([null, 41.5, 41.5, null, null, null]);
    expect(body.cpuPercent).toEqual([null, 12, 12, null, null, null]);
    expect(body.memoryPercent).toEqual([null, null, null, null, null, null]);
  });

  test('a reader that never spoke has zeros from its claim on', async () => {
    await at(first + MINUTE);
    house.now = first + MINUTE + 1;
    const { id } = await ours.reader();
    await at(first + 2 * MINUTE);
    const body = await get(`/readers/${id}/activity?minutes=2`);
    expect(body.readsPerSecond).toEqual([null, 0]);
    expect(body.temperatureC).toEqual([null, null]);
  });

  test('another organisation’s reader is a 404, minutes out of range a 400', async () => {
    const theirs = await house.tenant('theirs');
    const { id } = await theirs.reader();
    const own = await ours.reader();
    expect((await ours.call('GET', `/readers/${id}/activity`)).status).toBe(404);
    for (const minutes of wrong)
      expect((await ours.call('GET', `/readers/${own.id}/activity?minutes=${minutes}`)).status).toBe(400);
    expect((await get(`/readers/${own.id}/activity`)).at).toHaveLength(60);
  });
});
