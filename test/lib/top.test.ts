import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BitSet } from '../../src/lib/bit-set.ts';
import { Pace } from '../../src/lib/pace.ts';
import { bottom, ranksBelow, Top } from '../../src/lib/top.ts';

const entries = fc.array(
  fc.record({
    key: fc.oneof(fc.integer({ min: 0, max: 5 }), fc.double({ noNaN: true }), fc.constant(-Infinity)),
    no: fc.nat(),
  }),
  { maxLength: 200 },
);

describe('Top', () => {
  test('keeps what sorting everything would put first, in that order', () => {
    fc.assert(
      fc.property(entries, fc.nat(20), (offered, capacity) => {
        const top = new Top(capacity);
        for (const { key, no } of offered) top.offer(key, no);
        const sorted = offered.toSorted((a, b) => (ranksBelow(a, b) ? 1 : ranksBelow(b, a) ? -1 : 0));
        const plain = sorted.slice(0, capacity).map(({ key, no }) => ({ key: key + 0, no }));
        expect(top.ranked().map(({ key, no }) => ({ key: key + 0, no }))).toEqual(plain);
      }),
    );
  });
});

describe('Top with a least entry', () => {
  test('keeps nothing below it, and says beforehand what it would keep', () => {
    fc.assert(
      fc.property(entries, fc.nat(20), entries, (offered, capacity, [least]) => {
        const top = new Top(capacity, least ?? bottom);
        for (const { key, no } of offered) {
          const before = top.ranked();
          const takes = top.takes(key, no);
          top.offer(key, no);
          if (!takes) expect(top.ranked()).toEqual(before);
        }
        const eligible = offered.filter((entry) => !ranksBelow(entry, least ?? bottom));
        const all = new Top(capacity);
        for (const { key, no } of eligible) all.offer(key, no);
        expect(top.ranked()).toEqual(all.ranked());
        expect(top.full).toBe(eligible.length >= capacity);
        expect(top.lowest).toEqual(top.full ? (top.ranked().at(-1) ?? bottom) : bottom);
      }),
    );
  });
});

describe('BitSet', () => {
  test('holds what a Set of whole numbers holds', () => {
    const values = fc.array(fc.nat(100_000), { maxLength: 200 });
    fc.assert(
      fc.property(values, fc.array(fc.nat(200_000)), fc.nat(10), (added, asked, kept) => {
        const bits = new BitSet();
        for (const value of added) bits.add(value);
        const set = new Set(added);
        for (const value of [...asked, ...added.slice(kept)]) {
          bits.delete(value);
          set.delete(value);
        }
        for (const value of [...asked, ...added]) expect(bits.has(value)).toBe(set.has(value));
      }),
    );
  });
});

describe('Pace', () => {
  test('is due after its slice, and not right after a pause in which others ran', async () => {
    const pace = new Pace(20);
    expect(pace.due).toBe(false);
    const until = performance.now() + 25;
    while (performance.now() < until);
    expect(pace.due).toBe(true);
    let othersRan = false;
    setImmediate(() => {
      othersRan = true;
    });
    await pace.pause();
    expect([othersRan, pace.due]).toEqual([true, false]);
  });
});
