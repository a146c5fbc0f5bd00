import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { endOfDay, fromField, toField } from '../../src/hub/pages/assets/time-field.ts';

const zones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kolkata',
  'Pacific/Auckland',
  'Australia/Lord_Howe',
];

describe('times in a field are those of the clocks at the site', () => {
  test('summer and winter have their own offsets', () => {
    expect(fromField('2026-07-01T12:00', 'Europe/Berlin')).toBe(Date.parse('2026-07-01T10:00Z'));
    expect(fromField('2026-01-01T12:00', 'Europe/Berlin')).toBe(Date.parse('2026-01-01T11:00Z'));
    expect(fromField('2026-03-29T03:00', 'Europe/Berlin')).toBe(Date.parse('2026-03-29T01:00Z'));
  });

  test('what a field shows is read as the same minute', () => {
    const minutes = fc.integer({ min: Date.UTC(2020, 0) / 60_000, max: Date.UTC(2040, 0) / 60_000 });
    fc.assert(
      fc.property(fc.constantFrom(...zones), minutes, (zone, minute) => {
        const shown = toField(minute * 60_000, zone);
        const back = fromField(shown, zone);
        // In autumn an hour comes twice: the same clock, maybe the other time.
        expect(back === null ? null : toField(back, zone)).toBe(shown);
      }),
    );
  });

  test('what is no time is none', () => {
    for (const text of ['', '2026-13-01T00:00', 'tomorrow', '2026-01-01'])
      expect(fromField(text, 'UTC')).toBeNull();
  });

  test('the end of the day is that of the site, which may be another than here', () => {
    const now = Date.parse('2026-03-31T22:30Z');
    expect(endOfDay(now, 'UTC', 0)).toBe('2026-03-31T23:59');
    expect(endOfDay(now, 'Europe/Berlin', 0)).toBe('2026-04-01T23:59');
    expect(endOfDay(now, 'UTC', 1)).toBe('2026-04-01T23:59');
    expect(endOfDay(now, 'UTC', 7)).toBe('2026-04-07T23:59');
  });
});
