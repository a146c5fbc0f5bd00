import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { forgetTags, removeOrphans, removeTraces } from '../../src/store/forget-tags.ts';
import type { Store } from '../../src/store/store.ts';
import { tables } from '../../src/store/tables.ts';
import { changeValues } from '../../src/store/tag-data.ts';
import { TagLedger } from '../../src/store/tag-ledger.ts';
import { registerTag } from '../../src/store/tag-registry.ts';
import { putVisit } from '../../src/store/visits.ts';
import { countsOf } from '../support/import-house.ts';
import { furnish, openHouse, plain } from '../support/ingest-house.ts';
import { type StoreFolder, storeFolder } from '../support/store-folder.ts';

let folder: StoreFolder;
let ledger: TagLedger;

beforeEach(() => {
  folder = storeFolder();
  ledger = new TagLedger(folder.store);
});
afterEach(() => folder.close());

const epcs = ['AAAA0001', 'AAAA0002', 'AAAA0003'];

/** Tags with `history` ended values and as many visits each. */
async function make(history: number): Promise<void> {
  const entry = await folder.store.write((tx) => {
    const touches = epcs.map((epc) => {
      const { tagNo, touch } = registerTag(tx, { orgNo: 1, epc, now: 0, newId: () => `id-${epc}` });
      for (let i = 0; i <= history; i++)
        changeValues(tx, tagNo, { changes: new Map([[1, `v${i}`]]), now: i });
      for (let i = 0; i < history; i++)
        putVisit(tx, tagNo, { antennaNo: 9, zoneNo: 1, firstAt: i, lastAt: i, reads: 1 });
      return touch;
    });
    return ledger.append(
      tx,
      touches.flatMap((touch) => touch ?? []),
    );
  });
  ledger.applied(entry);
}

async function forget(some: readonly string[], store = folder.store): Promise<readonly number[]> {
  const { tagNos, entry } = await store.write((tx) =>
    forgetTags(tx, { ledger, orgId: 'a', orgNo: 1, epcs: some, now: 0 }),
  );
  if (entry) ledger.applied(entry);
  return tagNos;
}

function counts(store: Store): readonly number[] {
  return Object.values(countsOf(store, ['tags', 'tagByEpc', 'tagData', 'tagHistory', 'visits']));
}

describe('forgetting tags', () => {
  test('takes effect in one transaction, what lies under their numbers goes after it', async () => {
    await make(3);
    const tagNos = await forget(['AAAA0001', 'AAAA0003', 'FFFFFFFF']);
    expect(tagNos).toEqual([1, 3]);
    expect(counts(folder.store)).toEqual([1, 1, 3, 9, 9]);
    await removeTraces(folder.store, tagNos);
    expect(counts(folder.store)).toEqual([1, 1, 1, 3, 3]);
    expect(folder.store.get(tables.tagByEpc, [1, 'AAAA0002'])).toBe(2);
  });

  test('a transaction that is rolled back has forgotten nothing', async () => {
    await make(1);
    const failed = folder.store.write((tx) => {
      forgetTags(tx, { ledger, orgId: 'a', orgNo: 1, epcs, now: 0 });
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    expect(counts(folder.store)).toEqual([3, 3, 3, 3, 3]);
    expect(ledger.states.orgNo(1)).toBe(1);
  });

  test('long histories go in several transactions', async () => {
    await make(3000);
    await removeTraces(folder.store, await forget(epcs));
    expect(counts(folder.store)).toEqual([0, 0, 0, 0, 0]);
  });

  test('what a process left that ended in between, the next start removes, and nothing of other tags', async () => {
    await make(600);
    await forget(['AAAA0001', 'AAAA0002']);
    const store = await folder.reopen();
    await removeOrphans(store);
    expect(counts(store)).toEqual([1, 1, 1, 600, 600]);
    // Done once: without a deletion that was cut off, nothing is looked for.
    await store.write((tx) => tx.put(tables.tagData, 77, { at: 0, values: {} }));
    await removeOrphans(store);
    expect(store.count(tables.tagData)).toBe(2);
  });

  test('after a complete deletion a start finds nothing to do', async () => {
    await make(1);
    await removeTraces(folder.store, await forget(['AAAA0001']));
    await folder.store.write((tx) => tx.put(tables.tagData, 77, { at: 0, values: {} }));
    await removeOrphans(folder.store);
    expect(folder.store.get(tables.tagData, 77)).toBeDefined();
  });
});

describe('a tag that is read while it is deleted', () => {
  test('comes back as a new tag with a new id, no data and no visits but the new one', async () => {
    const { store } = folder;
    await furnish(store);
    const now = Date.now();
    const house = openHouse(store, { now: () => now });
    await house.send('A1', plain('AAAA0001', now - 4000));
    const before = house.onDisk(1, 'AAAA0001');
    await store.write((tx) => changeValues(tx, before?.tagNo ?? 0, { changes: new Map([[1, 'x']]), now }));
    const reads = Array.from({ length: 20 }, (_, i) =>
      house.send('A1', plain('AAAA0001', now - 3000 + i * 10)),
    );
    const { entry, tagNos } = await store.write((tx) =>
      forgetTags(tx, { ledger: house.ledger, orgId: 'a', orgNo: 1, epcs: ['AAAA0001'], now }),
    );
    if (entry) house.ledger.applied(entry);
    await removeTraces(store, tagNos);
    await Promise.all(reads);
    await house.send('A1', plain('AAAA0001', now));
    const after = house.onDisk(1, 'AAAA0001');
    expect(tagNos).toEqual([before?.tagNo]);
    expect(after?.tagNo).toBeGreaterThan(before?.tagNo ?? 0);
    expect(after?.record?.id).not.toBe(before?.record?.id);
    expect(after?.visits.every(({ firstAt }) => firstAt > now - 4000)).toBe(true);
    expect(store.get(tables.tagData, after?.tagNo ?? 0)).toBeUndefined();
    expect(store.get(tables.tagData, before?.tagNo ?? 0)).toBeUndefined();
    expect(house.ledger.states.orgNo(before?.tagNo ?? 0)).toBe(0);
    await house.ingest.stop();
  });
});
