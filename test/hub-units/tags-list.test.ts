import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { listPath, queryOf, searchOf } from '../../src/hub/pages/tags/list-query.ts';
import {
  answered,
  KEPT_AROUND,
  newPiece,
  pieceAt,
  piecesAround,
  rowsWithin,
  startsOf,
} from '../../src/hub/pages/tags/pieces.ts';
import { listedTag } from '../support/listed-tag.ts';

const at = (second: number) => `2026-03-02T09:15:${String(second).padStart(2, '0')}.000Z`;

describe('pieces of the list', () => {
  test('an answer tells how many rows there are and where the next piece is; the last one tells of none', () => {
    const one = answered([newPiece('/a')], '/a', {
      items: [listedTag('A', at(9)), listedTag('B', at(8))],
      next: '/b',
    });
    expect(one.map(({ path, rows, next }) => [path, rows, next])).toEqual([
      ['/a', 2, '/b'],
      ['/b', 0, undefined],
    ]);
    const two = answered(one, '/b', { items: [listedTag('C', at(7))], next: null });
    expect(startsOf(two)).toEqual([0, 2, 3]);
    expect(two.at(-1)?.next).toBeNull();
  });

  test('the same answer again changes nothing, nor does one of a list that is no longer shown', () => {
    const answer = { items: [listedTag('A', at(9))], next: '/b' };
    const pieces = answered([newPiece('/a')], '/a', answer);
    expect(answered(pieces, '/a', answer)).toBe(pieces);
    expect(answered(pieces, '/elsewhere', answer)).toBe(pieces);
  });

  test('a piece asked for again leaves out what moved up from the one after it', () => {
    const pieces = answered([newPiece('/a')], '/a', {
      items: [listedTag('A', at(9)), listedTag('B', at(8))],
      next: '/b',
    });
    const piece = pieces[0] ?? newPiece('');
    const again = [listedTag('B', at(8)), listedTag('C', at(7)), listedTag('N', null)];
    expect(rowsWithin(piece, again).map(({ epc }) => epc)).toEqual(['B']);
    expect(answered(pieces, '/a', { items: again, next: '/c' })[0]).toMatchObject({ rows: 1, next: '/b' });
  });

  test('every row is in the piece whose rows hold it', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(sizes, fc.nat(), (rows, any) => {
        const starts = startsOf(rows.map((count) => ({ ...newPiece('/'), rows: count })));
        const index = any % (starts.at(-1) ?? 1);
        const piece = pieceAt(starts, index);
        expect(starts[piece] ?? Number.NaN).toBeLessThanOrEqual(index);
        expect(starts[piece + 1] ?? Number.NaN).toBeGreaterThan(index);
      }),
    );
  });

  test('however long the list, few pieces are kept', () => {
    const starts = startsOf(Array.from({ length: 2000 }, () => ({ ...newPiece('/'), rows: 500 })));
    const { from, to } = piecesAround(starts, 500_000, 500_030);
    expect(to - from).toBe(2 * KEPT_AROUND);
    expect(piecesAround(starts, 0, 30)).toEqual({ from: 0, to: KEPT_AROUND });
    expect(piecesAround(startsOf([newPiece('/')]), 0, 40)).toEqual({ from: 0, to: 0 });
  });
});

describe('what is listed', () => {
  test('the address says it, and it says the address', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom('all', 'with', 'without'), (q, data) => {
        const query = { q, data } as const;
        expect(queryOf(searchOf(query))).toEqual(query);
      }),
    );
  });

  test('an address somebody made up lists everything', () => {
    expect(queryOf('?data=all%27--&q')).toEqual({ q: '', data: 'all' });
    expect(listPath({ q: ' ', data: 'all' })).toBe('/tags?limit=500');
    expect(listPath({ q: 'a&b', data: 'without' })).toBe('/tags?q=a%26b&hasData=false&limit=500');
  });
});
