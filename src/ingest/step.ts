import { locateRead, type PlacedZone } from '../domain/locate.ts';
import { type Move, unplaced } from '../domain/location.ts';
import { type PresenceRules, type Sighting, stepPresence } from '../domain/presence.ts';
import type { TagRead } from '../domain/read.ts';
import type { Visit } from '../domain/tag-state.ts';
import type { LocationPolicy } from '../domain/zone.ts';
import type { ViewState } from './view.ts';

export interface StepRules extends PresenceRules {
  readonly locationPolicy: LocationPolicy;
  readonly maxClockSkewMs: number;
}

/** Where a read happened: the antenna, and the zone it watches if it watches one. */
export interface Place {
  readonly antennaNo: number;
  readonly zone: PlacedZone | null;
}

export interface StepInput {
  readonly read: TagRead;
  readonly place: Place;
  readonly now: number;
  readonly rules: StepRules;
  /** A zone by its number; undefined for one that was deleted since the tag was placed there. */
  readonly zoneOf: (zoneNo: number) => PlacedZone | undefined;
}

export interface Step {
  readonly state: ViewState;
  readonly sighting: Sighting;
  readonly started: boolean;
  /** The zone stay at this antenna that this read ended by beginning another. */
  readonly closed: Visit | null;
  /** Whether `tag_read` is due. History (older than what is known of the tag, by more than the session gap) is never live. */
  readonly emit: boolean;
  readonly move: Move | null;
}

/** Whether a reader's time is ahead of the service's clock by more than it may be: then the read's arrival counts. */
export function isSkewed(readerAt: number | null, now: number, maxClockSkewMs: number): boolean {
  return readerAt !== null && readerAt > now + maxClockSkewMs;
}

/** One read taken into what is known of its tag; null when it is a repeat and changes nothing. Pure. */
export function stepRead(known: ViewState, input: StepInput): Step | null {
  const { read, place, now, rules } = input;
  const timed = read.readerAt !== null && !isSkewed(read.readerAt, now, rules.maxClockSkewMs);
  const at = timed && read.readerAt !== null ? read.readerAt : now;
  const latest = now + rules.maxClockSkewMs;
  const before = known.lastSeenAt > latest ? woundBack(known, at) : known;
  const sighting = before.sightings.find(({ visit }) => visit.antennaNo === place.antennaNo);
  const presence = stepPresence(
    sighting && sighting.visit.lastAt > latest ? undefined : sighting,
    {
      antennaNo: place.antennaNo,
      zoneNo: place.zone?.no ?? 0,
      at,
      timed,
      arrivedAt: now,
      rssiCdbm: read.rssiCdbm,
      count: read.count,
    },
    rules,
  );
  if (presence.kind === 'repeat')
    return sighting && at < before.firstSeenAt ? earlier(before, sighting, at) : null;
  const newest = !(at < before.lastSeenAt);
  const located = locateRead(before.placement, input, at);
  return {
    state: {
      firstSeenAt: Number.isNaN(before.firstSeenAt) ? at : Math.min(before.firstSeenAt, at),
      lastSeenAt: newest ? at : before.lastSeenAt,
      antennaNo: newest ? place.antennaNo : before.antennaNo,
      placement: located.placement,
      sightings: withSighting(before.sightings, presence.sighting),
    },
    sighting: presence.sighting,
    started: presence.kind === 'started',
    closed: sighting && sighting.visit.firstAt !== presence.sighting.visit.firstAt ? sighting.visit : null,
    // Readers' clocks differ a little, and none of two that see the same tag must fall silent.
    emit: presence.emit && !(at < before.lastSeenAt - rules.sessionGapMs),
    move: located.move,
  };
}

/** History from before the first read known: it counts for nothing else, whichever antenna it comes from. */
function earlier(before: ViewState, sighting: Sighting, at: number): Step {
  const state = { ...before, firstSeenAt: at };
  return { state, sighting, started: false, closed: null, emit: false, move: null };
}

/**
 * What is known of a tag last seen in the future: the service's clock was ahead and has been set back. Its times are no
 * order to go by, so that this read counts as the newest, or the tag would stand still until the clock gets there.
 */
function woundBack(known: ViewState, at: number): ViewState {
  const { zone, since, seenAt } = known.placement;
  const placement = { zone, since: Math.min(since, at), seenAt: Math.min(seenAt, at - 1), evidence: [] };
  return { ...known, lastSeenAt: Number.NaN, placement: zone === 0 ? unplaced : placement };
}

function withSighting(sightings: readonly Sighting[], next: Sighting): readonly Sighting[] {
  if (sightings.length <= 1 && (sightings[0] ?? next).visit.antennaNo === next.visit.antennaNo) return [next];
  return [next, ...sightings.filter(({ visit }) => visit.antennaNo !== next.visit.antennaNo)];
}
