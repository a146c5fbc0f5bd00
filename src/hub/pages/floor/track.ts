import type { AssetEvent } from '../../../contract/asset.ts';
import type { Visit } from '../../../contract/visit.ts';

/** A stay in a zone; epoch ms. */
export interface Stay {
  readonly zoneId: string;
  readonly zoneName: string;
  readonly from: number;
  readonly to: number;
  /** How often it was read; 0 where the service has decided by itself. */
  readonly reads: number;
}

export interface Where extends Stay {
  /** Still heard there; else it is where it was last. */
  readonly isThere: boolean;
  /** Zones that heard it at the same time. */
  readonly also: readonly string[];
}

/** What visits tell: stays at several antennas of a zone one after the other are one stay. Oldest first. */
export function staysOf(visits: readonly Visit[]): readonly Stay[] {
  const stays: Stay[] = [];
  const oldestFirst = visits
    .flatMap(({ zoneId, zoneName = '', firstSeenAt, lastSeenAt, reads }) =>
      zoneId === undefined
        ? []
        : [{ zoneId, zoneName, from: Date.parse(firstSeenAt), to: Date.parse(lastSeenAt), reads }],
    )
    .sort((a, b) => a.from - b.from);
  for (const stay of oldestFirst) {
    const last = stays.at(-1);
    if (last?.zoneId === stay.zoneId)
      stays[stays.length - 1] = { ...last, to: Math.max(last.to, stay.to), reads: last.reads + stay.reads };
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
      ? [{ zoneId, zoneName, from: at, to: moves[index + 1]?.at ?? until, reads: 0 }]
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

/** Where it was at a time: of the zones that hear it the one that reads it most often, else where it was last. Null before the first. */
export function whereAt(stays: readonly Stay[], at: number): Where | null {
  const begun = stays.filter(({ from }) => from <= at);
  const heard = begun.filter(({ to }) => to >= at);
  const there = best(heard, rateOf);
  if (there) {
    const others = heard.filter(({ zoneId }) => zoneId !== there.zoneId).map(({ zoneName }) => zoneName);
    return { ...there, isThere: true, also: [...new Set(others)] };
  }
  const last = best(begun, ({ to }) => to);
  return last && { ...last, isThere: false, also: [] };
}

const rateOf = ({ reads, from, to }: Stay): number => reads / Math.max(1000, to - from);

// Of those alike the one that began last.
function best(stays: readonly Stay[], worth: (stay: Stay) => number): Stay | null {
  return stays.reduce<Stay | null>((a, b) => (a === null || worth(b) >= worth(a) ? b : a), null);
}
