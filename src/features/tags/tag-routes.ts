import { z } from 'zod';
import { linkHeader, nextLink } from '../../contract/paging.ts';
import { type Tag, tagExample, tagQuerySchema, tagSchema } from '../../contract/tag.ts';
import { limits } from '../../domain/limits.ts';
import { type Route, route } from '../../http/route.ts';
import { formatInstant } from '../../lib/instant.ts';
import type { Directory } from '../../store/directory.ts';
import type { Store } from '../../store/store.ts';
import { tables } from '../../store/tables.ts';
import type { TagStates } from '../../store/tag-states.ts';
import { matcher, type TagData } from './match-tags.ts';
import { positionRoute } from './position-route.ts';
import { fitting, type Room } from './search-answer.ts';
import type { TagSearch } from './search-tags.ts';

export interface TagRoutesOptions {
  readonly store: Store;
  readonly directory: Directory;
  readonly states: TagStates;
  readonly search: TagSearch;
  readonly data: TagData;
  /** Whether the tag is linked to an asset. */
  readonly linked: (tagNo: number) => boolean;
}

/** Characters of text in one answer: writing more than that as JSON would hold the event loop. */
const room: Room<Tag> = { characters: 2_000_000, charactersOf };

const description = [
  `Up to ${limits.tagsPerAnswer}, fewer when their values are long texts, most recently seen first; tags that were`,
  'never read come last, newest first.',
  'A tag that is seen while a client pages through moves to the front.',
].join(' ');

/** GET /tags, and where its pages begin. */
export function tagRoutes(options: TagRoutesOptions): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/tags',
      operationId: 'listTags',
      summary: 'Tags, most recently seen first',
      description,
      tag: 'Tags and tag data',
      access: 'caller',
      query: tagQuerySchema,
      refusals: ['unavailable'],
      responses: {
        200: { description: 'Tags', schema: z.array(tagSchema), headers: linkHeader, example: [tagExample] },
      },
      handle: async ({ caller, query, raw }) => {
        const { q, hasData, limit = limits.tagsPerAnswer, cursor: after } = query;
        const orgNo = options.directory.org(caller.orgId)?.no ?? 0;
        const fits = matcher({ q, hasData });
        const take = (tagNo: number) => taker(tagNo, options, fits);
        const isGone = () => raw.req.socket.destroyed;
        const asked = { orgNo, q, hasData, limit: limit + 1, after, take, room, isGone };
        const found = await options.search.find(asked);
        const length = Math.min(limit, fitting(found, room));
        return {
          status: 200,
          body: found.slice(0, length).map(({ item }) => item),
          headers: nextLink(raw.req.url ?? '', found, length),
        };
      },
    }),
    positionRoute(options),
  ];
}

/** Takes the tag's times and place now; the rest, which is in the store, when it is called. */
function taker(tagNo: number, options: TagRoutesOptions, fits: (tag: Tag) => boolean): () => Tag | null {
  const { store, directory, states, data, linked } = options;
  const { zoneNo, firstSeenAt, lastSeenAt } = states.get(tagNo);
  const zoneName = directory.zoneByNo(zoneNo)?.name ?? null;
  return () => {
    const record = store.get(tables.tags, tagNo);
    if (!record) return null;
    const { label, attributes } = data.describe(tagNo, record.orgNo);
    const tag: Tag = {
      id: record.id,
      epc: record.epc,
      label,
      targetType: linked(tagNo) ? 'asset' : null,
      attributes,
      zoneName,
      firstSeenAt: instantOf(firstSeenAt),
      lastSeenAt: instantOf(lastSeenAt),
    };
    return fits(tag) ? tag : null;
  };
}

/** Of what has no small limit of its own. Keys count too: many may be longer than their values. */
function charactersOf({ label, attributes }: Tag): number {
  return Object.entries(attributes).reduce(
    (sum, [key, value]) => sum + key.length + value.length,
    label?.length ?? 0,
  );
}

function instantOf(ms: number): string | null {
  return Number.isNaN(ms) ? null : formatInstant(ms);
}
