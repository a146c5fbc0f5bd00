import type { Position } from '../../contract/paging.ts';
import { type Ranked, ranksBelow, Top } from '../../lib/top.ts';
import type { TagChunk, TagStates } from '../../store/tag-states.ts';

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
  /** The tags linked to an asset: few beside all tags, so that they are counted by themselves. */
  readonly linkedTags: Iterable<number>;
}

/** Counts the present tags of every zone in one pass over memory; in the order of `zoneNos`. */
export function countPresent(states: TagStates, options: CountOptions): readonly Present[] {
  const { zoneNos, since, linkedTags } = options;
  const highest = zoneNos.reduce((most, no) => Math.max(most, no), 0);
  const totals = new Uint32Array(highest + 1);
  const correlated = new Uint32Array(highest + 1);
  for (const chunk of states.chunks) addPresent(chunk, since, totals);
  for (const tagNo of linkedTags) {
    const { zoneNo, zoneSeenAt } = states.get(tagNo);
    if (zoneSeenAt >= since && zoneNo <= highest) correlated[zoneNo] = (correlated[zoneNo] ?? 0) + 1;
  }
  return zoneNos.map((no) => ({ total: totals[no] ?? 0, correlated: correlated[no] ?? 0 }));
}

/** Adds the tags of a chunk that are present, last seen in their zone at or after `since`, to the totals by zone number. */
export function addPresent(
  { zoneSeenAt, zoneNo }: Pick<TagChunk, 'zoneSeenAt' | 'zoneNo'>,
  since: number,
  totals: Uint32Array,
): void {
  for (let i = 0; i < zoneSeenAt.length; i++) {
    // Comparing with NaN (never placed) is false.
    if (!((zoneSeenAt[i] ?? 0) >= since)) continue;
    const zone = zoneNo[i] ?? 0;
    // Writing past the end is a write that nobody sees, but a slow one.
    if (zone < totals.length) totals[zone] = (totals[zone] ?? 0) + 1;
  }
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
  const top = new Top(limit);
  for (const { first, zoneSince, zoneSeenAt, zoneNo: zoneNos } of states.chunks) {
    for (let i = 0; i < zoneNos.length; i++) {
      if (zoneNos[i] !== zoneNo || !((zoneSeenAt[i] ?? 0) >= since)) continue;
      const arrivedAt = zoneSince[i] ?? 0;
      if (!after || ranksBelow({ key: arrivedAt, no: first + i }, after)) top.offer(arrivedAt, first + i);
    }
  }
  return top.ranked();
}
