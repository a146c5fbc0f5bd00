import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addField, fieldsOf, removeField } from '../../src/store/fields.ts';
import { tables } from '../../src/store/tables.ts';
import { changeValues, currentValues, historyOf } from '../../src/store/tag-data.ts';
import { createDeletedFieldsSweep } from '../../src/sweep/deleted-fields.ts';
import { type StoreFolder, storeFolder } from '../support/store-folder.ts';

let folder: StoreFolder;

beforeEach(async () => {
  folder = storeFolder();
  await folder.store.write((tx) => {
    for (const [no, id] of ['a', 'b'].entries())
      tx.put(tables.orgs, id, { id, no: no + 1, name: id, createdAt: 1 });
  });
});
afterEach(() => folder.close());

/** Makes a field and answers its number. */
function field(orgId: string, key: string): Promise<number> {
  return folder.store.write(
    (tx) => addField(tx, orgId, { id: `${orgId}-${key}`, key, label: key, dataType: 'text' }).no,
  );
}

async function remove(orgId: string, key: string): Promise<void> {
  await folder.store.write((tx) => {
    const found = fieldsOf(tx, orgId).find((one) => one.key === key);
    if (found) removeField(tx, orgId, found);
  });
}

/** Gives every tag `rounds` values of each field in turn. */
async function fill(tagNos: readonly number[], nos: readonly number[], rounds: number): Promise<void> {
  await folder.store.write((tx) => {
    for (const tagNo of tagNos)
      for (let round = 0; round < rounds; round++)
        changeValues(tx, tagNo, { changes: new Map(nos.map((no) => [no, round])), now: round * 10 });
  });
}

/** Every field number that still has a value, now or in the past, of any tag. */
function numbersLeft(): ReadonlySet<number> {
  const left = new Set<number>();
  for (const { key: tagNo } of [...folder.store.range(tables.tagData)]) {
    for (const no of currentValues(folder.store, tagNo).keys()) left.add(no);
    for (const { fieldNo } of historyOf(folder.store, tagNo)) left.add(fieldNo);
  }
  return left;
}

const owed = () =>
  [...folder.store.range(tables.deletedFields)].map(({ key, value }) => [key, value.nextTagNo]);
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n + 1);

async function runUntilDone(sweep: { run(): Promise<void> }): Promise<number> {
  let runs = 0;
  while (owed().length > 0) {
    await sweep.run();
    expect(++runs, 'runs').toBeLessThan(1000);
  }
  return runs;
}

describe('values of deleted fields', () => {
  test('leave values and histories of all tags; the other fields keep theirs', async () => {
    const [kept, gone, theirs] = [
      await field('a', 'kept'),
      await field('a', 'gone'),
      await field('b', 'gone'),
    ];
    await fill(upTo(120), [kept, gone], 4);
    await fill([200, 201], [theirs], 4);
    const before = [...historyOf(folder.store, 7)].filter(({ fieldNo }) => fieldNo === kept);
    await remove('a', 'gone');
    await runUntilDone(createDeletedFieldsSweep(folder.store));
    expect(numbersLeft()).toEqual(new Set([kept, theirs]));
    expect([...historyOf(folder.store, 7)]).toEqual(before);
    expect(currentValues(folder.store, 7).get(kept)).toEqual({ value: 3, since: 30 });
  });

  test('with nothing deleted a run reads one table and writes nothing', async () => {
    await fill(upTo(3), [await field('a', 'kept')], 2);
    const version = folder.store.get(tables.meta, 'fieldsVersion');
    await createDeletedFieldsSweep(folder.store).run();
    expect(numbersLeft()).toEqual(new Set([1]));
    expect(folder.store.get(tables.meta, 'fieldsVersion')).toBe(version);
  });

  test('one pass serves several fields, of several organisations', async () => {
    const nos = [
      await field('a', 'x'),
      await field('a', 'y'),
      await field('b', 'z'),
      await field('b', 'kept'),
    ];
    await fill(upTo(60), nos, 3);
    for (const [orgId, key] of [
      ['a', 'x'],
      ['a', 'y'],
      ['b', 'z'],
    ] as const)
      await remove(orgId, key);
    await createDeletedFieldsSweep(folder.store, { runMs: 60_000 }).run();
    expect([owed(), numbersLeft()]).toEqual([[], new Set(nos.slice(3))]);
  });

  test('a run stops when its time is over; the next goes on, after another start too', async () => {
    const gone = await field('a', 'gone');
    await fill(upTo(180), [gone], 2);
    await remove('a', 'gone');
    await createDeletedFieldsSweep(folder.store, { runMs: 0 }).run();
    expect(owed()).toEqual([[gone, 51]]);
    await folder.reopen();
    expect(owed()).toEqual([[gone, 51]]);
    const runs = await runUntilDone(createDeletedFieldsSweep(folder.store, { runMs: 0 }));
    expect(runs).toBe(3);
    expect(numbersLeft()).toEqual(new Set());
  });

  test('a history longer than a slice is taken in several, even when every run is over at once', async () => {
    const [kept, gone] = [await field('a', 'kept'), await field('a', 'gone')];
    await fill([1, 2], [kept, gone], 700);
    await remove('a', 'gone');
    const runs = await runUntilDone(createDeletedFieldsSweep(folder.store, { runMs: 0 }));
    expect(runs).toBeGreaterThan(4);
    expect(numbersLeft()).toEqual(new Set([kept]));
    expect([...historyOf(folder.store, 2)]).toHaveLength(699);
  });

  test('a field deleted in the middle of a pass is taken out of the tags that are done, too', async () => {
    const [one, two] = [await field('a', 'one'), await field('a', 'two')];
    await fill(upTo(70), [one, two], 9);
    await fill([1], [one, two], 600);
    await remove('a', 'one');
    const sweep = createDeletedFieldsSweep(folder.store, { runMs: 0 });
    await sweep.run();
    await remove('a', 'two');
    await runUntilDone(sweep);
    expect(numbersLeft()).toEqual(new Set());
  });
});
