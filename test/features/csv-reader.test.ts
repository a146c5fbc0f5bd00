import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Refused } from '../../src/domain/refusal.ts';
import { CsvReader, separators } from '../../src/features/import/csv-reader.ts';
import { decodeText, encodeText } from '../../src/features/import/generalised-utf8.ts';
import { codePoint } from '../support/code-point.ts';

const corpus = join(import.meta.dirname, '../corpus/csv-spectrum');
const cases = readdirSync(corpus).filter((name) => name.endsWith('.csv'));

/** Any text at all, halves of surrogate pairs, NUL and line ends among it. */
const anyText = fc.oneof(
  fc.string({ unit: codePoint, maxLength: 12 }),
  fc
    .array(
      fc.constantFrom(
        '"',
        ',',
        ';',
        '\t',
        '\r',
        '\n',
        ' ',
        'a',
        '\0',
        '\ud800',
        '\udc00',
        'é',
        '😀',
        '\ufeff',
      ),
      { maxLength: 8 },
    )
    .map((parts) => parts.join('')),
);

/** A case as its name says: the copy has LF in the files that are to have CR LF. */
function bytesOf(name: string): Buffer {
  const text = readFileSync(join(corpus, name), 'utf8');
  return Buffer.from(name.includes('_crlf') ? text.replaceAll(/\r?\n/g, '\r\n') : text);
}

/** The rows of a case; the collection's answer to one of them has another number than its question. */
function expectedOf(name: string): readonly object[] {
  const text = readFileSync(join(corpus, name.replace('.csv', '.json')), 'utf8');
  const rows: unknown = JSON.parse(text.replace('1234567890', '2095257564'));
  return [rows].flat().map(Object);
}

/** Reads a text in chunks of so many bytes. */
function read(bytes: Buffer, size = bytes.length || 1, separator: (typeof separators)[number] = ',') {
  const reader = new CsvReader(separator);
  const rows = [];
  for (let at = 0; at < bytes.length; at += size) rows.push(...reader.write(bytes.subarray(at, at + size)));
  return [...rows, ...reader.end()];
}

function cellsOf(text: string): readonly (readonly string[])[] {
  return read(Buffer.from(text)).map(({ cells }) => cells);
}

function refusalOf(text: string | Buffer): string {
  try {
    read(Buffer.from(text));
  } catch (error) {
    if (error instanceof Refused) return error.refusal.detail;
    throw error;
  }
  return 'read';
}

describe('reading CSV', () => {
  test.each(cases)('csv-spectrum: %s, whatever the chunks are cut at', (name) => {
    const bytes = bytesOf(name);
    const expected = expectedOf(name);
    for (const size of [1, 2, 3, 7, bytes.length]) {
      const [header, ...rows] = read(bytes, size).map(({ cells }) => cells);
      const objects = rows.map((cells) => Object.fromEntries(cells.map((cell, i) => [header?.[i], cell])));
      expect(objects).toEqual(expected);
    }
  });

  test('lines end with LF, CR LF or CR, also mixed; lines without text are no rows, but count', () => {
    const rows = read(Buffer.from('a\r\nb\rc\n\n \r\n"d\r\ne\rf"\r\r\n\n"g"'));
    expect(rows).toEqual([
      { line: 1, cells: ['a'] },
      { line: 2, cells: ['b'] },
      { line: 3, cells: ['c'] },
      { line: 6, cells: ['d\r\ne\rf'] },
      { line: 11, cells: ['g'] },
    ]);
  });

  test('a quote within a value that is not quoted is a quote', () => {
    expect(cellsOf('5" pipe, "x",a""b\n')).toEqual([['5" pipe', ' "x"', 'a""b']]);
  });

  test('quotes are doubled within quotes, and anything else stands there as it is', () => {
    expect(cellsOf('"a""b","","""",",\n\0 "\n')).toEqual([['a"b', '', '"', ',\n\0 ']]);
  });

  test.each([
    ['"a', 'A quoted value is not closed (row on line 1).'],
    ['a\n\nb,"c\n\nd', 'A quoted value is not closed (row on line 3).'],
    ['a\n"b\nc"d', 'After the closing quote of a value there is more text (row on line 2).'],
    [Buffer.from([0x61, 0x0a, 0xc3]), 'A value is no UTF-8 text (row on line 2).'],
    [Buffer.from([0x61, 0x0a, 0xe9, 0x0a]), 'A value is no UTF-8 text (row on line 2).'],
    [','.repeat(10_000), 'A row has more than 10000 cells (row on line 1).'],
    [
      `"${'x'.repeat(17 * 1024 * 1024)}"`,
      'A row is too long, or a quoted value is not closed (row on line 1).',
    ],
  ])('refuses %j', (text, detail) => {
    expect(refusalOf(text)).toBe(detail);
  });

  test('any table, in any way to write it, comes out as it went in, with the line of each row', () => {
    const way = fc.record({
      separator: fc.constantFrom(...separators),
      lineEnd: fc.constantFrom('\n', '\r\n', '\r'),
      size: fc.integer({ min: 1, max: 40 }),
      quoteAll: fc.boolean(),
    });
    const table = fc.array(fc.array(anyText, { minLength: 2, maxLength: 4 }), { maxLength: 5 });
    fc.assert(
      fc.property(table, way, (cells, { separator, lineEnd, size, quoteAll }) => {
        const mustQuote = (cell: string) => /^"|[\r\n]/.test(cell) || cell.includes(separator);
        const written = cells.map((row) =>
          row
            .map((cell) => (quoteAll || mustQuote(cell) ? `"${cell.replaceAll('"', '""')}"` : cell))
            .join(separator),
        );
        let line = 1;
        const expected = cells.map((row, i) => {
          const record = { line, cells: row };
          line += (written[i] ?? '').split(/\r\n|\r|\n/).length;
          return record;
        });
        expect(read(encodeText(written.join(lineEnd)), size, separator)).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });

  test('any bytes are read or refused, the same whatever the chunks are cut at', () => {
    const outcome = (bytes: Buffer, size: number) => {
      try {
        return read(bytes, size);
      } catch (error) {
        if (error instanceof Refused) return error.refusal.kind;
        throw error;
      }
    };
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.integer({ min: 1, max: 9 }), (array, size) => {
        const bytes = Buffer.from(
          array.map((byte) => (byte < 128 ? ([34, 44, 10, 13][byte % 8] ?? byte) : byte)),
        );
        expect(outcome(bytes, size)).toEqual(outcome(bytes, 1000));
      }),
    );
  });
});

test('any table is read as the common CSV package reads it', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', 'é', '"', ',', '\n', '\r\n', ' ', '7'), maxLength: 6 });
  const table = fc.integer({ min: 1, max: 4 }).chain((width) =>
    // A row whose only cell is blank is none for us.
    fc.array(fc.array(cell, { minLength: width + 1, maxLength: width + 1 }), { minLength: 1, maxLength: 6 }),
  );
  fc.assert(
    fc.property(table, (rows) => {
      const quoted = rows.map((row) => row.map((text) => `"${text.replaceAll('"', '""')}"`).join(','));
      const bytes = Buffer.from(`${quoted.join('\n')}\n`);
      const reader = new CsvReader(',');
      const read = [...reader.write(bytes), ...reader.end()].map(({ cells }) => cells);
      expect(read).toEqual(parse(bytes, { relax_column_count: true }));
    }),
  );
});

describe('text as bytes', () => {
  test('any text comes back, halves of surrogate pairs too', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(decodeText(encodeText(text).toString('latin1'))).toBe(text);
      }),
    );
  });

  test('a text without halves is plain UTF-8', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), (text) => {
        expect(encodeText(text)).toEqual(Buffer.from(text));
      }),
    );
  });

  test.each([['\xff'], ['\xc3'], ['\xed\xa0'], ['\xc0\x80'], ['\xf5\x80\x80\x80'], ['\xed\xa0\x80\x80']])(
    'the bytes %j are none',
    (bytes) => {
      expect(decodeText(bytes)).toBeNull();
    },
  );
});
