import { type LiveEvent, liveEventTypes } from '../contract/events.ts';

/** What a consumer wants of its organisation's events. A part that is null lets everything through. */
export interface EventFilter {
  readonly types: ReadonlySet<string> | null;
  readonly zoneIds: ReadonlySet<string> | null;
  readonly epcs: ReadonlySet<string> | null;
}

/** The parts of a filter as they were asked for: upper-case EPCs, lower-case zone ids. */
export interface FilterParts {
  readonly types?: readonly string[] | undefined;
  readonly zoneIds?: readonly string[] | undefined;
  readonly epcs?: readonly string[] | undefined;
}

/** Null when it would let everything through: such consumers share one Buffer. */
export function eventFilter({ types, zoneIds, epcs }: FilterParts): EventFilter | null {
  const wanted = setOf(types);
  const isEvery = wanted !== null && liveEventTypes.every((type) => wanted.has(type));
  const filter = { types: isEvery ? null : wanted, zoneIds: setOf(zoneIds), epcs: setOf(epcs) };
  return filter.types || filter.zoneIds || filter.epcs ? filter : null;
}

/** The same text for filters that let the same through. */
export function filterKey({ types, zoneIds, epcs }: EventFilter): string {
  return [types, zoneIds, epcs].map((set) => (set ? [...set].sort().join() : '*')).join(';');
}

/** Whether an event is one that the filter lets through. All its parts must agree. */
export function passes({ types, zoneIds, epcs }: EventFilter, event: LiveEvent): boolean {
  if (types && !types.has(event.type)) return false;
  if (epcs && !epcs.has(event.data.epc)) return false;
  return !zoneIds || zonesOf(event).some((zoneId) => zoneIds.has(zoneId));
}

/** The zones an event is about: where a tag was read, or where it came from and went. Session events have none. */
export function zonesOf(event: LiveEvent): readonly string[] {
  if (event.type === 'tag_read') return event.data.zoneId === undefined ? none : [event.data.zoneId];
  if (event.type !== 'tag_moved') return none;
  const { fromZoneId, toZoneId } = event.data;
  return fromZoneId === undefined ? [toZoneId] : [fromZoneId, toZoneId];
}

const none: readonly string[] = [];

function setOf(values: readonly string[] | undefined): ReadonlySet<string> | null {
  return values === undefined ? null : new Set(values);
}
