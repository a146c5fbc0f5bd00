import type { Position } from '../../contract/paging.ts';
import { bottom, type Ranked, ranksBelow, Top } from '../../lib/top.ts';
import type { TagStates } from '../../store/tag-states.ts';

/** The organisation number of no tag at all. */
const NOBODY = 0;

/** One tag in so many is looked at to tell where the rest can be skipped. */
const SAMPLE = 32;

export interface Selection {
  readonly orgNo: number;
  readonly limit: number;
  /** Only what comes after this position. */
  readonly after: Position | undefined;
  /** Which of the organisation's tags count; asked only of those that rank high enough. Null: all. */
  readonly matches: ((tagNo: number) => boolean) | null;
}

/**
 * The tags seen last, by exact time, then those never read, newest first. `key` is when the tag was last seen (epoch ms;
 * minus infinity: never), `no` its number. One pass over memory without a pause: what comes out is one moment's truth.
 */
export function selectTags(states: TagStates, selection: Selection): readonly Ranked[] {
  // In the worst order, each tag seen later than the one before, every one would be taken in and pushed out again.
  const sample = collect(states, selection, { top: new Top(selection.limit), every: SAMPLE });
  const top = new Top(selection.limit, sample.lowest);
  return collect(states, selection, { top, every: 1 }).ranked();
}

/** As `selectTags`, among about `reach` tags that rank highest; null when too few of these count. */
export function selectRecent(
  states: TagStates,
  selection: Selection,
  reach: number,
): readonly Ranked[] | null {
  const everyone = { ...selection, matches: null };
  const sample = collect(states, everyone, { top: new Top(Math.ceil(reach / SAMPLE)), every: SAMPLE });
  const top = new Top(selection.limit, sample.lowest);
  collect(states, selection, { top, every: 1 });
  return top.full || sample.lowest === bottom ? top.ranked() : null;
}

/** As `selectTags`, among tags whose numbers are given, each once. Those deleted meanwhile are left out. */
export function selectAmong(
  states: TagStates,
  tagNos: readonly number[],
  selection: Selection,
): readonly Ranked[] {
  const sample = offerAll(states, selection, { tagNos, top: new Top(selection.limit), every: SAMPLE });
  const top = new Top(selection.limit, sample.lowest);
  return offerAll(states, selection, { tagNos, top, every: 1 }).ranked();
}

interface Taking {
  readonly top: Top;
  readonly every: number;
}

function collect(states: TagStates, { orgNo, after, matches }: Selection, { top, every }: Taking): Top {
  if (orgNo === NOBODY) return top;
  for (const { first, lastSeenAt, orgNo: orgNos } of states.chunks) {
    const next = (from: number): number => nextFrom(lastSeenAt, { floor: top.floor, from, every });
    for (let i = next(0); i < lastSeenAt.length; i = next(i + every)) {
      if (orgNos[i] !== orgNo) continue;
      const no = first + i;
      const key = keyOf(lastSeenAt[i] ?? 0);
      if (!top.takes(key, no)) continue;
      if (after && !ranksBelow({ key, no }, after)) continue;
      if (matches?.(no) ?? true) top.offer(key, no);
    }
  }
  return top;
}

/** Nearly all tags are passed over here. NaN, a tag never read, is not: comparing it is false. */
function nextFrom(
  lastSeenAt: Float64Array,
  { floor, from, every }: { readonly floor: number; readonly from: number; readonly every: number },
): number {
  let i = from;
  while (i < lastSeenAt.length && (lastSeenAt[i] ?? 0) < floor) i += every;
  return i;
}

function offerAll(
  states: TagStates,
  { orgNo, after, matches }: Selection,
  { tagNos, top, every }: Taking & { readonly tagNos: readonly number[] },
): Top {
  for (let i = 0; i < tagNos.length; i += every) {
    const no = tagNos[i] ?? 0;
    const key = keyOf(states.lastSeenAt(no));
    if (!top.takes(key, no) || states.orgNo(no) !== orgNo) continue;
    if (after && !ranksBelow({ key, no }, after)) continue;
    if (matches?.(no) ?? true) top.offer(key, no);
  }
  return top;
}

function keyOf(seenAt: number): number {
  return Number.isNaN(seenAt) ? Number.NEGATIVE_INFINITY : seenAt;
}
