import { type Child, cores, start } from './child.ts';
import { Generator, getJson } from './clients.ts';
import type { ConsumersResult } from './consumers.ts';
import type { LoadRequest } from './load.ts';
import { anonymousMegabytes, cpuSeconds } from './machine.ts';
import { Metrics } from './metrics.ts';
import type { RestBenchOptions } from './options.ts';
import type { CallRequest, CallResult, LoopRequest, Times } from './rest-client.ts';
import { benchFields, importFile } from './rest-seed.ts';
import type { Site } from './seed.ts';
import { startTagkeep, type TagkeepTarget } from './targets.ts';

/** One kind of work, and what the event loop was like meanwhile. */
export interface Part {
  readonly what: string;
  readonly ms: number;
  readonly loopP99Ms: number;
  readonly loopMaxMs: number;
}

export interface RestMeasured {
  readonly readyMs: number;
  /** From the start until the first search was answered. */
  readonly firstSearchMs: number;
  readonly searches: readonly Times[];
  readonly inventories: readonly Times[];
  readonly lists: readonly Times[];
  readonly parts: readonly Part[];
  readonly importMs: number;
  readonly exported: { readonly ms: number; readonly bytes: number };
  readonly fanOut: FanOut | null;
  readonly maxMegabytes: number;
  readonly readsPerSecond: number;
  readonly notes: readonly string[];
}

export interface FanOut {
  readonly consumers: number;
  readonly deliveriesPerSecond: number;
  readonly deliveriesPerCpuSecond: number;
  readonly droppedShare: number;
  readonly bytesPerEvent: number;
}

export interface RestMeasureOptions {
  readonly options: RestBenchOptions;
  readonly site: Site;
  readonly profileDir: string | null;
  readonly say: (what: string) => void;
}

const READS_PER_SECOND = 2000;
const LOOP_SAMPLE_MS = 10;
/** All tags count as present for the whole run: the dearest case for inventories. */
const PRESENT_ALL_DAY = { TAGKEEP_PRESENCE__WINDOW_SECONDS: '86400' };
const GAP_MS = 5;
const CONSUMERS = 100;

/** Common, less common, rare and absent needles; in the EPC, in texts, in numbers. */
const needles = ['pallet', 'Nordwind', 'crate 1', 'l-123', '271828', '19E400', 'no such thing', '99.99'];

interface Bench extends RestMeasureOptions {
  readonly target: TagkeepTarget;
  readonly client: Child;
  readonly generator: Generator;
}

/** Starts Tagkeep on a site with tags and data and asks it everything while reads flow in. */
export async function measureRest(all: RestMeasureOptions): Promise<RestMeasured> {
  const { site, say } = all;
  const target = await startTagkeep(site, all.profileDir, PRESENT_ALL_DAY);
  const began = performance.now();
  const client = start([process.execPath, `${import.meta.dirname}/rest-client.mjs`], {
    core: cores.load,
    ipc: true,
  });
  const bench: Bench = { ...all, target, client, generator: new Generator() };
  await bench.generator.connect(site, target.port);
  const firstSearch = await call(bench, 'GET /tags?q=no+such+thing');
  say(`first search after ${Math.round(firstSearch.ms)} ms`);
  const firstSearchMs = performance.now() - began + target.readyMs;
  const flow = startFlow(bench);
  const measured = await whileFlowing(bench);
  const readsPerSecond = await flow.stop();
  const fanOut = await measureFanOut(bench);
  await target.stop();
  return { readyMs: target.readyMs, firstSearchMs, ...measured, fanOut, readsPerSecond, notes: [] };
}

type Flowing = Omit<RestMeasured, 'readyMs' | 'firstSearchMs' | 'fanOut' | 'readsPerSecond' | 'notes'>;

async function whileFlowing(bench: Bench): Promise<Flowing> {
  const parts: Part[] = [];
  const memory = watchMemory(bench.target.pid);
  const part = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    const { result, ...done } = await watched(bench, what, work);
    parts.push(done);
    bench.say(
      `${what}: ${Math.round(done.ms)} ms, loop delay p99 ${done.loopP99Ms.toFixed(1)} ms, max ${done.loopMaxMs.toFixed(1)} ms`,
    );
    return result;
  };
  await part('nothing but reads', () => new Promise((resolve) => setTimeout(resolve, 3000)));
  const lists = await part('lists', () => loop(bench, ['/tags', '/license', '/fields']));
  const searches = await part('searches', () =>
    loop(
      bench,
      needles.map((needle) => `/tags?q=${encodeURIComponent(needle)}`),
    ),
  );
  const zones = (await getJson(siteOf(bench), '/api/v1/zones')) as readonly { readonly id: string }[];
  const inventories = await part('inventories', () =>
    loop(bench, ['/inventory/summary', `/zones/${zones[0]?.id}/inventory`]),
  );
  const imported = await part('import', () => importRows(bench));
  const searchesAfter = await part('searches after the import', () =>
    loop(
      bench,
      needles.map((needle) => `/tags?q=${encodeURIComponent(needle)}&limit=100`),
    ),
  );
  const exported = await part('export', () => call(bench, 'GET /tags/export'));
  await part('field renamed', () => call(bench, 'PATCH /fields/customer', { label: 'Client' }));
  await part('field deleted', () => call(bench, 'DELETE /fields/lot'));
  await part('10,000 tags deleted', () => bulkDelete(bench));
  await part('10 s after it', () => new Promise((resolve) => setTimeout(resolve, 10_000)));
  return {
    lists,
    searches: [...searches, ...searchesAfter],
    inventories,
    parts,
    importMs: imported.ms,
    exported,
    maxMegabytes: memory.stop(),
  };
}

async function watched<T>(bench: Bench, what: string, work: () => Promise<T>): Promise<Part & { result: T }> {
  await Metrics.of(bench.target.origin);
  const began = performance.now();
  const result = await work();
  const ms = performance.now() - began;
  const after = await Metrics.of(bench.target.origin);
  const delay = (name: string): number => Math.max(0, after.get(name) * 1000 - LOOP_SAMPLE_MS);
  return {
    what,
    ms,
    result,
    loopP99Ms: delay('nodejs_eventloop_lag_p99_seconds'),
    loopMaxMs: delay('nodejs_eventloop_lag_max_seconds'),
  };
}

function siteOf({ site, target }: Bench): { origin: string; apiKey: string } {
  return { origin: target.origin, apiKey: site.apiKey };
}

async function call(bench: Bench, what: `${string} ${string}`, body?: unknown): Promise<CallResult> {
  const [method = '', path = ''] = what.split(' ', 2);
  const json = body === undefined ? {} : { body: JSON.stringify(body) };
  return answered(bench, { ...siteOf(bench), method, path: `/api/v1${path}`, ...json });
}

async function answered({ client }: Bench, request: CallRequest): Promise<CallResult> {
  const result = await client.ask<CallResult>('call', request);
  if (result.status >= 200 && result.status < 300) return result;
  throw new Error(
    `${request.method} ${request.path} answered ${result.status}: ${result.text.slice(0, 300)}`,
  );
}

function loop(bench: Bench, paths: readonly string[]): Promise<readonly Times[]> {
  const request: LoopRequest = {
    ...siteOf(bench),
    paths: paths.map((path) => `/api/v1${path}`),
    seconds: bench.options.seconds,
    gapMs: GAP_MS,
  };
  return bench.client.ask('loop', request);
}

async function importRows(bench: Bench): Promise<CallResult> {
  const { importRows: rows, knownTags } = bench.options;
  const boundary = 'tagkeep-bench';
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="bench.csv"\r\nContent-Type: text/csv\r\n\r\n`;
  const result = await answered(bench, {
    ...siteOf(bench),
    method: 'POST',
    path: '/api/v1/tags/import',
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: `${head}${importFile(rows, knownTags)}\r\n--${boundary}--\r\n`,
  });
  const report = JSON.parse(result.text) as { total: number; errors: readonly unknown[] }; // as the contract says
  if (report.total !== rows || report.errors.length > 0)
    throw new Error(`the import counts for nothing: ${result.text.slice(0, 300)}`);
  return result;
}

async function bulkDelete(bench: Bench): Promise<CallResult> {
  const { knownTags } = bench.options;
  const count = Math.min(10_000, Math.floor(knownTags / 4));
  const file = importFile(2 * count, knownTags)
    .split('\n')
    .slice(1);
  const epcs = file.filter((_, row) => row % 2 === 1).map((line) => line.split(',', 1)[0]);
  return call(bench, 'POST /tags/bulk-delete', { epcs: epcs.slice(0, count) });
}

/** Reads at a steady pace for as long as the rest takes, in stretches that end by themselves. */
function startFlow({ generator, options }: Bench): { stop: () => Promise<number> } {
  let flowing = true;
  let messages = 0;
  let seconds = 0;
  const request: LoadRequest = {
    ...{ readsPerMessage: 1, window: 100, warmupMs: 0, measureMs: 1000 },
    ...{ readsPerSecond: READS_PER_SECOND, knownTags: options.knownTags },
  };
  const running = (async () => {
    while (flowing) {
      const load = await generator.run(request);
      messages += load.messages;
      seconds += load.seconds;
    }
  })();
  return {
    stop: async () => {
      flowing = false;
      await running;
      return messages / seconds;
    },
  };
}

function watchMemory(pid: number): { stop: () => number } {
  let max = 0;
  const timer = setInterval(() => {
    max = Math.max(max, anonymousMegabytes(pid));
  }, 200);
  return {
    stop: () => {
      clearInterval(timer);
      return max;
    },
  };
}

/** As many events as the appliance makes of a flood of reads, for a hundred consumers that read them all. */
async function measureFanOut(bench: Bench): Promise<FanOut> {
  const { generator, options, site, target } = bench;
  const child = start([process.execPath, `${import.meta.dirname}/consumers.mjs`], {
    core: cores.load,
    ipc: true,
  });
  await child.ask('open', { origin: target.origin, apiKey: site.apiKey, count: CONSUMERS });
  const request: LoadRequest = {
    ...{ readsPerMessage: 10, window: 20, warmupMs: 0, measureMs: options.seconds * 1000 },
    ...{ readsPerSecond: 20_000, knownTags: options.knownTags },
  };
  await generator.run({ ...request, measureMs: 2000 });
  const before = await Metrics.of(target.origin);
  await child.ask<ConsumersResult>('mark');
  const cpu = cpuSeconds(target.pid);
  const began = performance.now();
  await generator.run(request);
  const seconds = (performance.now() - began) / 1000;
  const spent = cpuSeconds(target.pid) - cpu;
  const taken = await child.ask<ConsumersResult>('mark');
  const after = await Metrics.of(target.origin);
  await child.ask('close');
  await child.stop();
  const dropped = after.since(before, 'tagkeep_stream_dropped_total');
  // What consumers really took, in events of the size one of them counted.
  const bytesPerEvent = taken.bytesOfOne / taken.eventsOfOne;
  const deliveries = taken.bytes / bytesPerEvent;
  return {
    consumers: CONSUMERS,
    deliveriesPerSecond: deliveries / seconds,
    deliveriesPerCpuSecond: deliveries / spent,
    droppedShare: dropped / (dropped + deliveries),
    bytesPerEvent,
  };
}

export const benchShape = `${benchFields.length} fields each`;
