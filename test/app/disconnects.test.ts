import { afterEach, beforeEach, expect, it } from 'vitest';
import { Disconnects } from '../../src/app/disconnects.ts';
import { revokeDevice } from '../../src/store/device-states.ts';
import { openStore } from '../../src/store/store.ts';
import { tables } from '../../src/store/tables.ts';
import { device } from '../support/ingest-house.ts';
import { type StoreFolder, storeFolder } from '../support/store-folder.ts';

let folder: StoreFolder;
let cut: string[];

beforeEach(async () => {
  folder = storeFolder();
  cut = [];
  await folder.store.write((tx) => {
    for (const serial of ['R1', 'R2', 'R3']) tx.put(tables.devices, serial, device(serial, {}));
  });
});
afterEach(() => folder.close());

async function ask(serial: string, disconnect = true, store = folder.store): Promise<void> {
  await store.write((tx) => {
    const known = tx.get(tables.devices, serial);
    if (known) revokeDevice(tx, known, { broker: true, disconnect, now: 1 });
  });
}

const look = (disconnects: Disconnects) => disconnects.run(async (serial) => void cut.push(serial));

it('every request cuts its reader once, and nobody else', async () => {
  const disconnects = new Disconnects(folder.store);
  await look(disconnects);
  await ask('R1');
  await ask('R3');
  await ask('R2', false);
  await look(disconnects);
  await look(disconnects);
  expect(cut).toEqual(['R1', 'R3']);
  await ask('R1');
  await look(disconnects);
  expect(cut).toEqual(['R1', 'R3', 'R1']);
});

it('a request of another process is seen', async () => {
  const disconnects = new Disconnects(folder.store);
  const other = openStore(folder.dir);
  await ask('R2', true, other);
  await other.close();
  await look(disconnects);
  expect(cut).toEqual(['R2']);
});

it('what was asked for before the start has nothing left to cut', async () => {
  await ask('R1');
  const disconnects = new Disconnects(folder.store);
  await look(disconnects);
  expect(cut).toEqual([]);
});

it('a cut that failed is tried again', async () => {
  const disconnects = new Disconnects(folder.store);
  await ask('R1');
  await expect(disconnects.run(async () => Promise.reject(new Error('stopped')))).rejects.toThrow('stopped');
  await look(disconnects);
  expect(cut).toEqual(['R1']);
});
