import { unitAt } from '../lib/prng.ts';

/** Where every tag really is. Each tag walks on its own random sequence, so looking at one never changes another. */
export interface Walk {
  /** The tag's zone at `atMs`, milliseconds of the world's own time; asked with times that never go back. */
  zoneAt(tag: number, atMs: number): number;
  /** Metres between the tag and its own zone's antenna during the present stay. */
  distanceOf(tag: number): number;
}

export interface WalkOptions {
  readonly seed: number;
  readonly tags: number;
  readonly zones: number;
  /** Mean length of a stay in one zone. */
  readonly dwellSeconds: number;
}

const NEIGHBOUR_SHARE = 0.8;
/** The draws one stay takes from its tag's sequence; draw 0 of the sequence is the tag's product. */
const DRAWS_PER_STAY = 4;

/** Tags stay for random times and mostly step to a neighbouring zone, now and then to any other. */
export function createWalk(options: WalkOptions): Walk {
  const { seed, tags, zones } = options;
  const zoneOf = new Uint16Array(tags);
  const stayOf = new Uint32Array(tags);
  const leavesAt = new Float64Array(tags);
  const draw = (tag: number, which: number): number =>
    unitAt(seed, tag, 1 + (stayOf[tag] ?? 0) * DRAWS_PER_STAY + which);
  const dwellMs = (tag: number): number => {
    const exponential = -Math.log(1 - draw(tag, 0));
    return options.dwellSeconds * 1000 * (0.2 + 0.8 * exponential);
  };
  const move = (tag: number): void => {
    const from = zoneOf[tag] ?? 0;
    zoneOf[tag] = nextZone(from, zones, { kind: draw(tag, 1), side: draw(tag, 2) });
    stayOf[tag] = (stayOf[tag] ?? 0) + 1;
    leavesAt[tag] = (leavesAt[tag] ?? 0) + dwellMs(tag);
  };
  for (let tag = 0; tag < tags; tag += 1) {
    zoneOf[tag] = Math.floor(draw(tag, 1) * zones);
    leavesAt[tag] = dwellMs(tag);
  }
  return {
    zoneAt: (tag, atMs) => {
      while ((leavesAt[tag] ?? Number.POSITIVE_INFINITY) <= atMs) move(tag);
      return zoneOf[tag] ?? 0;
    },
    distanceOf: (tag) => 1 + 3 * draw(tag, 3),
  };
}

/** The zone on the left or the right of `zone`; at an end there is one only. */
export function neighbourOf(zone: number, zones: number, side: number): number {
  if (zone === 0) return Math.min(1, zones - 1);
  if (zone === zones - 1) return zone - 1;
  return side < 0.5 ? zone - 1 : zone + 1;
}

function nextZone(from: number, zones: number, draws: { kind: number; side: number }): number {
  if (zones === 1) return from;
  if (draws.kind < NEIGHBOUR_SHARE) return neighbourOf(from, zones, draws.side);
  return (from + 1 + Math.floor(draws.side * (zones - 1))) % zones;
}
