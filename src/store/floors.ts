import { ofOrg } from './of-org.ts';
import type { FloorPlanRecord, FloorRecord, SiteRecord } from './records.ts';
import type { Reading, Tx } from './store.ts';
import { tables } from './tables.ts';

const empty: FloorRecord = { plan: null, zones: [], antennas: [] };

/** The drawing of a site: empty when none was made yet, undefined when the organisation has no such site. */
export function floorOf(reading: Reading, orgId: string, siteId: string): FloorRecord | undefined {
  if (!reading.get(tables.sites, [orgId, siteId])) return undefined;
  return reading.get(tables.floors, [orgId, siteId]) ?? empty;
}

/** Puts a plan in the place of the one before; the drawing stays. Answers what is known of it, with a version of its own. */
export function putPlan(
  tx: Tx,
  [orgId, siteId]: readonly [orgId: string, siteId: string],
  { bytes, ...told }: Omit<FloorPlanRecord, 'bytes' | 'version'> & { readonly bytes: Uint8Array },
): FloorRecord {
  const before = floorOf(tx, orgId, siteId) ?? empty;
  const plan = { ...told, bytes: bytes.length, version: tx.next('lastFloorPlanNo') };
  const floor = { ...before, plan };
  tx.put(tables.floorPlans, [orgId, siteId], bytes);
  tx.put(tables.floors, [orgId, siteId], floor);
  return floor;
}

/** Takes the plan away; the drawing stays. */
export function removePlan(tx: Tx, orgId: string, siteId: string): void {
  const before = floorOf(tx, orgId, siteId) ?? empty;
  tx.remove(tables.floorPlans, [orgId, siteId]);
  tx.put(tables.floors, [orgId, siteId], { ...before, plan: null });
}

/** Takes a zone, or the antennas of a reader, out of every drawing of the organisation. */
export function eraseFromFloors(
  tx: Tx,
  orgId: string,
  gone: { readonly zoneId: string } | { readonly readerId: string },
): void {
  const isThere = ({ id }: SiteRecord) => [id, tx.get(tables.floors, [orgId, id])] as const;
  for (const [siteId, floor] of ofOrg(tx, tables.sites, orgId).map(isThere)) {
    if (!floor) continue;
    const zones = 'zoneId' in gone ? floor.zones.filter(({ zoneId }) => zoneId !== gone.zoneId) : floor.zones;
    const antennas =
      'readerId' in gone
        ? floor.antennas.filter(({ readerId }) => readerId !== gone.readerId)
        : floor.antennas;
    if (zones.length === floor.zones.length && antennas.length === floor.antennas.length) continue;
    tx.put(tables.floors, [orgId, siteId], { ...floor, zones, antennas });
  }
}
