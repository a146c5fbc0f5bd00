import { createPrng } from '../lib/prng.ts';
import type { LocalInterface } from './local-interface.ts';
import type { OutboxStats } from './outbox.ts';
import { type PlayedReader, playReader, type SimulatedReader } from './played-reader.ts';
import type { EventShape } from './r700-event.ts';
import { type Schedule, startSchedule } from './schedule.ts';
import { createWorld, type WorldOptions } from './world.ts';
import { checkNumber } from './world-options.ts';

export type { LocalSettings, SimulatedReader } from './played-reader.ts';

export interface SimulationOptions extends Omit<WorldOptions, 'readers'> {
  readonly readers: readonly SimulatedReader[];
  /** `mqtts://host:port`. */
  readonly url: string;
  /** When absent: `minimal`, and what its preset asks for from a reader with a local interface. */
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

export interface SimulationStats {
  /** Reads made and reported since the start; none while a radio is off. */
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
  /** The local interfaces of the readers that have one, by serial. */
  readonly locals: ReadonlyMap<string, LocalInterface>;
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
  const outages = createOutages(
    options,
    Array.from(readers.values(), ({ link }) => link),
  );
  const schedule = startSchedule({
    now: options.now,
    longestStepMs: LONGEST_STEP_MS,
    step: ({ at, dtMs, skippedMs }) => {
      counts.skippedMs += skippedMs;
      outages.check(at);
      for (const read of world.step(dtMs)) {
        if (readers.get(read.serial)?.read({ ...read, tickAt: at - dtMs })) counts.reads += 1;
      }
    },
  });
  const stats = (): SimulationStats => ({ ...counts, outages: outages.count(), ...readerStats(readers) });
  return { ...lifeOf(options, readers, schedule), stats, locals: localsOf(readers) };
}

/** All or none: what started before a reader was refused is stopped again. */
async function startReaders(options: SimulationOptions): Promise<Map<string, PlayedReader>> {
  const started = new Map<string, PlayedReader>();
  try {
    for (const reader of options.readers) started.set(reader.serial, await playReader(reader, options));
  } catch (error) {
    await Promise.all(Array.from(started.values(), (reader) => reader.stop(0)));
    throw error;
  }
  return started;
}

function localsOf(readers: ReadonlyMap<string, PlayedReader>): ReadonlyMap<string, LocalInterface> {
  return new Map(
    [...readers].flatMap(([serial, { local }]) => (local === null ? [] : [[serial, local] as const])),
  );
}

function lifeOf(
  options: SimulationOptions,
  readers: ReadonlyMap<string, PlayedReader>,
  schedule: Schedule,
): Pick<Simulation, 'stop' | 'done'> {
  let requestStop = (): void => {};
  const finish = async (): Promise<void> => {
    clearTimeout(timer);
    schedule.stop();
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

interface Outages {
  check(at: number): void;
  count(): number;
}

/** One reader at a time, drawn from the seed. */
function createOutages(options: SimulationOptions, readers: readonly PlayedReader['link'][]): Outages {
  const everyMs = (options.outageEverySeconds ?? Number.POSITIVE_INFINITY) * 1000;
  const lastsMs = (options.outageSeconds ?? Math.min(5, everyMs / 2000)) * 1000;
  const prng = createPrng(~options.seed);
  let startsAt = options.now() + everyMs;
  let count = 0;
  let away: { readonly reader: PlayedReader['link']; readonly until: number } | undefined;
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

function readerStats(readers: ReadonlyMap<string, PlayedReader>): Pick<SimulationStats, 'total' | 'readers'> {
  const states = [...readers].map(([serial, { link }]) => ({
    serial,
    connected: link.connected,
    ...link.stats,
  }));
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
