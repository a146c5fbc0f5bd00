import type { Position } from '../../contract/paging.ts';
import { Pace } from '../../lib/pace.ts';
import { bottom, type Ranked, ranksBelow, Top } from '../../lib/top.ts';
import type { TagChunk, TagStates } from '../../store/tag-states.ts';

/** The organisation number of no tag at all. */
const NOBODY = 0;

/** One tag in so many is looked at to tell where the rest can be skipped; a prime, because numbers follow patterns. */
const SAMPLE = 31;

/** So many of them are asked whether they match, most often in less than a millisecond. */
const RECENT_SAMPLES = 1024;
/** For so long at most: `selectDownTo` asks `SAMPLE` times as many in one turn, which should take 20 ms at most. */
const RECENT_MS = 20 / SAMPLE;
/** How many more should match than are wanted: a sample may mislead. */
const RECENT_MARGIN = 1.6;

/** Above every tag there can be. */
const top: Ranked = { key: Number.POSITIVE_INFINITY, no: 0 };

/** Of whose tags, and where among them. */
export interface Stretch {
  readonly orgNo: number;
  /** Only what comes after this position. */
  readonly after: Position | undefined;
}

export interface Selection extends Stretch {
  readonly limit: number;
}

/**
 * The tags seen last, by exact time, then those never read, newest first. `key` is when the tag was last seen (epoch ms;
 * minus infinity: never), `no` its number. One pass over memory without a pause: what comes out is one moment's truth.
 */
export function selectTags(states: TagStates, selection: Selection): readonly Ranked[] {
  // In the worst order, each tag seen later than the one before, every one would be taken in and pushed out again.
  const kept = new Top(selection.limit, floorOf(states, selection));
  return collect(states, selection, { kept, every: 1 }).ranked();
}

function floorOf(states: TagStates, selection: Selection): Ranked {
  const sample = { kept: new Top(selection.limit), every: SAMPLE };
  return collect(states, selection, sample).lowest;
}

/**
 * A place down to which there should be more than `limit` tags that match, among about 32,000 tags that rank highest; null
 * when there seem to be too few, or asking takes more than `forMs`: texts may be very long. Told from some of them.
 */
export function recentFloor(
  states: TagStates,
  { limit, ...stretch }: Selection,
  { matches, forMs = RECENT_MS }: { readonly matches: (tagNo: number) => boolean; readonly forMs?: number },
): Ranked | null {
  const sample = collect(states, stretch, { kept: new Top(RECENT_SAMPLES), every: SAMPLE });
  let wanted = Math.ceil((limit * RECENT_MARGIN) / SAMPLE);
  const places = sample.ranked();
  const pace = new Pace(forMs);
  for (const place of places) {
    if (pace.due) return null;
    if (matches(place.no) && --wanted <= 0) return place;
  }
  return null;
}

/** As `selectTags`, of those down to a place that match; null when too few do. */
export function selectDownTo(
  states: TagStates,
  selection: Selection,
  { floor, matches }: { readonly floor: Ranked; readonly matches: (tagNo: number) => boolean },
): readonly Ranked[] | null {
  const kept = collect(states, selection, { kept: new Top(selection.limit, floor), every: 1, matches });
  return kept.full ? kept.ranked() : null;
}

/** As `selectTags`, among tags whose numbers are given, each once. Those deleted meanwhile are left out. */
export function selectAmong(
  states: TagStates,
  tagNos: readonly number[],
  selection: Selection,
): readonly Ranked[] {
  const sample = offerAll(states, selection, { tagNos, kept: new Top(selection.limit), every: SAMPLE });
  const kept = new Top(selection.limit, sample.lowest);
  return offerAll(states, selection, { tagNos, kept, every: 1 }).ranked();
}

/** How many tags an organisation has. One pass over memory. */
export function countTags(states: TagStates, orgNo: number): number {
  let count = 0;
  for (const { orgNo: orgNos } of orgNo === NOBODY ? [] : states.chunks)
    for (let i = 0; i < orgNos.length; i++) if (orgNos[i] === orgNo) count++;
  return count;
}

/**
 * The tag at a rank of an organisation's list, counted from 0; beyond the last one it is the last, and null when there is none.
 * Some passes over memory, with pauses: tags seen or deleted meanwhile may shift the ranks by as many.
 */
export async function tagAt(states: TagStates, orgNo: number, rank: number): Promise<Ranked | null> {
  const pace = new Pace();
  for (let slack = 1; ; slack *= 8) {
    // Tags may be deleted in any pause: a rank that is no longer there would be looked for among all, in one turn.
    const last = countTags(states, orgNo) - 1;
    if (last < 0) return null;
    await pace.pause();
    const found = await tagNear(states, { orgNo, rank: Math.min(rank, last), slack }, pace);
    if (found) return found;
  }
}

/** Null where the sample misled, or more were deleted meanwhile than the bounds leave room for. */
async function tagNear(
  states: TagStates,
  { orgNo, rank, slack }: { readonly orgNo: number; readonly rank: number; readonly slack: number },
  pace: Pace,
): Promise<Ranked | null> {
  const margin = slack * (4 * Math.ceil(Math.sqrt(rank / SAMPLE)) + 1);
  const stretch = { orgNo, after: undefined };
  const sampled = (size: number): Ranked =>
    collect(states, stretch, { kept: new Top(Math.max(size, 0)), every: SAMPLE }).lowest;
  const above = sampled(Math.floor(rank / SAMPLE) - margin);
  await pace.pause();
  const below = sampled(Math.ceil(rank / SAMPLE) + margin);
  await pace.pause();
  const counted = above === bottom ? 0 : await countDownTo(states, { orgNo, floor: above }, pace);
  await pace.pause();
  const after = above === bottom ? undefined : above;
  const left = rank - counted + 1;
  const kept = new Top(Math.max(left, 0), below);
  collect(states, { orgNo, after }, { kept, every: 1 });
  if (left <= 0) return null;
  if (kept.full) return kept.lowest;
  // All after `above` were looked at, and some of them were deleted meanwhile.
  await pace.pause();
  return below === bottom ? lastOf(states, { orgNo, after }) : null;
}

function lastOf(states: TagStates, stretch: Stretch): Ranked | null {
  let last: Ranked | null = null;
  const call = (key: number, no: number): void => {
    if (!last || ranksBelow({ key, no }, last)) last = { key, no };
  };
  eachOf(states, stretch, { least: { floor: bottom.key, floorNo: bottom.no }, every: 1, call });
  return last;
}

/** In slices: every tag may be among them. */
async function countDownTo(states: TagStates, { orgNo, floor }: CountOptions, pace: Pace): Promise<number> {
  let count = 0;
  for (const { first, lastSeenAt, orgNo: orgNos } of states.chunks) {
    for (let i = 0; i < orgNos.length; i++) {
      const key = keyOf(lastSeenAt[i] ?? 0);
      const isBelow = key < floor.key || (key === floor.key && first + i < floor.no);
      if (!isBelow && orgNos[i] === orgNo) count++;
    }
    if (pace.due) await pace.pause();
  }
  return count;
}

interface CountOptions {
  readonly orgNo: number;
  readonly floor: Ranked;
}

interface Taking {
  readonly kept: Top;
  readonly every: number;
  /** Asked only of those that rank high enough. Absent: all match. */
  readonly matches?: (tagNo: number) => boolean;
}

function collect(states: TagStates, stretch: Stretch, { kept, every, matches }: Taking): Top {
  const call = (key: number, no: number): void => {
    if (matches?.(no) ?? true) kept.offer(key, no);
  };
  eachOf(states, stretch, { least: kept, every, call });
  return kept;
}

/** A place in the order that nothing below is wanted of; a `Top`'s rises. */
type Least = Pick<Top, 'floor' | 'floorNo'>;

interface Visit {
  readonly least: Least;
  readonly every: number;
  readonly call: (key: number, no: number) => void;
}

/**
 * Calls with tags of a stretch, the highest numbers first: of tags seen at the same time, as those never read are, they
 * rank highest, and often they are the ones seen last. Then few are taken in that are pushed out again.
 */
function eachOf(states: TagStates, { orgNo, after = top }: Stretch, { least, every, call }: Visit): void {
  if (orgNo === NOBODY) return;
  for (let nth = states.chunks.length - 1; nth >= 0; nth--) {
    const chunk = states.chunks[nth];
    if (!chunk) continue;
    const next = (from: number): number => nextWithin(chunk, { least, after }, { from, every });
    for (let i = next(chunk.lastSeenAt.length - 1); i >= 0; i = next(i - every))
      if (chunk.orgNo[i] === orgNo) call(keyOf(chunk.lastSeenAt[i] ?? 0), chunk.first + i);
  }
}

/** The next index downwards of a tag within the bounds; negative: none. Nearly all tags are passed over here. */
function nextWithin(
  { lastSeenAt, first }: TagChunk,
  { least, after }: { readonly least: Least; readonly after: Ranked },
  { from, every }: { readonly from: number; readonly every: number },
): number {
  const { floor } = least;
  const floorIndex = least.floorNo - first;
  const afterIndex = after.no - first;
  let i = from;
  for (; i >= 0; i -= every) {
    const seenAt = lastSeenAt[i] ?? 0;
    if (seenAt < floor || (seenAt === floor && i < floorIndex)) continue;
    // Still here is never, too: it is no number, and comparing it is false.
    const key = keyOf(seenAt);
    if (key < floor || (key === floor && i < floorIndex)) continue;
    if (key < after.key || (key === after.key && i < afterIndex)) break;
  }
  return i;
}

function offerAll(
  states: TagStates,
  { orgNo, after }: Selection,
  { tagNos, kept, every }: Taking & { readonly tagNos: readonly number[] },
): Top {
  for (let i = 0; i < tagNos.length; i += every) {
    const no = tagNos[i] ?? 0;
    const key = keyOf(states.lastSeenAt(no));
    if (!kept.takes(key, no) || states.orgNo(no) !== orgNo) continue;
    if (!after || ranksBelow({ key, no }, after)) kept.offer(key, no);
  }
  return kept;
}

function keyOf(seenAt: number): number {
  return Number.isNaN(seenAt) ? Number.NEGATIVE_INFINITY : seenAt;
}
