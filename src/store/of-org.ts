import type { RangeOptions, Reading } from './store.ts';
import { type Table, tables } from './tables.ts';

/** Sorts after every id: ids are ASCII. */
export const AFTER_IDS = '\uffff';

/** The range of an organisation's records in a table keyed by organisation and id. */
export function orgRange(orgId: string): RangeOptions {
  return { start: [orgId], end: [orgId, AFTER_IDS] };
}

/** Every record of an organisation in a table keyed by organisation and id, in the order of the ids. */
export function ofOrg<V>(
  reading: Reading,
  table: Table<readonly [orgId: string, id: string], V>,
  orgId: string,
): readonly V[] {
  return Array.from(reading.range(table, orgRange(orgId)), ({ value }) => value);
}

/** The id of an organisation's oldest site: where its zones are unless they say otherwise. */
export function firstSite(reading: Reading, orgId: string): string {
  const sites = ofOrg(reading, tables.sites, orgId);
  const [first] = sites.toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
  // Every organisation is made with a site; one without is a fault of ours.
  if (!first) throw new Error(`organisation ${orgId} has no site`);
  return first.id;
}
