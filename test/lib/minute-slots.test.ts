import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MinuteSlots } from '../../src/lib/minute-slots.ts';

const MINUTE = 60_000;

test('shows for every minute asked for the sample that was taken in it, and none for the others', () => {
  const COUNT = 6;
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 40 * MINUTE }), { maxLength: 60 }), (times) => {
      const slots = new MinuteSlots(COUNT);
      const column = new Map<number, number>();
      let now = 0;
      for (const time of times.toSorted((a, b) => a - b)) {
        now = time;
        const minute = Math.floor(now / MINUTE);
        if (!slots.isDue(now)) continue;
        column.set(slots.slotOf(now), minute);
        slots.taken(now);
      }
      const sampled = new Set(times.map((time) => Math.floor(time / MINUTE)));
      const { at, slots: places } = slots.last(COUNT - 1, now);
      expect(at).toEqual(at.map((_, i) => (at[0] ?? 0) + i * MINUTE));
      expect(at.at(-1)).toBe(Math.floor(now / MINUTE) * MINUTE);
      at.forEach((time, i) => {
        const minute = time / MINUTE;
        const place = places[i] ?? null;
        expect(place === null ? null : column.get(place)).toBe(sampled.has(minute) ? minute : null);
      });
    }),
  );
});

test('ends with the minute before while that of now has no sample yet', () => {
  const slots = new MinuteSlots(5);
  slots.taken(10 * MINUTE);
  expect(slots.last(2, 11 * MINUTE + 5)).toEqual({ at: [9 * MINUTE, 10 * MINUTE], slots: [null, 0] });
  expect(slots.last(1, 13 * MINUTE)).toEqual({ at: [13 * MINUTE], slots: [null] });
});
