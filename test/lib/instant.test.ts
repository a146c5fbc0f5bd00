import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatInstant, parseInstant } from '../../src/lib/instant.ts';

const lastMs = Date.parse('9999-12-31T23:59:59.999Z');
const anyMs = fc.integer({ min: 0, max: lastMs });

describe('parseInstant', () => {
  test.each([
    ['1970-01-01T00:00:00Z', 0],
    ['2026-03-02T09:15:37Z', Date.UTC(2026, 2, 2, 9, 15, 37)],
    ['2026-03-02T09:15:37.4Z', Date.UTC(2026, 2, 2, 9, 15, 37, 400)],
    ['2026-03-02T09:15:37.412087177Z', Date.UTC(2026, 2, 2, 9, 15, 37, 412) + 0.087],
    ['2026-03-02T09:15:37.412+0000', Date.UTC(2026, 2, 2, 9, 15, 37, 412)],
    ['2026-03-02T09:15:37.412+00:00', Date.UTC(2026, 2, 2, 9, 15, 37, 412)],
    ['2026-03-02T03:15:37-0600', Date.UTC(2026, 2, 2, 9, 15, 37)],
    ['2026-03-02T14:45:37+05:30', Date.UTC(2026, 2, 2, 9, 15, 37)],
    ['1970-01-01T01:00:00+01:00', 0],
    ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
    ['2000-02-29T00:00:00Z', Date.UTC(2000, 1, 29)],
    ['9999-12-31T23:59:59.999Z', lastMs],
  ])('takes %s', (text, ms) => {
    expect(parseInstant(text)).toBeCloseTo(ms, 6);
  });

  test.each([
    '',
    '2026-03-02',
    '2026-03-02T09:15:37',
    '2026-03-02 09:15:37Z',
    '2026-03-02t09:15:37z',
    '2026-03-02T09:15Z',
    '2026-03-02T09:15:37.Z',
    '2026-03-02T09:15:37.0123456789Z',
    '2026-03-02T09:15:37,5Z',
    '2026-03-02T09:15:37Z ',
    ' 2026-03-02T09:15:37Z',
    '2026-03-02T09:15:37.5',
    '2026-03-02T09:15:37+01',
    '2026-03-02T09:15:37+010',
    '2026-03-02T09:15:37+1:00',
    '2026-03-02T09:15:37+01:000',
    '2026-03-02T09:15:37+24:00',
    '2026-03-02T09:15:37+01:60',
    '2026-00-02T09:15:37Z',
    '2026-13-02T09:15:37Z',
    '2026-03-00T09:15:37Z',
    '2026-04-31T09:15:37Z',
    '2026-02-29T09:15:37Z',
    '1900-02-29T09:15:37Z',
    '2100-02-29T09:15:37Z',
    '2026-03-02T24:00:00Z',
    '2026-03-02T09:60:00Z',
    '2026-03-02T09:15:60Z',
    '1969-12-31T23:59:59Z',
    '1970-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-00:01',
    '10000-01-01T00:00:00Z',
    '+002026-03-02T09:15:37Z',
    '2026-3-2T09:15:37Z',
    '2026/03/02T09:15:37Z',
    '２０２６-03-02T09:15:37Z',
    '1772442937412',
  ])('refuses %j', (text) => {
    expect(parseInstant(text)).toBeNull();
  });

  test('agrees with Date on every instant from 1970 to 9999', () => {
    fc.assert(fc.property(anyMs, (ms) => void expect(parseInstant(new Date(ms).toISOString())).toBe(ms)));
  });

  test('agrees with Date on every day of every month of 430 years', () => {
    const wrong: string[] = [];
    for (let ms = 0; ms < Date.UTC(2400, 0, 1); ms += 86_400_000) {
      const text = new Date(ms).toISOString();
      if (parseInstant(text) !== ms) wrong.push(text);
    }
    expect(wrong).toEqual([]);
  });

  test('keeps microseconds, in the order they came, and cuts off what is finer', () => {
    const second = Date.UTC(2026, 2, 2, 9, 15, 37);
    fc.assert(
      fc.property(fc.nat(999_999), fc.nat(999), (micros, nanos) => {
        const digits = `${micros}`.padStart(6, '0') + `${nanos}`.padStart(3, '0');
        const at = parseInstant(`2026-03-02T09:15:37.${digits}Z`) ?? Number.NaN;
        expect(Math.round((at - second) * 1000)).toBe(micros);
      }),
    );
  });

  test('an offset moves the instant by itself and no more', () => {
    const offset = fc.tuple(fc.constantFrom('+', '-'), fc.nat(23), fc.nat(59), fc.constantFrom(':', ''));
    fc.assert(
      fc.property(
        fc.integer({ min: 86_400_000, max: lastMs - 86_400_000 }),
        offset,
        (ms, [sign, hours, minutes, colon]) => {
          const local = ms + (sign === '-' ? -1 : 1) * (hours * 60 + minutes) * 60_000;
          const zone = `${sign}${`${hours}`.padStart(2, '0')}${colon}${`${minutes}`.padStart(2, '0')}`;
          expect(parseInstant(new Date(local).toISOString().replace('Z', zone))).toBe(ms);
        },
      ),
    );
  });

  test('what it takes Date takes too, as the same instant', () => {
    const near = fc.tuple(fc.nat(35), fc.constantFrom(...'0123456789-:.TZ+ ')).map(([at, char]) => {
      const text = '2026-03-02T09:15:37.412087177Z';
      return text.slice(0, at) + char + text.slice(at + 1);
    });
    fc.assert(
      fc.property(fc.oneof(near, fc.string()), (text) => {
        const ms = parseInstant(text);
        if (ms !== null) expect(Math.floor(ms)).toBe(Date.parse(text));
      }),
    );
  });
});

describe('formatInstant', () => {
  test('writes UTC with milliseconds and cuts off the fraction', () => {
    expect(formatInstant(Date.UTC(2026, 2, 2, 9, 15, 37, 412) + 0.999)).toBe('2026-03-02T09:15:37.412Z');
  });

  test('is read back as the same millisecond', () => {
    fc.assert(
      fc.property(
        anyMs,
        fc.double({ min: 0, max: 0.9, noNaN: true }),
        (ms, part) => void expect(parseInstant(formatInstant(ms + part))).toBe(ms),
      ),
    );
  });
});
