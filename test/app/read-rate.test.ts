import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LoopLag } from '../../src/app/loop-lag.ts';
import { ReadRate } from '../../src/app/read-rate.ts';
import { until } from '../support/wait.ts';

test('a steady counter shows its rate from the first seconds on, and the last minute only', () => {
  let [at, total] = [0, 1000];
  const rate = new ReadRate(
    () => total,
    () => at,
  );
  expect(rate.perSecond()).toBe(0);
  const run = (seconds: number, each: number): void => {
    for (let n = 0; n < seconds; n += 5) {
      at += 5000;
      total += 5 * each;
      rate.sample();
    }
  };
  run(5, 40);
  expect(rate.perSecond()).toBe(40);
  run(600, 40);
  expect(rate.perSecond()).toBe(40);
  run(30, 0);
  expect(rate.perSecond()).toBe(20);
  run(30, 0);
  expect(rate.perSecond()).toBe(0);
});

test('whatever a counter does, the rate lies between its slowest and its fastest of the last 65 seconds', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(1000), { minLength: 14, maxLength: 60 }), (steps) => {
      let [at, total] = [0, 0];
      const rate = new ReadRate(
        () => total,
        () => at,
      );
      for (const step of steps) {
        at += 5000;
        total += step * 5;
        rate.sample();
      }
      const late = steps.slice(-13);
      expect(rate.perSecond()).toBeGreaterThanOrEqual(Math.min(...late) - 0.1);
      expect(rate.perSecond()).toBeLessThanOrEqual(Math.max(...late) + 0.1);
    }),
  );
});

test('a loop that is held up shows, also right after the minute it was in, and an idle one shows next to nothing', async () => {
  const lag = new LoopLag();
  try {
    expect(lag.p99()).toBe(0);
    await sleep(20);
    for (const until = performance.now() + 400; performance.now() < until; );
    await until('the stall', () => lag.p99() > 200);
    lag.roll();
    expect(lag.p99()).toBeGreaterThan(200);
    await sleep(100);
    lag.roll();
    expect(lag.p99()).toBeLessThan(200);
  } finally {
    lag.stop();
  }
});
