import { z } from 'zod';
import { assetExample, assetQuerySchema, assetSchema } from '../../contract/asset.ts';
import { linkHeader, nextLink } from '../../contract/paging.ts';
import { limits } from '../../domain/limits.ts';
import { invalid } from '../../domain/refusal.ts';
import { type Route, route } from '../../http/route.ts';
import { type AssetRoutesOptions, ofOneAsset } from './asset-parts.ts';
import { findAssets } from './find-assets.ts';

const description = [
  `Up to ${limits.assetsPerAnswer}, by the codes of the names' characters. A cursor stands for the last asset of its page: what is`,
  'renamed while a client pages through may be met twice or not at all.',
].join(' ');

/** GET /assets. */
export function listRoute(options: AssetRoutesOptions): Route {
  const { tag, access } = ofOneAsset;
  return route({
    method: 'GET',
    path: '/assets',
    operationId: 'listAssets',
    summary: 'All assets that are not retired, sorted by name',
    description,
    ...{ tag, access },
    query: assetQuerySchema,
    responses: {
      200: {
        description: 'Assets',
        schema: z.array(assetSchema),
        headers: linkHeader,
        example: [assetExample],
      },
    },
    handle: async ({ caller: { orgId }, query, raw }) => {
      const { limit = limits.assetsPerAnswer, cursor, ...filters } = query;
      const isGone = () => raw.req.socket.destroyed;
      const found = await findAssets(options, {
        orgId,
        filters,
        after: cursor?.no,
        limit: limit + 1,
        isGone,
      });
      if (!found) throw notOurCursor();
      const positions = found.map(({ no }) => ({ key: 0, no }));
      return {
        status: 200,
        body: found.slice(0, limit).map(({ asset }) => asset),
        headers: nextLink(raw.req.url ?? '', positions, limit),
      };
    },
  });
}

function notOurCursor(): Error {
  const message = 'is not a cursor of this list';
  return invalid(`cursor ${message}.`, [{ path: 'cursor', message }]);
}
