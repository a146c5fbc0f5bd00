import {
  type Correlation,
  correlationExample,
  correlationSchema,
  newCorrelationSchema,
} from '../../contract/correlation.ts';
import { type Route, route } from '../../http/route.ts';
import { formatInstant } from '../../lib/instant.ts';
import type { AssetRecord } from '../../store/records.ts';
import { tables } from '../../store/tables.ts';
import { type AssetRoutesOptions, assetOf, ofOneAsset } from './asset-parts.ts';
import { auditViewOf } from './asset-view.ts';
import { linkEpc, linkingWrite } from './link-epc.ts';

const description = [
  'An asset has one tag: a new link ends the one it has, and the old tag keeps its own history. A tag that is linked already,',
  'even to this asset, is a 409 unless `supersede` is true. An EPC never seen makes the tag.',
].join(' ');

/** POST /correlations. */
export function correlationRoute(options: AssetRoutesOptions): Route {
  const { tag, access } = ofOneAsset;
  const { epc, targetType, targetId, label } = correlationExample;
  return route({
    method: 'POST',
    path: '/correlations',
    operationId: 'createCorrelation',
    summary: 'Link a tag to an asset',
    description,
    ...{ tag, access },
    body: newCorrelationSchema,
    bodyExample: { epc, targetType, targetId, label, supersede: true },
    responses: { 201: { description: 'The link', schema: correlationSchema, example: correlationExample } },
    refusals: ['not-found', 'tag-linked', 'asset-retired'],
    handle: async ({ caller, body }) => {
      const { orgId } = caller;
      const { supersede, label = null } = body;
      const record = await linkingWrite(options, caller, (tx, note, now) => {
        const asset = assetOf(tx, orgId, body.targetId);
        const before = auditViewOf(tx, asset);
        const link = { epc: body.epc, label, supersede };
        const made = linkEpc(options, tx, { at: { orgId, asset, now }, link, note });
        note({ action: 'link', resource: `assets/${asset.id}`, before, after: auditViewOf(tx, made.asset) });
        return made;
      });
      return { status: 201, body: viewOf(options, record, body.epc) };
    },
  });
}

function viewOf({ store }: AssetRoutesOptions, record: AssetRecord, epc: string): Correlation {
  const { id, tagNo, tagLabel, name, linkedAt } = record;
  return {
    epc,
    tagId: store.get(tables.tags, tagNo ?? 0)?.id ?? '',
    targetType: 'asset',
    targetId: id,
    label: tagLabel ?? name,
    linkedAt: formatInstant(linkedAt ?? 0),
  };
}
