import fc from 'fast-check';

const SURROGATES = { from: 0xd800, count: 0x800 };

/** Every code point but half surrogates, by its number among them. */
function charAt(index: number): string {
  return String.fromCodePoint(index < SURROGATES.from ? index : index + SURROGATES.count);
}

function indexOf(char: unknown): number {
  const code = typeof char === 'string' ? (char.codePointAt(0) ?? -1) : -1;
  const index = code < SURROGATES.from ? code : code - SURROGATES.count;
  if (index < 0 || charAt(index) !== char) throw new Error('not one code point');
  return index;
}

/**
 * A unit for `fc.string`: what 'binary' of fast-check draws, value for value. That one makes a map of all 1.1 million code
 * points in every test file, a second and a half each, to find what this computes.
 */
export const codePoint: fc.Arbitrary<string> = fc.nat(0x10ffff - SURROGATES.count).map(charAt, indexOf);
