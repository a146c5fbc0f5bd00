import { assetExample, assetSchema, checkOutSchema } from '../../contract/asset.ts';
import { type Caller, type Route, route } from '../../http/route.ts';
import { formatInstant } from '../../lib/instant.ts';
import { type StatusChange, stepAsset } from '../../store/assets.ts';
import { auditedWrite } from '../../store/audit.ts';
import type { AssetRecord } from '../../store/records.ts';
import type { Reading } from '../../store/store.ts';
import { tables } from '../../store/tables.ts';
import { type AssetRoutesOptions, assetOf, ofOneAsset } from './asset-parts.ts';
import { auditViewOf, viewOf } from './asset-view.ts';

const { id, assetTagNumber, name, category, epc } = assetExample;
const unlinkedExample = { id, assetTagNumber, name, category };
const availableExample = { ...unlinkedExample, status: 'available', epc };
const retiredExample = { ...unlinkedExample, status: 'retired' };

/** POST /assets/{id}/check-out, /check-in and /retire. */
export function assetStatusRoutes(options: AssetRoutesOptions): readonly Route[] {
  return [checkOutRoute(options), checkInRoute(options), retireRoute(options)];
}

function checkOutRoute(options: AssetRoutesOptions): Route {
  return route({
    ...ofOneAsset,
    method: 'POST',
    path: '/assets/{id}/check-out',
    operationId: 'checkOutAsset',
    summary: 'Check an asset out',
    description:
      'For one that is available or missing; the alert of a missing one is resolved. No body is needed.',
    body: checkOutSchema,
    bodyExample: { custodian: 'R. Ortiz', expectedReturnAt: '2026-03-02T17:00:00Z' },
    responses: { 200: { description: 'The asset', schema: assetSchema, example: assetExample } },
    refusals: ['asset-not-available', 'asset-retired'],
    handle: ({ caller, params: { id }, body }) => {
      const { custodian = null, expectedReturnAt = null } = body;
      const meta = {
        ...(custodian !== null && { custodian }),
        ...(expectedReturnAt !== null && { expectedReturnAt: formatInstant(expectedReturnAt) }),
      };
      return step(options, { caller, id, action: 'check-out' }, (_asset, now) => ({
        trigger: 'check_out',
        set: { custodian, expectedReturnAt, checkedOutAt: now },
        meta,
      }));
    },
  });
}

function checkInRoute(options: AssetRoutesOptions): Route {
  return route({
    ...ofOneAsset,
    method: 'POST',
    path: '/assets/{id}/check-in',
    operationId: 'checkInAsset',
    summary: 'Check an asset in',
    description: 'Nobody holds it any longer. Takes no body; one that is sent is not read.',
    responses: { 200: { description: 'The asset', schema: assetSchema, example: availableExample } },
    refusals: ['asset-not-checked-out', 'asset-retired'],
    handle: ({ caller, params: { id } }) =>
      step(options, { caller, id, action: 'check-in' }, ({ custodian }) => ({
        trigger: 'check_in',
        ...(custodian !== null && { meta: { custodian } }),
      })),
  });
}

function retireRoute(options: AssetRoutesOptions): Route {
  return route({
    ...ofOneAsset,
    method: 'POST',
    path: '/assets/{id}/retire',
    operationId: 'retireAsset',
    summary: 'Retire an asset for good',
    description:
      'It leaves the list and keeps its history; its tag and its number are free again. Takes no body; one that is sent is not read.',
    responses: { 200: { description: 'The asset', schema: assetSchema, example: retiredExample } },
    refusals: ['asset-retired'],
    handle: ({ caller, params: { id } }) =>
      step(options, { caller, id, action: 'retire' }, (asset, _now, reading) => {
        const tag = asset.tagNo === null ? undefined : reading.get(tables.tags, asset.tagNo);
        return { trigger: 'retire', ...(tag && { meta: { epc: tag.epc } }) };
      }),
  });
}

interface Asked {
  readonly caller: Caller;
  readonly id: string;
  /** For the audit log. */
  readonly action: string;
}

/** One status change of one asset, decided on what the asset is inside the transaction. */
async function step(
  options: AssetRoutesOptions,
  { caller, id, action }: Asked,
  changeOf: (asset: AssetRecord, now: number, reading: Reading) => StatusChange,
) {
  const { orgId } = caller;
  const now = options.now();
  const record = await auditedWrite(options.store, { author: caller, now }, (tx, note) => {
    const asset = assetOf(tx, orgId, id);
    const before = auditViewOf(tx, asset);
    const after = stepAsset(tx, { orgId, asset, now }, changeOf(asset, now, tx)) ?? asset;
    note({ action, resource: `assets/${id}`, before, after: auditViewOf(tx, after) });
    return after;
  });
  return { status: 200, body: viewOf(options, record) };
}
