import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { textOf, typeValue } from '../../src/domain/value.ts';
import { codePoint } from '../support/code-point.ts';

// A list of strings, from the repository's own corpus.
const naughty = JSON.parse(readFileSync('test/corpus/blns.json', 'utf8')) as readonly string[];

describe('typing of a text', () => {
  test.each([
    ['true', true],
    ['TRUE', true],
    ['Yes', true],
    [' yes ', true],
    ['false', false],
    ['No', false],
    ['nO\n', false],
  ])('%j is a boolean', (text, value) => {
    expect(typeValue(text)).toBe(value);
  });

  test.each([
    ['0', 0],
    ['7', 7],
    ['-12', -12],
    ['412.5', 412.5],
    ['1.50', 1.5],
    ['0.10', 0.1],
    ['0.0', 0],
    ['1e3', 1000],
    ['1E+3', 1000],
    ['12.5e-1', 1.25],
    ['1e00003', 1000],
    ['0e9', 0],
    ['  42\t', 42],
    ['9007199254740991', 9_007_199_254_740_991],
    ['123456789012345680000', 123_456_789_012_345_680_000],
    ['1e21', 1e21],
    ['5e-324', 5e-324],
    ['1.7976931348623157e308', Number.MAX_VALUE],
    [`1${'0'.repeat(300)}`, 1e300],
    [`0.${'0'.repeat(300)}1`, 1e-301],
  ])('%j is a number', (text, value) => {
    expect(typeValue(text)).toBe(value);
  });

  test.each([
    ['007'],
    ['-007'],
    ['00'],
    ['+5'],
    ['.5'],
    ['5.'],
    ['0x1F'],
    ['1_000'],
    ['1,5'],
    ['1e'],
    ['e5'],
    ['1e1.5'],
    ['--1'],
    ['- 1'],
    ['-0'],
    ['-0.0'],
    ['Infinity'],
    ['NaN'],
    ['1e400'],
    ['1e-400'],
    ['1e99999999999'],
    ['9007199254740993'],
    ['12345678901234567890'],
    ['006141411234567890'],
    ['340012345678901234'],
    ['0.1000000000000000055511151231257827'],
    ['٣'],
    ['１２'],
    ['truer'],
    ['y'],
    ['null'],
    [' text stays as sent '],
    ['__proto__'],
  ])('%j stays text, as sent', (text) => {
    expect(typeValue(text)).toBe(text);
  });

  test.each([[''], [' '], ['\t\r\n'], ['\u00a0\u2003\ufeff']])('%j is no value', (text) => {
    expect(typeValue(text)).toBeNull();
  });

  test('a text of 10,000 digits and zeros is judged at once', () => {
    const began = performance.now();
    for (let n = 0; n < 200; n++) expect(typeof typeValue(`1${'0'.repeat(9997)}1`)).toBe('string');
    expect(performance.now() - began).toBeLessThan(2000);
  });
});

/** Texts that look like numbers, and whatever else there is. */
const texts = fc.oneof(
  fc.stringMatching(/^[ ]?-?[0-9]{1,22}(\.[0-9]{1,22})?([eE][+-]?[0-9]{1,4})?[ ]?$/),
  fc.double().map(String),
  fc.integer().map(String),
  fc.constantFrom('true', 'False', 'yes', 'NO'),
  fc.string({ unit: codePoint, maxLength: 30 }),
  fc.constantFrom(...naughty),
);

/** A decimal number as an exact fraction of two whole numbers, worked out without floating point. */
function exact(text: string): readonly [whole: bigint, power: number] | null {
  const match = /^(-?\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text.trim());
  if (!match) return null;
  const [, whole = '', fraction = '', exponent = '0'] = match;
  return [BigInt(whole + fraction), Number(exponent) - fraction.length];
}

function sameDecimal(a: string, b: string): boolean {
  const [left, right] = [exact(a), exact(b)];
  if (!left || !right) return false;
  const power = Math.min(left[1], right[1]);
  const scale = ([whole, own]: readonly [bigint, number]) => whole * 10n ** BigInt(own - power);
  return scale(left) === scale(right);
}

describe('nothing is ever lost by typing', () => {
  test('the text of a value types to the same value', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const value = typeValue(text);
        if (value !== null) expect(typeValue(textOf(value))).toBe(value);
      }),
      { numRuns: 3000 },
    );
  });

  test('what becomes a number is the same decimal number as was sent', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const value = typeValue(text);
        if (typeof value === 'number') expect(sameDecimal(text, String(value)), text).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });

  test('what stays text is as it was sent', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const value = typeValue(text);
        if (typeof value === 'string') expect(value).toBe(text);
      }),
    );
  });

  test('every finite number comes back from its own print, but for minus zero', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        fc.pre(!Object.is(number, -0));
        expect(typeValue(String(number))).toBe(number);
      }),
    );
  });
});
