import { z } from 'zod';
import { newSiteSchema, type Site, siteChangeSchema, siteExample, siteSchema } from '../../contract/site.ts';
import { refuse } from '../../domain/refusal.ts';
import { uuidParam } from '../../http/params.ts';
import { type Route, route } from '../../http/route.ts';
import { formatInstant } from '../../lib/instant.ts';
import { ownTimeZone } from '../../lib/time-zone.ts';
import { auditedWrite } from '../../store/audit.ts';
import { ofOrg } from '../../store/of-org.ts';
import { addSite, changeSite } from '../../store/organisations.ts';
import type { SiteRecord } from '../../store/records.ts';
import type { Store, Tx } from '../../store/store.ts';
import { tables } from '../../store/tables.ts';

export interface SiteRoutesOptions {
  readonly store: Store;
  /** Epoch ms. */
  readonly now: () => number;
  /** A new UUID. */
  readonly newId: () => string;
  /** How many sites the licence of an organisation allows, 0 = no limit; asked in the write's own transaction. */
  readonly maxSites: (tx: Tx, orgId: string) => number;
}

const tag = 'Organisation and sites';
const response = { description: 'The site', schema: siteSchema, example: siteExample };

/** GET, POST and PATCH of sites (extension). */
export function siteRoutes(options: SiteRoutesOptions): readonly Route[] {
  return [listRoute(options), createRoute(options), changeRoute(options)];
}

function listRoute({ store }: SiteRoutesOptions): Route {
  return route({
    method: 'GET',
    path: '/sites',
    operationId: 'listSites',
    summary: 'All sites, sorted by name (extension)',
    tag,
    access: 'caller',
    responses: { 200: { description: 'Sites', schema: z.array(siteSchema), example: [siteExample] } },
    handle: ({ caller }) => {
      const sites = ofOrg(store, tables.sites, caller.orgId).toSorted((a, b) => (a.name < b.name ? -1 : 1));
      return { status: 200, body: sites.map(shown) };
    },
  });
}

function createRoute({ store, now, newId, maxSites }: SiteRoutesOptions): Route {
  return route({
    method: 'POST',
    path: '/sites',
    operationId: 'createSite',
    summary: 'Add a site (extension)',
    description: 'As far as the licence allows. The names of sites do not repeat.',
    tag,
    access: 'admin',
    body: newSiteSchema,
    bodyExample: { name: 'North warehouse', timeZone: 'Europe/Berlin' },
    responses: { 201: response },
    refusals: ['licence-limit', 'name-taken'],
    handle: async ({ caller, body: { name, timeZone = ownTimeZone() } }) => {
      const { orgId } = caller;
      const at = now();
      const site = await auditedWrite(store, { author: caller, now: at }, (tx, note) => {
        const limit = maxSites(tx, orgId);
        const made = addSite(tx, orgId, { name, timeZone, now: at, newId, maxSites: limit });
        if (!made) throw taken(name);
        note({ action: 'create', resource: `sites/${made.id}`, after: { name, timeZone } });
        return made;
      });
      return { status: 201, body: shown(site) };
    },
  });
}

function changeRoute({ store, now }: SiteRoutesOptions): Route {
  return route({
    method: 'PATCH',
    path: '/sites/{id}',
    operationId: 'changeSite',
    summary: 'Change the name or the time zone of a site (extension)',
    tag,
    access: 'admin',
    params: z.object({ id: uuidParam('site') }),
    body: siteChangeSchema,
    bodyExample: { timeZone: 'America/Chicago' },
    responses: { 200: response },
    refusals: ['name-taken'],
    handle: async ({ caller, params: { id }, body }) => {
      const { orgId } = caller;
      const site = await auditedWrite(store, { author: caller, now: now() }, (tx, note) => {
        const before = tx.get(tables.sites, [orgId, id]);
        if (!before) throw refuse('not-found', 'There is no site with this id.');
        const after = changeSite(tx, orgId, { site: before, change: body });
        if (!after) throw taken(body.name ?? '');
        note({ action: 'update', resource: `sites/${id}`, before: noted(before), after: noted(after) });
        return after;
      });
      return { status: 200, body: shown(site) };
    },
  });
}

function taken(name: string): Error {
  return refuse('name-taken', `There is a site with the name ${JSON.stringify(name)} already.`);
}

function shown({ id, name, timeZone, createdAt }: SiteRecord): Site {
  return { id, name, timeZone: timeZone ?? ownTimeZone(), createdAt: formatInstant(createdAt) };
}

function noted({ name, timeZone = ownTimeZone() }: SiteRecord): object {
  return { name, timeZone };
}
