import { createPrng, type Prng } from '../lib/prng.ts';
import { sgtinOf } from './sgtin.ts';
import { createWalk, neighbourOf, type Walk } from './walk.ts';
import { checkWorld, type WorldOptions } from './world-options.ts';

export type { WorldOptions } from './world-options.ts';

/** One read as an antenna made it. */
export interface SimulatedRead {
  readonly serial: string;
  readonly port: number;
  /** The tag's number in the world, from 0. */
  readonly tag: number;
  /** SGTIN-96, 24 upper-case digits. */
  readonly epcHex: string;
  /** Hundredths of a dBm, in steps of 50, -8400 to -2500. */
  readonly rssiCdbm: number;
  /** kHz, one of the four European channels. */
  readonly frequency: number;
  /** Degrees, [0, 360) with one decimal. */
  readonly phaseAngle: number;
  /** Milliseconds after the beginning of the step, with fraction; rises within a step. */
  readonly offsetMs: number;
}

export interface Antenna {
  readonly serial: string;
  readonly port: number;
}

export interface World {
  /** The index of an antenna is the index of its zone. */
  readonly antennas: readonly Antenna[];
  /** Lets `dtMs` (0 or more) pass and answers what was read in it; no read is lost to rounding between steps. */
  step(dtMs: number): readonly SimulatedRead[];
  /** The zone each tag is truly in now; asking changes nothing. */
  tagZones(): readonly number[];
}

interface Scene {
  readonly seed: number;
  readonly antennas: readonly Antenna[];
  readonly crossReadShare: number;
  readonly prng: Prng;
  readonly walk: Walk;
  readonly nextTag: () => number;
  readonly epcOf: (tag: number) => string;
}

const CHANNELS_KHZ = [865_700, 866_300, 866_900, 867_500] as const;
const RSSI_AT_ONE_METRE = -4500;
const PATH_LOSS_PER_DECADE = 3000;
const NOISE_CDBM = 250;
const NEIGHBOUR_METRES = 6;
const SHELF_LOSS_CDBM = 500;

/**
 * A warehouse that is a pure function of its options and steps: the same seed and the same steps give the same reads.
 * Throws a RangeError of one line that names the option when one is out of its range.
 */
export function createWorld(options: WorldOptions): World {
  checkWorld(options);
  const scene = createScene(options);
  let elapsedMs = 0;
  let budget = 0;
  return {
    antennas: scene.antennas,
    step: (dtMs) => {
      const due = budget + (options.readsPerSecond * Math.max(0, dtMs)) / 1000;
      const count = Math.floor(due);
      budget = due - count;
      const reads = Array.from({ length: count }, (_, at) => {
        const offsetMs = ((at + scene.prng.unit()) * dtMs) / count;
        return readAt(scene, elapsedMs + offsetMs, offsetMs);
      });
      elapsedMs += Math.max(0, dtMs);
      return reads;
    },
    tagZones: () => Array.from({ length: options.tags }, (_, tag) => scene.walk.zoneAt(tag, elapsedMs)),
  };
}

function createScene(options: WorldOptions): Scene {
  const { seed, tags } = options;
  const antennas = options.readers.flatMap(({ serial, ports }) => ports.map((port) => ({ serial, port })));
  const prng = createPrng(seed);
  const zones = antennas.length;
  const epcs: string[] = [];
  return {
    seed,
    antennas,
    crossReadShare: zones > 1 ? (options.crossReadShare ?? 0.05) : 0,
    prng,
    walk: createWalk({ seed, tags, zones, dwellSeconds: options.dwellSeconds ?? 120 }),
    nextTag: createTurns(tags, options.missShare ?? 0.1, prng),
    epcOf: (tag) => {
      epcs[tag] ??= sgtinOf(seed, tag);
      return epcs[tag];
    },
  };
}

/** Rounds in which every tag has one turn, in a new order each round (Fisher-Yates, one swap a turn). */
function createTurns(tags: number, missShare: number, prng: Prng): () => number {
  const order = Uint32Array.from({ length: tags }, (_, tag) => tag);
  let turn = 0;
  const next = (): number => {
    const picked = turn + prng.below(tags - turn);
    const tag = order[picked] ?? 0;
    order[picked] = order[turn] ?? 0;
    order[turn] = tag;
    turn = (turn + 1) % tags;
    return tag;
  };
  return () => {
    let tag = next();
    while (prng.unit() < missShare) tag = next();
    return tag;
  };
}

function readAt(scene: Scene, atMs: number, offsetMs: number): SimulatedRead {
  const { antennas, prng, walk } = scene;
  const tag = scene.nextTag();
  const home = walk.zoneAt(tag, atMs);
  const crosses = prng.unit() < scene.crossReadShare;
  const seenBy = crosses ? neighbourOf(home, antennas.length, prng.unit()) : home;
  const { serial, port } = antennas[seenBy] ?? { serial: '', port: 0 };
  return {
    serial,
    port,
    tag,
    epcHex: scene.epcOf(tag),
    rssiCdbm: rssiCdbm(walk.distanceOf(tag), crosses, prng),
    frequency: CHANNELS_KHZ[prng.below(CHANNELS_KHZ.length)] ?? CHANNELS_KHZ[0],
    phaseAngle: prng.below(3600) / 10,
    offsetMs,
  };
}

/** Path loss over the distance plus noise, rounded as the reader rounds; a neighbour hears through a shelf. */
function rssiCdbm(metres: number, crosses: boolean, prng: Prng): number {
  const distance = crosses ? metres + NEIGHBOUR_METRES : metres;
  const loss = PATH_LOSS_PER_DECADE * Math.log10(distance) + (crosses ? SHELF_LOSS_CDBM : 0);
  const heard = RSSI_AT_ONE_METRE - loss + NOISE_CDBM * prng.normal();
  return Math.min(-2500, Math.max(-8400, Math.round(heard / 50) * 50));
}
