import type { AntennaReads, CrossReads } from '../../../contract/radio.ts';
import type { Reader } from '../../../contract/reader.ts';

/** In hundredths of a dBm: from here on a tag is close, and below it is at the edge of what an antenna hears. */
const STRONG_CDBM = -5500;
const WEAK_CDBM = -7000;
/** What the drawing of signals spans, hundredths of a dBm. */
export const SPAN = { from: -9000, to: -3000 } as const;

/** Fewer tags than these, or a smaller share of a zone's, and a difference below this, are chance. */
const SHARED_TAGS = 3;
const SHARED_PART = 0.25;
const CLEAR_CDB = 300;

export type Strength = 'strong' | 'fair' | 'weak' | 'unknown' | 'silent';

/** How well an antenna hears, in a word, by the middle of its signals. */
export function strengthOf({ reads, rssiCdbm }: Pick<AntennaReads, 'reads' | 'rssiCdbm'>): Strength {
  if (reads === 0) return 'silent';
  if (!rssiCdbm) return 'unknown';
  if (rssiCdbm.p50 >= STRONG_CDBM) return 'strong';
  return rssiCdbm.p50 < WEAK_CDBM ? 'weak' : 'fair';
}

/** Where a signal lies in the drawing, 0..1; what is outside lies at its edge. */
export function inSpan(cdbm: number): number {
  return Math.min(1, Math.max(0, (cdbm - SPAN.from) / (SPAN.to - SPAN.from)));
}

export type Advice =
  | {
      readonly kind:
        | 'unused'
        | 'unmapped'
        | 'offline'
        | 'stopped'
        | 'silent'
        | 'all-silent'
        | 'weak'
        | 'good';
    }
  | { readonly kind: 'overhears'; readonly zoneName: string; readonly tags: number };

/** What speaks about an antenna, beside what it heard. */
export interface Around {
  readonly reader: Pick<Reader, 'status' | 'enabled'> | undefined;
  /** Those of the same reader. */
  readonly ports: readonly AntennaReads[];
  readonly crossReads: CrossReads | undefined;
}

/** What a technician should do about an antenna: the first thing that would have to be put right. */
export function adviceOf(antenna: AntennaReads, around: Around): Advice {
  if (antenna.zoneId === null) return { kind: antenna.reads > 0 ? 'unmapped' : 'unused' };
  if (antenna.reads === 0) return { kind: silenceOf(around) };
  const overheard = overheardBy(antenna.zoneId, around.crossReads);
  if (overheard) return overheard;
  return { kind: strengthOf(antenna) === 'weak' ? 'weak' : 'good' };
}

function silenceOf({ reader, ports }: Around): 'offline' | 'stopped' | 'silent' | 'all-silent' {
  if (reader && !reader.enabled) return 'stopped';
  if (reader?.status === 'offline') return 'offline';
  return ports.some(({ reads }) => reads > 0) ? 'silent' : 'all-silent';
}

// The tags belong where they are heard more strongly: the weaker antenna is the one that reaches too far.
function overheardBy(zoneId: string, crossReads: CrossReads | undefined): Advice | null {
  const own = crossReads?.zones.find((zone) => zone.zoneId === zoneId)?.tags ?? 0;
  for (const pair of pairsOf(zoneId, crossReads)) {
    if (pair.tags < SHARED_TAGS || pair.tags < own * SHARED_PART) continue;
    if (pair.strongerBy === null || pair.strongerBy > -CLEAR_CDB) continue;
    return { kind: 'overhears', zoneName: pair.otherName, tags: pair.tags };
  }
  return null;
}

/** A pair of zones, seen from one of them. */
export interface SeenPair {
  readonly otherId: string;
  readonly otherName: string;
  readonly tags: number;
  readonly rssiCdbm: number | null;
  readonly otherRssiCdbm: number | null;
  /** Hundredths of a dB by which this zone hears the shared tags more strongly; null: unknown. */
  readonly strongerBy: number | null;
}

/** All pairs of a zone, most tags first. */
export function pairsOf(zoneId: string, crossReads: CrossReads | undefined): readonly SeenPair[] {
  const names = new Map(crossReads?.zones.map((zone) => [zone.zoneId, zone.zoneName]));
  return (crossReads?.pairs ?? []).flatMap((pair) => {
    const isFirst = pair.zoneId === zoneId;
    if (!isFirst && pair.otherZoneId !== zoneId) return [];
    const otherId = isFirst ? pair.otherZoneId : pair.zoneId;
    const own = isFirst ? pair.meanRssiCdbm : pair.otherMeanRssiCdbm;
    const other = isFirst ? pair.otherMeanRssiCdbm : pair.meanRssiCdbm;
    return [
      {
        ...{ otherId, otherName: names.get(otherId) ?? otherId, tags: pair.tags },
        ...{ rssiCdbm: own, otherRssiCdbm: other },
        strongerBy: own === null || other === null ? null : own - other,
      },
    ];
  });
}

/** Whether the difference is more than chance. */
export const isClear = (cdb: number): boolean => Math.abs(cdb) >= CLEAR_CDB;
