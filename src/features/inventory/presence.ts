import type { Position } from '../../contract/paging.ts';
import { type Ranked, ranksBelow, Top } from '../../lib/top.ts';
import type { TagStates } from '../../store/tag-states.ts';

/** How many tags are present in a zone, and how many of them are linked to an asset. */
export interface Present {
  total: number;
  correlated: number;
}

export interface CountOptions {
  readonly orgNo: number;
  /** The zones to count for, by number. */
  readonly zoneNos: readonly number[];
  /** Tags last seen in their zone at or after this count as present, epoch ms. */
  readonly since: number;
  readonly linked: (tagNo: number) => boolean;
}

/** Counts the present tags of every zone in one pass over memory. */
export function countPresent(states: TagStates, options: CountOptions): ReadonlyMap<number, Present> {
  const { orgNo, zoneNos, since, linked } = options;
  const counts = new Map(zoneNos.map((no): [number, Present] => [no, { total: 0, correlated: 0 }]));
  for (let tagNo = 0; tagNo < states.size; tagNo++) {
    // Comparing with NaN (never placed) is false.
    if (!(states.zoneSeenAt(tagNo) >= since) || states.orgNo(tagNo) !== orgNo) continue;
    const count = counts.get(states.zoneNo(tagNo));
    if (!count) continue;
    count.total++;
    if (linked(tagNo)) count.correlated++;
  }
  return counts;
}

export interface ListOptions {
  readonly orgNo: number;
  readonly zoneNo: number;
  /** As for `countPresent`. */
  readonly since: number;
  readonly limit: number;
  /** Only what comes after this position. */
  readonly after: Position | undefined;
}

/** The tags present in a zone, latest arrival first: `key` is when the tag arrived (epoch ms), `no` its number. */
export function listPresent(states: TagStates, options: ListOptions): readonly Ranked[] {
  const { orgNo, zoneNo, since, limit, after } = options;
  const top = new Top(limit);
  for (let tagNo = 0; tagNo < states.size; tagNo++) {
    if (states.zoneNo(tagNo) !== zoneNo || !(states.zoneSeenAt(tagNo) >= since)) continue;
    if (states.orgNo(tagNo) !== orgNo) continue;
    const arrivedAt = states.get(tagNo).zoneSince;
    if (!after || ranksBelow({ key: arrivedAt, no: tagNo }, after)) top.offer(arrivedAt, tagNo);
  }
  return top.ranked();
}
