import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newestSlot } from '../../src/app/backup-slots.ts';

const HOUR = 3_600_000;
const zone = process.env.TZ;

beforeAll(() => {
  process.env.TZ = 'Europe/Vienna';
});
afterAll(() => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

const local = (text: string): number => new Date(text).getTime();

describe('the time a backup was last due', () => {
  it.each([
    ['24', '2026-11-21T10:00', '2026-11-21T02:00'],
    ['24', '2026-11-21T02:00', '2026-11-21T02:00'],
    ['24', '2026-11-21T01:59:59.999', '2026-11-20T02:00'],
    ['6', '2026-11-21T01:00', '2026-11-20T20:00'],
    ['6', '2026-11-21T19:59', '2026-11-21T14:00'],
    ['1', '2026-01-01T00:30', '2026-01-01T00:00'],
    // The night in which summer time begins has no 02:00, the one in which it ends is an hour longer.
    ['24', '2026-03-29T12:00', '2026-03-29T03:00'],
    ['24', '2026-10-25T12:00', '2026-10-25T02:00'],
    ['24', '2026-10-26T12:00', '2026-10-26T02:00'],
  ])('every %s hours from 02:00, at %s: %s', (everyHours, now, slot) => {
    const found = newestSlot({ at: '02:00', everyHours: Number(everyHours) }, local(now));
    expect(new Date(found).toString()).toBe(new Date(local(slot)).toString());
  });

  it('is never in the future, nor longer ago than the interval and a change of the clock', () => {
    const slots = fc.record({
      at: fc.tuple(fc.nat(23), fc.nat(59)).map((two) => two.map((n) => `${n}`.padStart(2, '0')).join(':')),
      everyHours: fc.constantFrom(1, 2, 3, 4, 6, 8, 12, 24),
    });
    const times = fc.integer({ min: local('2026-01-01T00:00'), max: local('2028-01-01T00:00') });
    fc.assert(
      fc.property(slots, times, (of, now) => {
        const slot = newestSlot(of, now);
        expect(slot).toBeLessThanOrEqual(now);
        expect(now - slot).toBeLessThan((of.everyHours + 1) * HOUR);
        // Asked again it is the same one, and so is what was due then.
        expect(newestSlot(of, slot)).toBe(slot);
      }),
    );
  });
});
