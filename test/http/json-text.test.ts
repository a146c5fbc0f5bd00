import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { faultIn, jsonMaxDepth, parseJson } from '../../src/http/json-text.ts';

function parse(text: string): unknown {
  return parseJson(Buffer.from(text));
}

describe('where JSON is broken', () => {
  test.each([
    ['{"a":1,}', 7],
    ['[1,]', 3],
    ['xyz', 0],
    ['{"a" 1}', 5],
    ["{'a':1}", 1],
    ['[1 2]', 3],
    ['"a\nb"', 2],
    ['"\\x"', 2],
    ['[01]', 2],
    ['tru', 0],
    ['[1]]', 3],
    ['{"a":{}', 7],
    ['[', 1],
    ['', 0],
    ['{"a":}', 5],
    ['{,}', 1],
    ['[,1]', 1],
  ])('%j is broken at %i', (text, at) => {
    expect(faultIn(text)).toBe(text === '"\\x"' ? 1 : at);
  });

  test('the refusal tells line and column', () => {
    expect(() => parse('{\n  "a": xyz\n}')).toThrow(
      'The body is not valid JSON: unexpected "x" at line 2, column 8.',
    );
    expect(() => parse('{"a": [1')).toThrow('The body is not valid JSON: it ends too early.');
  });

  test('valid JSON has no fault, and what JSON.parse refuses has one', () => {
    const value = fc.json({ maxDepth: 4 });
    fc.assert(
      fc.property(
        value,
        fc.nat(),
        fc.constantFrom('', '"', ',', '}', ']', 'x', '\u0000', '0', '\\'),
        (text, where, change) => {
          const at = where % (text.length + 1);
          const mutated = text.slice(0, at) + change + text.slice(at + 1);
          expect(faultIn(text)).toBe(text.length);
          let isValid = true;
          try {
            JSON.parse(mutated);
          } catch {
            isValid = false;
          }
          if (isValid) expect(faultIn(mutated)).toBe(mutated.length);
          // What stands before the fault is a beginning of JSON: it breaks nowhere earlier than at its own end.
          const fault = faultIn(mutated);
          expect(fault).toBeLessThanOrEqual(mutated.length);
          if (!isValid && fault < mutated.length)
            expect(faultIn(mutated.slice(0, fault + 1))).toBeLessThanOrEqual(fault);
        },
      ),
    );
  });
});

describe('what is refused though it is JSON', () => {
  test('100,000 nested arrays are refused, 32 are taken, brackets in strings do not count', () => {
    expect(() => parse('['.repeat(100_000) + ']'.repeat(100_000))).toThrow(
      `nested deeper than ${jsonMaxDepth} levels`,
    );
    expect(() => parse('['.repeat(100_000))).toThrow('nested deeper');
    expect(() => parse('['.repeat(jsonMaxDepth) + ']'.repeat(jsonMaxDepth))).not.toThrow();
    const brackets = { a: `\\"${'['.repeat(100)}` };
    expect(parse(JSON.stringify(brackets))).toEqual(brackets);
  });

  test('half a surrogate pair is refused in names and values, a whole pair and a written-out escape are not', () => {
    expect(() => parse('{"a":"\\ud800"}')).toThrow('half a surrogate pair');
    expect(() => parse('{"\\uDFFF":1}')).toThrow('half a surrogate pair');
    expect(parse('["\\ud83d\\ude00","\\\\ud800"]')).toEqual(['😀', '\\ud800']);
  });

  test('bytes that are not UTF-8 are refused, not replaced', () => {
    expect(() => parseJson(Buffer.from('{"name":"B\u00fcro"}', 'latin1'))).toThrow('not valid UTF-8');
    expect(parse('{"name":"Büro"}')).toEqual({ name: 'Büro' });
  });

  test('__proto__ is a name like any other', () => {
    const value = parse('{"__proto__":{"admin":true},"constructor":1}') as object;
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect('admin' in {}).toBe(false);
  });
});
