import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeClaimCode, parseClaimCode } from '../../src/domain/claim-code.ts';

const bytes = fc.uint8Array({ minLength: 12, maxLength: 12 });

describe('claim code', () => {
  test('is printed as TK-XXXX-XXXX-XXXX and kept without dashes', () => {
    const code = makeClaimCode(() => Uint8Array.from({ length: 12 }, (_, i) => i * 21));
    expect(code.shown).toMatch(/^TK(-[0-9A-HJKMNP-TV-Z]{4}){3}$/);
    expect(code.canonical).toBe(code.shown.replaceAll('-', ''));
  });

  test('every character of the alphabet stands for the same number of bytes', () => {
    const counts = new Map<string, number>();
    for (let byte = 0; byte < 256; byte++) {
      const digit = makeClaimCode((n) => new Uint8Array(n).fill(byte)).canonical.charAt(2);
      counts.set(digit, (counts.get(digit) ?? 0) + 1);
    }
    expect(counts.size).toBe(32);
    expect(new Set(counts.values())).toEqual(new Set([8]));
  });

  test('is read whatever its case and wherever its dashes are', () => {
    fc.assert(
      fc.property(
        bytes,
        fc.array(fc.nat(20), { maxLength: 6 }),
        fc.func(fc.boolean()),
        (random, dashes, lower) => {
          const { canonical } = makeClaimCode(() => random);
          let typed = [...canonical].map((c, i) => (lower(i) ? c.toLowerCase() : c)).join('');
          for (const at of dashes) typed = `${typed.slice(0, at)}-${typed.slice(at)}`;
          expect(parseClaimCode(typed)).toBe(canonical);
        },
      ),
    );
  });

  test.each([
    ['blanks around and between', ' TK 0123 4567 89AB ', 'TK0123456789AB'],
    ['letters that look like digits', 'TK-OI23-4567-89LB', 'TK01234567891B'],
    ['the dashes word processors make', 'TK–0123–4567–89AB', 'TK0123456789AB'],
  ])('is forgiving about %s', (_, typed, canonical) => {
    expect(parseClaimCode(typed)).toBe(canonical);
  });

  test.each([
    '',
    'TK',
    'TK-0123-4567-89A',
    'TK-0123-4567-89ABC',
    'KT-0123-4567-89AB',
    '0123456789AB',
    'TK-0123-4567-89AU',
    'TK-0123-4567-89Aß',
    'TK-0123-4567-89A\u0000',
  ])('%j is no code', (typed) => {
    expect(parseClaimCode(typed)).toBeNull();
  });
});
