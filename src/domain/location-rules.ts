import type { ZoneKind } from './zone.ts';

/** How hard it is to leave a zone under the policy `stable`. Times in milliseconds. */
export interface LocationRule {
  /** Time constant of the evidence: after this long without a read it counts 1/e. */
  readonly memoryMs: number;
  /** How many times the current zone's evidence another zone needs (a ratio of power: 4 is 6 dB). */
  readonly ratio: number;
  /** Reads the other zone needs in a row, that is with none at the current zone in between. Also the reads
   * the current zone is credited with when its own evidence is gone (a restart, a long gap). */
  readonly inARow: number;
  /** Read elsewhere twice `inARow` times in a row over this long, a tag has left whatever the evidence says. */
  readonly awayMs: number;
}

/** A shelf holds its tags for hours and hears its neighbours' through every gap: minutes of evidence. */
const calm: LocationRule = { memoryMs: 150_000, ratio: 4, inARow: 5, awayMs: 100_000 };
/** Goods stand for minutes, people walk through: between the two. */
const moderate: LocationRule = { memoryMs: 30_000, ratio: 3, inARow: 3, awayMs: 20_000 };
/** A tag passes a door in seconds: two reads, so that a lone stray one does nothing. */
const quick: LocationRule = { memoryMs: 2_000, ratio: 2, inARow: 2, awayMs: 1_000 };

/** The rule of every kind of zone. The kind of the zone a tag is in decides, not that of the zone it is read at. */
export const locationRules: Readonly<Record<ZoneKind, LocationRule>> = {
  storage: calm,
  staging: moderate,
  portal: quick,
  checkpoint: quick,
  other: moderate,
};
