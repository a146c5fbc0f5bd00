import type { WhatIf } from '../../contract/radio.ts';
import { type LocatedRead, locateRead, type PlacedZone } from '../../domain/locate.ts';
import { type Placement, unplaced } from '../../domain/location.ts';
import { invalid } from '../../domain/refusal.ts';
import type { LocationPolicy } from '../../domain/zone.ts';
import { formatInstant } from '../../lib/instant.ts';
import type { ZoneContext } from '../../store/directory.ts';
import type { RadioSources } from './radio-sources.ts';
import { antennasOf, eachRead, windowOf, zonesByName } from './window.ts';

export interface WhatIfQuestion {
  readonly seconds: number;
  readonly policy: LocationPolicy;
  /** Only this zone's policy is another; undefined: every zone's. */
  readonly zoneId?: string | undefined;
}

/** Where every tag is under one set of policies, and the moves that led there. */
class Replay {
  readonly #zones: ReadonlyMap<number, PlacedZone>;
  readonly #rules: LocatedRead['rules'];
  readonly #placements = new Map<number, Placement>();
  /** By the zone they lead to. */
  readonly movesInto = new Map<number, number>();
  moves = 0;

  constructor(zones: readonly PlacedZone[], locationPolicy: LocationPolicy) {
    this.#zones = new Map(zones.map((zone) => [zone.no, zone]));
    this.#rules = { locationPolicy };
  }

  get tags(): number {
    return this.#placements.size;
  }

  take(tagNo: number, read: { zoneNo: number; rssiCdbm: number | null; at: number }): void {
    const zone = this.#zones.get(read.zoneNo) ?? null;
    const zoneOf = (no: number) => this.#zones.get(no);
    const located = { read, place: { zone }, rules: this.#rules, zoneOf };
    const before = this.#placements.get(tagNo) ?? unplaced;
    const { placement, move } = locateRead(before, located, read.at);
    this.#placements.set(tagNo, placement);
    // The first placement is no change of zone.
    if (!move || move.from === 0) return;
    this.moves++;
    this.movesInto.set(move.to, (this.movesInto.get(move.to) ?? 0) + 1);
  }
}

/**
 * The reads of the last seconds through the rules of location twice, from nothing: under the policies in force, and with
 * the one tried. Both count the same reads, so they compare; the live count may differ, because it began earlier. Throws
 * 400 for a zone that the organisation does not have.
 */
export async function whatIf(
  { directory, recent, now, locationPolicy }: RadioSources,
  orgId: string,
  { seconds, policy, zoneId }: WhatIfQuestion,
): Promise<WhatIf> {
  const zones = zonesByName(directory, orgId);
  if (zoneId !== undefined && !zones.some(({ id }) => id === zoneId)) throw unknownZone();
  const antennas = antennasOf(directory, orgId);
  const window = windowOf(recent, seconds, now());
  const inForce = new Replay(zones, locationPolicy);
  const tried = new Replay(zones.map(withPolicy(policy, zoneId)), locationPolicy);
  let reads = 0;
  await eachRead(recent, window, (no) => {
    const zoneNo = antennas.get(recent.antennaNo(no))?.zone?.no;
    if (zoneNo === undefined) return;
    reads += recent.count(no);
    const read = { zoneNo, rssiCdbm: recent.rssiCdbm(no), at: recent.at(no) };
    inForce.take(recent.tagNo(no), read);
    tried.take(recent.tagNo(no), read);
  });
  return {
    ...{ from: formatInstant(window.from), to: formatInstant(window.to), reads, tags: inForce.tags },
    ...{ moves: inForce.moves, movesWith: tried.moves, avoided: inForce.moves - tried.moves },
    zones: zones.map(({ id, name, no }) => ({
      ...{ zoneId: id, zoneName: name },
      ...{ moves: inForce.movesInto.get(no) ?? 0, movesWith: tried.movesInto.get(no) ?? 0 },
    })),
  };
}

function withPolicy(policy: LocationPolicy, zoneId: string | undefined): (zone: ZoneContext) => PlacedZone {
  return (zone) => ({
    ...{ no: zone.no, kind: zone.kind },
    policy: zoneId === undefined || zone.id === zoneId ? policy : zone.policy,
  });
}

function unknownZone(): Error {
  return invalid('There is no zone with this id.', [{ path: 'zoneId', message: 'is not the id of a zone' }]);
}
