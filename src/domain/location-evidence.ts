import type { LocationPolicy, ZoneKind } from './zone.ts';

/** What is known for one zone of one tag. The score's unit is one read at -65 dBm; it is never negative or infinite. */
export interface ZoneEvidence {
  readonly zone: number;
  /** Kind and policy of the zone as its last read had them: they govern while the tag is there. */
  readonly kind: ZoneKind;
  readonly policy: LocationPolicy;
  /** Sum of the powers of the reads, each faded with its age, as it was at `at`. */
  readonly score: number;
  /** Newest read here, epoch ms. */
  readonly at: number;
  /** Reads since the evidence began, late ones too; 0 while it is only implied. */
  readonly reads: number;
  /** Reads in a row without one at the current zone, when the row began, and the `seenAt` it belongs to. */
  readonly inARow: number;
  readonly rowSince: number;
  readonly rowOf: number;
}

/** The read as the evidence needs it. */
export interface EvidenceRead {
  readonly zone: number;
  readonly kind: ZoneKind;
  readonly policy: LocationPolicy;
  readonly at: number;
  readonly rssiCdbm: number | null;
}

/** Zones remembered per tag; the weakest is forgotten, never the current one. */
export const maxZonesPerTag = 8;

/** Evidence older than this many time constants of its rule is as good as none (1/e³ = 5 %). */
export const lapseMemories = 3;

const UNIT_CDBM = -6500;
const WEAKEST_CDBM = -9000;
const STRONGEST_CDBM = -4000;
const NEPER_PER_CDBM = Math.LN10 / 1000;

/**
 * Weight of a read: its power, where -65 dBm (the middle of what a passive tag is heard at) is 1. An unknown RSSI
 * weighs 1. Held to -90 … -40 dBm, so that neither a broken value nor one reflection outweighs everything else.
 */
export function readWeight(rssiCdbm: number | null): number {
  if (rssiCdbm === null || Number.isNaN(rssiCdbm)) return 1;
  const cdbm = Math.min(STRONGEST_CDBM, Math.max(WEAKEST_CDBM, rssiCdbm));
  return Math.exp((cdbm - UNIT_CDBM) * NEPER_PER_CDBM);
}

/** The score as it is at `at`: faded by the time since its newest read, untouched when `at` is not later. */
export function scoreAt(evidence: ZoneEvidence, at: number, memoryMs: number): number {
  const age = at - evidence.at;
  return age > 0 ? evidence.score * Math.exp(-age / memoryMs) : evidence.score;
}

/** Evidence of a zone before any read: a score, nothing counted. */
export function impliedEvidence(read: EvidenceRead, zone: number, score: number): ZoneEvidence {
  const { kind, policy, at } = read;
  return { zone, kind, policy, score, at, reads: 0, inARow: 0, rowSince: at, rowOf: Number.NaN };
}

/** The evidence with one more read. A late read adds what would be left of it by now and leaves `at` alone. */
export function withRead(evidence: ZoneEvidence, read: EvidenceRead, memoryMs: number): ZoneEvidence {
  const weight = readWeight(read.rssiCdbm);
  const late = evidence.at - read.at;
  return {
    zone: evidence.zone,
    kind: read.kind,
    policy: read.policy,
    score:
      late > 0
        ? evidence.score + weight * Math.exp(-late / memoryMs)
        : scoreAt(evidence, read.at, memoryMs) + weight,
    at: late > 0 ? evidence.at : read.at,
    reads: evidence.reads + 1,
    inARow: evidence.inARow,
    rowSince: evidence.rowSince,
    rowOf: evidence.rowOf,
  };
}

/** The evidence with the row counted on. `seenAt` of the current zone tells whether a read there broke the row. */
export function withRow(evidence: ZoneEvidence, at: number, seenAt: number): ZoneEvidence {
  const unbroken = evidence.rowOf === seenAt;
  return {
    ...evidence,
    inARow: unbroken ? evidence.inARow + 1 : 1,
    rowSince: unbroken ? evidence.rowSince : at,
    rowOf: seenAt,
  };
}

export function indexOfZone(all: readonly ZoneEvidence[], zone: number): number {
  for (let i = 0; i < all.length; i++) if (all[i]?.zone === zone) return i;
  return -1;
}

/** The list with `one` in place of its zone's entry, or added; a ninth zone takes the place of the weakest but `keep`. */
export function putEvidence(
  all: readonly ZoneEvidence[],
  one: ZoneEvidence,
  keep: { zone: number; memoryMs: number },
): readonly ZoneEvidence[] {
  const found = indexOfZone(all, one.zone);
  if (found === 0 && all.length === 1) return [one];
  const place = found >= 0 || all.length < maxZonesPerTag ? found : weakest(all, one.at, keep);
  const copy = all.slice();
  if (place < 0) copy.push(one);
  else copy[place] = one;
  return copy;
}

function weakest(all: readonly ZoneEvidence[], at: number, keep: { zone: number; memoryMs: number }): number {
  let place = 0;
  let least = Number.POSITIVE_INFINITY;
  all.forEach((evidence, i) => {
    const score = scoreAt(evidence, at, keep.memoryMs);
    if (evidence.zone === keep.zone || score >= least) return;
    place = i;
    least = score;
  });
  return place;
}
