import { formatCursor } from '../../contract/paging.ts';
import {
  type TagPosition,
  tagPositionExample,
  tagPositionQuerySchema,
  tagPositionSchema,
} from '../../contract/tag.ts';
import { type Route, route } from '../../http/route.ts';
import { Pace } from '../../lib/pace.ts';
import type { Directory } from '../../store/directory.ts';
import type { TagStates } from '../../store/tag-states.ts';
import { Turns } from './search-turns.ts';
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
  const turns = new Turns();
  return route({
    method: 'GET',
    path: '/tags/position',
    operationId: 'findTagPosition',
    summary: 'How many tags there are, and where a page of them begins',
    description,
    tag: 'Tags and tag data',
    access: 'caller',
    query: tagPositionQuerySchema,
    refusals: ['unavailable'],
    responses: {
      200: { description: 'The place', schema: tagPositionSchema, example: tagPositionExample },
    },
    handle: async ({ caller, query: { offset }, raw }) => {
      const orgNo = directory.org(caller.orgId)?.no ?? 0;
      const isGone = () => raw.req.socket.destroyed;
      const body = await turns.take(() => positionOf(states, orgNo, offset), isGone);
      return { status: 200, body };
    },
  });
}

async function positionOf(states: TagStates, orgNo: number, offset: number): Promise<TagPosition> {
  const before = offset === 0 ? null : await tagAt(states, orgNo, offset - 1);
  await new Pace().pause();
  // Counted afterwards: with tags deleted meanwhile, no cursor still means that there is none to begin after.
  return { total: countTags(states, orgNo), cursor: before && formatCursor(before) };
}
