import type { Position } from '../../contract/paging.ts';
import { type Ranked, ranksBelow, Top } from '../../lib/top.ts';
import type { TagStates } from '../../store/tag-states.ts';

/** How many tags are present in a zone, and how many of them are linked to an asset. */
export interface Present {
  readonly total: number;
  readonly correlated: number;
}

export interface CountOptions {
  /** The zones to count for, by number. */
  readonly zoneNos: readonly number[];
  /** Tags last seen in their zone at or after this count as present, epoch ms. */
  readonly since: number;
  readonly linked: (tagNo: number) => boolean;
}

/** Counts the present tags of every zone in one pass over memory; in the order of `zoneNos`. */
export function countPresent(states: TagStates, options: CountOptions): readonly Present[] {
  const { zoneNos, since, linked } = options;
  const { zoneSeenAt, zoneNo } = states.columns();
  const highest = zoneNos.reduce((most, no) => Math.max(most, no), 0);
  const { size } = states;
  const totals = new Uint32Array(highest + 1);
  const correlated = new Uint32Array(highest + 1);
  for (let tagNo = 0; tagNo < size; tagNo++) {
    // Comparing with NaN (never placed) is false.
    if (!((zoneSeenAt[tagNo] ?? 0) >= since)) continue;
    const zone = zoneNo[tagNo] ?? 0;
    if (zone > highest) continue;
    totals[zone] = (totals[zone] ?? 0) + 1;
    if (linked(tagNo)) correlated[zone] = (correlated[zone] ?? 0) + 1;
  }
  return zoneNos.map((no) => ({ total: totals[no] ?? 0, correlated: correlated[no] ?? 0 }));
}

export interface ListOptions {
  readonly zoneNo: number;
  /** As for `countPresent`. */
  readonly since: number;
  readonly limit: number;
  /** Only what comes after this position. */
  readonly after: Position | undefined;
}

/** The tags present in a zone, latest arrival first: `key` is when the tag arrived (epoch ms), `no` its number. */
export function listPresent(states: TagStates, options: ListOptions): readonly Ranked[] {
  const { zoneNo, since, limit, after } = options;
  const { zoneSince, zoneSeenAt, zoneNo: zoneNos } = states.columns();
  const { size } = states;
  const top = new Top(limit);
  for (let tagNo = 0; tagNo < size; tagNo++) {
    if (zoneNos[tagNo] !== zoneNo || !((zoneSeenAt[tagNo] ?? 0) >= since)) continue;
    const arrivedAt = zoneSince[tagNo] ?? 0;
    if (!after || ranksBelow({ key: arrivedAt, no: tagNo }, after)) top.offer(arrivedAt, tagNo);
  }
  return top.ranked();
}
