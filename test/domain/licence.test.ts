import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  allowsOneMore,
  builtInLicence,
  type LicenceClaims,
  licenceStanding,
  unverifiedLicence,
} from '../../src/domain/licence.ts';

const DAY = 86_400_000;
const now = 1_772_442_937_412;
const trial: LicenceClaims = { ...builtInLicence, edition: 'trial', expiresAt: now + 10 * DAY };

describe('how a licence stands', () => {
  test('the built-in edition is licensed without limits and without an end, and says nothing', () => {
    expect(builtInLicence).toMatchObject({ edition: 'on-premises', maxReaders: 0, maxSites: 0 });
    expect(licenceStanding(builtInLicence, now)).toEqual({
      ...{ state: 'licensed', valid: true, readOnly: false, daysLeft: 36_500, message: null },
    });
  });

  test('a trial is licensed until its end and says how many days are left', () => {
    expect(licenceStanding(trial, now)).toEqual({
      ...{ state: 'licensed', valid: true, readOnly: false, daysLeft: 10 },
      message: 'The licence ends at 2026-03-12T09:15:37.412Z: 10 days are left.',
    });
  });

  test('days left are begun days: 1 in the last millisecond, 0 from the end on', () => {
    const at = (ms: number) => licenceStanding(trial, now + 10 * DAY + ms);
    expect(at(-1)).toMatchObject({ state: 'licensed', daysLeft: 1 });
    expect(at(-1).message).toContain('1 day is left');
    expect(at(0)).toMatchObject({ state: 'expired', valid: false, readOnly: true, daysLeft: 0 });
    expect(at(0).message).toContain('ended at 2026-03-12T09:15:37.412Z');
  });

  test.each(['suspended', 'closed'] as const)('%s is that, expired or not', (state) => {
    for (const expiresAt of [null, now - DAY, now + DAY]) {
      const standing = licenceStanding({ ...trial, state, expiresAt }, now);
      expect(standing).toMatchObject({ state, valid: false, readOnly: true });
      expect(standing.message).toContain(state);
    }
  });

  test('a token that does not verify is suspended, shows nothing it says, and says why', () => {
    const unverified = unverifiedLicence('The key changed.');
    expect(unverified).toMatchObject({ customer: '', edition: 'unverified', features: [] });
    expect(licenceStanding(unverified, now)).toMatchObject({ state: 'suspended', readOnly: true });
    expect(licenceStanding(unverified, now).message).toMatch(/^The key changed\. Nothing can be changed/);
  });

  test('only a licence that is valid takes writes, and whatever ends writes says why', () => {
    const state = fc.constantFrom('licensed' as const, 'suspended' as const, 'closed' as const);
    const expiresAt = fc.option(fc.integer({ min: 0, max: 2 * now }));
    fc.assert(
      fc.property(state, expiresAt, (given, end) => {
        const standing = licenceStanding({ ...trial, state: given, expiresAt: end }, now);
        expect(standing.readOnly).toBe(!standing.valid);
        expect(standing.valid).toBe(standing.state === 'licensed');
        if (standing.readOnly) expect(standing.message).not.toBeNull();
      }),
    );
  });
});

test.each([
  [0, 0, true],
  [1000, 0, true],
  [1, 2, true],
  [2, 2, false],
  [3, 2, false],
])('with %d in use and a limit of %d, one more: %s', (count, max, allowed) => {
  expect(allowsOneMore(count, max)).toBe(allowed);
});
