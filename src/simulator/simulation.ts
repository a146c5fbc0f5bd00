import type { Identity } from '../device/identity.ts';
import { createPrng } from '../lib/prng.ts';
import type { OutboxStats } from './outbox.ts';
import {
  antennaEvent,
  type EnvelopeShape,
  type EventShape,
  hostnameOf,
  inventoryStatusEvent,
} from './r700-event.ts';
import { type Schedule, startSchedule } from './schedule.ts';
import { startVirtualReader, type VirtualReader } from './virtual-reader.ts';
import { createWorld, type WorldOptions } from './world.ts';
import { checkNumber } from './world-options.ts';

export interface SimulationOptions extends Omit<WorldOptions, 'readers'> {
  readonly readers: readonly SimulatedReader[];
  /** `mqtts://host:port`. */
  readonly url: string;
  /** `minimal` when absent. */
  readonly format?: EventShape['format'];
  /** 1 when absent. */
  readonly qos?: 0 | 1;
  /** Events each reader keeps while they cannot be sent, 1 to 300,000; 100,000 when absent, as on the reader. */
  readonly bufferSize?: number;
  /** Every so often one reader loses its network; never when absent. */
  readonly outageEverySeconds?: number;
  /** How long such an outage lasts, shorter than `outageEverySeconds`; the lesser of 5 and half of it when absent. */
  readonly outageSeconds?: number;
  /** The simulation stops by itself after this time; runs until `stop` when absent. */
  readonly durationSeconds?: number;
  /** Epoch milliseconds: the clock of every event and of the pace. */
  readonly now: () => number;
  /** Takes one line without a line end; silent when absent. */
  readonly log?: (line: string) => void;
}

export interface SimulatedReader {
  readonly serial: string;
  readonly identity: Identity;
  /** 1 to 4; all four when absent. */
  readonly ports?: readonly number[];
}

export interface SimulationStats {
  /** Reads made since the start. */
  readonly reads: number;
  readonly outages: number;
  /** Time in which nothing was simulated because the process did not get to run. */
  readonly skippedMs: number;
  /** Sums over all readers; events other than reads count too. */
  readonly total: OutboxStats;
  readonly readers: readonly ReaderState[];
}

export interface ReaderState extends OutboxStats {
  readonly serial: string;
  readonly connected: boolean;
}

export interface Simulation {
  /** Ends the inventories, delivers what is waiting for at most 3 s, and leaves the broker. */
  stop(): Promise<void>;
  stats(): SimulationStats;
  /** Resolves when the simulation has stopped, by itself or by `stop`. */
  readonly done: Promise<void>;
}

const ALL_PORTS = [1, 2, 3, 4];
/** Longest time made up for in one go: beyond it the process was asleep, and so were the readers. */
const LONGEST_STEP_MS = 100;

/**
 * Starts every reader and lets the warehouse run: tags walk, antennas read, readers publish. A reader that cannot connect
 * buffers and keeps trying. Rejects with one line naming the option that is wrong; nothing runs then.
 */
export async function startSimulation(options: SimulationOptions): Promise<Simulation> {
  checkTimes(options);
  const reading = options.readers.map(({ serial, ports }) => ({ serial, ports: ports ?? ALL_PORTS }));
  const world = createWorld({ ...options, readers: reading });
  const readers = await startReaders(options);
  const counts = { reads: 0, skippedMs: 0 };
  const outages = createOutages(options, [...readers.values()]);
  announce(options, readers);
  const schedule = startSchedule({
    now: options.now,
    longestStepMs: LONGEST_STEP_MS,
    step: ({ at, dtMs, skippedMs }) => {
      counts.skippedMs += skippedMs;
      outages.check(at);
      for (const read of world.step(dtMs)) {
        counts.reads += 1;
        readers.get(read.serial)?.publish({ ...read, tickAt: at - dtMs });
      }
    },
  });
  const stats = (): SimulationStats => ({ ...counts, outages: outages.count(), ...readerStats(readers) });
  return { ...lifeOf(options, readers, schedule), stats };
}

/** All or none: what started before a reader was refused is stopped again. */
async function startReaders(options: SimulationOptions): Promise<Map<string, VirtualReader>> {
  const { url, format = 'minimal', qos = 1, bufferSize = 100_000, now, log = () => {} } = options;
  const started = new Map<string, VirtualReader>();
  try {
    for (const { serial, identity } of options.readers) {
      const shape = envelopeOf(options, serial);
      const reader = startVirtualReader({ serial, url, identity, format, qos, bufferSize, shape, now, log });
      started.set(serial, reader);
    }
  } catch (error) {
    await Promise.all([...started.values()].map((reader) => reader.stop(0)));
    throw error;
  }
  return started;
}

/** What readers say when their inventories start. */
function announce(options: SimulationOptions, readers: ReadonlyMap<string, VirtualReader>): void {
  const at = options.now();
  for (const { serial, ports = ALL_PORTS } of options.readers) {
    const shape = envelopeOf(options, serial);
    const reader = readers.get(serial);
    for (const port of ports) reader?.publishEvent(antennaEvent({ port, connected: true }, at, shape));
    reader?.publishEvent(inventoryStatusEvent('running', at, shape));
  }
}

function lifeOf(
  options: SimulationOptions,
  readers: ReadonlyMap<string, VirtualReader>,
  schedule: Schedule,
): Pick<Simulation, 'stop' | 'done'> {
  let requestStop = (): void => {};
  const finish = async (): Promise<void> => {
    clearTimeout(timer);
    schedule.stop();
    for (const [serial, reader] of readers) {
      reader.publishEvent(inventoryStatusEvent('idle', options.now(), envelopeOf(options, serial)));
    }
    await Promise.all([...readers.values()].map((reader) => reader.stop()));
  };
  const requested = new Promise<void>((resolve) => {
    requestStop = resolve;
  });
  const done = requested.then(finish);
  const { durationSeconds } = options;
  const timer = durationSeconds === undefined ? undefined : setTimeout(requestStop, durationSeconds * 1000);
  const stop = (): Promise<void> => {
    requestStop();
    return done;
  };
  return { stop, done };
}

function envelopeOf(options: SimulationOptions, serial: string): EnvelopeShape {
  return options.format === 'full' ? { hostname: hostnameOf(serial) } : {};
}

interface Outages {
  check(at: number): void;
  count(): number;
}

/** One reader at a time, drawn from the seed. */
function createOutages(options: SimulationOptions, readers: readonly VirtualReader[]): Outages {
  const everyMs = (options.outageEverySeconds ?? Number.POSITIVE_INFINITY) * 1000;
  const lastsMs = (options.outageSeconds ?? Math.min(5, everyMs / 2000)) * 1000;
  const prng = createPrng(~options.seed);
  let startsAt = options.now() + everyMs;
  let count = 0;
  let away: { readonly reader: VirtualReader; readonly until: number } | undefined;
  const check = (at: number): void => {
    if (away !== undefined && at >= away.until) {
      away.reader.goOnline();
      away = undefined;
    }
    const reader = at < startsAt ? undefined : readers[prng.below(readers.length)];
    if (reader === undefined) return;
    reader.goOffline();
    away = { reader, until: at + lastsMs };
    startsAt = at + everyMs;
    count += 1;
  };
  return { check, count: () => count };
}

function readerStats(
  readers: ReadonlyMap<string, VirtualReader>,
): Pick<SimulationStats, 'total' | 'readers'> {
  const states = [...readers].map(([serial, { connected, stats }]) => ({ serial, connected, ...stats }));
  const sum = (key: keyof OutboxStats): number => states.reduce((total, state) => total + state[key], 0);
  const total = {
    sent: sum('sent'),
    acknowledged: sum('acknowledged'),
    inFlight: sum('inFlight'),
    buffered: sum('buffered'),
    purged: sum('purged'),
  };
  return { total, readers: states };
}

function checkTimes(options: SimulationOptions): void {
  const { outageEverySeconds: every, outageSeconds, durationSeconds } = options;
  if (every !== undefined) checkNumber('outageEverySeconds', every, [0.1, 1_000_000]);
  if (durationSeconds !== undefined) checkNumber('durationSeconds', durationSeconds, [0.001, 1_000_000]);
  if (outageSeconds === undefined) return;
  if (every === undefined) throw new RangeError('outageSeconds has no meaning without outageEverySeconds');
  checkNumber('outageSeconds', outageSeconds, [0.001, every * 0.99]);
}
