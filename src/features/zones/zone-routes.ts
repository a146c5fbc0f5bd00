import { z } from 'zod';
import { newZoneSchema, type Zone, zoneChangeSchema, zoneExample, zoneSchema } from '../../contract/zone.ts';
import { invalid, refuse } from '../../domain/refusal.ts';
import { uuidParam } from '../../http/params.ts';
import { type Route, route } from '../../http/route.ts';
import { byName } from '../../lib/by-name.ts';
import { auditedWrite } from '../../store/audit.ts';
import { removeZone } from '../../store/cascade.ts';
import { firstSite, ofOrg } from '../../store/of-org.ts';
import type { ZoneRecord } from '../../store/records.ts';
import type { Store, Tx } from '../../store/store.ts';
import { tables } from '../../store/tables.ts';

export interface ZoneRoutesOptions {
  readonly store: Store;
  /** Epoch ms. */
  readonly now: () => number;
  /** A new UUID. */
  readonly newId: () => string;
}

const tag = 'Zones and inventory';
const params = z.object({ id: uuidParam('zone') });

/** GET, POST, PATCH and DELETE of zones. */
export function zoneRoutes(options: ZoneRoutesOptions): readonly Route[] {
  return [listRoute(options), createRoute(options), changeRoute(options), removeRoute(options)];
}

function listRoute({ store }: ZoneRoutesOptions): Route {
  return route({
    method: 'GET',
    path: '/zones',
    operationId: 'listZones',
    summary: 'All zones, sorted by name',
    tag,
    access: 'caller',
    responses: { 200: { description: 'Zones', schema: z.array(zoneSchema), example: [zoneExample] } },
    handle: ({ caller }) => {
      const zones = ofOrg(store, tables.zones, caller.orgId);
      return { status: 200, body: zones.toSorted(byName).map(zoneOf) };
    },
  });
}

function createRoute({ store, now, newId }: ZoneRoutesOptions): Route {
  return route({
    method: 'POST',
    path: '/zones',
    operationId: 'createZone',
    summary: 'Make a zone',
    tag,
    access: 'caller',
    body: newZoneSchema,
    bodyExample: { name: 'Dock', kind: 'portal' },
    responses: { 201: { description: 'The zone', schema: zoneSchema, example: zoneExample } },
    handle: async ({ caller, body }) => {
      const zone = await auditedWrite(store, { author: caller, now: now() }, (tx, note) => {
        const siteId = siteOf(tx, caller.orgId, body.siteId);
        const record: ZoneRecord = { id: newId(), no: tx.next('lastZoneNo'), ...body, siteId };
        tx.put(tables.zones, [caller.orgId, record.id], record);
        note({ action: 'create', resource: `zones/${record.id}`, after: zoneOf(record) });
        return record;
      });
      return { status: 201, body: zoneOf(zone) };
    },
  });
}

function changeRoute({ store, now }: ZoneRoutesOptions): Route {
  return route({
    method: 'PATCH',
    path: '/zones/{id}',
    operationId: 'changeZone',
    summary: 'Change the name or kind of a zone',
    tag,
    access: 'caller',
    params,
    body: zoneChangeSchema,
    bodyExample: { name: 'Dock 1' },
    responses: { 200: { description: 'The zone', schema: zoneSchema, example: zoneExample } },
    handle: async ({ caller, params: { id }, body }) => {
      const zone = await auditedWrite(store, { author: caller, now: now() }, (tx, note) => {
        const before = tx.get(tables.zones, [caller.orgId, id]);
        if (!before) throw noSuchZone();
        const after: ZoneRecord = { ...before, ...body };
        tx.put(tables.zones, [caller.orgId, id], after);
        note({ action: 'update', resource: `zones/${id}`, before: zoneOf(before), after: zoneOf(after) });
        return after;
      });
      return { status: 200, body: zoneOf(zone) };
    },
  });
}

function removeRoute({ store, now }: ZoneRoutesOptions): Route {
  return route({
    method: 'DELETE',
    path: '/zones/{id}',
    operationId: 'deleteZone',
    summary: 'Delete a zone',
    description:
      'Antennas mapped to it become unmapped; tags located there lose their location until next seen elsewhere.',
    tag,
    access: 'caller',
    params,
    responses: { 204: { description: 'Deleted' } },
    handle: async ({ caller, params: { id } }) => {
      await auditedWrite(store, { author: caller, now: now() }, (tx, note) => {
        const before = removeZone(tx, caller.orgId, id);
        if (!before) throw noSuchZone();
        note({ action: 'delete', resource: `zones/${id}`, before: zoneOf(before) });
      });
      return { status: 204 };
    },
  });
}

/** The site that was named, or the oldest one. Throws a 400 for one that is not there. */
function siteOf(tx: Tx, orgId: string, named: string | undefined): string {
  if (named === undefined) return firstSite(tx, orgId);
  if (tx.get(tables.sites, [orgId, named])) return named;
  const message = 'is the id of no site';
  throw invalid(`siteId ${message}.`, [{ path: 'siteId', message }]);
}

function zoneOf({ id, siteId, name, kind, locationPolicy }: ZoneRecord): Zone {
  return { id, siteId, name, kind, locationPolicy };
}

function noSuchZone(): Error {
  return refuse('not-found', 'There is no zone with this id.');
}
