import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Metrics } from '../bench/metrics.ts';
import { mean, percentile } from '../bench/percentile.ts';
import { type Fault, type FaultContext, type Figure, outcomeOf } from './fault.ts';
import { chartOf, part, type Sample, tableOf } from './soak-chart.ts';
import { type ClientFigures, SoakClients } from './soak-clients.ts';
import { SoakHouse } from './soak-house.ts';
import { ConsumerProcess } from './stopped-consumers-stream.ts';

const FLEET = { readers: 10, tagsPerReader: 2000 } as const;
const PACE = { readsPerSecond: 1000, readsPerMessage: 10 } as const;
const CONSUMERS = 5;
const SAMPLE_MS = 10_000;
const SAMPLE_QUICK_MS = 2000;
const MEMORY_FACTOR = 1.1;
const MEMORY_MARGIN_MB = 8;
/** In a run too short for a process to come to rest: what is known of a tag in view is kept for five minutes. */
const MEMORY_MARGIN_SHORT_MB = 128;
const SHORT_MINUTES = 30;
const STORE_MAX_MB_PER_MILLION = 60;
/** Before the first million the file makes room for everything that will be written again and again. */
const STORE_MARGIN_MB = 16;
const DESCRIPTORS_MARGIN = 10;
const LOOP_SAMPLE_MS = 10;

/** A day's work, for as long as one likes. */
export const soak: Fault = {
  name: 'soak',
  must:
    `at 1,000 reads/s nothing is lost; memory in the last sixth ≤ ${MEMORY_FACTOR} × the second sixth + ${MEMORY_MARGIN_MB} MB ` +
    `(${MEMORY_MARGIN_SHORT_MB} MB in less than ${SHORT_MINUTES} minutes); the store grows ≤ ${STORE_MAX_MB_PER_MILLION} MB per million reads; descriptors stay`,
  async run(context: FaultContext) {
    const house = await SoakHouse.open({ folder: context.folder, fleet: FLEET });
    const { apiKey } = house.site;
    const url = `${house.target.origin}/api/v1/events/stream`;
    const consumers = Array.from(
      { length: CONSUMERS },
      () => new ConsumerProcess(url, { apiKey, file: '/dev/null', maxSeconds: (context.minutes + 10) * 60 }),
    );
    try {
      await house.connect();
      return await soakFor(house, consumers, context);
    } finally {
      await Promise.all(consumers.map((one) => one.end()));
      await house.close();
    }
  },
};

interface Soaked {
  readonly samples: readonly Sample[];
  readonly clients: ClientFigures;
  readonly answersP99Ms: number;
  readonly short: boolean;
}

async function soakFor(house: SoakHouse, consumers: readonly ConsumerProcess[], context: FaultContext) {
  const minutes = context.quick ? 1 : context.minutes;
  const before = await Metrics.of(house.target.origin);
  const clients = new SoakClients(house.rest);
  await clients.start();
  house.fleet.start(PACE);
  const samples = await sampled(house, context, minutes);
  const figuresOfClients = await clients.stop();
  const lost = await house.lost();
  const after = await Metrics.of(house.target.origin);
  const answersP99Ms = house.fleet.answersP99Ms();
  const soaked = { samples, clients: figuresOfClients, answersP99Ms, short: minutes < SHORT_MINUTES };
  for (const line of [...tableOf(samples), ...charts(samples)]) context.log(line);
  const dead = consumers.filter(({ ended }) => ended).length;
  return outcomeOf(figures(soaked, house), [
    ...lost,
    ...figuresOfClients.faults,
    ...miscounted(before, after, house),
    ...contradictions(soaked),
    ...(dead > 0 ? [`${dead} stream consumers were cut`] : []),
    ...(house.fleet.connections === FLEET.readers ? [] : ['readers lost their connections']),
  ]);
}

async function sampled(house: SoakHouse, context: FaultContext, minutes: number): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  const began = performance.now();
  const every = context.quick || minutes < 3 ? SAMPLE_QUICK_MS : SAMPLE_MS;
  for (let nth = 1; nth * every <= minutes * 60_000; nth++) {
    const waitMs = Math.max(0, began + nth * every - performance.now());
    await sleep(waitMs, undefined, { signal: context.signal });
    const sample = await sampleOf(house, (performance.now() - began) / 1000);
    samples.push(sample);
    if (nth % 30 === 0)
      context.log(
        `${(sample.seconds / 60).toFixed(1)} min: ${sample.reads} reads, ${sample.megabytes.toFixed(0)} MB`,
      );
  }
  return samples;
}

async function sampleOf(house: SoakHouse, seconds: number): Promise<Sample> {
  const metrics = await Metrics.of(house.target.origin);
  const megabytes = (name: string): number => metrics.get(name) / 2 ** 20;
  return {
    seconds,
    megabytes: house.megabytes,
    heapMb: megabytes('nodejs_heap_size_used_bytes'),
    externalMb: megabytes('nodejs_external_memory_bytes'),
    storeMb: folderBytes(house.site.dataDir) / 2 ** 20,
    descriptors: house.descriptors,
    loopP99Ms: Math.max(0, metrics.get('nodejs_eventloop_lag_p99_seconds') * 1000 - LOOP_SAMPLE_MS),
    reads: house.fleet.ledger.acknowledged,
  };
}

/** What the files take on the disk; LMDB's has holes. */
function folderBytes(folder: string): number {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sum + folderBytes(path);
    return sum + (statSync(path, { throwIfNoEntry: false })?.blocks ?? 0) * 512;
  }, 0);
}

function charts(samples: readonly Sample[]): readonly string[] {
  return [
    ...chartOf(
      'memory, MB',
      samples.map(({ megabytes }) => megabytes),
    ),
    ...chartOf(
      'store, MB',
      samples.map(({ storeMb }) => storeMb),
    ),
  ];
}

/** Memory as it is in a part of the run: its collector makes single samples jump. */
function memoryOf(samples: readonly Sample[]): number {
  return mean(samples.map(({ megabytes }) => megabytes));
}

/** What is left when the collector has been there: it grows when something leaks, and with nothing else. */
function leastHeaps(samples: readonly Sample[]): readonly string[] {
  return [1, 2, 3, 4, 5, 6].map((nth) =>
    Math.min(...part(samples, nth, 6).map(({ heapMb }) => heapMb)).toFixed(0),
  );
}

/** After the first sixth, in which everything is written for the first time. */
function storeGrowth(samples: readonly Sample[]): { readonly mb: number; readonly millions: number } {
  const [first] = part(samples, 2, 6);
  const last = samples.at(-1);
  if (!first || !last) return { mb: 0, millions: 0 };
  return { mb: last.storeMb - first.storeMb, millions: (last.reads - first.reads) / 1e6 };
}

function figures({ samples, clients, answersP99Ms }: Soaked, house: SoakHouse): readonly Figure[] {
  const last = samples.at(-1);
  const { mb, millions } = storeGrowth(samples);
  const loop = percentile(
    samples.map(({ loopP99Ms }) => loopP99Ms),
    0.5,
  );
  return [
    { what: 'minutes', value: ((last?.seconds ?? 0) / 60).toFixed(1) },
    { what: 'reads acknowledged', value: String(house.fleet.ledger.acknowledged) },
    { what: 'PUBACK p99', value: `${answersP99Ms.toFixed(0)} ms` },
    { what: 'REST p99', value: `${percentile(clients.answersMs, 0.99).toFixed(0)} ms` },
    { what: 'asset changes', value: String(clients.changes) },
    {
      what: 'memory in the second and the last sixth',
      value: `${memoryOf(part(samples, 2, 6)).toFixed(0)}, ${memoryOf(part(samples, 6, 6)).toFixed(0)} MB`,
    },
    {
      what: 'store',
      value: `${last?.storeMb.toFixed(0)} MB, ${mb.toFixed(1)} MB of it for the last ${millions.toFixed(2)} million reads`,
    },
    { what: 'least heap in each sixth', value: `${leastHeaps(samples).join(', ')} MB` },
    { what: 'descriptors', value: `${samples[0]?.descriptors} → ${last?.descriptors}` },
    { what: 'event loop p99, the median of the samples', value: `${loop.toFixed(1)} ms` },
  ];
}

function contradictions({ samples, short }: Soaked): readonly string[] {
  const faults: string[] = [];
  const second = memoryOf(part(samples, 2, 6));
  const last = memoryOf(part(samples, 6, 6));
  const margin = short ? MEMORY_MARGIN_SHORT_MB : MEMORY_MARGIN_MB;
  if (!(last <= MEMORY_FACTOR * second + margin))
    faults.push(
      `memory was ${second.toFixed(0)} MB in the second sixth and ${last.toFixed(0)} MB in the last`,
    );
  const { mb, millions } = storeGrowth(samples);
  if (mb > STORE_MARGIN_MB + STORE_MAX_MB_PER_MILLION * millions)
    faults.push(`the store grew by ${mb.toFixed(0)} MB in ${millions.toFixed(2)} million reads`);
  const descriptors = part(samples, 2, 6)[0]?.descriptors ?? 0;
  if ((samples.at(-1)?.descriptors ?? 0) > descriptors + DESCRIPTORS_MARGIN)
    faults.push(`descriptors went from ${descriptors} to ${samples.at(-1)?.descriptors}`);
  return faults;
}

/** What was acknowledged must be what was processed: repeats, refused and dropped messages are acknowledged too. */
function miscounted(before: Metrics, after: Metrics, { fleet }: SoakHouse): readonly string[] {
  const grown = (name: string): number => after.since(before, `tagkeep_ingest_${name}_total`);
  const { acknowledged } = fleet.ledger;
  return [
    ...(grown('reads') === acknowledged
      ? []
      : [`${grown('reads')} reads processed of ${acknowledged} acknowledged`]),
    ...['repeats', 'rejected', 'dropped', 'clock_skewed', 'shed']
      .filter((name) => grown(name) !== 0)
      .map((name) => `${grown(name)} ${name}`),
  ];
}
