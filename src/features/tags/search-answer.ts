import type { Position } from '../../contract/paging.ts';
import type { Pace } from '../../lib/pace.ts';
import type { Ranked } from '../../lib/top.ts';

export interface TagQuery<T> {
  readonly orgNo: number;
  /** Text that the EPC or a value holds, in any case; none or empty = any tag. */
  readonly q: string | undefined;
  /** Whether the tag has a value; undefined = either. */
  readonly hasData: boolean | undefined;
  readonly limit: number;
  /** Only what comes after this position. */
  readonly after: Position | undefined;
  /**
   * Called with all tags of an answer at one moment: takes what must be of that moment. What comes back reads the rest, a
   * little later; it answers null for a tag that does not fit the query (any more).
   */
  readonly take: (tagNo: number) => () => T | null;
  /** How long the items of an answer may be together; any length when left out. */
  readonly room?: Room<T>;
  /** Whether nobody waits for the answer any more: then it is not looked for, unless it is already. */
  readonly isGone?: () => boolean;
}

export interface Room<T> {
  readonly characters: number;
  readonly charactersOf: (item: T) => number;
}

/** How many of the items fit in: one at least, or nobody would ever come further. */
export function fitting<T>(found: readonly Found<T>[], { characters, charactersOf }: Room<T>): number {
  let used = 0;
  const long = found.findIndex(({ item }) => {
    used += charactersOf(item);
    return used > characters;
  });
  return long < 0 ? found.length : Math.max(long, 1);
}

/** Tells, item by item, whether no more need be read: once there is one that does not fit in with those before it. */
function counter<T>({ room }: TagQuery<T>): (item: T) => boolean {
  let used = 0;
  let items = 0;
  return (item) => {
    used += room?.charactersOf(item) ?? 0;
    items++;
    return room !== undefined && items > 1 && used > room.characters;
  };
}

export interface Found<T> extends Ranked {
  readonly item: T;
}

/** The tags that rank highest of those that seem to fit; null when it can't tell. */
export type Select = (part: {
  readonly orgNo: number;
  readonly limit: number;
  readonly after: Position | undefined;
}) => readonly Ranked[] | null;

/**
 * What was selected, read in slices, up to and with the first that has no room; null when there was nothing to select
 * from or not all of it fits any more.
 */
export async function readPage<T>(
  query: TagQuery<T>,
  select: Select,
  pace: Pace,
): Promise<readonly Found<T>[] | null> {
  const taken = select(query)?.map(({ key, no }) => ({ key, no, read: query.take(no) }));
  if (!taken) return null;
  const found: Found<T>[] = [];
  const isEnough = counter(query);
  for (const { key, no, read } of taken) {
    if (pace.due) await pace.pause();
    const item = read();
    if (item === null) return null;
    found.push({ key, no, item });
    if (isEnough(item)) break;
  }
  return found;
}

/** The same at one go: where something does not fit, those that come after it are selected until the page is full. */
export function readPageAtOnce<T>(query: TagQuery<T>, select: Select): readonly Found<T>[] | null {
  const found: Found<T>[] = [];
  const isEnough = counter(query);
  let { after } = query;
  for (;;) {
    const limit = query.limit - found.length;
    const ranked = select({ orgNo: query.orgNo, limit, after });
    if (!ranked) return null;
    for (const { key, no } of ranked) {
      const item = query.take(no)();
      if (item === null) continue;
      found.push({ key, no, item });
      if (isEnough(item)) return found;
    }
    if (ranked.length < limit || found.length === query.limit) return found;
    after = ranked.at(-1);
  }
}
