import { allowsOneMore } from '../domain/licence.ts';
import { limits } from '../domain/limits.ts';
import { invalid, refuse } from '../domain/refusal.ts';
import { ofOrg } from './of-org.ts';
import type { OrgRecord, SiteRecord } from './records.ts';
import type { Reading, Tx } from './store.ts';
import { tables } from './tables.ts';

/** Whether there is one organisation on this appliance and no other. */
export function isOnlyOrganisation(reading: Pick<Reading, 'range'>): boolean {
  return Array.from(reading.range(tables.orgs, { limit: 2 })).length < 2;
}

/** Another name for an organisation. Null when another one has it: the command line tells them apart by name. */
export function renameOrganisation(tx: Tx, org: OrgRecord, name: string): OrgRecord | null {
  for (const { value } of tx.range(tables.orgs)) if (value.name === name && value.id !== org.id) return null;
  const renamed = { ...org, name };
  tx.put(tables.orgs, org.id, renamed);
  return renamed;
}

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
 * licence allows (`maxSites` 0 = no limit), and a 400 when there are as many as there may be at all.
 */
export function addSite(
  tx: Tx,
  orgId: string,
  { maxSites, ...naming }: Naming & { readonly maxSites: number; readonly timeZone?: string },
): SiteRecord | null {
  const sites = ofOrg(tx, tables.sites, orgId);
  if (sites.some(({ name }) => name === naming.name)) return null;
  if (!allowsOneMore(sites.length, maxSites))
    throw refuse('licence-limit', `The licence allows ${maxSites} sites, and there are ${sites.length}.`);
  if (sites.length >= limits.sitesPerOrganisation)
    throw invalid(`There are ${limits.sitesPerOrganisation} sites already, as many as there may be.`);
  return putSite(tx, orgId, naming);
}

/** Another name or time zone for a site. Null when another site of the organisation has the name. */
export function changeSite(
  tx: Tx,
  orgId: string,
  { site, change }: { readonly site: SiteRecord; readonly change: Partial<Pick<SiteRecord, SiteMember>> },
): SiteRecord | null {
  const others = ofOrg(tx, tables.sites, orgId).filter(({ id }) => id !== site.id);
  const changed = { ...site, ...change };
  if (others.some(({ name }) => name === changed.name)) return null;
  tx.put(tables.sites, [orgId, site.id], changed);
  return changed;
}

type SiteMember = 'name' | 'timeZone';

function putSite(
  tx: Tx,
  orgId: string,
  { name, timeZone, now, newId }: Naming & { readonly timeZone?: string },
): SiteRecord {
  const site: SiteRecord = { id: newId(), name, createdAt: now, ...(timeZone !== undefined && { timeZone }) };
  tx.put(tables.sites, [orgId, site.id], site);
  return site;
}
