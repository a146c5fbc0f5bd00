import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { neverSeen } from '../../src/domain/tag-state.ts';
import { Batch } from '../../src/ingest/batch.ts';
import type { ReaderContext } from '../../src/store/directory.ts';
import type { Tx } from '../../src/store/store.ts';
import { tables } from '../../src/store/tables.ts';
import { furnish, type House, houseRules, openHouse, plain } from '../support/ingest-house.ts';
import { type StoreFolder, storeFolder } from '../support/store-folder.ts';

const EPC = '30340000000000000000ABCD';
const T0 = 1_700_000_000_000;

let folder: StoreFolder;
let house: House;
let reader: ReaderContext;

beforeEach(async () => {
  folder = storeFolder();
  await furnish(folder.store);
  house = openHouse(folder.store, { now: () => T0 });
  const found = house.directory.reader('A1');
  if (!found) throw new Error('no reader');
  reader = found;
});

afterEach(async () => {
  await house.ingest.stop();
  await folder.close();
});

function batchOf(...times: readonly number[]): Batch {
  const { directory, views, ledger } = house;
  const batch = new Batch({ directory, views, ledger, rules: houseRules, listening: () => true });
  for (const readerAt of times) {
    batch.add(reader, { epc: EPC, antennaPort: 1, rssiCdbm: null, readerAt, count: 1 }, T0);
  }
  return batch;
}

async function commit(batch: Batch): Promise<void> {
  await folder.store.write((tx) => batch.write(tx, T0));
  batch.committed();
}

/** What the interface does to delete a tag, as far as the transaction goes. */
function remove(tx: Tx, tagNo: number) {
  tx.remove(tables.tags, tagNo);
  tx.remove(tables.tagByEpc, [1, EPC]);
  return house.ledger.forget(tx, [tagNo]);
}

const ids = () => Array.from(folder.store.range(tables.tags), ({ key, value }) => [key, value.id] as const);

describe('what a batch weighs', () => {
  it('grows with every move by what telling of it costs its organisation', () => {
    const { directory, views, ledger } = house;
    const context = { directory, views, ledger, rules: houseRules, listening: () => false };
    const asked: string[] = [];
    const moveWeight = (orgId: string): number => asked.push(orgId) * 100;
    const batch = new Batch({ ...context, moveWeight });
    const read = { epc: EPC, rssiCdbm: null, count: 1 };
    batch.add(reader, { ...read, antennaPort: 1, readerAt: T0 - 20 }, T0);
    const [before, moves] = [batch.weight, asked.length];
    batch.add(reader, { ...read, antennaPort: 1, readerAt: T0 - 10 }, T0);
    expect([batch.weight - before, asked.length]).toEqual([1, moves]);
    batch.add(reader, { ...read, antennaPort: 2, readerAt: T0 }, T0);
    expect(asked).toEqual(Array(moves + 1).fill(reader.orgId));
    expect(batch.weight - before).toBe(2 + 100 * (moves + 1));
  });
});

describe('a tag deleted through the interface', () => {
  it('and read again is a new tag: another id and number, no past', async () => {
    await house.send('A1', [plain(EPC, T0 - 9000), plain(EPC, T0 - 8000)]);
    const [old] = ids();
    house.ledger.applied(await folder.store.write((tx) => remove(tx, 1)));
    await house.send('A1', plain(EPC, T0));
    expect(ids()).toHaveLength(1);
    expect(ids()[0]?.[0]).toBe(2);
    expect(ids()[0]?.[1]).not.toBe(old?.[1]);
    expect(house.onDisk(1, EPC)).toMatchObject({ firstSeenAt: T0, visits: [{ firstAt: T0, reads: 1 }] });
    expect([house.ledger.states.orgNo(1), house.ledger.visits(1, 9)]).toEqual([0, []]);
  });

  it('while a batch with it waits for its commit, comes back as a new tag and not as a ghost of the old one', async () => {
    await house.send('A1', plain(EPC, T0 - 9000));
    const [old] = ids();
    const batch = batchOf(T0 - 100, T0);
    house.ledger.applied(await folder.store.write((tx) => remove(tx, 1)));
    await commit(batch);
    expect(ids().map(([no]) => no)).toEqual([2]);
    expect(ids()[0]?.[1]).not.toBe(old?.[1]);
    expect(house.onDisk(1, EPC)).toMatchObject({ firstSeenAt: T0, lastSeenAt: T0, zoneSince: T0 });
    expect(house.ledger.states.orgNo(1)).toBe(0);
    await house.send('A1', plain(EPC, T0 + 1));
    expect(house.onDisk(1, EPC)).toMatchObject({ tagNo: 2, lastSeenAt: T0 + 1 });
  });

  it('in the very commit that carries a batch with it, likewise', async () => {
    await house.send('A1', plain(EPC, T0 - 9000));
    const batch = batchOf(T0);
    const deleting = folder.store.write((tx) => remove(tx, 1));
    const committing = commit(batch);
    house.ledger.applied(await deleting);
    await committing;
    expect(ids().map(([no]) => no)).toEqual([2]);
    expect(house.onDisk(1, EPC)).toMatchObject({ tagNo: 2, firstSeenAt: T0 });
    expect([house.ledger.states.orgNo(1), house.ledger.states.orgNo(2)]).toEqual([0, 1]);
  });

  it('stays deleted after a crash, whatever the journal still holds of it', async () => {
    await house.send('A1', plain(EPC, T0 - 9000));
    await folder.store.write((tx) => remove(tx, 1));
    const restarted = openHouse(folder.store);
    expect([restarted.ledger.states.orgNo(1), restarted.ledger.visits(1, 9)]).toEqual([0, []]);
  });
});

describe('a tag made through the interface', () => {
  const record = { id: 'by-hand', orgNo: 1, epc: EPC, createdAt: 1 };

  it('before its first read keeps its id and number, read several times in one batch', async () => {
    const visit = { antennaNo: 0, zoneNo: 0, firstAt: 0, lastAt: 0, reads: 0 };
    const entry = await folder.store.write((tx) => {
      tx.put(tables.tags, tx.next('lastTagNo'), record);
      tx.put(tables.tagByEpc, [1, EPC], 1);
      return house.ledger.append(tx, [{ tagNo: 1, orgNo: 1, state: neverSeen, visit }]);
    });
    house.ledger.applied(entry);
    await commit(batchOf(T0 - 2, T0 - 1, T0));
    expect(house.onDisk(1, EPC)).toMatchObject({
      tagNo: 1,
      record,
      firstSeenAt: T0 - 2,
      visits: [{ reads: 3 }],
    });
  });

  it('whose state nobody journalled is found all the same, and its reads of one batch counted together', async () => {
    await folder.store.write((tx) => {
      tx.put(tables.tags, tx.next('lastTagNo'), record);
      tx.put(tables.tagByEpc, [1, EPC], 1);
    });
    await commit(batchOf(T0 - 2, T0 - 1, T0));
    expect(house.onDisk(1, EPC)).toMatchObject({ tagNo: 1, record, visits: [{ reads: 3 }] });
    expect(folder.store.count(tables.tags)).toBe(1);
  });

  it('between the read and its commit gives its id to the read', async () => {
    const batch = batchOf(T0);
    await folder.store.write((tx) => {
      tx.put(tables.tags, tx.next('lastTagNo'), record);
      tx.put(tables.tagByEpc, [1, EPC], 1);
    });
    await commit(batch);
    expect(ids()).toEqual([[1, 'by-hand']]);
    expect([...batch.events().values()].flat()[0]?.data.tagId).toBe('by-hand');
  });
});

describe('a failed transaction', () => {
  it('leaves the batch as it was: written again, it says the same', async () => {
    const batch = batchOf(T0 - 1, T0);
    const failing = folder.store.write((tx) => {
      batch.write(tx, T0);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    batch.rolledBack();
    expect(house.views.of(1, EPC, T0).tagNo).toBe(0);
    await folder.store.write((tx) => tx.next('lastTagNo'));
    await commit(batch);
    expect(house.onDisk(1, EPC)).toMatchObject({ tagNo: 2, lastSeenAt: T0, visits: [{ reads: 2 }] });
  });

  it('of a tag deleted meanwhile leaves its old past in place, should the deletion come to nothing', async () => {
    await house.send('A1', plain(EPC, T0 - 9000));
    const batch = batchOf(T0);
    const failing = folder.store.write((tx) => {
      remove(tx, 1);
      batch.write(tx, T0);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    batch.rolledBack();
    await commit(batch);
    expect(house.onDisk(1, EPC)).toMatchObject({ tagNo: 1, firstSeenAt: T0 - 9000, visits: [{ reads: 2 }] });
  });
});
