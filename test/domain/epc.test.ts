import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseEpc } from '../../src/domain/epc.ts';
import { codePoint } from '../support/code-point.ts';

describe('parseEpc', () => {
  it.each([
    ['8 digits', '12345678', '12345678'],
    ['an odd number of digits', 'ABCDEF012', 'ABCDEF012'],
    ['64 digits', 'F'.repeat(64), 'F'.repeat(64)],
    ['lower case, folded', 'deadbeef', 'DEADBEEF'],
    ['mixed case, folded', 'DeadBeef01', 'DEADBEEF01'],
    ['7 digits', '1234567', null],
    ['65 digits', 'F'.repeat(65), null],
    ['nothing', '', null],
    ['another letter', 'DEADBEEG', null],
    ['a prefix', '0xDEADBEEF', null],
    ['blanks around', ' DEADBEEF ', null],
    ['a line end', 'DEADBEEF\n', null],
    ['full-width digits', '１２３４５６７８', null],
    ['letters that grow in upper case', 'ﬀﬀﬀﬀ', null],
  ])('%s', (_, text, expected) => {
    expect(parseEpc(text)).toBe(expected);
  });

  it('is the same for either case, and stays itself', () => {
    const hex = fc.string({
      unit: fc.constantFrom(...'0123456789abcdefABCDEF'),
      minLength: 8,
      maxLength: 64,
    });
    fc.assert(
      fc.property(hex, (text) => {
        expect(parseEpc(text)).toBe(text.toUpperCase());
        expect(parseEpc(text.toUpperCase())).toBe(text.toUpperCase());
      }),
    );
  });

  it('never lets anything through but upper-case hexadecimal', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint, maxLength: 70 }), (text) => {
        expect(parseEpc(text) ?? 'ABCDEF01').toMatch(/^[0-9A-F]{8,64}$/);
      }),
    );
  });
});
