import type { Visit } from './tag-state.ts';

/** Weight of the newest read in the smoothed signal strength. */
const RSSI_WEIGHT = 0.25;

/** What is known of one tag at one antenna: the running stretch of presence (session) and the zone stay (visit). */
export interface Sighting {
  /** Where it is written, and how long it lasts. */
  readonly visit: Visit;
  /** The stretch of presence: first read, and reads since. */
  readonly startedAt: number;
  readonly readCount: number;
  /** Exponentially weighted average; null until the reader reports a signal strength. */
  readonly rssiCdbm: number | null;
  /** Arrival of the newest read, by the service's clock: what the end of the stretch goes by. */
  readonly arrivedAt: number;
  /** When `tag_read` last went out: by the reader's time and by the service's. */
  readonly emittedAt: number;
  readonly emittedArrivalAt: number;
  /** False once the stretch has ended and only the visit is still open. */
  readonly inSession: boolean;
}

export interface PresenceRead {
  readonly antennaNo: number;
  readonly zoneNo: number;
  readonly at: number;
  /** Whether `at` is the reader's own time; arrival times can't tell a repeat. */
  readonly timed: boolean;
  readonly arrivedAt: number;
  readonly rssiCdbm: number | null;
  readonly count: number;
}

export interface PresenceRules {
  readonly sessionGapMs: number;
  readonly visitGapMs: number;
  readonly tagReadIntervalMs: number;
}

/** `repeat`: not newer than what this antenna already reported, so a redelivery or history of history; it changes nothing. */
export type PresenceStep =
  | { readonly kind: 'repeat' }
  | { readonly kind: 'started' | 'continued'; readonly sighting: Sighting; readonly emit: boolean };

/** Takes one read into what is known of its tag at its antenna. Reads of one antenna count once and in the order of their time. */
export function stepPresence(
  before: Sighting | undefined,
  read: PresenceRead,
  rules: PresenceRules,
): PresenceStep {
  if (before && read.at <= before.visit.lastAt && (read.timed || read.at < before.visit.lastAt)) {
    return { kind: 'repeat' };
  }
  const continues = before?.inSession === true && read.at - before.visit.lastAt <= rules.sessionGapMs;
  const emit = !before || (continues ? dueAgain(before, read, rules) : dueAnew(before, read, rules));
  const sighting: Sighting = {
    visit: nextVisit(before?.visit, read, rules.visitGapMs),
    startedAt: continues ? before.startedAt : read.at,
    readCount: continues ? before.readCount + read.count : read.count,
    rssiCdbm: smooth(continues ? before.rssiCdbm : null, read.rssiCdbm),
    arrivedAt: read.arrivedAt,
    emittedAt: emit || !before ? read.at : before.emittedAt,
    emittedArrivalAt: emit || !before ? read.arrivedAt : before.emittedArrivalAt,
    inSession: true,
  };
  return { kind: continues ? 'continued' : 'started', sighting, emit };
}

/** Whether a stretch of presence is over: nothing arrived for longer than the gap. */
export function sessionOver(sighting: Sighting, now: number, sessionGapMs: number): boolean {
  return sighting.inSession && now - sighting.arrivedAt > sessionGapMs;
}

/** A running stretch shows at its interval, by the reader's time and by ours: a replayed buffer is no faster. */
function dueAgain(before: Sighting, read: PresenceRead, { tagReadIntervalMs }: PresenceRules): boolean {
  return read.at - before.emittedAt >= tagReadIntervalMs && rested(before, read, tagReadIntervalMs);
}

/** A new stretch shows at once, unless a replayed buffer makes many of them in one go. */
function dueAnew(before: Sighting, read: PresenceRead, { tagReadIntervalMs }: PresenceRules): boolean {
  return !before.inSession || rested(before, read, tagReadIntervalMs);
}

function rested(before: Sighting, read: PresenceRead, intervalMs: number): boolean {
  return read.arrivedAt - before.emittedArrivalAt >= intervalMs;
}

function nextVisit(before: Visit | undefined, read: PresenceRead, visitGapMs: number): Visit {
  const same = before && before.zoneNo === read.zoneNo && read.at - before.lastAt <= visitGapMs;
  return {
    antennaNo: read.antennaNo,
    zoneNo: read.zoneNo,
    firstAt: same ? before.firstAt : read.at,
    lastAt: read.at,
    reads: same ? before.reads + read.count : read.count,
  };
}

function smooth(before: number | null, rssiCdbm: number | null): number | null {
  if (rssiCdbm === null) return before;
  return before === null ? rssiCdbm : before + RSSI_WEIGHT * (rssiCdbm - before);
}
