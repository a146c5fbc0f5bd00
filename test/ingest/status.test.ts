import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { takeStatus } from '../../src/ingest/status.ts';
import { furnish, type House, openHouse } from '../support/ingest-house.ts';
import { type StoreFolder, storeFolder } from '../support/store-folder.ts';

let folder: StoreFolder;
let house: House;

beforeEach(async () => {
  folder = storeFolder();
  await furnish(folder.store);
  house = openHouse(folder.store);
});

afterEach(() => folder.close());

function take(serial: string, payload: string): void {
  takeStatus(serial, Buffer.from(payload), { ...house, now: () => 7 });
}

describe('a status message', () => {
  it.each([
    ['a reader’s own text', 'connected'],
    ['nothing at all', ''],
    ['an object that is no health', '{"hello":1}'],
  ])('%s is a sign of life and no more', (_, payload) => {
    take('A1', payload);
    expect(house.activity.of('A1')).toMatchObject({ lastSeenAt: 7, healthAt: null, lastEventAt: null });
    expect(house.diagnostics.of('A1').rejected).toBe(0);
  });

  it('with health gives its figures; those out of range are left out one by one and kept for the operator', () => {
    take('A1', '{"type":"health","temperatureC":41,"cpuPercent":4000,"radio":"running"}');
    expect(house.activity.of('A1')).toMatchObject({
      healthAt: 7,
      radio: 'running',
      health: { temperatureC: 41 },
    });
    expect(house.activity.of('A1').health).not.toHaveProperty('cpuPercent');
    expect(house.diagnostics.of('A1').badPayloads).toMatchObject([
      { reason: expect.stringContaining('cpuPercent') },
    ]);
  });

  it('that can not be read is counted and kept, and still a sign of life', () => {
    take('A1', '{"type":');
    expect(house.diagnostics.of('A1')).toMatchObject({ rejected: 1, badPayloads: [{ excerpt: '{"type":' }] });
    expect(house.activity.of('A1')).toMatchObject({ lastSeenAt: 7, healthAt: null });
  });

  it('of a device that is not claimed leaves no figures: it is dropped and counted, a sign of life only', () => {
    take('U1', '{"type":"health","temperatureC":41}');
    expect(house.activity.of('U1')).toMatchObject({ lastSeenAt: 7, health: null });
    expect(house.diagnostics.of('U1')).toMatchObject({ dropped: 1, rejected: 0 });
  });
});
