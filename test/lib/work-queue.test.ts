import { describe, expect, test } from 'vitest';
import { WorkQueue } from '../../src/lib/work-queue.ts';

const full = () => new Error('the line is full');

describe('a bounded queue', () => {
  test('runs so many at once, lets so many wait in line, and refuses the rest', async () => {
    const queue = new WorkQueue({ atOnce: 2, waiting: 3, full });
    const order: number[] = [];
    const gates: (() => void)[] = [];
    const job = (n: number) => () =>
      new Promise<void>((resolve) => {
        order.push(n);
        gates.push(resolve);
      });
    const runs = [1, 2, 3, 4, 5].map((n) => queue.run(job(n)));
    await expect(queue.run(job(6))).rejects.toThrow('the line is full');
    expect(order).toEqual([1, 2]);
    for (let i = 0; i < 5; i++) {
      gates[i]?.();
      await runs[i];
    }
    expect(order).toEqual([1, 2, 3, 4, 5]);
  });

  test('a job that fails gives its place free', async () => {
    const queue = new WorkQueue({ atOnce: 1, waiting: 1, full });
    await expect(queue.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await queue.run(async () => 'next')).toBe('next');
  });
});
