import type { Floor } from '../../contract/floor.ts';
import { type Refused, refuse } from '../../domain/refusal.ts';
import { floorOf } from '../../store/floors.ts';
import type { FloorPlanRecord, FloorRecord } from '../../store/records.ts';
import type { Reading } from '../../store/store.ts';

/** The drawing of a site of the organisation. Throws `not-found`. */
export function needFloor(reading: Reading, orgId: string, siteId: string): FloorRecord {
  const floor = floorOf(reading, orgId, siteId);
  if (!floor) throw refuse('not-found', 'There is no site with this id.');
  return floor;
}

/** The plan of a drawing. Throws `not-found` when there is none. */
export function needPlan({ plan }: FloorRecord): FloorPlanRecord {
  if (!plan) throw noPlan();
  return plan;
}

/** A drawing as the interface shows it. */
export function floorAnswer({ plan, zones, antennas }: FloorRecord): Floor {
  return {
    plan: plan && { ...plan, updatedAt: new Date(plan.updatedAt).toISOString() },
    zones: zones.map(({ zoneId, points }) => ({ zoneId, points: points.map(([x, y]) => [x, y]) })),
    antennas: [...antennas],
  };
}

/** What the audit log keeps of a plan: never its bytes. */
export function planNote(plan: FloorPlanRecord | null): object {
  if (!plan) return {};
  const { contentType, width, height, bytes, version } = plan;
  return { contentType, width, height, bytes, version };
}

function noPlan(): Refused {
  return refuse('not-found', 'This site has no floor plan.');
}
