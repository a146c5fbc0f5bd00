import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Barcode, code128, code128Values } from '../../src/hub/pages/assets/code128.ts';

/** The widths of bars and spaces in turn, from what is drawn. */
function widthsOf({ bars, width }: Barcode): number[] {
  return bars.flatMap((bar, at) => [bar.width, (bars[at + 1]?.x ?? width) - bar.x - bar.width]).slice(0, -1);
}

const printable = fc.string({
  unit: fc.constantFrom(...Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at))),
  minLength: 1,
  maxLength: 64,
});

describe('Code 128 B', () => {
  test('has the check value of the published example', () => {
    // "Wikipedia": 88.
    expect(code128Values('Wikipedia')).toEqual([104, 55, 73, 75, 73, 80, 69, 68, 73, 65, 88, 106]);
  });

  test('begins with start B and ends with stop', () => {
    const widths = widthsOf(code128('A') ?? { bars: [], width: 0 }).join('');
    expect(widths).toMatch(/^211214111323/);
    expect(widths).toMatch(/2331112$/);
  });

  test('every symbol is eleven modules, its bars an even number of them, and no two are the same', () => {
    fc.assert(
      fc.property(printable, (text) => {
        const widths = widthsOf(code128(text) ?? { bars: [], width: 0 });
        const symbols = Array.from({ length: text.length + 2 }, (_, at) => widths.slice(at * 6, at * 6 + 6));
        for (const symbol of symbols) {
          expect(symbol.reduce((sum, width) => sum + width, 0)).toBe(11);
          expect(symbol.filter((_, at) => at % 2 === 0).reduce((sum, width) => sum + width, 0) % 2).toBe(0);
        }
        const ofText = symbols.slice(1, -1).map((symbol) => symbol.join(''));
        expect(new Set(ofText).size).toBe(new Set(text).size);
      }),
    );
  });

  test('every printable character has a symbol of its own', () => {
    const all = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at));
    const drawn = all.map((text) =>
      JSON.stringify(widthsOf(code128(text) ?? { bars: [], width: 0 }).slice(6, 12)),
    );
    expect(new Set(drawn).size).toBe(95);
  });

  test('what it cannot write gives no barcode', () => {
    for (const text of ['', 'ä', 'مرحبا', 'a\tb', 'a'.repeat(65)]) expect(code128(text)).toBeNull();
  });
});
