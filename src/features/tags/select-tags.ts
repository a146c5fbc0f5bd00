import type { Position } from '../../contract/paging.ts';
import type { BitSet } from '../../lib/bit-set.ts';
import { type Ranked, ranksBelow, Top } from '../../lib/top.ts';
import type { TagStates } from '../../store/tag-states.ts';

/** The organisation number of no tag at all. */
const NOBODY = 0;

export interface Selection {
  readonly orgNo: number;
  /** Only these tags; null = all of the organisation. */
  readonly among: BitSet | null;
  readonly limit: number;
  /** Only what comes after this position. */
  readonly after: Position | undefined;
}

/**
 * The tags seen last, by exact time, then those never read, newest first. `key` is when the tag was last seen (epoch ms;
 * minus infinity: never), `no` its number. One pass over memory without a pause: what comes out is one moment's truth.
 */
export function selectTags(states: TagStates, { orgNo, among, limit, after }: Selection): readonly Ranked[] {
  if (orgNo === NOBODY) return [];
  const top = new Top(limit);
  let floor = top.floor;
  for (const { first, lastSeenAt, orgNo: orgNos } of states.chunks) {
    for (let i = 0; i < orgNos.length; i++) {
      const seenAt = lastSeenAt[i] ?? 0;
      // Nearly all tags end here. NaN, a tag never read, does not: comparing it is false.
      if (seenAt < floor || orgNos[i] !== orgNo || (among && !among.has(first + i))) continue;
      const key = Number.isNaN(seenAt) ? Number.NEGATIVE_INFINITY : seenAt;
      if (after && !ranksBelow({ key, no: first + i }, after)) continue;
      top.offer(key, first + i);
      floor = top.floor;
    }
  }
  return top.ranked();
}
