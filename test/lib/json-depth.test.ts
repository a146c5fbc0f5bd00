import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isDeeperThan } from '../../src/lib/json-depth.ts';

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

test('tells the depth of any JSON text, whatever its strings hold', () => {
  const text = fc.string({ unit: fc.constantFrom('[', '{', '"', '\\', ']', 'a') });
  const value = fc.letrec((tie) => ({
    any: fc.oneof({ depthSize: 'small' }, text, fc.array(tie('any')), fc.dictionary(text, tie('any'))),
  })).any;
  fc.assert(
    fc.property(value, (json) => {
      const depth = depthOf(json);
      expect(isDeeperThan(JSON.stringify(json), depth)).toBe(false);
      if (depth > 0) expect(isDeeperThan(JSON.stringify(json), depth - 1)).toBe(true);
    }),
  );
});

test('ends on a text that breaks off within a string', () => {
  expect(isDeeperThan('["[[[[\\', 2)).toBe(false);
});
