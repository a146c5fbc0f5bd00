import { assetExample, assetSchema } from '../../contract/asset.ts';
import { type Route, route } from '../../http/route.ts';
import { takeTagOff } from '../../store/assets.ts';
import { auditedWrite } from '../../store/audit.ts';
import { type AssetRoutesOptions, assetOf, ofOneAsset } from './asset-parts.ts';
import { auditViewOf, viewOf } from './asset-view.ts';

const description = [
  'The tag keeps its own history and can be linked anew. The timeline has it as `created` with `meta.updated` true and',
  '`changes.epc`. An asset without a tag stays as it is. Takes no body; one that is sent is not read (extension).',
].join(' ');

const { id, assetTagNumber, name, category } = assetExample;
const example = { id, assetTagNumber, name, category, status: 'available' };

/** POST /assets/{id}/unlink. */
export function unlinkRoute(options: AssetRoutesOptions): Route {
  return route({
    ...ofOneAsset,
    method: 'POST',
    path: '/assets/{id}/unlink',
    operationId: 'unlinkAsset',
    summary: 'Take the tag off an asset',
    description,
    responses: { 200: { description: 'The asset, without a tag', schema: assetSchema, example } },
    refusals: ['asset-retired'],
    handle: async ({ caller, params }) => {
      const now = options.now();
      const record = await auditedWrite(options.store, { author: caller, now }, (tx, note) => {
        const { orgId } = caller;
        const asset = assetOf(tx, orgId, params.id);
        const before = auditViewOf(tx, asset);
        const after = takeTagOff(tx, { orgId, asset, now });
        note({ action: 'unlink', resource: `assets/${asset.id}`, before, after: auditViewOf(tx, after) });
        return after;
      });
      return { status: 200, body: viewOf(options, record) };
    },
  });
}
