import { z } from 'zod';
import {
  type FloorInput,
  floorExample,
  floorInputExample,
  floorInputSchema,
  floorSchema,
} from '../../contract/floor.ts';
import { type FieldError, invalid } from '../../domain/refusal.ts';
import { uuidParam } from '../../http/params.ts';
import { type Route, route } from '../../http/route.ts';
import { auditedWrite } from '../../store/audit.ts';
import type { FloorRecord } from '../../store/records.ts';
import type { Reading, Store } from '../../store/store.ts';
import { tables } from '../../store/tables.ts';
import { floorAnswer, needFloor } from './floor-view.ts';

export interface FloorRoutesOptions {
  readonly store: Store;
  /** Epoch ms. */
  readonly now: () => number;
}

const tag = 'Floor plans';
const params = z.object({ id: uuidParam('site') });
/** Five hundred zones of as many points as there may be, written at length. */
const BODY_MAX_BYTES = 4 * 1024 * 1024;
/** Of many faults the first twenty are told. */
const ERRORS_TOLD = 20;

/** GET and PUT of the drawing of a site (extensions). */
export function floorRoutes(options: FloorRoutesOptions): readonly Route[] {
  return [showRoute(options), drawRoute(options)];
}

function showRoute({ store }: FloorRoutesOptions): Route {
  return route({
    method: 'GET',
    path: '/sites/{id}/floor',
    operationId: 'getFloor',
    summary: 'Where zones and antennas of a site are drawn (extension)',
    tag,
    access: 'caller',
    params,
    responses: { 200: { description: 'The drawing', schema: floorSchema, example: floorExample } },
    handle: ({ caller: { orgId }, params: { id } }) => ({
      status: 200,
      body: floorAnswer(needFloor(store, orgId, id)),
    }),
  });
}

function drawRoute({ store, now }: FloorRoutesOptions): Route {
  return route({
    method: 'PUT',
    path: '/sites/{id}/floor',
    operationId: 'drawFloor',
    summary: 'Replace the drawing of a site (extension)',
    description:
      "The whole drawing: zones of the site as polygons, antennas as points. Coordinates are fractions of the plan's width and height. The plan stays.",
    tag,
    access: 'caller',
    params,
    body: floorInputSchema,
    bodyExample: floorInputExample,
    bodyMaxBytes: BODY_MAX_BYTES,
    responses: { 200: { description: 'The drawing', schema: floorSchema, example: floorExample } },
    handle: async ({ caller, params: { id }, body }) => {
      const floor = await auditedWrite(store, { author: caller, now: now() }, (tx, note) => {
        const before = needFloor(tx, caller.orgId, id);
        refuseStrange(tx, { orgId: caller.orgId, siteId: id }, body);
        const after = { ...before, ...body };
        tx.put(tables.floors, [caller.orgId, id], after);
        const resource = `sites/${id}/floor`;
        note({ action: 'update', resource, before: sizesOf(before), after: sizesOf(after) });
        return after;
      });
      return { status: 200, body: floorAnswer(floor) };
    },
  });
}

function sizesOf({ zones, antennas }: FloorRecord): object {
  return { zones: zones.length, antennas: antennas.length };
}

interface Site {
  readonly orgId: string;
  readonly siteId: string;
}

/** Refuses (400) zones and ports that are not there, are of another site, or are drawn twice. */
function refuseStrange(reading: Reading, site: Site, input: FloorInput): void {
  const errors = [...zoneErrors(reading, site, input), ...antennaErrors(reading, site, input)];
  const [first] = errors;
  if (!first) return;
  const rest = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  throw invalid(`${first.path} ${first.message}${rest}.`, errors.slice(0, ERRORS_TOLD));
}

function zoneErrors(reading: Reading, { orgId, siteId }: Site, { zones }: FloorInput): readonly FieldError[] {
  const seen = new Set<string>();
  return zones.flatMap(({ zoneId }, index) => {
    const path = `zones.${index}.zoneId`;
    if (seen.has(zoneId)) return [{ path, message: 'is drawn twice' }];
    seen.add(zoneId);
    const zone = reading.get(tables.zones, [orgId, zoneId]);
    return zone?.siteId === siteId ? [] : [{ path, message: 'is no zone of this site' }];
  });
}

function antennaErrors(reading: Reading, { orgId }: Site, { antennas }: FloorInput): readonly FieldError[] {
  const seen = new Set<string>();
  return antennas.flatMap(({ readerId, port }, index): readonly FieldError[] => {
    const at = `antennas.${index}`;
    const name = `${readerId} ${port}`;
    if (seen.has(name)) return [{ path: `${at}.port`, message: 'is drawn twice' }];
    seen.add(name);
    const ports = reading.get(tables.antennas, [orgId, readerId]);
    if (!ports) return [{ path: `${at}.readerId`, message: 'is no reader of yours' }];
    return ports.some((one) => one.port === port)
      ? []
      : [{ path: `${at}.port`, message: 'is no port of this reader' }];
  });
}
