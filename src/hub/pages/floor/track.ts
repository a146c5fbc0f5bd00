import type { AssetEvent } from '../../../contract/asset.ts';
import type { Visit } from '../../../contract/visit.ts';

/** A stay in a zone; epoch ms. */
export interface Stay {
  readonly zoneId: string;
  readonly zoneName: string;
  readonly from: number;
  readonly to: number;
}

export interface Where extends Stay {
  /** Still heard there; else it is where it was last. */
  readonly isThere: boolean;
}

/** What visits tell: stays at several antennas of a zone one after the other are one stay. Oldest first. */
export function staysOf(visits: readonly Visit[]): readonly Stay[] {
  const stays: Stay[] = [];
  const oldestFirst = visits
    .flatMap(({ zoneId, zoneName = '', firstSeenAt, lastSeenAt }) =>
      zoneId === undefined
        ? []
        : [{ zoneId, zoneName, from: Date.parse(firstSeenAt), to: Date.parse(lastSeenAt) }],
    )
    .sort((a, b) => a.from - b.from);
  for (const stay of oldestFirst) {
    const last = stays.at(-1);
    if (last?.zoneId === stay.zoneId) stays[stays.length - 1] = { ...last, to: Math.max(last.to, stay.to) };
    else stays.push(stay);
  }
  return stays;
}

/**
 * What an asset's timeline tells, where the service has decided between zones that both heard it. `until` ends the last stay.
 * Oldest first; nothing when it never entered a zone.
 */
export function staysByEvents(events: readonly AssetEvent[], until: number): readonly Stay[] {
  const moves = events
    .filter(({ kind }) => kind === 'zone_enter' || kind === 'zone_exit')
    .map((event) => ({ ...event, at: Date.parse(event.occurredAt) }))
    .sort((a, b) => a.at - b.at);
  return moves.flatMap(({ kind, zoneId, zoneName = '', at }, index) =>
    kind === 'zone_enter' && zoneId !== undefined
      ? [{ zoneId, zoneName, from: at, to: moves[index + 1]?.at ?? until }]
      : [],
  );
}

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** The stays that touch a span. */
export function within(stays: readonly Stay[], { from, to }: Span): readonly Stay[] {
  return stays.filter((stay) => stay.to >= from && stay.from < to);
}

/** Where it was at a time: the zone it entered last. Null before the first. */
export function whereAt(stays: readonly Stay[], at: number): Where | null {
  const begun = stays.filter(({ from }) => from <= at);
  const heard = begun.filter(({ to }) => to >= at);
  // A stay that is still going on is surer than a shorter one that began later and is over.
  const latest = (list: readonly Stay[]) =>
    list.reduce<Stay | null>((a, b) => (!a || b.from >= a.from ? b : a), null);
  const there = latest(heard);
  if (there) return { ...there, isThere: true };
  const last = begun.reduce<Stay | null>((a, b) => (!a || b.to >= a.to ? b : a), null);
  return last && { ...last, isThere: false };
}
