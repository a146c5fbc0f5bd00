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
import { EpcText } from './epc-text.ts';
import { matchTags, type TagData } from './match-tags.ts';
import { selectTags } from './select-tags.ts';

export interface TagRoutesOptions {
  readonly store: Store;
  readonly directory: Directory;
  readonly states: TagStates;
  readonly data: TagData;
  /** Whether the tag is linked to an asset. */
  readonly linked: (tagNo: number) => boolean;
}

const description = [
  `Up to ${limits.tagsPerAnswer}, most recently seen first; tags that were never read come last, newest first.`,
  'A tag that is seen while a client pages through moves to the front.',
].join(' ');

/** GET /tags. */
export function tagRoutes(options: TagRoutesOptions): readonly Route[] {
  const epcs = new EpcText(options.store);
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
      responses: {
        200: { description: 'Tags', schema: z.array(tagSchema), headers: linkHeader, example: [tagExample] },
      },
      handle: async ({ caller, query, raw }) => {
        const { states, directory } = options;
        const { q, hasData, limit = limits.tagsPerAnswer, cursor: after } = query;
        const orgNo = directory.org(caller.orgId)?.no ?? 0;
        const among = await matchTags({ ...options, epcs }, { orgNo, q, hasData });
        // From here on nothing waits: order, times and places are of one moment.
        const selected = selectTags(states, { orgNo, among, limit: limit + 1, after });
        return {
          status: 200,
          body: selected.slice(0, limit).flatMap(({ no }) => tagOf(no, options) ?? []),
          headers: nextLink(raw.req.url ?? '', selected, limit),
        };
      },
    }),
  ];
}

function tagOf(tagNo: number, { store, directory, states, data, linked }: TagRoutesOptions): Tag | null {
  const record = store.get(tables.tags, tagNo);
  if (!record) return null;
  const { zoneNo, firstSeenAt, lastSeenAt } = states.get(tagNo);
  const { label, attributes } = data.describe(tagNo);
  return {
    id: record.id,
    epc: record.epc,
    label,
    targetType: linked(tagNo) ? 'asset' : null,
    attributes,
    zoneName: directory.zoneByNo(zoneNo)?.name ?? null,
    firstSeenAt: instantOf(firstSeenAt),
    lastSeenAt: instantOf(lastSeenAt),
  };
}

function instantOf(ms: number): string | null {
  return Number.isNaN(ms) ? null : formatInstant(ms);
}
