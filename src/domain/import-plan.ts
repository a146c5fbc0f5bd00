import { parseEpc } from './epc.ts';
import { deriveKey } from './field.ts';
import { limits } from './limits.ts';
import { type Refused, refuse } from './refusal.ts';

/** What a column of an import file is matched by. */
export interface KnownField {
  readonly key: string;
  readonly label: string;
}

/** A column that holds values of one field. */
export interface ImportColumn<F extends KnownField> {
  /** The index of its cells. */
  readonly index: number;
  readonly key: string;
  /** What a new field is to be called. */
  readonly label: string;
  /** Null: the import makes the field. */
  readonly field: F | null;
}

/** The header row of an import file. */
export interface ImportHeader<F extends KnownField = KnownField> {
  readonly epcIndex: number;
  /** Columns, the EPC's included. */
  readonly width: number;
  readonly columns: readonly ImportColumn<F>[];
}

/** A row that is skipped. `line` is the file's line on which it begins, the header's being 1. */
export interface ImportError {
  readonly line: number;
  /** Absent when the cell is empty; as written, cut short, when it is no EPC. */
  readonly epc?: string;
  readonly reason: string;
}

const SHOWN = 64;

/** Whether a header cell names the column of EPCs. */
export function isEpcHeader(cell: string): boolean {
  return cell.trim().toLowerCase() === 'epc';
}

/**
 * What the columns of a file are: a column belongs to the field whose key it names, else whose label (in any case), else
 * whose key its name leads to; else it is a new field. `fields` in display order. Refuses with `import-unreadable`: no
 * column `epc` or two, a column without a usable name, two columns of one field, more fields than there may be.
 */
export function planHeader<F extends KnownField>(
  cells: readonly string[],
  fields: readonly F[],
): ImportHeader<F> {
  const [epcIndex = -1, second] = cells.flatMap((cell, index) => (isEpcHeader(cell) ? [index] : []));
  if (epcIndex < 0) throw unreadable('The file has no column "epc" in its first row.');
  if (second !== undefined)
    throw unreadable(`Columns ${epcIndex + 1} and ${second + 1} are both called "epc".`);
  if (cells.length - 1 > limits.keysPerWrite)
    throw unreadable(`The file has ${cells.length} columns; there may be ${limits.keysPerWrite} beside epc.`);
  const match = matcherOf(fields);
  const columns = cells.flatMap((cell, index) => (index === epcIndex ? [] : [match(cell, index)]));
  refuseRepeats(columns);
  const made = columns.filter(({ field }) => field === null).length;
  if (fields.length + made > limits.fieldsPerOrganisation)
    throw unreadable(
      `The file would make ${made} fields; there are ${fields.length} of at most ${limits.fieldsPerOrganisation}.`,
    );
  return { epcIndex, width: cells.length, columns };
}

function matcherOf<F extends KnownField>(
  fields: readonly F[],
): (cell: string, index: number) => ImportColumn<F> {
  const byKey = new Map(fields.map((field) => [field.key, field]));
  // The first in display order wins.
  const byLabel = new Map(fields.toReversed().map((field) => [folded(field.label), field]));
  return (cell, index) => {
    const label = cell.trim();
    const known = byKey.get(label) ?? byLabel.get(folded(label));
    if (known) return { index, key: known.key, label, field: known };
    const key = keyOf(label, index);
    return { index, key, label, field: byKey.get(key) ?? null };
  };
}

function folded(label: string): string {
  return label.trim().toLowerCase();
}

function keyOf(label: string, index: number): string {
  const column = `Column ${index + 1}`;
  if (label === '') throw unreadable(`${column} has no name.`);
  if (label.length > limits.nameMaxLength)
    throw unreadable(`The name of column ${index + 1} is longer than ${limits.nameMaxLength} characters.`);
  const key = deriveKey(label);
  if (key === '') throw unreadable(`${column} needs a name with a letter or a digit, not ${shown(label)}.`);
  if (key === 'epc') throw unreadable(`${column} is called ${shown(label)}, which no field can be.`);
  return key;
}

function refuseRepeats(columns: readonly ImportColumn<KnownField>[]): void {
  const seen = new Map<string, number>();
  for (const { key, index } of columns) {
    const first = seen.get(key);
    if (first !== undefined)
      throw unreadable(`Columns ${first + 1} and ${index + 1} are both of the field ${shown(key)}.`);
    seen.set(key, index);
  }
}

/** Judges the rows of one file, one after the other: it remembers which EPCs it has met. */
export class RowRules {
  readonly #header: ImportHeader;
  readonly #lineOf = new Map<string, number>();

  constructor(header: ImportHeader) {
    this.#header = header;
  }

  /**
   * The EPC of a row, in upper case, or why the row is skipped: its EPC is empty, malformed or of an earlier line (skipped
   * or not), it has cells with text past the last column, or a value that is too long. Missing cells are blank.
   */
  check(line: number, cells: readonly string[]): string | ImportError {
    const { epcIndex, width } = this.#header;
    const written = (cells[epcIndex] ?? '').trim();
    if (written === '') return { line, reason: 'the epc is empty' };
    const epc = parseEpc(written);
    if (epc === null) return { line, epc: cut(written), reason: MALFORMED };
    const earlier = this.#lineOf.get(epc);
    if (earlier !== undefined) return { line, epc, reason: `the epc is a duplicate of line ${earlier}` };
    this.#lineOf.set(epc, line);
    if (cells.length > width && cells.slice(width).some((cell) => cell.trim() !== ''))
      return { line, epc, reason: `the row has more cells than the header, which has ${width}` };
    const long = this.#header.columns.find(({ index }) => isTooLong(cells[index] ?? ''));
    if (long === undefined) return epc;
    return {
      line,
      epc,
      reason: `the value of ${long.key} is longer than ${limits.valueMaxLength} characters`,
    };
  }
}

/** Characters are code points, as everywhere in the interface: counted only where it matters. */
function isTooLong(text: string): boolean {
  if (text.length <= limits.valueMaxLength) return false;
  return text.length > 2 * limits.valueMaxLength || [...text].length > limits.valueMaxLength;
}

const MALFORMED = `the epc is not ${limits.epcMinDigits} to ${limits.epcMaxDigits} hexadecimal digits`;

/** A 400 of a file that can't be read; nothing was changed. */
export function unreadable(detail: string): Refused {
  return refuse('import-unreadable', detail);
}

function shown(text: string): string {
  return JSON.stringify(cut(text));
}

function cut(text: string): string {
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
