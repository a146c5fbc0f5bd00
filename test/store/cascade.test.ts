import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { removeReader, removeZone } from '../../src/store/cascade.ts';
import { Directory } from '../../src/store/directory.ts';
import { tables } from '../../src/store/tables.ts';
import { deviceOf, type House, openHouse, type Tenant } from '../support/house.ts';

let house: House;
let tenant: Tenant;

beforeEach(async () => {
  house = await openHouse();
  tenant = await house.tenant('Ours');
});
afterEach(() => house.close());

describe('removing a zone', () => {
  test('unmaps every antenna mapped to it, and no other, in the same transaction', async () => {
    const [dock, shelf] = [await tenant.zone('Dock'), await tenant.zone('Shelf')];
    const readers = [await tenant.reader(), await tenant.reader()];
    for (const { id } of readers)
      await tenant.call('PUT', `/readers/${id}/antennas`, [
        { port: 1, zoneId: dock.id },
        { port: 2, zoneId: shelf.id },
        { port: 4, zoneId: dock.id, enabled: false },
      ]);
    await house.store.write((tx) => removeZone(tx, tenant.orgId, dock.id));
    for (const { id } of readers) {
      const antennas = house.store.get(tables.antennas, [tenant.orgId, id]) ?? [];
      expect(antennas.map(({ zoneId }) => zoneId)).toEqual([null, shelf.id, null, null]);
    }
    expect(new Directory(house.store).zoneByNo(dock.no)).toBeUndefined();
  });

  test('of another organisation changes nothing and says so', async () => {
    const dock = await tenant.zone('Dock');
    const stranger = await house.tenant('Theirs');
    expect(await house.store.write((tx) => removeZone(tx, stranger.orgId, dock.id))).toBeNull();
    expect(house.store.get(tables.zones, [tenant.orgId, dock.id])?.name).toBe('Dock');
  });

  test('its number is not given to the next zone', async () => {
    const dock = await tenant.zone('Dock');
    await house.store.write((tx) => removeZone(tx, tenant.orgId, dock.id));
    expect((await tenant.zone('Dock')).no).toBeGreaterThan(dock.no);
  });
});

describe('removing a reader', () => {
  test('releases its device without a code to claim it by', async () => {
    const { id, serial } = await tenant.reader();
    await house.store.write((tx) => removeReader(tx, tenant.orgId, id));
    expect(deviceOf(house, serial)).toMatchObject({
      state: 'released',
      claimCode: null,
      orgId: null,
      readerId: null,
      claimedAt: null,
    });
    expect(house.store.get(tables.readers, [tenant.orgId, id])).toBeUndefined();
    expect(house.store.get(tables.antennas, [tenant.orgId, id])).toBeUndefined();
    expect(house.directory.reader(serial)).toBeUndefined();
  });

  test('leaves a withdrawn device withdrawn', async () => {
    const { id, serial } = await tenant.reader();
    const device = deviceOf(house, serial);
    if (!device) throw new Error('no device');
    await house.store.write((tx) => tx.put(tables.devices, serial, { ...device, state: 'withdrawn' }));
    await house.store.write((tx) => removeReader(tx, tenant.orgId, id));
    expect(deviceOf(house, serial)).toMatchObject({ state: 'withdrawn', orgId: null, readerId: null });
  });

  test('leaves a device alone that belongs to another reader by now', async () => {
    const { id, serial } = await tenant.reader();
    const device = deviceOf(house, serial);
    if (!device) throw new Error('no device');
    await house.store.write((tx) => tx.put(tables.devices, serial, { ...device, readerId: 'another' }));
    await house.store.write((tx) => removeReader(tx, tenant.orgId, id));
    expect(deviceOf(house, serial)).toMatchObject({ state: 'claimed', readerId: 'another' });
  });
});
