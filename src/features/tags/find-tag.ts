import { z } from 'zod';
import { epcInput } from '../../contract/scalars.ts';
import { orgNoOf } from '../../store/organisations.ts';
import type { Reading } from '../../store/store.ts';
import { tables } from '../../store/tables.ts';
import { tagNoOf } from '../../store/tag-registry.ts';

/** A tag an organisation knows. */
export interface FoundTag {
  readonly tagNo: number;
  readonly id: string;
}

/** The path parameter of everything about one tag: any EPC, in upper case. */
export const epcParams = z.object({ epc: epcInput });

/** The organisation's tag with this EPC, or null. */
export function findTag(reading: Reading, orgId: string, epc: string): FoundTag | null {
  const tagNo = tagNoOf(reading, orgNoOf(reading, orgId), epc);
  const record = tagNo === undefined ? undefined : reading.get(tables.tags, tagNo);
  return tagNo === undefined || !record ? null : { tagNo, id: record.id };
}
