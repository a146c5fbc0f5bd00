import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Value } from '../../src/domain/value.ts';
import { removeTraces } from '../../src/store/forget-tags.ts';
import { tables } from '../../src/store/tables.ts';
import { changeValues, currentValues, dropEnded, dropValues, historyOf } from '../../src/store/tag-data.ts';
import { type StoreFolder, storeFolder } from '../support/store-folder.ts';

let folder: StoreFolder;

beforeEach(() => {
  folder = storeFolder();
});
afterEach(() => folder.close());

type Changes = readonly (readonly [no: number, value: Value | null])[];

function change(tagNo: number, now: number, changes: Changes): Promise<readonly number[]> {
  return folder.store.write((tx) => changeValues(tx, tagNo, { changes: new Map(changes), now }));
}

const held = (tagNo: number) => Object.fromEntries(currentValues(folder.store, tagNo));
const past = (tagNo: number) => [...historyOf(folder.store, tagNo)];

describe('values of a tag', () => {
  test('only what is sent changes; what was held goes to the history with its time', async () => {
    await change(5, 100, [
      [1, 'a'],
      [2, 7],
    ]);
    expect(await change(5, 200, [[1, 'b']])).toEqual([1]);
    expect(held(5)).toEqual({ 1: { value: 'b', since: 200 }, 2: { value: 7, since: 100 } });
    expect(past(5)).toEqual([{ fieldNo: 1, value: 'a', validFrom: 100, validTo: 200 }]);
  });

  test('null clears; clearing what is not held changes nothing', async () => {
    await change(5, 100, [[1, 'a']]);
    expect(
      await change(5, 200, [
        [1, null],
        [2, null],
      ]),
    ).toEqual([1]);
    expect(held(5)).toEqual({});
    expect(await change(5, 300, [[1, null]])).toEqual([]);
    expect(past(5)).toHaveLength(1);
  });

  test('a value already held makes no history entry and moves no time', async () => {
    await change(5, 100, [[1, 1]]);
    expect(await change(5, 200, [[1, 1]])).toEqual([]);
    expect(await change(5, 300, [[1, '1']])).toEqual([1]);
    expect(past(5)).toEqual([{ fieldNo: 1, value: 1, validFrom: 100, validTo: 300 }]);
  });

  test('times of one tag only grow, whatever the clock does', async () => {
    for (const [now, value] of [
      [100, 'a'],
      [100, 'b'],
      [50, 'c'],
      [101, null],
      [90, 'd'],
    ] as const)
      await change(5, now, [[1, value]]);
    expect(past(5).map(({ value, validFrom, validTo }) => [value, validFrom, validTo])).toEqual([
      ['c', 102, 103],
      ['b', 101, 102],
      ['a', 100, 101],
    ]);
    expect(held(5)).toEqual({ 1: { value: 'd', since: 104 } });
  });

  test('the history of one tag has nothing of its neighbours; a stretch goes on where the last ended', async () => {
    for (const tagNo of [4, 5, 6])
      for (let n = 0; n < 7; n++)
        await change(tagNo, n * 10, [
          [1, n],
          [2, `${tagNo}-${n}`],
        ]);
    const all = past(5);
    expect(all.map(({ validFrom, fieldNo }) => [validFrom, fieldNo])).toEqual(
      [50, 40, 30, 20, 10, 0].flatMap((at) => [
        [at, 2],
        [at, 1],
      ]),
    );
    expect(all.every(({ value, fieldNo }) => fieldNo === 1 || String(value).startsWith('5-'))).toBe(true);
    for (let cut = 0; cut < all.length; cut++) {
      const rest = [...historyOf(folder.store, 5, { before: all[cut], limit: 3 })];
      expect(rest).toEqual(all.slice(cut + 1, cut + 4));
    }
  });

  test('removing takes values and history of this tag alone', async () => {
    for (const tagNo of [5, 6]) for (const value of ['a', 'b']) await change(tagNo, 100, [[1, value]]);
    await removeTraces(folder.store, [5]);
    expect([held(5), past(5)]).toEqual([{}, []]);
    expect(folder.store.get(tables.tagData, 5)).toBeUndefined();
    expect([Object.keys(held(6)), past(6).length]).toEqual([['1'], 1]);
  });
});

describe('values of deleted fields', () => {
  const deleted = new Set([2]);

  test('are taken out, the others keep their values and times', async () => {
    await change(5, 100, [
      [1, 'a'],
      [2, 'x'],
    ]);
    await change(5, 200, [[2, 'y']]);
    expect(await folder.store.write((tx) => dropValues(tx, 5, deleted))).toBe(true);
    expect(held(5)).toEqual({ 1: { value: 'a', since: 100 } });
    expect(await folder.store.write((tx) => dropValues(tx, 5, deleted))).toBe(false);
    expect(await folder.store.write((tx) => dropValues(tx, 99, deleted))).toBe(false);
    await change(5, 150, [[1, 'b']]);
    expect(held(5)).toEqual({ 1: { value: 'b', since: 201 } });
  });

  test('are taken out of the history stretch by stretch', async () => {
    for (let n = 0; n < 6; n++)
      await change(5, n * 10, [
        [1, n],
        [2, n],
      ]);
    const first = await folder.store.write((tx) =>
      dropEnded(tx, 5, { deleted, before: undefined, limit: 4 }),
    );
    expect(first).toMatchObject({ looked: 4, next: { validFrom: 30, fieldNo: 1 } });
    expect(past(5).filter(({ fieldNo }) => fieldNo === 2)).toHaveLength(3);
    const second = await folder.store.write((tx) =>
      dropEnded(tx, 5, { deleted, before: first.next, limit: 100 }),
    );
    expect(second).toEqual({ looked: 6, next: undefined });
    expect(past(5).map(({ fieldNo }) => fieldNo)).toEqual([1, 1, 1, 1, 1]);
  });
});

test('current values and history are those of a plain model, whatever is written when', async () => {
  const values = fc.oneof(fc.constant(null), fc.constantFrom('a', 'b', true), fc.integer({ min: 0, max: 2 }));
  const step = fc.record({
    now: fc.integer({ min: 0, max: 50 }),
    changes: fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 3 }), values), {
      selector: ([no]) => no,
      maxLength: 3,
    }),
  });
  let tagNo = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      tagNo++;
      const current = new Map<number, { value: Value; since: number }>();
      const ended: object[] = [];
      let last = Number.NEGATIVE_INFINITY;
      for (const { now, changes } of steps) {
        const real = changes.filter(([no, value]) => (current.get(no)?.value ?? null) !== value);
        expect(await change(tagNo, now, changes)).toEqual(real.map(([no]) => no));
        if (real.length > 0) last = Math.max(now, last + 1);
        for (const [fieldNo, value] of real) {
          const was = current.get(fieldNo);
          if (was) ended.push({ fieldNo, value: was.value, validFrom: was.since, validTo: last });
          if (value === null) current.delete(fieldNo);
          else current.set(fieldNo, { value, since: last });
        }
      }
      expect(currentValues(folder.store, tagNo)).toEqual(current);
      expect(past(tagNo)).toHaveLength(ended.length);
      expect(past(tagNo)).toEqual(expect.arrayContaining(ended));
    }),
    { numRuns: 60 },
  );
});
