import type { Visit } from '../../../contract/visit.ts';

/** A stay in one place, over all its antennas. */
export interface Stop {
  readonly key: string;
  /** Both null where the antenna was not mapped, or the zone is deleted. */
  readonly zoneId: string | null;
  readonly zoneName: string | null;
  readonly from: string;
  readonly to: string;
  readonly reads: number;
  /** Names of the readers that read it there. */
  readonly readers: readonly string[];
}

/**
 * Visits as stops, the one that was last there first: those that follow each other in one zone are one stop. A tag that comes
 * back soon goes on with its stay at the antenna, so that stops may overlap.
 */
export function trailOf(visits: readonly Visit[]): readonly Stop[] {
  const stops: Stop[] = [];
  let zone: string | undefined;
  const newestFirst = visits.toSorted((a, b) => Date.parse(b.lastSeenAt) - Date.parse(a.lastSeenAt));
  for (const visit of newestFirst) {
    const last = stops.at(-1);
    // What has no zone is told apart by its reader.
    const place = visit.zoneId ?? `reader ${visit.readerId}`;
    if (last && place === zone) stops[stops.length - 1] = joined(last, visit);
    else stops.push(stopOf(visit));
    zone = place;
  }
  return stops;
}

function stopOf(visit: Visit): Stop {
  return {
    key: `${visit.zoneId} ${visit.readerId} ${visit.antennaPort} ${visit.firstSeenAt}`,
    zoneId: visit.zoneId ?? null,
    zoneName: visit.zoneName ?? null,
    from: visit.firstSeenAt,
    to: visit.lastSeenAt,
    reads: visit.reads,
    readers: visit.readerName === undefined ? [] : [visit.readerName],
  };
}

function joined(stop: Stop, visit: Visit): Stop {
  const { readerName } = visit;
  const isKnown = readerName === undefined || stop.readers.includes(readerName);
  return {
    ...stop,
    from: [stop.from, visit.firstSeenAt].toSorted()[0] ?? stop.from,
    to: [stop.to, visit.lastSeenAt].toSorted()[1] ?? stop.to,
    reads: stop.reads + visit.reads,
    readers: isKnown ? stop.readers : [...stop.readers, readerName],
  };
}
