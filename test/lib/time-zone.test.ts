import { expect, test } from 'vitest';
import { isTimeZone, ownTimeZone } from '../../src/lib/time-zone.ts';

test.each(['UTC', 'Europe/Berlin', 'europe/berlin', 'America/Port-au-Prince', 'Etc/GMT+3', ownTimeZone()])(
  '%s is a time zone',
  (text) => {
    expect(isTimeZone(text)).toBe(true);
  },
);

test.each([
  '',
  ' UTC',
  'Mars/Base',
  '+02:00',
  '-0800',
  'constructor',
  '__proto__',
  'Europe/Berlin\0',
  'U'.repeat(65),
])('%j is none', (text) => {
  expect(isTimeZone(text)).toBe(false);
});
