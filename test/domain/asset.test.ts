import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type AssetRefusal,
  type AssetStatus,
  type AssetTrigger,
  assetStatuses,
  assetStep,
  isOverdue,
  isSeenAgain,
} from '../../src/domain/asset.ts';

const triggers: readonly AssetTrigger[] = ['check_out', 'check_in', 'retire', 'mark_missing', 'find'];

/** Status, trigger, what comes out: a status, a refusal, or nothing. Every pair once. */
const table: readonly [AssetStatus, AssetTrigger, AssetStatus | AssetRefusal | null][] = [
  ['available', 'check_out', 'checked_out'],
  ['available', 'check_in', 'asset-not-checked-out'],
  ['available', 'retire', 'retired'],
  ['available', 'mark_missing', 'missing'],
  ['available', 'find', null],
  ['checked_out', 'check_out', 'asset-not-available'],
  ['checked_out', 'check_in', 'available'],
  ['checked_out', 'retire', 'retired'],
  ['checked_out', 'mark_missing', null],
  ['checked_out', 'find', null],
  ['missing', 'check_out', 'checked_out'],
  ['missing', 'check_in', 'asset-not-checked-out'],
  ['missing', 'retire', 'retired'],
  ['missing', 'mark_missing', null],
  ['missing', 'find', 'available'],
  ['retired', 'check_out', 'asset-retired'],
  ['retired', 'check_in', 'asset-retired'],
  ['retired', 'retire', 'asset-retired'],
  ['retired', 'mark_missing', null],
  ['retired', 'find', null],
];

describe('the status of an asset', () => {
  test.each(table)('%s, %s: %s', (status, trigger, expected) => {
    const step = assetStep(status, trigger);
    const isStatus = assetStatuses.some((one) => one === expected);
    expect(step).toEqual(isStatus ? { to: expected } : { to: null, refusal: expected });
  });

  test('the table names every pair once', () => {
    const pairs = new Set(table.map(([status, trigger]) => `${status} ${trigger}`));
    expect(pairs.size).toBe(table.length);
    expect(pairs.size).toBe(assetStatuses.length * triggers.length);
  });

  test('nothing leads out of retired, whatever happens', () => {
    const paths = fc.array(fc.constantFrom(...triggers), { maxLength: 20 });
    fc.assert(
      fc.property(paths, (path) => {
        let status: AssetStatus = 'retired';
        for (const trigger of path) status = assetStep(status, trigger).to ?? status;
        return status === 'retired';
      }),
    );
  });
});

const HOUR = 3_600_000;
const T = 1_772_442_937_412;

describe('missing and found', () => {
  test.each([
    ['seen a moment ago', T - 1, 24 * HOUR, false],
    ['unseen for just as long as it may be', T - 24 * HOUR, 24 * HOUR, false],
    ['unseen for a millisecond longer', T - 24 * HOUR - 1, 24 * HOUR, true],
    ['never seen', Number.NaN, 24 * HOUR, false],
    ['unseen for ever with 0, which is off', 0, 0, false],
    ['seen in the future', T + HOUR, 24 * HOUR, false],
  ])('a tag %s: overdue %s after %s is %s', (...[, lastSeenAt, missingAfterMs, expected]) => {
    expect(isOverdue({ lastSeenAt, now: T, missingAfterMs })).toBe(expected);
  });

  test('an asset in hand lately is not overdue, but one never seen is not either', () => {
    const sighting = { lastSeenAt: T - 48 * HOUR, now: T, missingAfterMs: 24 * HOUR };
    expect(isOverdue(sighting, T - 24 * HOUR)).toBe(false);
    expect(isOverdue(sighting, T - 25 * HOUR)).toBe(true);
    expect(isOverdue({ ...sighting, lastSeenAt: Number.NaN }, T - 25 * HOUR)).toBe(false);
  });

  test.each([
    ['not seen since', T - 30 * HOUR, 24 * HOUR, false],
    ['seen now', T, 24 * HOUR, true],
    ['seen since by a read that came late, too long ago again', T - 25 * HOUR, 24 * HOUR, false],
    ['seen since by a read that came late, lately enough', T - 23 * HOUR, 24 * HOUR, true],
    ['replaced by one never seen', Number.NaN, 24 * HOUR, false],
    ['seen since, while nothing is marked missing any longer', T - 25 * HOUR, 0, true],
  ])('a missing asset whose tag was last seen 30 hours ago and is %s', (...[, lastSeenAt, ms, expected]) => {
    expect(isSeenAgain({ lastSeenAt, now: T, missingAfterMs: ms }, T - 30 * HOUR)).toBe(expected);
  });

  test('what is found is not overdue, and what went missing is not found by what was known then', () => {
    const times = fc.record({
      lastSeenAt: fc.double({ min: 0, max: 2 * T, noNaN: true }),
      now: fc.integer({ min: 0, max: 2 * T }),
      missingAfterMs: fc.integer({ min: 0, max: 100 * HOUR }),
    });
    fc.assert(
      fc.property(times, fc.integer({ min: 0, max: 2 * T }), (sighting, missedAt) => {
        expect(isSeenAgain(sighting, missedAt) && isOverdue(sighting)).toBe(false);
        expect(isSeenAgain(sighting, Math.floor(sighting.lastSeenAt))).toBe(false);
      }),
    );
  });
});
