import { afterEach, expect, test, vi } from 'vitest';
import { isTimeZone, ownTimeZone } from '../../src/lib/time-zone.ts';

afterEach(() => vi.unstubAllEnvs());

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

test.each([
  ['Asia/Tokyo', 'Asia/Tokyo'],
  ['No/Where', 'UTC'],
  [':/etc/localtime', 'UTC'],
  ['GMT+3', 'UTC'],
])('with TZ=%s the own time zone is %s', (variable, name) => {
  vi.stubEnv('TZ', variable);
  expect(ownTimeZone()).toBe(name);
});
