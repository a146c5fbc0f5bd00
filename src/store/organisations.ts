import { allowsOneMore } from '../domain/licence.ts';
import { refuse } from '../domain/refusal.ts';
import { ofOrg } from './of-org.ts';
import type { OrgRecord, SiteRecord } from './records.ts';
import type { Reading, Tx } from './store.ts';
import { tables } from './tables.ts';

/** What a new record is given. */
export interface Naming {
  readonly name: string;
  /** Epoch ms. */
  readonly now: number;
  /** A new UUID. */
  readonly newId: () => string;
}

/**
 * The number under which an organisation's tags and fields are kept. Organisations are never removed: one that is not
 * there is a fault of ours, and throws.
 */
export function orgNoOf(reading: Reading, orgId: string): number {
  const org = reading.get(tables.orgs, orgId);
  if (!org) throw new Error(`organisation ${orgId} is not in the store`);
  return org.no;
}

const FIRST_SITE = 'Main site';

/** Makes an organisation with one site. Null when there is one of this name. */
export function addOrganisation(tx: Tx, { name, now, newId }: Naming): OrgRecord | null {
  for (const { value } of tx.range(tables.orgs)) if (value.name === name) return null;
  const org: OrgRecord = { id: newId(), no: tx.next('lastOrgNo'), name, createdAt: now };
  tx.put(tables.orgs, org.id, org);
  putSite(tx, org.id, { name: FIRST_SITE, now, newId });
  return org;
}

/**
 * Makes a site of an organisation. Null when it has one of this name. Throws `licence-limit` when it has as many as its
 * licence allows; `maxSites` 0 = no limit.
 */
export function addSite(
  tx: Tx,
  orgId: string,
  { maxSites, ...naming }: Naming & { readonly maxSites: number },
): SiteRecord | null {
  const sites = ofOrg(tx, tables.sites, orgId);
  if (sites.some(({ name }) => name === naming.name)) return null;
  if (!allowsOneMore(sites.length, maxSites))
    throw refuse('licence-limit', `The licence allows ${maxSites} sites, and there are ${sites.length}.`);
  return putSite(tx, orgId, naming);
}

function putSite(tx: Tx, orgId: string, { name, now, newId }: Naming): SiteRecord {
  const site: SiteRecord = { id: newId(), name, createdAt: now };
  tx.put(tables.sites, [orgId, site.id], site);
  return site;
}
