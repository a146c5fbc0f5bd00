import { expect, test } from 'vitest';
import { createDiskWarning } from '../../src/sweep/disk-warning.ts';

const MINUTE = 60_000;

test('a disk that fills up is told at once, then once an hour while it stays so', () => {
  const told: string[] = [];
  const disk: { low: string | null } = { low: null };
  let elapsed = 0;
  const warning = createDiskWarning({
    ...{ disk, elapsed: () => elapsed },
    log: { warn: (_, message) => told.push(`${elapsed / MINUTE} ${message}`) },
  });
  for (; elapsed < 200 * MINUTE; elapsed += MINUTE) {
    // Space comes and goes around the mark from the 100th minute on.
    const isLow = elapsed >= 10 * MINUTE && (elapsed < 100 * MINUTE || (elapsed / MINUTE) % 7 === 0);
    disk.low = isLow ? 'low' : null;
    warning.run();
  }
  expect(told).toEqual(['10 low', '70 low', '133 low', '196 low']);
});
