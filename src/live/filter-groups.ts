import type { LiveEvent } from '../contract/events.ts';
import type { Entries } from './entry.ts';
import { type EventFilter, filterKey, passes, zonesOf } from './filter.ts';

/** What one group of members gets of a batch. */
export interface GroupBatch<M> {
  readonly members: ReadonlySet<M>;
  readonly bytes: Buffer;
  readonly count: number;
}

interface Group<M> {
  readonly key: string;
  readonly filter: EventFilter;
  readonly members: Set<M>;
  frames: string[];
  /** The place of the last entry it got: an event of two zones finds a group of both twice. */
  last: number;
}

const NONE = -1;

type Index<M> = Map<string, Set<Group<M>>>;

/**
 * Consumers with a filter: those with equal ones are one group, for which the work is done once. An event looks only at
 * groups that name its tag or zone, and at those that name neither.
 */
export class FilterGroups<M> {
  readonly #groups = new Map<string, Group<M>>();
  readonly #byEpc: Index<M> = new Map();
  readonly #byZone: Index<M> = new Map();
  readonly #anywhere = new Set<Group<M>>();

  add(filter: EventFilter, member: M): void {
    const key = filterKey(filter);
    const group = this.#groups.get(key) ?? this.#found(key, filter);
    group.members.add(member);
  }

  /** Takes a member out again; one that is not in is fine. */
  remove(filter: EventFilter, member: M): void {
    const group = this.#groups.get(filterKey(filter));
    if (!group?.members.delete(member) || group.members.size > 0) return;
    this.#groups.delete(group.key);
    this.#anywhere.delete(group);
    for (const epc of group.filter.epcs ?? []) drop(this.#byEpc, epc, group);
    for (const zoneId of group.filter.zoneIds ?? []) drop(this.#byZone, zoneId, group);
  }

  /** Splits a batch up; groups that nothing is for have none. */
  split({ events, frames }: Entries): GroupBatch<M>[] {
    if (this.#groups.size === 0) return [];
    const touched = new Set<Group<M>>();
    for (const [nth, event] of events.entries())
      for (const group of this.#candidates(event)) {
        if (group.last === nth || (event && !passes(group.filter, event))) continue;
        group.last = nth;
        group.frames.push(frames[nth] ?? '');
        touched.add(group);
      }
    return Array.from(touched, takeBatch);
  }

  #found(key: string, filter: EventFilter): Group<M> {
    const group: Group<M> = { key, filter, members: new Set(), frames: [], last: NONE };
    this.#groups.set(key, group);
    if (filter.epcs) for (const epc of filter.epcs) put(this.#byEpc, epc, group);
    else if (filter.zoneIds) for (const zoneId of filter.zoneIds) put(this.#byZone, zoneId, group);
    else this.#anywhere.add(group);
    return group;
  }

  *#candidates(event: LiveEvent | null): Iterable<Group<M>> {
    if (!event) return yield* this.#groups.values();
    yield* this.#anywhere;
    yield* this.#byEpc.get(event.data.epc) ?? [];
    if (this.#byZone.size > 0) for (const zoneId of zonesOf(event)) yield* this.#byZone.get(zoneId) ?? [];
  }
}

function takeBatch<M>(group: Group<M>): GroupBatch<M> {
  const { members, frames } = group;
  group.frames = [];
  group.last = NONE;
  return { members, bytes: Buffer.from(frames.join('')), count: frames.length };
}

function put<M>(index: Index<M>, name: string, group: Group<M>): void {
  const groups = index.get(name) ?? new Set();
  groups.add(group);
  index.set(name, groups);
}

function drop<M>(index: Index<M>, name: string, group: Group<M>): void {
  const groups = index.get(name);
  groups?.delete(group);
  if (groups?.size === 0) index.delete(name);
}
