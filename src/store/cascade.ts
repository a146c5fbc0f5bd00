import { readerProblems } from '../domain/alert.ts';
import { dropProblem } from './alerts.ts';
import { dropCommands } from './commands.ts';
import { eraseFromFloors } from './floors.ts';
import { orgRange } from './of-org.ts';
import type { ReaderRecord, ZoneRecord } from './records.ts';
import type { Tx } from './store.ts';
import { tables } from './tables.ts';

/**
 * Removes a zone: antennas mapped to it become unmapped, and it leaves the drawing of its site. Tags located there lose their location by that alone, because the
 * number of a zone is never given again. Null when the organisation has no such zone.
 */
export function removeZone(tx: Tx, orgId: string, zoneId: string): ZoneRecord | null {
  const zone = tx.get(tables.zones, [orgId, zoneId]);
  if (!zone) return null;
  // Taken first: the table changes under the loop.
  for (const { key, value: antennas } of [...tx.range(tables.antennas, orgRange(orgId))]) {
    if (!antennas.some((antenna) => antenna.zoneId === zoneId)) continue;
    const unmapped = antennas.map((one) => (one.zoneId === zoneId ? { ...one, zoneId: null } : one));
    tx.put(tables.antennas, key, unmapped);
  }
  tx.remove(tables.zones, [orgId, zoneId]);
  eraseFromFloors(tx, orgId, { zoneId });
  return zone;
}

/**
 * Removes a reader with its antennas (also where they are drawn), its commands and its alerts (but for resolved ones, which are history) and releases
 * its device, whose claim code stays used; a withdrawn device stays withdrawn. What its reads left (tags, visits) stays.
 * Null when the organisation has no such reader.
 */
export function removeReader(tx: Tx, orgId: string, readerId: string): ReaderRecord | null {
  const reader = tx.get(tables.readers, [orgId, readerId]);
  if (!reader) return null;
  tx.remove(tables.readers, [orgId, readerId]);
  tx.remove(tables.antennas, [orgId, readerId]);
  eraseFromFloors(tx, orgId, { readerId });
  for (const problem of Object.values(readerProblems(readerId))) dropProblem(tx, orgId, problem);
  const commanded = dropCommands(tx, { orgId, readerId });
  const device = tx.get(tables.devices, reader.serial);
  if (device?.readerId === readerId) {
    const state = device.state === 'claimed' ? 'released' : device.state;
    const free = { ...device, state, orgId: null, readerId: null, claimedAt: null };
    // The broker holds the last one for the device; whoever claims it next must not inherit a stop.
    tx.put(tables.devices, reader.serial, commanded ? { ...free, commandLeft: true } : free);
  }
  return reader;
}
