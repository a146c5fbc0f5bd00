import { z } from 'zod';
import {
  assetEventAnswer,
  assetEventSchema,
  timelineExample,
  timelineQuerySchema,
} from '../../contract/asset.ts';
import { linkHeader, nextLink } from '../../contract/paging.ts';
import { limits } from '../../domain/limits.ts';
import { type Route, route } from '../../http/route.ts';
import { timelineOf } from '../../store/asset-timeline.ts';
import { type AssetRoutesOptions, assetOf, ofOneAsset } from './asset-parts.ts';

/** GET /assets/{id}/events. */
export function timelineRoute({ store }: AssetRoutesOptions): Route {
  return route({
    ...ofOneAsset,
    method: 'GET',
    path: '/assets/{id}/events',
    operationId: 'listAssetEvents',
    summary: 'The timeline of an asset, newest first',
    description: [
      `Up to ${limits.timelinePerAnswer}. Zones are those of the tag that was linked at the time. A tag that is in a zone when`,
      'it is linked makes a `zone_enter` at that moment, unless the tag it replaces was there already.',
    ].join(' '),
    query: timelineQuerySchema,
    responses: {
      200: {
        description: 'The timeline',
        schema: z.array(assetEventSchema),
        headers: linkHeader,
        example: timelineExample,
      },
    },
    handle: ({ caller, params, query: { limit = limits.timelinePerAnswer, cursor: after }, raw }) => {
      const { id } = assetOf(store, caller.orgId, params.id);
      const found = timelineOf(store, id, { limit: limit + 1, after });
      return {
        status: 200,
        body: found.slice(0, limit).map(assetEventAnswer),
        headers: nextLink(
          raw.req.url ?? '',
          found.map(({ at, no }) => ({ key: at, no })),
          limit,
        ),
      };
    },
  });
}
