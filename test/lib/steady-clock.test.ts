import { describe, expect, test } from 'vitest';
import { SteadyClock } from '../../src/lib/steady-clock.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const YEAR = 365 * 24 * HOUR;

/** A clock that runs when told to, looked at every minute, and that can be set. */
function rig(): { pass(ms: number): boolean; set(ms: number): void } {
  let elapsed = 1000;
  let ahead = Date.UTC(2026, 0, 1);
  const clock = new SteadyClock({ now: () => elapsed + ahead, elapsed: () => elapsed });
  return {
    pass: (ms) => {
      let isSteady = clock.isSteady();
      for (let left = ms; left > 0; left -= MINUTE) {
        elapsed += Math.min(left, MINUTE);
        isSteady = clock.isSteady();
      }
      return isSteady;
    },
    set: (ms) => {
      ahead += ms;
    },
  };
}

describe('a clock is trusted', () => {
  test('15 minutes after the start, not before', () => {
    const clock = rig();
    expect(clock.pass(15 * MINUTE - 1)).toBe(false);
    expect(clock.pass(1)).toBe(true);
  });

  test.each([
    { what: 'forward by an hour', by: HOUR, for: HOUR },
    { what: 'back by an hour', by: -HOUR, for: HOUR },
    { what: 'forward by six minutes', by: 6 * MINUTE, for: 15 * MINUTE },
    { what: 'forward by a year', by: YEAR, for: 24 * HOUR },
  ])('not after it jumped $what, until it ran evenly for as long, 15 minutes to a day', (jump) => {
    const clock = rig();
    expect(clock.pass(HOUR)).toBe(true);
    clock.set(jump.by);
    expect(clock.pass(jump.for - 1)).toBe(false);
    expect(clock.pass(1)).toBe(true);
  });

  test('a clock put right again waits no longer than the first jump asked for', () => {
    const clock = rig();
    clock.pass(HOUR);
    clock.set(2 * HOUR);
    clock.pass(HOUR);
    clock.set(-2 * HOUR);
    expect(clock.pass(2 * HOUR - 1)).toBe(false);
    expect(clock.pass(1)).toBe(true);
  });

  test('through the small steps of a time service', () => {
    const clock = rig();
    clock.pass(HOUR);
    for (let i = 0; i < 50; i++) {
      clock.set(4 * MINUTE);
      expect(clock.pass(MINUTE)).toBe(true);
    }
  });
});
