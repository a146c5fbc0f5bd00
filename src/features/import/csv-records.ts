import { finished } from 'node:stream/promises';
import { CsvError, type Parser, parse } from 'csv-parse';
import { unreadable } from '../../domain/import-plan.ts';
import { decodeText } from './generalised-utf8.ts';

/** One row of a file. `line` is the line on which it begins, from 1. */
export interface CsvRecord {
  readonly line: number;
  readonly cells: readonly string[];
}

/** What separates cells: one of these. */
export const separators = [',', ';', '\t'] as const;
export type Separator = (typeof separators)[number];

/** Room for a row of as many values as there can be, each as long as it can be. */
const ROW_MAX_BYTES = 16 * 1024 * 1024;
const ROW_MAX_CELLS = 10_000;

/**
 * The rows of a CSV text in UTF-8, as many at a time as a chunk ends; lines without text are none. Lines end with CR LF,
 * LF or CR. Refuses with `import-unreadable`: quotes that don't match, bytes that are no UTF-8, a row beyond all bounds.
 */
export async function* csvRecords(
  chunks: AsyncIterable<Buffer>,
  separator: Separator,
): AsyncGenerator<readonly CsvRecord[]> {
  const parser = parserOf(separator);
  const rows = new Rows(parser);
  for await (const chunk of chunks) {
    // The rows of the chunk are there when it returns.
    parser.write(chunk);
    yield rows.take();
  }
  parser.end();
  // A failure is in `errored` by then.
  await finished(parser, { readable: false }).catch(() => undefined);
  yield rows.take();
}

function parserOf(delimiter: Separator): Parser {
  const parser = parse({
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    // One character a byte: what is no UTF-8 must be found, not replaced.
    encoding: 'latin1',
    relax_column_count: true,
    max_record_size: ROW_MAX_BYTES,
  });
  // Read from `errored`; without a listener the process would end.
  parser.on('error', () => undefined);
  return parser;
}

/** Counts lines and decodes cells of what a parser has read. */
class Rows {
  readonly #parser: Parser;
  #line = 1;

  constructor(parser: Parser) {
    this.#parser = parser;
  }

  /** The rows since the last time. Throws once the parser failed. */
  take(): readonly CsvRecord[] {
    const records: CsvRecord[] = [];
    for (let cells = this.#next(); cells; cells = this.#next()) {
      const line = this.#line;
      this.#line += 1;
      if (cells.length > ROW_MAX_CELLS) throw tooManyCells(line);
      for (const cell of cells) if (LINE_END.test(cell)) this.#line += cell.match(LINE_ENDS)?.length ?? 0;
      if (!isBlank(cells)) records.push({ line, cells: decoded(cells, line) });
    }
    const failure = failureOf(this.#parser, this.#line);
    if (failure) throw failure;
    return records;
  }

  #next(): string[] | null {
    return this.#parser.read();
  }
}

function decoded(bytes: string[], line: number): readonly string[] {
  const cells = bytes;
  for (let i = 0; i < cells.length; i++) {
    const cell = bytes[i] ?? '';
    if (!NOT_ASCII.test(cell)) continue;
    const text = decodeText(cell);
    if (text === null) throw unreadable(`The row on line ${line} is no UTF-8 text.`);
    cells[i] = text;
  }
  return cells;
}

const NOT_ASCII = /[\x80-\xff]/;
const LINE_END = /[\r\n]/;
const LINE_ENDS = /\r\n|\r|\n/g;

function isBlank(cells: readonly string[]): boolean {
  return cells.length === 1 && cells[0]?.trim() === '';
}

function failureOf(parser: Parser, line: number): Error | null {
  const error = parser.errored;
  if (error)
    return error instanceof CsvError ? unreadable(`${wordsOf(error)} (row on line ${line}).`) : error;
  return unfinishedCells(parser) > ROW_MAX_CELLS ? tooManyCells(line) : null;
}

function wordsOf({ code }: CsvError): string {
  if (code === 'CSV_QUOTE_NOT_CLOSED') return 'A quoted value is not closed';
  if (code === 'CSV_MAX_RECORD_SIZE') return 'A row is too long, or a quoted value is not closed';
  if (code === 'CSV_INVALID_CLOSING_QUOTE') return 'After the closing quote of a value there is more text';
  return 'There is a quote within a value that is not quoted';
}

function tooManyCells(line: number): Error {
  return unreadable(`The row on line ${line} has more than ${ROW_MAX_CELLS} cells.`);
}

/** Separators alone would fill the memory: the parser counts the bytes of values only, and tells nobody of its unfinished row. */
function unfinishedCells(parser: Parser): number {
  // Not in its types.
  const { state } = parser as unknown as { readonly state?: { readonly record?: readonly string[] } };
  return state?.record?.length ?? 0;
}
