import fc from 'fast-check';
import { expect, test } from 'vitest';
import { codePoint } from './code-point.ts';

test('texts of any code points are what fast-check draws itself, value for value', () => {
  for (const seed of [1, 2, 3]) {
    const options = { numRuns: 500, seed };
    const drawn = fc.sample(fc.string({ unit: codePoint }), options);
    expect(drawn).toEqual(fc.sample(fc.string({ unit: 'binary' }), options));
  }
});
