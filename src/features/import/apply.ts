import { dataTypeOf } from '../../domain/field.ts';
import { type Refused, refuse } from '../../domain/refusal.ts';
import { typeValue, type Value } from '../../domain/value.ts';
import { addFields, fieldsOf, learnType } from '../../store/fields.ts';
import { type ImportedRow, importRows } from '../../store/import-rows.ts';
import { type Store, type Tx, WriteFailed } from '../../store/store.ts';
import { tables } from '../../store/tables.ts';
import type { TagLedger } from '../../store/tag-ledger.ts';
import { type Header, type ImportFile, type JudgedRow, judgedRows } from './survey.ts';

/** How long the rows of one transaction may hold the event loop; what is theirs together takes half as long again. */
const SLICE_MS = 8;
/** Rows waiting for a transaction, and the text in them. */
const SLICE_ROWS = 600;
const SLICE_CHARACTERS = 256 * 1024;

/** A column and the field its values go to. */
export interface Target {
  readonly index: number;
  readonly fieldId: string;
  readonly fieldNo: number;
}

/** Rows applied so far. */
export interface Progress {
  /** Tags new to the service. */
  readonly imported: number;
  /** Tags that already existed. */
  readonly updated: number;
}

export interface ApplyOptions {
  readonly store: Store;
  readonly ledger: TagLedger;
  readonly orgId: string;
  readonly orgNo: number;
  readonly now: () => number;
  readonly newId: () => string;
  /** Notes how far the import is, in the transaction that gets it there. */
  readonly note: (tx: Tx, progress: Progress) => void;
  /** Whether the service stops: the rows of the running transaction are then the last. */
  readonly stopping: () => boolean;
}

interface Row extends ImportedRow {
  /** Of its cells, for the size of a transaction. */
  readonly characters: number;
}

/**
 * The fields of a file's columns, made where they are not there yet: within the import's first transaction. A field that
 * somebody else made since the header was read is taken. Throws 400 when there would be too many.
 */
export function targetsOf(
  tx: Tx,
  { columns }: Header,
  { orgId, newId, firstValues }: TargetOptions,
): readonly Target[] {
  const known = new Map(fieldsOf(tx, orgId).map((field) => [field.key, field]));
  const missing = columns.filter(({ key, field }) => field === null && !known.has(key));
  const made = addFields(
    tx,
    orgId,
    missing.map(({ key, label }) => {
      const first = firstValues.get(key);
      const told =
        first === undefined
          ? { dataType: 'text' as const, typeKnown: false }
          : { dataType: dataTypeOf(first) };
      return { id: newId(), key, label, ...told };
    }),
  );
  for (const [key, value] of firstValues) {
    const field = known.get(key);
    if (field) learnType(tx, orgId, { field, value });
  }
  for (const field of made) known.set(field.key, field);
  return columns.flatMap(({ index, key, field }) => {
    const target = field ?? known.get(key);
    return target ? { index, fieldId: target.id, fieldNo: target.no } : [];
  });
}

interface TargetOptions {
  readonly orgId: string;
  readonly newId: () => string;
  readonly firstValues: ReadonlyMap<string, Value>;
}

/**
 * Applies the rows that are not to be skipped, a few in each transaction, each row whole or not at all. Refuses with
 * `disk-full` or `unavailable` in the middle, saying how far it came; importing the file again completes it.
 */
export class Application {
  readonly #options: ApplyOptions;
  readonly #targets: readonly Target[];
  #rows: Row[] = [];
  #characters = 0;
  #progress: Progress = { imported: 0, updated: 0 };
  #writing: Promise<void> = Promise.resolve();

  constructor(options: ApplyOptions, targets: readonly Target[]) {
    this.#options = options;
    this.#targets = targets;
  }

  async run(file: ImportFile): Promise<Progress> {
    try {
      for await (const rows of judgedRows(file)) {
        for (const row of rows) this.#add(row);
        while (this.#rows.length >= SLICE_ROWS || this.#characters >= SLICE_CHARACTERS) await this.#next();
      }
      do {
        await this.#next();
        // Its transaction may have no time for all of them.
        await this.#writing;
      } while (this.#rows.length > 0);
    } finally {
      await this.#writing;
    }
    return this.#progress;
  }

  #add({ cells, verdict }: JudgedRow): void {
    if (typeof verdict === 'object') return;
    const values = new Map<number, Value>();
    let characters = 0;
    for (const { index, fieldNo } of this.#targets) {
      const text = cells[index] ?? '';
      characters += text.length;
      const value = text === '' ? null : typeValue(text);
      if (value !== null) values.set(fieldNo, value);
    }
    this.#rows.push({ epc: verdict, values, characters });
    this.#characters += characters;
  }

  /** Begins the next transaction once the one before is on disk: while it gets there, further rows are read. */
  async #next(): Promise<void> {
    await this.#writing;
    const rows = this.#rows;
    if (rows.length === 0) return;
    this.#rows = [];
    this.#characters = 0;
    this.#writing = this.#write(rows);
    // Whoever awaits it hears of its failure.
    this.#writing.catch(() => undefined);
  }

  /** One transaction: as many of the rows as its time allows; the others are first in the next one. */
  async #write(rows: readonly Row[]): Promise<void> {
    const { ledger, stopping } = this.#options;
    if (stopping()) throw this.#interrupted('unavailable', 'The service is stopping');
    try {
      const { entry, count, progress } = await ledger.write((tx) => this.#applySlice(tx, rows));
      if (entry) ledger.applied(entry);
      this.#progress = progress;
      this.#putBack(rows.slice(count));
    } catch (error) {
      if (!(error instanceof WriteFailed)) throw error;
      throw this.#interrupted('disk-full', 'The data disk is full or failing');
    }
  }

  #putBack(rows: readonly Row[]): void {
    this.#rows = [...rows, ...this.#rows];
    for (const { characters } of rows) this.#characters += characters;
  }

  #applySlice(tx: Tx, rows: readonly Row[]) {
    const { ledger, note, orgNo, newId } = this.#options;
    const now = this.#options.now();
    this.#refuseGone(tx);
    const { count, touches } = importRows(tx, rows, { orgNo, now, newId, sliceMs: SLICE_MS });
    const { imported, updated } = this.#progress;
    const progress = { imported: imported + touches.length, updated: updated + count - touches.length };
    note(tx, progress);
    return { entry: touches.length === 0 ? null : ledger.append(tx, touches), count, progress };
  }

  /** A field that somebody deleted since the import began stays deleted: nobody is told that its values were taken in. */
  #refuseGone(tx: Tx): void {
    const { orgId } = this.#options;
    const gone = this.#targets.find(({ fieldId }) => !tx.get(tables.fields, [orgId, fieldId]));
    if (gone)
      throw this.#interrupted('unavailable', `The field of column ${gone.index + 1} was deleted meanwhile`);
  }

  #interrupted(kind: 'unavailable' | 'disk-full', why: string): Refused {
    const { imported, updated } = this.#progress;
    return refuse(
      kind,
      `${why}: ${imported + updated} rows were applied. Import the file again to complete it.`,
    );
  }
}
