import { assetChangeSchema, assetExample, assetSchema, newAssetSchema } from '../../contract/asset.ts';
import { type Route, route } from '../../http/route.ts';
import { changeAsset, createAsset } from '../../store/assets.ts';
import { auditedWrite } from '../../store/audit.ts';
import { listRoute } from './asset-list-route.ts';
import { type AssetRoutesOptions, assetOf, ofOneAsset } from './asset-parts.ts';
import { assetStatusRoutes } from './asset-status-routes.ts';
import { timelineRoute } from './asset-timeline-route.ts';
import { auditViewOf, viewOf } from './asset-view.ts';
import { correlationRoute } from './correlation-route.ts';
import { linkEpc, linkingWrite } from './link-epc.ts';
import { unlinkRoute } from './unlink-route.ts';

const { tag, access } = ofOneAsset;
const theAsset = { description: 'The asset', schema: assetSchema, example: assetExample };

/** Everything under /assets, and POST /correlations. */
export function assetRoutes(options: AssetRoutesOptions): readonly Route[] {
  return [
    listRoute(options),
    createRoute(options),
    getRoute(options),
    changeRoute(options),
    ...assetStatusRoutes(options),
    timelineRoute(options),
    correlationRoute(options),
    unlinkRoute(options),
  ];
}

function createRoute(options: AssetRoutesOptions): Route {
  return route({
    method: 'POST',
    path: '/assets',
    operationId: 'createAsset',
    summary: 'Make an asset',
    description: [
      'With `epc` the tag is linked at once, and if it has been seen already the location is there in the answer; an EPC',
      'never seen makes the tag. 409 when the number is in use or the tag is linked already, and then nothing is made.',
    ].join(' '),
    ...{ tag, access },
    body: newAssetSchema,
    bodyExample: { name: 'Pallet jack 7', assetTagNumber: 'PJ-0007', epc: '3034257BF468D480000003E8' },
    responses: { 201: theAsset },
    refusals: ['asset-number-taken', 'tag-linked'],
    handle: async ({ caller, body: { epc, ...words } }) => {
      const { orgId } = caller;
      const record = await linkingWrite(options, caller, (tx, note, now) => {
        const asset = createAsset(tx, orgId, { ...words, id: options.newId(), now });
        const link = epc && { epc, label: null, supersede: false };
        const made = link
          ? linkEpc(options, tx, { at: { orgId, asset, now }, link, note })
          : { asset, entry: null };
        note({ action: 'create', resource: `assets/${asset.id}`, after: auditViewOf(tx, made.asset) });
        return made;
      });
      return { status: 201, body: viewOf(options, record) };
    },
  });
}

function getRoute(options: AssetRoutesOptions): Route {
  return route({
    ...ofOneAsset,
    method: 'GET',
    path: '/assets/{id}',
    operationId: 'getAsset',
    summary: 'One asset, retired ones too',
    responses: { 200: theAsset },
    handle: ({ caller, params: { id } }) => ({
      status: 200,
      body: viewOf(options, assetOf(options.store, caller.orgId, id)),
    }),
  });
}

function changeRoute(options: AssetRoutesOptions): Route {
  const { store, now } = options;
  return route({
    ...ofOneAsset,
    method: 'PATCH',
    path: '/assets/{id}',
    operationId: 'changeAsset',
    summary: 'Change the name, number or category of an asset',
    description:
      'Members left out stay as they are. The timeline has it as `created` with `meta.updated` true.',
    body: assetChangeSchema,
    bodyExample: { name: 'Pallet jack 7, yellow' },
    responses: { 200: theAsset },
    refusals: ['asset-number-taken', 'asset-retired'],
    handle: async ({ caller, params: { id }, body }) => {
      const { orgId } = caller;
      const at = now();
      const record = await auditedWrite(store, { author: caller, now: at }, (tx, note) => {
        const asset = assetOf(tx, orgId, id);
        const after = changeAsset(tx, { orgId, asset, now: at }, body);
        const resource = `assets/${id}`;
        note({ action: 'update', resource, before: auditViewOf(tx, asset), after: auditViewOf(tx, after) });
        return after;
      });
      return { status: 200, body: viewOf(options, record) };
    },
  });
}
