import { type Placement, unplaced } from '../domain/location.ts';
import type { Sighting } from '../domain/presence.ts';
import { neverSeen, type TagState, type Visit } from '../domain/tag-state.ts';
import type { Touch } from '../store/journal.ts';

/** Everything ingest knows of a tag in view. */
export interface ViewState {
  readonly firstSeenAt: number;
  readonly lastSeenAt: number;
  readonly antennaNo: number;
  readonly placement: Placement;
  readonly sightings: readonly Sighting[];
}

/** A tag while it is in view: the durable state, and what the running batch will make of it. */
export interface TagView {
  readonly orgNo: number;
  readonly epc: string;
  /** Both given at the first sight of the tag, at its first commit. */
  tagNo: number;
  id: string;
  state: ViewState;
  next: ViewState | null;
  /** Antennas the running batch touched. */
  changed: number[];
  /** Zone stays that began or grew, and ended, within the running batch. */
  closed: Visit[];
}

export const newView: ViewState = {
  firstSeenAt: neverSeen.firstSeenAt,
  lastSeenAt: neverSeen.lastSeenAt,
  antennaNo: 0,
  placement: unplaced,
  sightings: [],
};

/** The view of a tag that comes back into view: its state, and the visits that may still be open. */
export function viewFrom(state: TagState, sightings: readonly Sighting[]): ViewState {
  return {
    firstSeenAt: state.firstSeenAt,
    lastSeenAt: state.lastSeenAt,
    antennaNo: state.antennaNo,
    placement:
      state.zoneNo === 0
        ? unplaced
        : { zone: state.zoneNo, since: state.zoneSince, seenAt: state.zoneSeenAt, evidence: [] },
    sightings,
  };
}

function stateOf({ firstSeenAt, lastSeenAt, antennaNo, placement }: ViewState): TagState {
  const placed = placement.zone !== 0;
  return {
    firstSeenAt,
    lastSeenAt,
    antennaNo,
    zoneNo: placement.zone,
    zoneSince: placed ? placement.since : Number.NaN,
    zoneSeenAt: placed ? placement.seenAt : Number.NaN,
  };
}

/** What the running batch made of a view: a touch for each antenna it touched, and for each zone stay it also ended. */
export function touchesOf({ tagNo, orgNo, next, changed, closed }: TagView): readonly Touch[] {
  if (!next) return [];
  const state = stateOf(next);
  const touches = closed.map((visit) => ({ tagNo, orgNo, state, visit }));
  for (const { visit } of next.sightings) {
    if (changed.includes(visit.antennaNo)) touches.push({ tagNo, orgNo, state, visit });
  }
  return touches;
}

/** What a batch leaves of a tag that was deleted while it ran: its newest reads, of a tag never seen before. */
export function reborn({ next, changed }: TagView): ViewState | null {
  if (!next) return null;
  const sightings = next.sightings
    .filter(({ visit }) => changed.includes(visit.antennaNo))
    .map((one) => ({ ...one, visit: { ...one.visit, firstAt: one.visit.lastAt, reads: 1 } }));
  const firstSeenAt = Math.min(...sightings.map(({ visit }) => visit.firstAt));
  // Placed by an earlier read, it has no location: that read is gone with the tag.
  const { placement } = next;
  const placed = placement.zone !== 0 && placement.seenAt >= firstSeenAt;
  return {
    ...next,
    firstSeenAt,
    lastSeenAt: Math.max(...sightings.map(({ visit }) => visit.lastAt)),
    placement: placed ? { ...placement, since: placement.seenAt } : unplaced,
    sightings,
  };
}
