import { z } from 'zod';
import { floorExample, floorSchema, planFormSchema } from '../../contract/floor.ts';
import { uuidParam } from '../../http/params.ts';
import { type Answer, type Route, route } from '../../http/route.ts';
import { auditedWrite } from '../../store/audit.ts';
import { putPlan, removePlan } from '../../store/floors.ts';
import type { FloorPlanRecord } from '../../store/records.ts';
import { tables } from '../../store/tables.ts';
import type { FloorRoutesOptions } from './floor-routes.ts';
import { floorAnswer, needFloor, needPlan, planNote } from './floor-view.ts';
import { planBodyMaxBytes, planTypes, receivePlan } from './plan-upload.ts';
import { UploadPlaces } from './upload-places.ts';

const tag = 'Floor plans';
const params = z.object({ id: uuidParam('site') });

/** Whatever is in it, a browser that opens it as a page runs nothing and asks nobody for anything. */
const planPolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

const planHeaders = {
  ETag: 'Changes with every upload',
  'Cache-Control': 'private, no-cache',
  'Content-Security-Policy': 'Nothing in it is run or fetched',
};

/** GET, PUT and DELETE of the picture a site is drawn on (extensions). */
export function planRoutes(options: FloorRoutesOptions): readonly Route[] {
  return [showRoute(options), uploadRoute(options), removeRoute(options)];
}

function showRoute({ store }: FloorRoutesOptions): Route {
  return route({
    method: 'GET',
    path: '/sites/{id}/floor/plan',
    operationId: 'getFloorPlan',
    summary: 'The floor plan of a site (extension)',
    description: 'PNG, or SVG that only draws. With `If-None-Match` it is sent only when it has changed.',
    tag,
    access: 'caller',
    params,
    responses: {
      200: { description: 'The picture', contentType: 'image/*', headers: planHeaders },
      304: { description: 'It has not changed', headers: planHeaders },
    },
    handle: ({ caller: { orgId }, params: { id }, raw }): Answer => {
      const plan = needPlan(needFloor(store, orgId, id));
      const headers = headersOf(plan);
      if (isKnown(raw.req.headers['if-none-match'], headers.ETag)) return { status: 304, headers };
      const bytes = store.get(tables.floorPlans, [orgId, id]);
      // Written with the plan's record, in one transaction.
      if (!bytes) throw new Error(`the plan of site ${id} has no bytes`);
      const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
      return { status: 200, headers: { ...headers, 'Content-Type': plan.contentType }, body };
    },
  });
}

function headersOf({ version, updatedAt }: FloorPlanRecord) {
  return {
    // With the time, because a restored backup counts its versions again.
    ETag: `"${version}-${updatedAt.toString(36)}"`,
    'Cache-Control': 'private, no-cache',
    'Content-Security-Policy': planPolicy,
  };
}

function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  const known = (ifNoneMatch ?? '').split(',').map((one) => one.trim().replace(/^W\//, ''));
  return known.includes(etag) || known.includes('*');
}

function uploadRoute({ store, now }: FloorRoutesOptions): Route {
  const places = new UploadPlaces();
  return route({
    method: 'PUT',
    path: '/sites/{id}/floor/plan',
    operationId: 'putFloorPlan',
    summary: 'Upload the floor plan of a site (extension)',
    description:
      'The picture as the body, or as field `file` of a form; PNG or SVG, up to 8 MB. An SVG is written anew from what only draws, a PNG without texts and other metadata; `plan.dropped` counts what was left out. What is drawn on the plan stays.',
    tag,
    access: 'caller',
    params,
    consumes: planTypes,
    bodyMaxBytes: planBodyMaxBytes,
    body: planFormSchema,
    bodyExample: { file: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 3"/>' },
    refusals: ['too-many-requests'],
    responses: { 200: { description: 'The drawing', schema: floorSchema, example: floorExample } },
    handle: async ({ caller, params: { id }, raw }) => {
      const { orgId } = caller;
      needFloor(store, orgId, id);
      const plan = await places.run(orgId, () => receivePlan(raw.req));
      const updatedAt = now();
      const floor = await auditedWrite(store, { author: caller, now: updatedAt }, (tx, note) => {
        const before = needFloor(tx, orgId, id).plan;
        const after = putPlan(tx, [orgId, id], { ...plan, updatedAt });
        const resource = `sites/${id}/floor/plan`;
        note({ action: 'update', resource, before: planNote(before), after: planNote(after.plan) });
        return after;
      });
      return { status: 200, body: floorAnswer(floor) };
    },
  });
}

function removeRoute({ store, now }: FloorRoutesOptions): Route {
  return route({
    method: 'DELETE',
    path: '/sites/{id}/floor/plan',
    operationId: 'deleteFloorPlan',
    summary: 'Delete the floor plan of a site (extension)',
    description: 'What is drawn on it stays.',
    tag,
    access: 'caller',
    params,
    responses: { 204: { description: 'Deleted' } },
    handle: async ({ caller, params: { id } }) => {
      await auditedWrite(store, { author: caller, now: now() }, (tx, note) => {
        const before = needPlan(needFloor(tx, caller.orgId, id));
        removePlan(tx, caller.orgId, id);
        note({ action: 'delete', resource: `sites/${id}/floor/plan`, before: planNote(before) });
      });
      return { status: 204 };
    },
  });
}
