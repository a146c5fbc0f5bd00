import {
  type EvidenceRead,
  impliedEvidence,
  indexOfZone,
  lapseMemories,
  putEvidence,
  readWeight,
  scoreAt,
  withRead,
  withRow,
  type ZoneEvidence,
} from './location-evidence.ts';
import { type LocationRule, locationRules } from './location-rules.ts';
import type { LocationPolicy, ZoneKind } from './zone.ts';

/**
 * Where a tag is. `zone` 0 = never placed. Times are epoch ms, fractions allowed. Only `zone`, `since` and `seenAt` need to
 * outlive a restart: with `evidence` empty the current zone is credited with a few reads (see `stepLocation`).
 */
export interface Placement {
  readonly zone: number;
  readonly since: number;
  /** Newest read in the current zone. */
  readonly seenAt: number;
  /** At most 8 zones; empty under `immediate`. */
  readonly evidence: readonly ZoneEvidence[];
}

/** A read at an antenna that is mapped to a zone. `rssiCdbm` in hundredths of a dBm, null when unknown. */
export interface LocationRead extends EvidenceRead {
  /**
   * Kind and policy of the zone the tag is in now, when the caller has them at hand. Without it they are those of the last
   * read there, and when even that is gone (after a restart) those of this read.
   */
  readonly leaving?: { readonly kind: ZoneKind; readonly policy: LocationPolicy };
}

/** A change of zone; `from` is 0 for the first placement. `reason` is one line for people. */
export interface Move {
  readonly from: number;
  readonly to: number;
  readonly at: number;
  readonly reason: string;
}

export interface LocationStep {
  readonly placement: Placement;
  readonly move: Move | null;
}

const NO_EVIDENCE: readonly ZoneEvidence[] = [];

export const unplaced: Placement = { zone: 0, since: 0, seenAt: 0, evidence: NO_EVIDENCE };

/**
 * One read against what is known of the tag. Rules, in this order:
 * - the first read places the tag at once, whatever the policy;
 * - a read no newer than the newest known of the tag never moves it (under `stable` it still adds faded evidence);
 * - a tag moves at once only when neither the zone it leaves nor the zone it enters is `stable`: so a lone stray read
 *   neither takes a tag off a stable shelf nor puts one on it;
 * - otherwise evidence decides, by the rule of the kind of zone the tag is in (`locationRules`): the other zone has been read
 *   `inARow` times without a read at the current one, and its evidence is `ratio` times the current zone's; or it has been
 *   read twice as often, over `awayMs`, in silence of the current zone;
 * - where the current zone's evidence is gone (restart, long gap), it is credited with `inARow` reads as strong as this one.
 * A read whose time is not a number, or whose zone is not positive, changes nothing.
 */
export function stepLocation(prev: Placement, read: LocationRead): LocationStep {
  if (!Number.isFinite(read.at) || !(read.zone > 0)) return { placement: prev, move: null };
  if (prev.zone === 0) return firstPlacement(read);
  if (read.policy === 'immediate' && !leavesStable(prev, read)) return stepImmediate(prev, read);
  return stepStable(prev, read);
}

function firstPlacement(read: LocationRead): LocationStep {
  const evidence =
    read.policy === 'immediate' ? NO_EVIDENCE : [withRead(impliedEvidence(read, read.zone, 0), read, 1)];
  return moveTo({ from: 0, reason: 'first placement' }, read, evidence);
}

function leavesStable(prev: Placement, read: LocationRead): boolean {
  if (read.zone === prev.zone) return false;
  return (read.leaving ?? prev.evidence[indexOfZone(prev.evidence, prev.zone)])?.policy === 'stable';
}

function stepImmediate(prev: Placement, read: LocationRead): LocationStep {
  if (read.zone === prev.zone) {
    return { placement: stay(prev, Math.max(prev.seenAt, read.at), NO_EVIDENCE), move: null };
  }
  if (read.at <= newestAt(prev)) return { placement: prev, move: null };
  return moveTo({ from: prev.zone, reason: 'newer read' }, read, NO_EVIDENCE);
}

function stepStable(prev: Placement, read: LocationRead): LocationStep {
  return stepAlone(prev, read) ?? stepContested(prev, read);
}

/** The common case, kept cheap: one more read of a tag that only its own zone has heard, or null when it is not that. */
function stepAlone(prev: Placement, read: LocationRead): LocationStep | null {
  const only = prev.evidence[0];
  if (only === undefined || prev.evidence.length > 1 || read.zone !== only.zone || read.zone !== prev.zone)
    return null;
  const { memoryMs } = locationRules[read.kind];
  const age = read.at - only.at;
  if (!(age >= 0 && age <= lapseMemories * memoryMs)) return null;
  return { placement: stay(prev, read.at, [withRead(only, read, memoryMs)]), move: null };
}

function stepContested(prev: Placement, read: LocationRead): LocationStep {
  const rule = ruleInForce(prev, read);
  const newest = newestAt(prev);
  if (newest - read.at > lapseMemories * rule.memoryMs) return { placement: prev, move: null };
  const known = knownEvidence(prev, read, { rule, newest });
  const before = known[indexOfZone(known, read.zone)] ?? impliedEvidence(read, read.zone, 0);
  const added = withRead(before, read, rule.memoryMs);
  const keep = { zone: prev.zone, memoryMs: rule.memoryMs };
  if (read.zone === prev.zone) {
    return {
      placement: stay(prev, Math.max(prev.seenAt, read.at), putEvidence(known, added, keep)),
      move: null,
    };
  }
  if (read.at <= newest)
    return { placement: stay(prev, prev.seenAt, putEvidence(known, added, keep)), move: null };
  const challenger = withRow(added, read.at, prev.seenAt);
  const evidence = putEvidence(known, challenger, keep);
  const current = known[indexOfZone(known, prev.zone)];
  const reason = reasonToMove(challenger, current, rule);
  if (reason === null) return { placement: stay(prev, prev.seenAt, evidence), move: null };
  return moveTo({ from: prev.zone, reason }, read, evidence);
}

function ruleInForce(prev: Placement, read: LocationRead): LocationRule {
  if (read.zone === prev.zone) return locationRules[read.kind];
  const leaving = read.leaving ?? prev.evidence[indexOfZone(prev.evidence, prev.zone)] ?? read;
  return locationRules[leaving.kind];
}

/**
 * The evidence so far, or what stands in for it when there is none or all of it has lapsed: credit for the current zone, given
 * once per silence (then its evidence is newer than its last read), so that a tag read rarely elsewhere still gets there.
 */
function knownEvidence(
  prev: Placement,
  read: LocationRead,
  { rule, newest }: { rule: LocationRule; newest: number },
): readonly ZoneEvidence[] {
  const current = prev.evidence[indexOfZone(prev.evidence, prev.zone)];
  const lapsed = read.at - newest > lapseMemories * rule.memoryMs;
  if (current !== undefined && (!lapsed || current.at > prev.seenAt)) return prev.evidence;
  const { kind, policy } = read.leaving ?? current ?? read;
  const credited = { ...read, kind, policy, at: Math.max(read.at, newest) };
  return [impliedEvidence(credited, prev.zone, rule.inARow * readWeight(read.rssiCdbm))];
}

function reasonToMove(
  challenger: ZoneEvidence,
  current: ZoneEvidence | undefined,
  rule: LocationRule,
): string | null {
  const { inARow, at, rowSince } = challenger;
  if (inARow < rule.inARow) return null;
  const held = current ? scoreAt(current, at, rule.memoryMs) : 0;
  if (challenger.score >= rule.ratio * held) {
    const times = challenger.score > 1000 * held ? 'over 1000' : (challenger.score / held).toFixed(1);
    return `evidence ${times} times that of the zone it was in, ${inARow} reads in a row`;
  }
  if (inARow < 2 * rule.inARow || at - rowSince < rule.awayMs) return null;
  return `no read in the zone it was in while ${inARow} in a row here over ${((at - rowSince) / 1000).toFixed(0)} s`;
}

function newestAt(placement: Placement): number {
  let newest = placement.seenAt;
  for (const { at } of placement.evidence) if (at > newest) newest = at;
  return newest;
}

function stay(prev: Placement, seenAt: number, evidence: readonly ZoneEvidence[]): Placement {
  return { zone: prev.zone, since: prev.since, seenAt, evidence };
}

function moveTo(
  { from, reason }: { from: number; reason: string },
  { zone, at }: LocationRead,
  evidence: readonly ZoneEvidence[],
): LocationStep {
  return { placement: { zone, since: at, seenAt: at, evidence }, move: { from, to: zone, at, reason } };
}

/** What speaks for one zone. `score` is its share of all evidence, 0 to 1; `reads` counts since the evidence began. */
export interface ZoneShare {
  readonly zone: number;
  readonly score: number;
  readonly lastReadAt: number;
  readonly reads: number;
}

/**
 * What speaks for each zone at `now`, the strongest first, for `GET /tags/{epc}/location`. Where nothing is remembered
 * (`immediate`, a restart, a long gap) the current zone has it all; a tag never placed has nothing.
 */
export function explainEvidence(placement: Placement, now: number): readonly ZoneShare[] {
  const { zone, seenAt, evidence } = placement;
  if (zone === 0) return [];
  const current = evidence[indexOfZone(evidence, zone)];
  const { memoryMs } = locationRules[current?.kind ?? 'other'];
  const newest = newestAt(placement);
  const lapsed = now - newest > lapseMemories * memoryMs;
  const scores = lapsed ? [] : evidence.map((one) => scoreAt(one, newest, memoryMs));
  const sum = scores.reduce((a, b) => a + b, 0);
  if (!(sum > 0)) return [{ zone, score: 1, lastReadAt: seenAt, reads: current?.reads ?? 0 }];
  return evidence
    .map((one, i) => ({
      zone: one.zone,
      score: (scores[i] ?? 0) / sum,
      lastReadAt: one.at,
      reads: one.reads,
    }))
    .sort((a, b) => b.score - a.score);
}
