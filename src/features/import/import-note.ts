import type { AuditNote } from '../../store/audit.ts';
import type { AuditRecord } from '../../store/records.ts';
import type { Tx } from '../../store/store.ts';
import { tables } from '../../store/tables.ts';
import type { Progress } from './apply.ts';

/** Sorts after every id of an entry: they are digits. */
const AFTER_IDS = '\uffff';

/** What an import that begins says of itself. */
export interface ImportFacts {
  readonly total: number;
  readonly errors: number;
  readonly fields: readonly string[];
}

/**
 * The one audit entry of an import. It grows with every transaction of the import, so that it says what was changed even
 * when the power went in the middle: `imported` + `updated` + `errors` is `total` only when the import came to its end.
 */
export class ImportNote {
  readonly #orgId: string;
  readonly #at: number;
  readonly #facts: ImportFacts;
  #entry: { readonly id: string; readonly record: AuditRecord } | null = null;

  /** `at` is the time the entry is made with, epoch ms. */
  constructor(orgId: string, at: number, facts: ImportFacts) {
    this.#orgId = orgId;
    this.#at = at;
    this.#facts = facts;
  }

  /** Makes the entry, within the first transaction. */
  begin(tx: Tx, note: (entry: AuditNote) => void): void {
    note({ action: 'import', resource: 'tags', after: this.#after({ imported: 0, updated: 0 }) });
    const range = { start: [this.#orgId, this.#at, AFTER_IDS], end: [this.#orgId, this.#at] } as const;
    for (const { key, value } of tx.range(tables.audit, { ...range, reverse: true, limit: 1 }))
      this.#entry = { id: key[2], record: value };
  }

  /** Brings the entry up to date, within a later transaction. */
  update(tx: Tx, progress: Progress): void {
    if (!this.#entry) return;
    const { id, record } = this.#entry;
    tx.put(tables.audit, [this.#orgId, this.#at, id], { ...record, after: this.#after(progress) });
  }

  #after({ imported, updated }: Progress): object {
    const { total, errors, fields } = this.#facts;
    return { total, imported, updated, errors, fields };
  }
}
