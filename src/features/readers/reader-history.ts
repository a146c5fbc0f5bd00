import type { ReaderActivity } from '../../contract/reader-activity.ts';
import { limits } from '../../domain/limits.ts';
import { formatInstant } from '../../lib/instant.ts';
import { MinuteSlots } from '../../lib/minute-slots.ts';
import { Pace } from '../../lib/pace.ts';
import type { Directory, ReaderContext } from '../../store/directory.ts';
import type { ReaderRecord } from '../../store/records.ts';
import type { DeviceActivitySource } from './device-signs.ts';

const SLOTS = limits.historyMinutes + 1;
const MINUTE_MS = 60_000;
/** An agent tells its health every half minute. */
const HEALTH_LASTS_MS = 3 * MINUTE_MS;
const figures = ['temperatureC', 'cpuPercent', 'memoryPercent'] as const;
type Figure = (typeof figures)[number];

/** One ring of points a figure; NaN: not known. */
interface Columns {
  /** By port; index 0: reads that name none. */
  readonly rates: readonly Float32Array[];
  readonly health: Readonly<Record<Figure, Float32Array>>;
}

export interface ReaderHistoryOptions {
  readonly directory: Directory;
  readonly activity: DeviceActivitySource;
  /** Takes the number of an antenna's reads that were stored since it was last asked. */
  readonly takeCounted: (antennaNo: number) => number;
  /** Epoch ms. */
  readonly now: () => number;
}

/**
 * Reads and health of every reader, once a minute for the last hours, in memory: 11.6 kB a reader, from its first read or
 * health on. Readers beyond `limits.historyReaders`, of all organisations together, have none.
 */
export class ReaderHistory {
  readonly #options: ReaderHistoryOptions;
  readonly #slots = new MinuteSlots(SLOTS);
  readonly #columns = new Map<number, Columns>();
  #lastAt: number;

  constructor(options: ReaderHistoryOptions) {
    this.#options = options;
    this.#lastAt = options.now();
  }

  /** Takes this minute's sample unless it is there; called every second or so, never twice at once. */
  async sample(): Promise<void> {
    const at = this.#options.now();
    // The minute of the start has not been counted from its beginning.
    if (!this.#slots.isDue(at) || minuteOf(at) === minuteOf(this.#lastAt)) return;
    const elapsedMs = at - this.#lastAt;
    this.#lastAt = at;
    const readers = this.#options.directory.readers();
    const pace = new Pace();
    for (const reader of readers) {
      if (pace.due) await pace.pause();
      this.#sampleReader(reader, at, elapsedMs);
    }
    const known = new Set(readers.map(({ reader }) => reader.no));
    for (const no of this.#columns.keys()) if (!known.has(no)) this.#columns.delete(no);
    this.#slots.taken(at);
  }

  /** The last minutes of a reader. */
  of({ no, createdAt }: ReaderRecord, minutes: number): ReaderActivity {
    const { at, slots } = this.#slots.last(minutes, this.#options.now());
    const columns = this.#columns.get(no);
    const isKept = columns !== undefined || this.#columns.size < limits.historyReaders;
    const known = slots.map((slot, i) => (isKept && (at[i] ?? 0) >= createdAt ? slot : null));
    const pick = (value: (slot: number) => number) =>
      known.map((slot) => shown(slot === null ? Number.NaN : value(slot)));
    const rateOf = (port: number) => pick((slot) => columns?.rates[port]?.[slot] ?? 0);
    const healthOf = (name: Figure) => pick((slot) => columns?.health[name][slot] ?? Number.NaN);
    const ports = Array.from({ length: limits.antennaPorts }, (_, i) => i + 1);
    return {
      at: at.map(formatInstant),
      readsPerSecond: pick((slot) => columns?.rates.reduce((sum, rates) => sum + (rates[slot] ?? 0), 0) ?? 0),
      ...{ temperatureC: healthOf('temperatureC'), cpuPercent: healthOf('cpuPercent') },
      memoryPercent: healthOf('memoryPercent'),
      antennas: ports.map((port) => ({ port, readsPerSecond: rateOf(port) })),
    };
  }

  #sampleReader(context: ReaderContext, at: number, elapsedMs: number): void {
    const { takeCounted, activity } = this.#options;
    const counted = context.ports.map(({ antennaNo }) => takeCounted(antennaNo));
    const { health, healthAt } = activity.of(context.serial);
    const since = Math.max(at - HEALTH_LASTS_MS, context.reader.createdAt);
    const fresh = healthAt !== null && healthAt >= since ? health : null;
    const isSilent = fresh === null && counted.every((reads) => reads === 0);
    const columns = this.#columnsOf(context.reader.no, isSilent);
    if (!columns) return;
    const slot = this.#slots.slotOf(at);
    columns.rates.forEach((rates, port) => {
      // A clock that was set back says nothing of a rate.
      rates[slot] = elapsedMs > 0 ? ((counted[port] ?? 0) * 1000) / elapsedMs : Number.NaN;
    });
    for (const name of figures) columns.health[name][slot] = numberOf(fresh?.[name]);
  }

  #columnsOf(readerNo: number, isSilent: boolean): Columns | undefined {
    const known = this.#columns.get(readerNo);
    if (known || isSilent || this.#columns.size >= limits.historyReaders) return known;
    const unknown = () => new Float32Array(SLOTS).fill(Number.NaN);
    const columns: Columns = {
      // It was silent until now.
      rates: Array.from({ length: limits.antennaPorts + 1 }, () => new Float32Array(SLOTS)),
      health: { temperatureC: unknown(), cpuPercent: unknown(), memoryPercent: unknown() },
    };
    this.#columns.set(readerNo, columns);
    return columns;
  }
}

function minuteOf(at: number): number {
  return Math.floor(at / MINUTE_MS);
}

function shown(value: number): number | null {
  return Number.isNaN(value) ? null : Math.round(value * 100) / 100;
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : Number.NaN;
}
