import { setTimeout as sleep } from 'node:timers/promises';
import { type Generator, getJson, loaded, type Probe, type TargetCpu } from './clients.ts';
import { tagsInView } from './fleet.ts';
import type { LoadRequest, LoadResult } from './load.ts';
import { anonymousMegabytes } from './machine.ts';
import { Metrics } from './metrics.ts';
import type { RestResult, StreamResult } from './probe.ts';
import type { TagkeepTarget } from './targets.ts';

/** What one stretch of load showed of Tagkeep, all sides of it at once. */
export interface TagkeepRun {
  readonly load: LoadResult;
  readonly cpu: TargetCpu;
  /** Null when it was not looked at, or did not answer; `notes` say so then. */
  readonly rest: RestResult | null;
  readonly stream: StreamResult | null;
  readonly streamDropped: number;
  /** Event-loop delay beyond the sampling interval. */
  readonly loopP99Ms: number;
  readonly loopMaxMs: number;
  readonly maxMegabytes: number;
  readonly notes: readonly string[];
}

export interface TagkeepRunOptions {
  readonly target: TagkeepTarget;
  readonly apiKey: string;
  readonly generator: Generator;
  readonly probe: Probe;
  readonly request: LoadRequest;
  /** What is looked at besides: answers of REST, or how late the stream's one consumer hears of a read. */
  readonly look: 'nothing' | 'rest' | 'latency';
}

const REST_PATH = '/api/v1/license';
const REST_PER_SECOND = 200;
/** How often the event loop's delay is sampled; an idle loop shows it. */
const LOOP_SAMPLE_MS = 10;
const MEMORY_SAMPLE_MS = 200;

/** Loads a running Tagkeep with probes attached, then proves that every read counted was processed. Throws when not. */
export async function runTagkeep(options: TagkeepRunOptions): Promise<TagkeepRun> {
  const { target, generator, request } = options;
  const { origin, pid } = target;
  const notes: string[] = [];
  const before = await Metrics.of(origin);
  const stream = await openStream(options, notes);
  const rest = options.look === 'rest' && (await startRest(options, notes));
  const memory = watchMemory(pid);
  const { load, cpu } = await loaded(generator, request, pid);
  const maxMegabytes = memory.stop();
  const restResult = rest ? await options.probe.stopRest() : null;
  const after = await Metrics.of(origin);
  const streamResult = stream ? await options.probe.closeStream(load) : null;
  if (restResult && restResult.failed > 0)
    throw new Error(`${restResult.failed} of ${restResult.requests} GET ${REST_PATH} failed`);
  checkCounters({ before, after, load, request });
  await checkInventory(options, notes);
  return {
    load,
    cpu,
    rest: restResult,
    stream: streamResult,
    streamDropped: after.since(before, 'tagkeep_stream_dropped_total'),
    loopP99Ms: Math.max(0, after.get('nodejs_eventloop_lag_p99_seconds') * 1000 - LOOP_SAMPLE_MS),
    loopMaxMs: Math.max(0, after.get('nodejs_eventloop_lag_max_seconds') * 1000 - LOOP_SAMPLE_MS),
    maxMegabytes,
    notes,
  };
}

async function openStream(
  { target, apiKey, probe, look }: TagkeepRunOptions,
  notes: string[],
): Promise<boolean> {
  try {
    await probe.openStream({ origin: target.origin, apiKey, latency: look === 'latency' });
    return true;
  } catch (error) {
    notes.push(`no stream consumer: ${message(error)}`);
    return false;
  }
}

async function startRest({ target, apiKey, probe }: TagkeepRunOptions, notes: string[]): Promise<boolean> {
  const request = { origin: target.origin, apiKey, path: REST_PATH, perSecond: REST_PER_SECOND };
  const status = await probe.statusOf(request);
  if (status !== 200) {
    notes.push(`REST not measured: GET ${REST_PATH} answered ${status}`);
    return false;
  }
  await probe.startRest(request);
  return true;
}

function watchMemory(pid: number): { stop: () => number } {
  let max = anonymousMegabytes(pid);
  const timer = setInterval(() => {
    max = Math.max(max, anonymousMegabytes(pid));
  }, MEMORY_SAMPLE_MS);
  return {
    stop: () => {
      clearInterval(timer);
      return max;
    },
  };
}

interface Counted {
  readonly before: Metrics;
  readonly after: Metrics;
  readonly load: LoadResult;
  readonly request: LoadRequest;
}

/** Acknowledged must be the same as processed: repeats, rejected and dropped messages are acknowledged too. */
function checkCounters({ before, after, load, request }: Counted): void {
  const grown = (name: string): number => after.since(before, `tagkeep_ingest_${name}_total`);
  const reads = load.total * request.readsPerMessage;
  const wrong = [
    ...(grown('reads') === reads ? [] : [`${grown('reads')} reads processed of ${reads} acknowledged`]),
    ...(grown('messages') === load.total
      ? []
      : [`${grown('messages')} messages taken of ${load.total} acknowledged`]),
    ...['repeats', 'rejected', 'dropped', 'clock_skewed', 'shed']
      .filter((name) => grown(name) !== 0)
      .map((name) => `${grown(name)} ${name}`),
  ];
  if (wrong.length > 0) throw new Error(`the run counts for nothing: ${wrong.join(', ')}`);
}

const INVENTORY_MS = 3000;

/** Every tag in view must be present in a zone, and no other. */
async function checkInventory({ target, apiKey }: TagkeepRunOptions, notes: string[]): Promise<void> {
  const path = '/api/v1/inventory/summary';
  let total = Number.NaN;
  try {
    for (const limit = performance.now() + INVENTORY_MS; performance.now() < limit; await sleep(50)) {
      const zones = (await getJson({ origin: target.origin, apiKey }, path)) as { total: number }[]; // as the contract says
      total = zones.reduce((sum, zone) => sum + zone.total, 0);
      if (total === tagsInView) return;
    }
  } catch (error) {
    notes.push(`presence not checked: ${message(error)}`);
    return;
  }
  throw new Error(`the run counts for nothing: ${total} tags are present, ${tagsInView} were sent`);
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
