import { z } from 'zod';
import { linkHeader, nextLink, type Position } from '../../contract/paging.ts';
import {
  type HistoryEntry,
  historyEntrySchema,
  historyExample,
  historyQuerySchema,
} from '../../contract/tag-data.ts';
import { limits } from '../../domain/limits.ts';
import { type Answer, type Route, route } from '../../http/route.ts';
import { formatInstant } from '../../lib/instant.ts';
import { fieldsOf } from '../../store/fields.ts';
import type { FieldRecord } from '../../store/records.ts';
import type { Store } from '../../store/store.ts';
import { epcParams, findTag } from './find-tag.ts';
import { type HistoryItem, historyPage } from './history-page.ts';

export interface HistoryRoutesOptions {
  readonly store: Store;
}

/** Characters of text in one answer: writing more than that as JSON would hold the event loop. */
const PAGE_CHARACTERS = 2_000_000;

/** GET /tags/{epc}/history. */
export function historyRoutes({ store }: HistoryRoutesOptions): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/tags/{epc}/history',
      operationId: 'getTagHistory',
      summary: 'The values a tag holds and held, newest first',
      description: [
        `Up to ${limits.historyPerAnswer}, fewer when they are long texts; empty for an unknown EPC.`,
        'Values are told under the keys their fields have now; those of deleted fields are gone.',
      ].join(' '),
      tag: 'Tags and tag data',
      access: 'caller',
      params: epcParams,
      query: historyQuerySchema,
      responses: {
        200: {
          description: 'Values',
          schema: z.array(historyEntrySchema),
          headers: linkHeader,
          example: historyExample,
        },
      },
      handle: async ({ caller, params: { epc }, query, raw }) => {
        const found = findTag(store, caller.orgId, epc);
        if (!found) return { status: 200, body: [] };
        const { limit = limits.historyPerAnswer, cursor: after } = query;
        const fields = fieldsOf(store, caller.orgId);
        return answer(store, { tagNo: found.tagNo, fields, limit, after, url: raw.req.url ?? '' });
      },
    }),
  ];
}

interface Asked {
  readonly tagNo: number;
  readonly fields: readonly FieldRecord[];
  readonly limit: number;
  readonly after: Position | undefined;
  readonly url: string;
}

async function answer(store: Store, { tagNo, fields, limit, after, url }: Asked): Promise<Answer> {
  const keys = new Map(fields.map(({ no, key }) => [no, key]));
  const fieldNos = new Set(keys.keys());
  const items = await historyPage(store, tagNo, { fieldNos, limit: limit + 1, after });
  const length = pageLength(items, limit);
  return {
    status: 200,
    body: items.slice(0, length).map((item) => entryOf(item, keys.get(item.no) ?? '')),
    headers: nextLink(url, items, length),
  };
}

/** How many of these make a page: at least one, or a client would never come further. */
function pageLength(items: readonly HistoryItem[], limit: number): number {
  let characters = 0;
  const long = items.findIndex(({ value }) => {
    characters += typeof value === 'string' ? value.length : 0;
    return characters > PAGE_CHARACTERS;
  });
  return long < 0 ? limit : Math.min(limit, Math.max(long, 1));
}

function entryOf({ key: validFrom, value, validTo }: HistoryItem, key: string): HistoryEntry {
  const ended = validTo === null ? {} : { validTo: formatInstant(validTo) };
  return { key, value, validFrom: formatInstant(validFrom), ...ended };
}
