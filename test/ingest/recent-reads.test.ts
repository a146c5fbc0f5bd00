import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Sighting } from '../../src/domain/presence.ts';
import { antennaNoOf } from '../../src/domain/tag-state.ts';
import { RecentReads } from '../../src/ingest/recent-reads.ts';
import { tables } from '../../src/store/tables.ts';
import { furnish, type House, openHouse, plain } from '../support/ingest-house.ts';
import { type StoreFolder, storeFolder } from '../support/store-folder.ts';

const CAPACITY = 8;

interface ModelRead {
  readonly tagNo: number;
  readonly antennaNo: number;
  readonly rssiCdbm: number | null;
  readonly count: number;
  readonly at: number;
}

const aRead: fc.Arbitrary<ModelRead> = fc.record({
  tagNo: fc.integer({ min: 1, max: 2 ** 32 - 1 }),
  antennaNo: fc.integer({ min: 0, max: 5000 }),
  rssiCdbm: fc.option(fc.integer({ min: -15_000, max: 0 })),
  count: fc.integer({ min: 1, max: 1_000_000 }),
  at: fc.double({ min: 0, max: 2e12, noNaN: true }),
});
const batches = fc.array(
  fc.record({ reads: fc.array(aRead, { maxLength: 2 * CAPACITY + 3 }), stored: fc.boolean() }),
);

function sighting({ antennaNo, at }: ModelRead, arrivedAt: number): Sighting {
  const visit = { antennaNo, zoneNo: 0, firstAt: at, lastAt: at, reads: 1 };
  const emitted = { emittedAt: at, emittedArrivalAt: at, inSession: true };
  return { visit, startedAt: at, readCount: 1, rssiCdbm: null, arrivedAt, ...emitted };
}

function stage(recent: RecentReads, read: ModelRead, arrivedAt: number): { tagNo: number } {
  const tag = { tagNo: 0 };
  const told = { epc: 'EE', antennaPort: 1, rssiCdbm: read.rssiCdbm, readerAt: read.at, count: read.count };
  recent.stage(tag, told, sighting(read, arrivedAt));
  return tag;
}

function heldBy(recent: RecentReads): readonly object[] {
  const places = Array.from({ length: Math.max(0, recent.end - recent.oldest) }, (_, i) => recent.oldest + i);
  return places.map((no) => ({
    ...{ tagNo: recent.tagNo(no), antennaNo: recent.antennaNo(no), rssiCdbm: recent.rssiCdbm(no) },
    ...{ count: recent.count(no), at: recent.at(no), arrivedAt: recent.arrivedAt(no) },
  }));
}

describe('the ring of recent reads', () => {
  test('holds exactly the last stored reads, in their order, with the numbers their tags got', () => {
    fc.assert(
      fc.property(batches, (all) => {
        const recent = new RecentReads({ startedAt: 5, capacity: CAPACITY });
        const model: (ModelRead & { arrivedAt: number })[] = [];
        let lost = 0;
        all.forEach(({ reads, stored }, n) => {
          recent.begin();
          const tags = reads.map((read) => stage(recent, read, 10 + n));
          // A batch on its way takes the room of the oldest, also when it is never stored.
          lost = Math.max(lost, model.length + reads.length - CAPACITY);
          expect(heldBy(recent)).toEqual(model.slice(lost));
          if (!stored) return;
          reads.forEach((read, i) => {
            Object.assign(tags[i] ?? {}, { tagNo: read.tagNo });
            model.push({ ...read, count: Math.min(65_535, read.count), arrivedAt: 10 + n });
          });
          recent.commit();
          expect(heldBy(recent)).toEqual(model.slice(lost));
          expect(recent.end).toBe(model.length);
          const since = model[lost]?.arrivedAt ?? Number.POSITIVE_INFINITY;
          expect(recent.heldSince).toBe(lost === 0 ? 5 : since);
        });
      }),
    );
  });

  test('counts the reads of every antenna until they are taken', () => {
    fc.assert(
      fc.property(fc.array(aRead, { maxLength: CAPACITY }), (reads) => {
        const recent = new RecentReads({ startedAt: 0, capacity: CAPACITY });
        recent.begin();
        for (const read of reads) stage(recent, read, 0);
        recent.commit();
        const [antennaNo = 3] = reads.map((read) => read.antennaNo);
        const own = reads.filter((read) => read.antennaNo === antennaNo);
        const sum = own.reduce((total, { count }) => total + Math.min(65_535, count), 0);
        expect([recent.takeCounted(antennaNo), recent.takeCounted(antennaNo)]).toEqual([sum, 0]);
      }),
    );
  });

  test('has a size that is a power of two', () => {
    expect(() => new RecentReads({ startedAt: 0, capacity: 100 })).toThrow('100 reads: not a power of two');
  });
});

describe('what ingest puts into the ring', () => {
  const T0 = 1_700_000_000_000;
  let folder: StoreFolder;
  let house: House;
  let recent: RecentReads;

  beforeEach(async () => {
    folder = storeFolder();
    await furnish(folder.store);
    recent = new RecentReads({ startedAt: T0, capacity: 64 });
    house = openHouse(folder.store, { now: () => T0, recent });
  });
  afterEach(async () => {
    await house.ingest.stop();
    await folder.close();
  });

  test('every accepted read, under the number of its tag; repeats and older history are left out', async () => {
    const [one, other] = ['3034000000000001', '3034000000000002'];
    await house.send('A1', [
      plain(one, T0 - 500),
      plain(other, T0 - 400, { antennaPort: 2, rssiCdbm: null }),
    ]);
    await house.send('A1', [plain(one, T0 - 500), plain(one, T0 - 900), plain(one, T0 - 100, { count: 3 })]);
    const noOf = (epc: string) => folder.store.get(tables.tagByEpc, [1, epc]);
    const [first, second] = [antennaNoOf(1, 1), antennaNoOf(1, 2)];
    const arrivedAt = T0;
    expect(heldBy(recent)).toEqual([
      { tagNo: noOf(one), antennaNo: first, rssiCdbm: -5500, count: 1, at: T0 - 500, arrivedAt },
      { tagNo: noOf(other), antennaNo: second, rssiCdbm: null, count: 1, at: T0 - 400, arrivedAt },
      { tagNo: noOf(one), antennaNo: first, rssiCdbm: -5500, count: 3, at: T0 - 100, arrivedAt },
    ]);
  });

  test('nothing before it is on disk', async () => {
    house.surroundings.blocked = 'no room';
    const sent = house.send('A1', plain('3034000000000001', T0));
    await expect.poll(() => house.ingest.stalled).toBe('no room');
    expect(heldBy(recent)).toEqual([]);
    house.surroundings.blocked = null;
    await sent;
    expect(heldBy(recent)).toHaveLength(1);
  });
});
