import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csv } from '../../src/hub/ui/csv.ts';

/** The cells of a row, as a spreadsheet reads them. */
const cellsOf = (row: string): string[] =>
  [...`,${row}`.matchAll(/,(?:"((?:[^"]|"")*)"|([^,"]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
  );

test('no cell is taken for a formula', () => {
  for (const evil of ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1'])
    expect(csv([[evil]])).toBe(`\uFEFF"'${evil}"\r\n`);
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(csv([[text]]).slice(1, -2)).not.toMatch(/^"?[=+\-@\t\r\n]/);
    }),
  );
});

test('separators, quotes, line breaks and blanks around stay within their cell', () => {
  expect(csv([['a,b', 'say "x"', 'one\ntwo', undefined, 'plain', ' wide ']])).toBe(
    '\uFEFF"a,b","say ""x""","one\ntwo",,plain," wide "\r\n',
  );
  expect(
    csv([
      ['line', 'reason'],
      ['4', 'says "no", twice'],
    ]),
  ).toBe('\uFEFFline,reason\r\n4,"says ""no"", twice"\r\n');
});

test('what is read again is what was written, but for the apostrophe', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1 }), (row) => {
      const written = cellsOf(csv([row]).slice(1, -2));
      expect(written.map((text, at) => (text === `'${row[at]}` ? row[at] : text))).toEqual(row);
    }),
  );
});
