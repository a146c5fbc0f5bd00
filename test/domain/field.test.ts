import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dataTypeOf, deriveKey, fieldKeyOf } from '../../src/domain/field.ts';
import { Refused } from '../../src/domain/refusal.ts';
import { codePoint } from '../support/code-point.ts';

// A list of strings, from the repository's own corpus.
const naughty = JSON.parse(readFileSync('test/corpus/blns.json', 'utf8')) as readonly string[];

function refusalOf(action: () => unknown): object | null {
  try {
    action();
    return null;
  } catch (error) {
    return error instanceof Refused ? error.refusal : { kind: 'thrown', error };
  }
}

describe('the key of a label', () => {
  test.each([
    ['Best before', 'best_before'],
    ['  Weight (kg) ', 'weight_kg'],
    ['a - b__c', 'a_b_c'],
    ['Größe', 'größe'],
    ['Gro\u0308ße', 'größe'],
    ['数量', '数量'],
    ['ΟΔΟΣ', 'οδος'],
    ['10% off', '10_off'],
    ['İ', 'i'],
    ['K (Kelvin \u212a)', 'k_kelvin_k'],
    ['__proto__', 'proto'],
    ['constructor', 'constructor'],
    ['a\0b\ud800c', 'a_b_c'],
  ])('of %j is %j', (label, key) => {
    expect(fieldKeyOf(label, 'label')).toBe(key);
  });

  test.each([
    ['!!!', 'must have a letter or a digit'],
    ['🙂', 'must have a letter or a digit'],
    ['epc', 'must not be "epc"'],
    [' EPC! ', 'must not be "epc"'],
    ['x'.repeat(256), 'must have at most 255 characters'],
  ])('%j makes none: 400 that names where it was sent', (label, message) => {
    expect(refusalOf(() => fieldKeyOf(label, 'label'))).toMatchObject({
      kind: 'invalid',
      errors: [{ path: 'label', message }],
    });
  });

  test('the key of a key is itself, whatever the label', () => {
    const labels = fc.oneof(fc.string({ unit: codePoint }), fc.constantFrom(...naughty));
    fc.assert(
      fc.property(labels, (label) => {
        const key = deriveKey(label);
        expect(deriveKey(key)).toBe(key);
        expect(key).toMatch(/^(?:[\p{L}\p{N}]+(?:_[\p{L}\p{N}]+)*)?$/u);
      }),
      { numRuns: 2000 },
    );
  });

  test('the key of a key is itself for every single character', () => {
    const unstable: number[] = [];
    for (let code = 0; code < 0x20000; code++) {
      const key = deriveKey(String.fromCodePoint(code));
      if (deriveKey(key) !== key) unstable.push(code);
    }
    expect(unstable).toEqual([]);
  });
});

describe('the guess of a field from its first value', () => {
  test.each([
    [1.5, 'number'],
    [false, 'boolean'],
    ['hello', 'text'],
    ['https://example.org/a?b', 'url'],
    [' HTTP://example.org ', 'url'],
    ['https://two words', 'text'],
    ['see https://example.org', 'text'],
  ] as const)('%j is %s', (value, dataType) => {
    expect(dataTypeOf(value)).toBe(dataType);
  });
});
