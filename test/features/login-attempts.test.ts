import { describe, expect, test } from 'vitest';
import { FailureLimit } from '../../src/features/auth/failure-limit.ts';
import { LastUse } from '../../src/features/auth/last-use.ts';
import { networkOf } from '../../src/features/auth/login-attempts.ts';

const noon = 1_772_442_937_412;
const SECOND = 1000;
const limit = (maxKeys = 10): FailureLimit => new FailureLimit({ free: 2, maxKeys });

function fail(failures: FailureLimit, key: string, now: number): void {
  failures.begin(key, now);
  failures.failed(key, now);
}

describe('failures by key', () => {
  test('after the free ones each next attempt waits twice as long, at most 15 minutes', () => {
    const failures = limit();
    const waits: number[] = [];
    let now = noon;
    for (let i = 0; i < 9; i++) {
      fail(failures, 'a', now);
      const wait = failures.waitMs('a', now);
      waits.push(wait / SECOND);
      now += wait;
      expect(failures.waitMs('a', now)).toBe(0);
    }
    expect(waits).toEqual([0, 30, 60, 120, 240, 480, 900, 900, 900]);
  });

  test('attempts under way count as failures until they are settled', () => {
    const failures = limit();
    failures.begin('a', noon);
    expect(failures.waitMs('a', noon)).toBe(0);
    failures.begin('a', noon);
    expect(failures.waitMs('a', noon)).toBe(SECOND);
    failures.dropped('a');
    expect(failures.waitMs('a', noon)).toBe(0);
  });

  test('a success forgives, or just settles', () => {
    const failures = limit();
    fail(failures, 'a', noon);
    for (const forgive of [false, true]) {
      failures.begin('a', noon);
      failures.succeeded('a', forgive);
      failures.begin('a', noon);
      expect(failures.waitMs('a', noon) > 0).toBe(!forgive);
      failures.dropped('a');
    }
  });

  test('a clock that is set back does not lock for long', () => {
    const failures = limit();
    fail(failures, 'a', noon);
    fail(failures, 'a', noon);
    expect(failures.waitMs('a', noon - 86_400 * SECOND)).toBe(0);
  });

  test('memory is bounded: the key heard of longest ago is forgotten, never one being checked', () => {
    const failures = limit(3);
    failures.begin('checking', noon);
    fail(failures, 'a', noon);
    fail(failures, 'a', noon);
    for (const key of ['b', 'c', 'd']) fail(failures, key, noon);
    expect(failures.size).toBe(3);
    expect(failures.waitMs('a', noon)).toBe(0);
    failures.begin('checking', noon);
    expect(failures.waitMs('checking', noon)).toBe(SECOND);
  });
});

describe('the network of a peer', () => {
  test.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:DB8::1', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['', '::/64'],
  ])('%s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});

describe('notes of last use', () => {
  test('are due once a minute, by what the store knows and what is under way', () => {
    const use = new LastUse();
    const due = (lastUsedAt: number | null, now: number): boolean => use.due({ id: 'a', lastUsedAt }, now);
    expect([due(null, noon), due(null, noon + 1), due(noon, noon + 59_999)]).toEqual([true, false, false]);
    expect([due(noon, noon + 60_000), due(noon + 60_000, noon + 60_001)]).toEqual([true, false]);
  });
});
