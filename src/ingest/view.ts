import { type Placement, unplaced } from '../domain/location.ts';
import type { Sighting } from '../domain/presence.ts';
import { neverSeen, type TagState } from '../domain/tag-state.ts';
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

export function stateOf({ firstSeenAt, lastSeenAt, antennaNo, placement }: ViewState): TagState {
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

/** What the running batch made of a view, one touch for each antenna it touched. */
export function touchesOf(view: TagView): readonly Touch[] {
  const next = view.next;
  if (!next) return [];
  const state = stateOf(next);
  const touched = next.sightings.filter(({ visit }) => view.changed.includes(visit.antennaNo));
  return touched.map(({ visit }) => ({ tagNo: view.tagNo, orgNo: view.orgNo, state, visit }));
}
