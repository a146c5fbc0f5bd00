import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cutText, describeJson, oneLine } from '../../src/lib/json-describe.ts';
import { codePoint } from '../support/code-point.ts';

describe('describeJson', () => {
  test.each([
    [undefined, 'missing'],
    [null, 'null'],
    [true, 'true'],
    [-1.5, '-1.5'],
    ['a', '"a"'],
    ['say "hi"\n', '"say \\"hi\\"\\n"'],
    ['x'.repeat(41), `"${'x'.repeat(39)}…"`],
    [[1], 'a list'],
    [{ a: 1 }, 'an object'],
  ])('%j is %s', (value, shown) => {
    expect(describeJson(value)).toBe(shown);
  });

  test('is one short printable line for every value', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.string({ unit: codePoint, maxLength: 200 })), (value) => {
        const shown = describeJson(value);
        expect(shown).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
        expect(shown.length).toBeLessThanOrEqual(320);
      }),
    );
  });
});

test('oneLine escapes line ends and direction overrides', () => {
  expect(oneLine('a\r\n\u2028\u202eb', 80)).toBe('a\\u000d\\u000a\\u2028\\u202eb');
});

test('cutText keeps what fits and never leaves half of a surrogate pair', () => {
  expect(cutText('abcd', 4)).toBe('abcd');
  expect(cutText('abcde', 4)).toBe('abc…');
  expect(cutText('ab😀de', 4)).toBe('ab…');
});
