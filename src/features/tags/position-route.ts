import { formatCursor } from '../../contract/paging.ts';
import { tagPositionExample, tagPositionQuerySchema, tagPositionSchema } from '../../contract/tag.ts';
import { type Route, route } from '../../http/route.ts';
import type { Directory } from '../../store/directory.ts';
import type { TagStates } from '../../store/tag-states.ts';
import { countTags, tagAt } from './select-tags.ts';

export interface PositionRouteOptions {
  readonly directory: Directory;
  readonly states: TagStates;
}

const description = [
  'An extension, for a table that is scrolled to any place: GET /tags goes on from the cursor, without `q` and `hasData`.',
  'Beyond the last tag it is the end. Tags that are seen meanwhile move to the front, so a place is about right only.',
].join(' ');

/** GET /tags/position. */
export function positionRoute({ directory, states }: PositionRouteOptions): Route {
  return route({
    method: 'GET',
    path: '/tags/position',
    operationId: 'findTagPosition',
    summary: 'How many tags there are, and where a page of them begins',
    description,
    tag: 'Tags and tag data',
    access: 'caller',
    query: tagPositionQuerySchema,
    responses: {
      200: { description: 'The place', schema: tagPositionSchema, example: tagPositionExample },
    },
    handle: async ({ caller, query: { offset } }) => {
      const orgNo = directory.org(caller.orgId)?.no ?? 0;
      const total = countTags(states, orgNo);
      const rank = Math.min(offset, total) - 1;
      const before = rank < 0 ? null : await tagAt(states, orgNo, rank);
      return { status: 200, body: { total, cursor: before && formatCursor(before) } };
    },
  });
}
