import { neverSeen, type Visit } from '../domain/tag-state.ts';
import type { Touch } from './journal.ts';
import type { Reading, Tx } from './store.ts';
import { tables } from './tables.ts';

/** The number of an organisation's tag; undefined when it knows none with this EPC. */
export function tagNoOf(reading: Reading, orgNo: number, epc: string): number | undefined {
  return reading.get(tables.tagByEpc, [orgNo, epc]);
}

export interface Registration {
  readonly orgNo: number;
  /** Upper-case hexadecimal. */
  readonly epc: string;
  /** Epoch ms. */
  readonly now: number;
  /** The id of the tag if it is new. */
  readonly newId: () => string;
}

/**
 * The number of a tag that people name: the one it has, or a new one for a tag never read. `touch` is there when it is new:
 * give it to `TagLedger.append` in the same transaction, and what that answers to `applied` after the commit.
 */
export function registerTag(
  tx: Tx,
  { orgNo, epc, now, newId }: Registration,
): { readonly tagNo: number; readonly touch: Touch | null } {
  const known = tagNoOf(tx, orgNo, epc);
  if (known !== undefined) return { tagNo: known, touch: null };
  const tagNo = tx.next('lastTagNo');
  tx.put(tables.tags, tagNo, { id: newId(), orgNo, epc, createdAt: now });
  tx.put(tables.tagByEpc, [orgNo, epc], tagNo);
  return { tagNo, touch: { tagNo, orgNo, state: neverSeen, visit: noVisit } };
}

/** A tag that nobody read stayed nowhere. */
const noVisit: Visit = { antennaNo: 0, zoneNo: 0, firstAt: 0, lastAt: 0, reads: 0 };
