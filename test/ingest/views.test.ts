import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Batch } from '../../src/ingest/batch.ts';
import { tables } from '../../src/store/tables.ts';
import { furnish, type House, houseRules, openHouse, plain } from '../support/ingest-house.ts';
import { type StoreFolder, storeFolder } from '../support/store-folder.ts';

const EPC = '30340000000000000000ABCD';
const T0 = 1_700_000_000_000;

let folder: StoreFolder;
let house: House;
let clock = T0;
const open: House[] = [];

function another(options: { maxTags?: number } = {}): House {
  const made = openHouse(folder.store, { now: () => clock, ...options });
  open.push(made);
  return made;
}

beforeEach(async () => {
  folder = storeFolder();
  await furnish(folder.store);
  clock = T0;
  house = another();
});

afterEach(async () => {
  for (const one of open.splice(0)) await one.ingest.stop();
  await folder.close();
});

describe('the sweep', () => {
  it('ends a session once, when nothing arrived for longer than the gap, and keeps the tag while its stay may go on', async () => {
    await house.send('A1', plain(EPC, T0));
    expect(house.views.sweep(T0 + 10_000)).toEqual([]);
    const ended = house.views.sweep(T0 + 10_001);
    expect(ended.map(({ view, sighting }) => [view.epc, sighting.readCount, sighting.inSession])).toEqual([
      [EPC, 1, true],
    ]);
    expect(house.views.sweep(T0 + 10_002)).toEqual([]);
    expect(house.views.count).toBe(1);
  });

  it('lets go of a tag when its stays are over', async () => {
    await house.send('A1', plain(EPC, T0));
    house.views.sweep(T0 + 300_000);
    expect(house.views.count).toBe(1);
    house.views.sweep(T0 + 300_001);
    expect(house.views.count).toBe(0);
  });

  it('lets go of a tag that never got further than being looked up', () => {
    house.views.of(1, EPC, T0);
    expect(house.views.count).toBe(1);
    house.views.sweep(T0 + 1);
    expect(house.views.count).toBe(0);
  });

  it('leaves alone what the running batch holds', async () => {
    await house.send('A1', plain(EPC, T0));
    const { directory, views, ledger } = house;
    const batch = new Batch({ directory, views, ledger, rules: houseRules, listening: () => false });
    const reader = directory.reader('A1');
    if (!reader) throw new Error('no reader');
    batch.add(reader, { epc: EPC, antennaPort: 1, rssiCdbm: null, readerAt: T0 + 1, count: 1 }, T0 + 1);
    expect(views.sweep(T0 + 999_999)).toEqual([]);
    expect(views.count).toBe(1);
  });

  it('goes on where it left off, so that every session ends within a few calls', async () => {
    const epcs = Array.from({ length: 30_000 }, (_, i) => `ABCD${String(i).padStart(8, '0')}`);
    for (let from = 0; from < epcs.length; from += 1000) {
      await house.send(
        'A1',
        epcs.slice(from, from + 1000).map((epc) => plain(epc, T0)),
      );
    }
    const ended = new Set<string>();
    let calls = 0;
    for (; ended.size < epcs.length && calls < 2000; calls++) {
      for (const { view } of house.views.sweep(T0 + 20_000)) ended.add(view.epc);
    }
    expect(ended.size).toBe(epcs.length);
  });
});

describe('a tag that comes back into view', () => {
  it('goes on with its stay, tells repeats, and begins another session', async () => {
    await house.send('A1', [plain(EPC, T0 - 2000), plain(EPC, T0 - 1000)]);
    for (const checkpointed of [false, true]) {
      if (checkpointed) await house.ledger.checkpoint();
      const again = another();
      await again.send('A1', plain(EPC, T0 - 1000));
      expect(again.diagnostics.of('A1').repeats).toBe(1);
      expect(again.views.of(1, EPC, T0).state.sightings.map(({ inSession }) => inSession)).toEqual([false]);
    }
    const again = another();
    await again.send('A1', plain(EPC, T0));
    expect(again.onDisk(1, EPC)?.visits).toMatchObject([{ firstAt: T0 - 2000, lastAt: T0, reads: 3 }]);
    expect(again.events().filter(({ type }) => type === 'session_started')).toHaveLength(1);
    expect(again.events().filter(({ type }) => type === 'tag_moved')).toHaveLength(0);
  });

  it('a moment after it was let go, goes on with its stay as it was, though no checkpoint ran', async () => {
    const small = another({ maxTags: 1 });
    await small.send('A1', plain(EPC, T0));
    await small.send('A1', plain('AAAAAAAA', T0));
    expect([small.views.evicted, small.views.count]).toEqual([1, 1]);
    await small.send('A1', [plain(EPC, T0), plain(EPC, T0 + 1)]);
    expect(small.onDisk(1, EPC)?.visits).toMatchObject([{ firstAt: T0, lastAt: T0 + 1, reads: 2 }]);
    expect(small.diagnostics.of('A1').repeats).toBe(1);
  });
});

describe('the limit of tags in view', () => {
  it('holds over any number of tags, and costs no read', async () => {
    const small = another({ maxTags: 50 });
    for (let i = 0; i < 300; i++) await small.send('A1', plain(`AAAA${String(i).padStart(4, '0')}`, T0 + i));
    expect([small.views.count, small.views.evicted]).toEqual([50, 250]);
    expect(folder.store.count(tables.tags)).toBe(300);
    for (let i = 0; i < 300; i++)
      await small.send('A1', plain(`AAAA${String(i).padStart(4, '0')}`, T0 + 1000 + i));
    expect(folder.store.count(tables.tags)).toBe(300);
    expect(small.onDisk(1, 'AAAA0007')).toMatchObject({
      firstSeenAt: T0 + 7,
      lastSeenAt: T0 + 1007,
      visits: [{ reads: 2 }],
    });
  });

  it('never takes a tag out of the batch that holds it', async () => {
    const small = another({ maxTags: 5 });
    const reads = Array.from({ length: 40 }, (_, i) =>
      plain(`AAAA${String(i % 20).padStart(4, '0')}`, T0 + i),
    );
    await small.send('A1', reads);
    expect(folder.store.count(tables.tags)).toBe(20);
    expect(small.onDisk(1, 'AAAA0003')?.visits).toMatchObject([{ reads: 2 }]);
  });
});
