import { byName } from '../../lib/by-name.ts';
import { Pace } from '../../lib/pace.ts';
import type { Directory, ZoneContext } from '../../store/directory.ts';

/** The last reads, as ingest holds them in memory; every read by its place in the order of all. */
export interface RecentReads {
  readonly oldest: number;
  readonly end: number;
  /** Every read that arrived from then on is held, epoch ms. */
  readonly heldSince: number;
  tagNo(no: number): number;
  antennaNo(no: number): number;
  rssiCdbm(no: number): number | null;
  count(no: number): number;
  at(no: number): number;
  arrivedAt(no: number): number;
}

/** A stretch of arrival times, epoch ms, both ends included. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

/** The last seconds, as far as memory reaches back. */
export function windowOf(reads: RecentReads, seconds: number, now: number): Window {
  return { from: Math.min(now, Math.max(now - seconds * 1000, reads.heldSince)), to: now };
}

const LOOKED_AT_ONCE = 64;

/**
 * Goes through the reads that arrived in the window, in the order in which they were taken, in slices. Arrival decides and
 * not the time of the read: a reader whose clock is wrong is heard all the same. What is overwritten meanwhile is left out.
 */
export async function eachRead(
  reads: RecentReads,
  { from, to }: Window,
  take: (no: number) => void,
): Promise<void> {
  const pace = new Pace();
  const { end } = reads;
  for (let no = reads.oldest; no < end; no++) {
    if (no % LOOKED_AT_ONCE === 0 && pace.due) {
      await pace.pause();
      no = Math.max(no, reads.oldest);
      if (no >= end) return;
    }
    const arrivedAt = reads.arrivedAt(no);
    if (arrivedAt >= from && arrivedAt <= to) take(no);
  }
}

/** An antenna port of an organisation's reader. */
export interface HeardAntenna {
  readonly antennaNo: number;
  readonly readerId: string;
  readonly readerName: string;
  readonly port: number;
  /** Null when the port is unmapped or off. */
  readonly zone: ZoneContext | null;
}

/** The antenna ports of an organisation by number, reader by reader; reads that name no port are none of them. */
export function antennasOf(directory: Directory, orgId: string): ReadonlyMap<number, HeardAntenna> {
  const antennas = new Map<number, HeardAntenna>();
  for (const { reader, ports } of directory.readersOf(orgId)) {
    for (const { port, antennaNo, zone } of ports.slice(1)) {
      antennas.set(antennaNo, { antennaNo, readerId: reader.id, readerName: reader.name, port, zone });
    }
  }
  return antennas;
}

/** The zones of an organisation by name; equal names in the order they were made. */
export function zonesByName(directory: Directory, orgId: string): readonly ZoneContext[] {
  return directory.zonesOf(orgId).toSorted(byName);
}
