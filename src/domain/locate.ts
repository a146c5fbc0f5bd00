import { type LocationStep, type Placement, stepLocation, unplaced } from './location.ts';
import type { LocationPolicy, ZoneKind } from './zone.ts';

/** A zone as far as location goes by it. */
export interface PlacedZone {
  readonly no: number;
  readonly kind: ZoneKind;
  /** Null: the appliance's policy. */
  readonly policy: LocationPolicy | null;
}

/** One read as location needs it. */
export interface LocatedRead {
  /** `rssiCdbm` in hundredths of a dBm, null when unknown. */
  readonly read: { readonly rssiCdbm: number | null };
  /** The zone that the antenna watches; null: it watches none, and its reads place nothing. */
  readonly place: { readonly zone: PlacedZone | null };
  readonly rules: { readonly locationPolicy: LocationPolicy };
  /** A zone by its number; undefined for one that was deleted since the tag was placed there. */
  readonly zoneOf: (zoneNo: number) => PlacedZone | undefined;
}

/**
 * Where a tag is after one more read at `at` (epoch ms), under the policies of the zone it is read at and of the one it is
 * in: a zone's own, else the appliance's. For live reads, recordings and what-if questions alike.
 */
export function locateRead(before: Placement, located: LocatedRead, at: number): LocationStep {
  const { read, place, rules, zoneOf } = located;
  const { zone } = place;
  if (!zone) return { placement: before, move: null };
  const left = before.zone === zone.no ? zone : zoneOf(before.zone);
  // A tag in a zone that is gone has no location: its next placement is a first one.
  return stepLocation(left ? before : unplaced, {
    zone: zone.no,
    kind: zone.kind,
    policy: policyOf(zone, rules),
    at,
    rssiCdbm: read.rssiCdbm,
    // Not a spread: it would give each of these objects a shape of its own, which is slow.
    // The zone itself when the tag stays: nothing is left then.
    leaving: left === zone ? undefined : left && { kind: left.kind, policy: policyOf(left, rules) },
  });
}

function policyOf(zone: PlacedZone, rules: LocatedRead['rules']): LocationPolicy {
  return zone.policy ?? rules.locationPolicy;
}
