import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  DRAWN_MAX,
  drawnHeight,
  movedTo,
  placed,
  type Scrolled,
  START,
  scrolledTo,
} from '../../src/hub/pages/tags/row-scale.ts';

const ROW = 36;
const million = { total: 1_000_000 * ROW, seen: 700 };
const endOf = ({ total, seen }: typeof million) => total - seen;
const placeOf = ({ top, offset }: Scrolled) => top + offset;

const heights = fc.record({
  total: fc.integer({ min: 0, max: 2_000_000 * ROW }),
  seen: fc.integer({ min: 100, max: 3000 }),
});

describe('a list higher than browsers draw', () => {
  test('is drawn lower, and a list that fits is drawn as it is', () => {
    expect(drawnHeight(million.total)).toBe(DRAWN_MAX);
    expect(drawnHeight(40 * ROW)).toBe(40 * ROW);
    expect(placed(500, { total: 40 * ROW, seen: 700 })).toEqual({ top: 500, offset: 0 });
  });

  test('the scroll bar at its end shows row 1,000,000, at its start row 1', () => {
    const last = scrolledTo(DRAWN_MAX - million.seen, START, million);
    expect(placeOf(last)).toBe(endOf(million));
    expect(placeOf(scrolledTo(0, last, million))).toBe(0);
  });

  test('half of the scroll bar is half of the list', () => {
    const middle = scrolledTo((DRAWN_MAX - million.seen) / 2, START, million);
    expect(placeOf(middle)).toBe(endOf(million) / 2);
  });

  test('every row can be gone to, and the scroll bar stays within the element', () => {
    fc.assert(
      fc.property(heights, fc.double({ min: 0, max: 1, noNaN: true }), (high, part) => {
        const place = Math.round(part * Math.max(0, high.total - high.seen));
        const at = placed(place, high);
        expect(placeOf(at)).toBe(place);
        expect(at.top).toBeGreaterThanOrEqual(0);
        expect(at.top).toBeLessThanOrEqual(Math.max(0, drawnHeight(high.total) - high.seen));
      }),
    );
  });

  test('a turn of the wheel moves the rows by as much, wherever the list is', () => {
    const place = fc.integer({ min: 0, max: endOf(million) });
    fc.assert(
      fc.property(place, fc.integer({ min: -700, max: 700 }), (from, by) => {
        const before = placed(from, million);
        const after = scrolledTo(before.top + by, before, million);
        expect(placeOf(after)).toBe(Math.max(0, Math.min(endOf(million), from + by)));
      }),
    );
  });

  test('the wheel alone comes to either end', () => {
    let at = placed(endOf(million) / 2, million);
    let turns = 0;
    while (placeOf(at) > 0 && turns < 40_000) {
      at = scrolledTo(Math.max(0, at.top - 700), at, million);
      turns += 1;
    }
    expect(at).toEqual(START);
    // A turn that meets the end of the scroll bar is cut short there.
    expect(turns).toBeLessThan(endOf(million) / 2 / 700 + 20);
  });

  test('what is looked at stays when the list grows, with room to go on', () => {
    const before = placed(endOf(million), million);
    const grown = { ...million, total: million.total + 500 * ROW };
    const after = movedTo(placeOf(before), before, grown);
    expect(placeOf(after)).toBe(placeOf(before));
    expect(after.top).toBeLessThan(DRAWN_MAX - million.seen);
  });
});
