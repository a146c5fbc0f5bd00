import {
  type ImportColumn,
  type ImportError,
  type ImportHeader,
  isEpcHeader,
  planHeader,
  RowRules,
  unreadable,
} from '../../domain/import-plan.ts';
import { limits } from '../../domain/limits.ts';
import { Refused } from '../../domain/refusal.ts';
import { typeValue, type Value } from '../../domain/value.ts';
import type { FieldRecord } from '../../store/records.ts';
import { csvBytes } from './csv-bytes.ts';
import { type CsvRecord, csvRecords, type Separator, separators } from './csv-reader.ts';

export type Header = ImportHeader<FieldRecord>;
export type Column = ImportColumn<FieldRecord>;

/** A file that can be read: what its columns are and how its rows are to be taken. */
export interface ImportFile {
  readonly path: string;
  readonly separator: Separator;
  readonly header: Header;
}

/** What reading a whole file told, before anything is changed. */
export interface Survey {
  readonly total: number;
  readonly errors: readonly ImportError[];
  /** Of rows to be applied, how many are of tags that `isKnown`. */
  readonly known: number;
  /** The first value of a column whose field has none yet, by field key; absent for columns without values. */
  readonly firstValues: ReadonlyMap<string, Value>;
}

/** Finds out how the columns are separated and what they are. Refuses with `import-unreadable`. */
export async function openImportFile(path: string, fields: readonly FieldRecord[]): Promise<ImportFile> {
  let firstRefusal: unknown = null;
  for (const separator of separators) {
    try {
      const cells = await firstRow(path, separator);
      if (!cells.some(isEpcHeader)) continue;
      return { path, separator, header: planHeader(cells, fields) };
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      // A row that is broken for one separator may be a header for another.
      firstRefusal ??= error;
    }
  }
  throw firstRefusal ?? unreadable('The file has no column "epc" in its first row.');
}

async function firstRow(path: string, separator: Separator): Promise<readonly string[]> {
  for await (const [record] of csvRecords(csvBytes(path), separator)) if (record) return record.cells;
  throw unreadable('The file is empty.');
}

/** The rows below the header, with the EPC of each or why it is skipped. The same each time the file is read. */
export async function* judgedRows({
  path,
  separator,
  header,
}: ImportFile): AsyncGenerator<readonly JudgedRow[]> {
  const rules = new RowRules(header);
  let isHeader = true;
  for await (const records of csvRecords(csvBytes(path), separator)) {
    const rows = isHeader ? records.slice(1) : records;
    isHeader &&= records.length === 0;
    yield rows.map((record) => ({ ...record, verdict: rules.check(record.line, record.cells) }));
  }
}

export interface JudgedRow extends CsvRecord {
  /** The EPC, or why the row is skipped. */
  readonly verdict: string | ImportError;
}

/** Reads a file to its end. Refuses with `import-unreadable`: too many rows, or what can't be read. */
export async function surveyFile(file: ImportFile, isKnown: (epc: string) => boolean): Promise<Survey> {
  const errors: ImportError[] = [];
  const guess = new DataTypes(file.header);
  let total = 0;
  let known = 0;
  for await (const rows of judgedRows(file)) {
    total += rows.length;
    if (total > limits.importRows) throw unreadable(`The file has more than ${limits.importRows} rows.`);
    for (const { cells, verdict } of rows) {
      if (typeof verdict === 'object') {
        errors.push(verdict);
        continue;
      }
      guess.look(cells);
      if (isKnown(verdict)) known++;
    }
  }
  return { total, errors, known, firstValues: guess.found };
}

/** The guesses for the columns whose fields have no value yet. */
class DataTypes {
  readonly found = new Map<string, Value>();
  #open: readonly Column[];

  constructor({ columns }: Header) {
    this.#open = columns.filter(({ field }) => field === null || field.typeKnown === false);
  }

  look(cells: readonly string[]): void {
    if (this.#open.length === 0) return;
    for (const { index, key } of this.#open) {
      const value = typeValue(cells[index] ?? '');
      if (value !== null) this.found.set(key, value);
    }
    this.#open = this.#open.filter(({ key }) => !this.found.has(key));
  }
}
