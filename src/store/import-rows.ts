import { neverSeen } from '../domain/tag-state.ts';
import type { Value } from '../domain/value.ts';
import { Pace } from '../lib/pace.ts';
import type { Touch } from './journal.ts';
import type { Tx } from './store.ts';
import { tables } from './tables.ts';
import { changeValues } from './tag-data.ts';
import { tagNoOf } from './tag-registry.ts';

/** A row to be taken in: its values by field number. Fields it does not name keep theirs. */
export interface ImportedRow {
  /** Upper-case hexadecimal. */
  readonly epc: string;
  readonly values: ReadonlyMap<number, Value>;
}

export interface RowsOptions {
  readonly orgNo: number;
  /** Epoch ms. */
  readonly now: number;
  readonly newId: () => string;
  /** How long the rows may hold the event loop; at least one is taken. */
  readonly sliceMs: number;
}

/**
 * Takes rows in as `registerTag` and `changeValues` would, the first of them, as many as the time allows. No EPC may be in them
 * twice. The touches are of the tags that are new: for `TagLedger.append` in the same transaction. Numbers are taken
 * together and values of new tags put as they are, which saves a third of the time.
 */
export function importRows(
  tx: Tx,
  rows: readonly ImportedRow[],
  { orgNo, now, newId, sliceMs }: RowsOptions,
): { readonly count: number; readonly touches: readonly Touch[] } {
  const pace = new Pace(sliceMs);
  const touches: Touch[] = [];
  const made: [epc: string, tagNo: number][] = [];
  const firstNo = (tx.get(tables.meta, 'lastTagNo') ?? 0) + 1;
  let count = 0;
  for (const { epc, values } of rows) {
    const known = tagNoOf(tx, orgNo, epc);
    if (known === undefined) {
      const tagNo = firstNo + touches.length;
      tx.put(tables.tags, tagNo, { id: newId(), orgNo, epc, createdAt: now });
      made.push([epc, tagNo]);
      if (values.size > 0) tx.put(tables.tagData, tagNo, { at: now, values: Object.fromEntries(values) });
      touches.push({ tagNo, orgNo, state: neverSeen, visit: noVisit });
    } else changeValues(tx, known, { changes: values, now });
    count++;
    if (pace.due) break;
  }
  // In the order of the index, which is quicker than as they come.
  made.sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [epc, tagNo] of made) tx.put(tables.tagByEpc, [orgNo, epc], tagNo);
  if (touches.length > 0) tx.put(tables.meta, 'lastTagNo', firstNo + touches.length - 1);
  return { count, touches };
}

const noVisit = { antennaNo: 0, zoneNo: 0, firstAt: 0, lastAt: 0, reads: 0 };
