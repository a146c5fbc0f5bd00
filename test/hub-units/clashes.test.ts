import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { antennaExample } from '../../src/contract/antenna.ts';
import {
  type Drawing,
  draftOf,
  moved,
  onlyKnown,
  redone,
  stepped,
  UNDO_MAX,
  undone,
  withZone,
} from '../../src/hub/pages/floor/draft.ts';
import { clashesOf as drawnClashes, isBegun, isSame, rebased } from '../../src/hub/pages/floor/rebase.ts';
import { clashesOf, originOf, withMine, withTheirs } from '../../src/hub/pages/readers/antenna-clash.ts';
import { edited, isEdited } from '../../src/hub/pages/readers/antenna-draft.ts';

describe('two people who edit a port', () => {
  const before = antennaExample;
  const draft = edited({}, before, { powerDbm: 27, zoneId: null });
  const origin = originOf({}, draft, before);
  const theirs = { ...before, transmitPowerCdbm: 2400, tagPopulation: 7 };

  test('what only one of them changed is no clash, nor what both set to the same', () => {
    expect(clashesOf([before], draft, origin)).toEqual([]);
    expect(clashesOf([{ ...before, tagPopulation: 7 }], draft, origin)).toEqual([]);
    expect(clashesOf([{ ...before, transmitPowerCdbm: 2700 }], draft, origin)).toEqual([]);
  });

  test('what both changed is named, and no more once one of the two was chosen', () => {
    const clashes = clashesOf([theirs], draft, origin);
    expect(clashes).toEqual([{ port: 1, field: 'powerDbm' }]);
    expect(clashesOf([theirs], draft, withMine(origin, clashes, [theirs]))).toEqual([]);
    expect(withTheirs(draft, clashes)).toEqual({ 1: { zoneId: null } });
    expect(isEdited(withTheirs(edited({}, before, { powerDbm: 27 }), clashes))).toBe(false);
  });

  test('a field is compared with what was shown when it was touched first', () => {
    const later = edited(draft, theirs, { population: 9 });
    const known = originOf(origin, later, theirs);
    expect(clashesOf([theirs], later, known)).toEqual([{ port: 1, field: 'powerDbm' }]);
    // Taken back and touched again, it begins with what is shown then.
    const back = edited(draft, theirs, { powerDbm: 24 });
    const again = edited(back, theirs, { powerDbm: 28 });
    const fresh = originOf(originOf(origin, back, theirs), again, theirs);
    expect(clashesOf([theirs], again, fresh)).toEqual([]);
  });
});

describe('two people who draw', () => {
  const [a, b] = ['2f6d9a10-7c3b-4c5d-9e8f-0a1b2c3d4e5f', '9a8b7c6d-5e4f-4a3b-8c2d-1e0f9a8b7c6d'];
  const readerId = '5f0c7f0e-3f57-4a77-9f0b-1c2d3e4f5a6b';
  const base: Drawing = {
    ...withZone(withZone({ zones: [], antennas: [] }, a), b),
    antennas: [{ readerId, port: 1, x: 0.5, y: 0.5 }],
  };
  const moveOf = (zoneId: string, by: number) => (old: Drawing) =>
    moved(old, { kind: 'zone', zoneId }, [by, 0]);

  test('different pieces are put together, and every step back keeps the other’s', () => {
    const draft = stepped(draftOf(base), moveOf(a, 0.1)(base));
    const theirs = moveOf(b, 0.2)(base);
    expect(drawnClashes(base, draft.now, theirs)).toEqual([]);
    const joined = rebased(draft, [base, theirs], 'mine');
    expect(isSame(joined.now, moveOf(a, 0.1)(theirs))).toBe(true);
    expect(isSame(undone(joined).now, theirs)).toBe(true);
  });

  test('the same piece is named, and the one that was chosen holds', () => {
    const mine = moveOf(a, 0.1)(base);
    const theirs = { ...moveOf(a, 0.2)(base), antennas: [] };
    expect(drawnClashes(base, mine, theirs)).toEqual([a]);
    const draft = stepped(draftOf(base), mine);
    expect(isSame(rebased(draft, [base, theirs], 'theirs').now, theirs)).toBe(true);
    expect(isSame(rebased(draft, [base, theirs], 'mine').now, { ...mine, antennas: [] })).toBe(true);
  });

  test('no step back or forth takes away what the other has saved', () => {
    const taken = undone(stepped(draftOf(base), moveOf(a, 0.1)(base)));
    const theirs = moveOf(a, 0.2)(base);
    expect(drawnClashes(base, taken.now, theirs)).toEqual([]);
    expect(isSame(redone(rebased(taken, [base, theirs], 'mine')).now, theirs)).toBe(true);
    const twice = stepped(stepped(draftOf(base), moveOf(a, 0.1)(base)), moveOf(a, 0.3)(base));
    const kept = rebased(twice, [base, theirs], 'mine');
    expect(isSame(kept.now, moveOf(a, 0.3)(base))).toBe(true);
    expect(isSame(undone(kept).now, theirs)).toBe(true);
    expect(isSame(redone(undone(kept)).now, kept.now)).toBe(true);
  });

  test('what is drawn is not saved, also when every known step was taken back', () => {
    const steps = Array.from({ length: UNDO_MAX + 1 }, () => moveOf(a, 0.001));
    const drawn = steps.reduce((draft, step) => stepped(draft, step(draft.now)), draftOf(base));
    const back = drawn.past.reduce((draft) => undone(draft), drawn);
    expect(back.past).toEqual([]);
    expect([isBegun(drawn, base), isBegun(back, base), isBegun(draftOf(base), base)]).toEqual([
      true,
      true,
      false,
    ]);
  });

  test('what is gone is left out; what the other has saved stays, heard of or not', () => {
    const saved = { zones: base.zones.slice(1), antennas: base.antennas };
    expect(onlyKnown(base, { zoneIds: [], readerIds: [] }, saved)).toEqual(saved);
    expect(onlyKnown(base, { zoneIds: [a], readerIds: [] }, saved)).toEqual(base);
    expect(onlyKnown(base, { zoneIds: [b], readerIds: [] }, { zones: [], antennas: [] })).toEqual({
      zones: saved.zones,
      antennas: [],
    });
  });

  test('what one moved and the other took away is a clash; what both took away is none', () => {
    const without = { ...base, zones: base.zones.filter(({ zoneId }) => zoneId !== a) };
    expect(drawnClashes(base, moveOf(a, 0.1)(base), without)).toEqual([a]);
    expect(drawnClashes(base, without, moveOf(a, 0.1)(base))).toEqual([a]);
    expect(drawnClashes(base, without, without)).toEqual([]);
  });

  test('whoever did nothing has what the other saved', () => {
    const step = fc.record({
      zoneId: fc.constantFrom(a, b),
      by: fc.double({ min: -1, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 5 }), (steps) => {
        const theirs = steps.reduce((old, { zoneId, by }) => moveOf(zoneId, by)(old), base);
        expect(isSame(rebased(draftOf(base), [base, theirs], 'mine').now, theirs)).toBe(true);
        expect(isSame(rebased(draftOf(theirs), [theirs, theirs], 'theirs').now, theirs)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });
});
