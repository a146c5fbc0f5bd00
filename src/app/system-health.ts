import { stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import type { Broker } from '../broker/types.ts';
import type { Config } from '../config/options.ts';
import type { SystemHealth } from '../contract/system.ts';
import { formatInstant } from '../lib/instant.ts';
import type { LiveBus } from '../live/bus.ts';
import type { Store } from '../store/store.ts';
import { storeFile } from '../store/store-file.ts';
import { tables } from '../store/tables.ts';
import { diskRoom } from './disk-room.ts';
import { LoopLag } from './loop-lag.ts';
import type { Pipeline } from './pipeline.ts';
import { ReadRate } from './read-rate.ts';
import { version } from './version.ts';

const SAMPLE_MS = 5000;
const SAMPLES_A_ROLL = 12;
const SECOND = 1000;

export interface HealthSources {
  readonly config: Config;
  readonly store: Pick<Store, 'get' | 'count'>;
  readonly pipeline: Pipeline;
  readonly broker: Pick<Broker, 'openConnections'>;
  readonly bus: LiveBus;
  /** Epoch ms. */
  readonly now: () => number;
  /** As `/readyz` says. */
  readonly ready: () => { readonly ok: boolean; readonly reasons: readonly string[] };
}

/** What people are told of how the appliance fares: what `/metrics` has, but for what has to be watched over a time. */
export class HealthWatch {
  readonly #sources: HealthSources;
  readonly #rate: ReadRate;
  readonly #lag = new LoopLag();
  readonly #startedAt = performance.now();
  readonly #timer: NodeJS.Timeout;
  #looking: Promise<Room> | null = null;

  constructor(sources: HealthSources) {
    this.#sources = sources;
    this.#rate = new ReadRate(() => totalOf(sources.pipeline, 'reads'));
    let samples = 0;
    this.#timer = setInterval(() => {
      this.#rate.sample();
      if (++samples % SAMPLES_A_ROLL === 0) this.#lag.roll();
    }, SAMPLE_MS);
    this.#timer.unref();
  }

  async look(): Promise<SystemHealth> {
    const { config, now, ready, bus, broker, store } = this.#sources;
    // Of several at once one look: a volume that does not answer must not hold more than one thread.
    this.#looking ??= roomIn(config).finally(() => {
      this.#looking = null;
    });
    const { disk, bytes } = await this.#looking;
    const uptimeMs = performance.now() - this.#startedAt;
    const { ok, reasons } = ready();
    const schemaVersion = store.get(tables.meta, 'schemaVersion') ?? 0;
    return {
      version,
      // From the uptime, so that it is right once a clock that was wrong at the start is set.
      startedAt: formatInstant(Math.max(0, Math.round((now() - uptimeMs) / SECOND) * SECOND)),
      uptimeSeconds: Math.floor(uptimeMs / SECOND),
      ...{ node: process.version, hostname: hostname(), ready: { ok, reasons: [...reasons] } },
      memory: { rssBytes: process.memoryUsage.rss(), heapBytes: getHeapStatistics().used_heap_size },
      ...{ disk, store: { bytes, tags: store.count(tables.tags), schemaVersion } },
      ingest: this.#ingest(),
      ...{ streams: bus.counters.consumers, brokerConnections: broker.openConnections() },
      eventLoopLagMs: { p99: this.#lag.p99() },
    };
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#lag.stop();
  }

  #ingest(): SystemHealth['ingest'] {
    const { ingest } = this.#sources.pipeline;
    return {
      readsPerSecond: this.#rate.perSecond(),
      waiting: ingest.queuedMessages,
      refused: ingest.shed,
      dropped: totalOf(this.#sources.pipeline, 'dropped'),
    };
  }
}

function totalOf({ diagnostics }: Pick<Pipeline, 'diagnostics'>, counter: 'reads' | 'dropped'): number {
  let total = 0;
  for (const [, counters] of diagnostics.all()) total += counters[counter];
  return total;
}

interface Room {
  readonly disk: SystemHealth['disk'];
  readonly bytes: number | null;
}

async function roomIn(config: Config): Promise<Room> {
  try {
    const { free, size, floor } = await diskRoom(config);
    const { size: bytes } = await stat(storeFile(config.dataDir));
    return { disk: { freeBytes: free, totalBytes: size, floorBytes: Math.ceil(floor) }, bytes };
  } catch {
    return { disk: null, bytes: null };
  }
}
