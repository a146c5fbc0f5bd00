import { type TagLocation, tagLocationExample, tagLocationSchema } from '../../contract/tag-location.ts';
import { explainEvidence, type Placement } from '../../domain/location.ts';
import { refuse } from '../../domain/refusal.ts';
import type { TagState } from '../../domain/tag-state.ts';
import type { LocationPolicy } from '../../domain/zone.ts';
import { type Route, route } from '../../http/route.ts';
import { formatInstant } from '../../lib/instant.ts';
import type { Directory, ZoneContext } from '../../store/directory.ts';
import type { Store } from '../../store/store.ts';
import type { TagStates } from '../../store/tag-states.ts';
import { epcParams, type FoundTag, findTag } from './find-tag.ts';

export interface LocationRoutesOptions {
  readonly store: Store;
  readonly directory: Directory;
  readonly states: TagStates;
  /** What the live view remembers of a tag, by the number of its organisation; null when it is not in view. */
  readonly placementOf: (orgNo: number, epc: string) => Placement | null;
  /** The appliance's `location.policy`. */
  readonly locationPolicy: LocationPolicy;
  /** Epoch ms. */
  readonly now: () => number;
  /** How long a tag counts as present after it was last seen in its zone, ms. */
  readonly presenceMs: number;
}

/** GET /tags/{epc}/location (extension). */
export function locationRoutes(options: LocationRoutesOptions): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/tags/{epc}/location',
      operationId: 'getTagLocation',
      summary: 'Where a tag is, and what speaks for it (extension)',
      description: [
        'The candidates are the zones whose reads count for the place of the tag, with their shares of the evidence.',
        'Evidence is kept under the policy `stable`, while the tag is in view; otherwise its zone has it all.',
      ].join(' '),
      tag: 'Tags and tag data',
      access: 'caller',
      params: epcParams,
      responses: {
        200: { description: 'The location', schema: tagLocationSchema, example: tagLocationExample },
      },
      refusals: ['not-found'],
      handle: ({ caller, params: { epc } }) => {
        const found = findTag(options.store, caller.orgId, epc);
        if (!found) throw refuse('not-found', 'There is no tag with this EPC.');
        return { status: 200, body: locationOf(options, found, { orgId: caller.orgId, epc }) };
      },
    }),
  ];
}

interface Asked {
  readonly orgId: string;
  readonly epc: string;
}

function locationOf(
  options: LocationRoutesOptions,
  { tagNo, id }: FoundTag,
  { orgId, epc }: Asked,
): TagLocation {
  const { directory, states, locationPolicy, presenceMs } = options;
  const zoneOf = (no: number): ZoneContext | null => {
    const zone = directory.zoneByNo(no);
    return zone?.orgId === orgId ? zone : null;
  };
  const now = options.now();
  const state = states.get(tagNo);
  const zone = zoneOf(state.zoneNo);
  const seen = options.placementOf(directory.org(orgId)?.no ?? 0, epc);
  return {
    epc,
    tagId: id,
    zoneId: zone?.id ?? null,
    zoneName: zone?.name ?? null,
    since: zone && formatInstant(state.zoneSince),
    lastSeenAt: Number.isNaN(state.lastSeenAt) ? null : formatInstant(state.lastSeenAt),
    present: zone !== null && state.zoneSeenAt >= now - presenceMs,
    policy: zone?.policy ?? locationPolicy,
    candidates: candidatesOf(placementIn(state, seen), now, zoneOf),
  };
}

/** The remembered placement while it is of the zone the tag is in; else what the state alone tells. */
function placementIn(state: TagState, seen: Placement | null): Placement {
  if (seen && seen.zone === state.zoneNo) return seen;
  return { zone: state.zoneNo, since: state.zoneSince, seenAt: state.zoneSeenAt, evidence: [] };
}

function candidatesOf(
  placement: Placement,
  now: number,
  zoneOf: (no: number) => ZoneContext | null,
): TagLocation['candidates'] {
  return explainEvidence(placement, now).flatMap(({ zone: no, score, lastReadAt, reads }) => {
    const zone = zoneOf(no);
    if (!zone) return [];
    return [{ zoneId: zone.id, zoneName: zone.name, score, lastReadAt: formatInstant(lastReadAt), reads }];
  });
}
