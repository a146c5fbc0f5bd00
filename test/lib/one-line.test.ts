import fc from 'fast-check';
import { expect, test } from 'vitest';
import { oneLine } from '../../src/lib/one-line.ts';
import { codePoint } from '../support/code-point.ts';

test('whatever comes in, one line of at most so many characters comes out, without controls and halves', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: codePoint, maxLength: 60 }),
      fc.integer({ min: 1, max: 40 }),
      (text, max) => {
        const line = oneLine(text, max);
        expect(line.length).toBeLessThanOrEqual(max);
        expect(line).not.toMatch(/[\p{Cc}\p{Cs}\u2028\u2029]/u);
      },
    ),
  );
});

test('what fits stays as it is, blanks apart', () => {
  expect(oneLine('Pump 7 – Über 🚜', 40)).toBe('Pump 7 – Über 🚜');
  expect(oneLine(' a \r\n  b\u0000c ', 40)).toBe('a b c');
});

test('a cut shows, and halves no character', () => {
  expect(oneLine('abcdef', 4)).toBe('abc…');
  expect(oneLine('ab🚜cd', 4)).toBe('ab…');
});
