import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assetExample } from '../../src/contract/asset.ts';
import { absentOf } from '../../src/hub/pages/now/absent.ts';
import { curveOf } from '../../src/hub/pages/now/curve.ts';
import { countIn, type HeardMove, MOVES_KEPT, noMoves, withMoves } from '../../src/hub/pages/now/moves.ts';
import { wallFor } from '../../src/hub/pages/now/wall.ts';

const heard = (no: number, basis: number, [from, to]: readonly [string | undefined, string]): HeardMove => ({
  no,
  basis,
  move: {
    tagId: 't',
    epc: 'E2',
    ...(from && { fromZoneId: from }),
    toZoneId: to,
    zoneName: to,
    at: '2026-03-02T09:10:00.000Z',
  },
});

describe('counts between two answers', () => {
  test('a move takes one from where it was and adds one to where it is', () => {
    const moves = withMoves(noMoves, [heard(0, 5, ['a', 'b']), heard(1, 5, [undefined, 'b'])], 5);
    expect(countIn(3, 'a', { moves, basis: 5 })).toBe(2);
    expect(countIn(3, 'b', { moves, basis: 5 })).toBe(5);
  });

  test('are those of a new answer alone, which has the moves before it', () => {
    const before = withMoves(noMoves, [heard(0, 5, ['a', 'b'])], 5);
    expect(countIn(3, 'b', { moves: before, basis: 6 })).toBe(3);
    const after = withMoves(before, [heard(1, 5, ['a', 'b']), heard(2, 6, ['a', 'b'])], 6);
    expect(countIn(3, 'b', { moves: after, basis: 6 })).toBe(4);
  });

  test('are never below nothing', () => {
    const moves = withMoves(noMoves, [heard(0, 5, ['a', 'b'])], 5);
    expect(countIn(0, 'a', { moves, basis: 5 })).toBe(0);
  });

  test('the last moves are the newest, newest first, and no more than are kept', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(40), { maxLength: 8 }), (sizes) => {
        let no = 0;
        let moves = noMoves;
        for (const size of sizes) {
          const some = Array.from({ length: size }, () => heard(no++, 1, ['a', 'b']));
          moves = withMoves(moves, some, 1);
        }
        const newest = Array.from({ length: Math.min(no, MOVES_KEPT) }, (_, back) => no - 1 - back);
        expect(moves.last.map((one) => one.no)).toEqual(newest);
        expect(moves.changes.get('a') ?? 0).toBe(no);
      }),
    );
  });
});

describe('the curve of the last hour', () => {
  test('runs from the lowest to the highest count, with holes where nothing is known', () => {
    const curve = curveOf([0, 10, null, 5, 5], { width: 100, height: 20 });
    expect(curve).toEqual({ path: 'M0 20L25 0M75 10L100 10', low: 0, high: 10 });
  });

  test('is not drawn from a few counts', () => {
    expect(curveOf([null, 4, null, 5, 6], { width: 100, height: 20 })).toBe(null);
    expect(curveOf([], { width: 100, height: 20 })).toBe(null);
  });
});

test('an asset is missing, or overdue once its return is past, and named once', () => {
  const missing = { ...assetExample, id: 'm', status: 'missing' as const };
  const late = { ...assetExample, id: 'l' };
  const back = Date.parse(assetExample.expectedReturnAt ?? '');
  const found = absentOf([missing, late, late], back + 1);
  expect(found).toEqual({ missing: [missing], overdue: [late] });
  expect(absentOf([late], back - 1)).toEqual({ missing: [], overdue: [] });
});

describe('a wall screen', () => {
  test('has a place for every zone and no empty row', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 300, max: 3840 }), (count, width) => {
        const { columns, rows } = wallFor(count, width, 1080);
        expect(columns * rows).toBeGreaterThanOrEqual(count);
        expect(columns * (rows - 1)).toBeLessThan(count);
      }),
    );
  });

  test('fills a wide screen', () => {
    expect(wallFor(1, 1920, 1000)).toEqual({ columns: 1, rows: 1 });
    expect(wallFor(4, 1920, 1000)).toEqual({ columns: 2, rows: 2 });
    expect(wallFor(60, 1920, 1000).columns).toBeGreaterThan(7);
  });
});
