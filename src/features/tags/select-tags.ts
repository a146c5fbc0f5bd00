import type { Position } from '../../contract/paging.ts';
import type { BitSet } from '../../lib/bit-set.ts';
import { type Ranked, ranksBelow, Top } from '../../lib/top.ts';
import type { TagStates } from '../../store/tag-states.ts';

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
  const top = new Top(limit);
  for (let tagNo = 0; tagNo < states.size; tagNo++) {
    if (states.orgNo(tagNo) !== orgNo || (among && !among.has(tagNo))) continue;
    const key = rankOf(states.lastSeenAt(tagNo));
    if (!after || ranksBelow({ key, no: tagNo }, after)) top.offer(key, tagNo);
  }
  return top.ranked();
}

function rankOf(lastSeenAt: number): number {
  return Number.isNaN(lastSeenAt) ? Number.NEGATIVE_INFINITY : lastSeenAt;
}
