import { setTimeout as sleep } from 'node:timers/promises';
import { checkEcho, type Generator, loaded, type Probe, type TargetCpu } from './clients.ts';
import { tagsInView } from './fleet.ts';
import { type LoadRequest, messagesOfACycle } from './load.ts';
import { loadAverage, mosquittoVersion } from './machine.ts';
import type { IngestOptions, TargetName } from './options.ts';
import type { Site } from './seed.ts';
import { runTagkeep, type TagkeepRun, type TagkeepRunOptions } from './tagkeep-run.ts';
import { startAedes, startMosquitto, startTagkeep, type Target } from './targets.ts';

/** One kind of load every target gets. */
export interface Case {
  readonly name: string;
  readonly readsPerMessage: number;
  readonly window: number;
}

export const cases = {
  single: { name: '1 read, 20 in flight per reader', readsPerMessage: 1, window: 20 },
  singleWide: { name: '1 read, 100 in flight per reader', readsPerMessage: 1, window: 100 },
  ten: { name: '10 reads, 20 in flight per reader', readsPerMessage: 10, window: 20 },
} as const satisfies Record<string, Case>;

export type CaseName = keyof typeof cases;
// The order matters: the first run of Tagkeep makes the tags.
const caseNames: readonly CaseName[] = ['single', 'singleWide', 'ten'];

/** One figure of one target. */
export interface Figure {
  readonly target: TargetName;
  readonly name: CaseName;
  readonly messagesPerSecond: number;
  readonly cpu: TargetCpu;
  readonly generatorCpu: number;
  /** Tagkeep only. */
  readonly run?: TagkeepRun;
}

export interface Measured {
  readonly figures: readonly Figure[];
  /** Tagkeep saturated while REST is asked. */
  readonly rest: readonly TagkeepRun[];
  readonly latency: TagkeepRun | null;
  /** With all tags known. */
  readonly grown: { readonly readyMs: number; readonly run: TagkeepRun } | null;
  /** What could not be measured or checked; a report with any is not a whole one. */
  readonly notes: readonly string[];
  readonly skipped: readonly string[];
  readonly loadBefore: string;
  readonly loadAfter: string;
}

export interface MeasureOptions {
  readonly options: IngestOptions;
  readonly site: Site;
  readonly grown: Site | null;
  readonly root: string;
  readonly profileDir: string | null;
  readonly generator: Generator;
  readonly probe: Probe;
  readonly say: (what: string) => void;
}

const LATENCY_READS_PER_SECOND = 10_000;

export async function measure(all: MeasureOptions): Promise<Measured> {
  const { options } = all;
  const loadBefore = loadAverage();
  const noMosquitto = options.targets.includes('mosquitto') && mosquittoVersion() === null;
  const targets = options.targets.filter((name) => name !== 'mosquitto' || !noMosquitto);
  const figures: Figure[] = [];
  const rest: TagkeepRun[] = [];
  for (let repeat = 0; repeat < options.repeats; repeat++) {
    // In turns, so that a machine that gets slower or faster does so for all.
    for (const target of targets) {
      if (target !== 'tagkeep') figures.push(...(await measureBare(all, target)));
      else {
        const done = await measureTagkeep(all);
        figures.push(...done.figures);
        rest.push(done.rest);
      }
    }
  }
  const latency = targets.includes('tagkeep') && all.profileDir === null ? await measureLatency(all) : null;
  const grown = all.grown ? await measureGrown(all, all.grown) : null;
  const runs = [...figures.map(({ run }) => run), ...rest, latency, grown?.run];
  return {
    figures,
    rest,
    latency,
    grown,
    notes: [...new Set(runs.flatMap((run) => run?.notes ?? []))],
    skipped: noMosquitto ? ['Mosquitto is not installed: not compared with it'] : [],
    loadBefore,
    loadAfter: loadAverage(),
  };
}

function requestOf({ options }: MeasureOptions, what: Case, knownTags = tagsInView): LoadRequest {
  const { readsPerMessage, window } = what;
  const { seconds, warmupSeconds } = options;
  return { readsPerMessage, window, warmupMs: warmupSeconds * 1000, measureMs: seconds * 1000, knownTags };
}

const HEAT_UPS_MAX = 10;

/**
 * Load whose figures are not kept, after each start: with its core to itself a program's compiler works beside the program,
 * so that it takes seconds until what is compiled is what runs. By the end every tag was seen at both its antennas.
 */
async function heatUp(all: MeasureOptions, knownTags = tagsInView): Promise<void> {
  const request = requestOf(all, cases.single, knownTags);
  const heat = { ...request, warmupMs: 0, measureMs: all.options.heatUpSeconds * 1000 };
  let sent = 0;
  for (let round = 0; sent < messagesOfACycle; round++) {
    if (round === HEAT_UPS_MAX)
      throw new Error(`${sent} messages a reader in ${round} heat-ups: too slow to be measured`);
    sent += (await all.generator.run(heat)).least;
  }
}

function startBare({ site, root }: MeasureOptions, name: 'aedes' | 'mosquitto'): Promise<Target> {
  return name === 'aedes' ? startAedes(site) : startMosquitto(site, root);
}

async function measureBare(all: MeasureOptions, name: 'aedes' | 'mosquitto'): Promise<readonly Figure[]> {
  const { generator, site, say } = all;
  const target = await startBare(all, name);
  const figures: Figure[] = [];
  await checkEcho(site, target.port);
  await generator.connect(site, target.port);
  await heatUp(all);
  for (const which of caseNames) {
    const seen = await target.seen?.();
    const { load, cpu } = await loaded(generator, requestOf(all, cases[which]), target.pid);
    if (target.seen && seen !== undefined) await untilSeen(target.seen, seen + load.total);
    const messagesPerSecond = load.messages / load.seconds;
    figures.push({ target: name, name: which, messagesPerSecond, cpu, generatorCpu: load.cpu });
    say(`${name}, ${cases[which].name}: ${Math.round(messagesPerSecond)} messages/s`);
  }
  await generator.close();
  await target.stop();
  return figures;
}

const SEEN_MS = 2000;

/** A broker may acknowledge a moment before it passes on. */
async function untilSeen(seen: () => Promise<number>, expected: number): Promise<void> {
  let count = await seen();
  for (
    const limit = performance.now() + SEEN_MS;
    count < expected && performance.now() < limit;
    count = await seen()
  ) {
    await sleep(20);
  }
  if (count !== expected) throw new Error(`the broker saw ${count} messages, ${expected} were acknowledged`);
}

async function measureTagkeep(all: MeasureOptions): Promise<{ figures: Figure[]; rest: TagkeepRun }> {
  return withTagkeep(all, { site: all.site, profileDir: all.profileDir }, async ({ run }) => {
    const figures: Figure[] = [];
    for (const name of caseNames) {
      const done = await run(requestOf(all, cases[name]), 'nothing');
      const messagesPerSecond = done.load.messages / done.load.seconds;
      const { cpu, load } = done;
      figures.push({ target: 'tagkeep', name, messagesPerSecond, cpu, generatorCpu: load.cpu, run: done });
      all.say(`tagkeep, ${cases[name].name}: ${Math.round(messagesPerSecond)} messages/s`);
    }
    return { figures, rest: await run(requestOf(all, cases.single), 'rest') };
  });
}

function measureLatency(all: MeasureOptions): Promise<TagkeepRun> {
  all.say(`tagkeep, latency at ${LATENCY_READS_PER_SECOND} reads/s`);
  const request = { ...requestOf(all, cases.singleWide), readsPerSecond: LATENCY_READS_PER_SECOND };
  return withTagkeep(all, { site: all.site }, ({ run }) => run(request, 'latency'));
}

function measureGrown(all: MeasureOptions, site: Site): Promise<{ readyMs: number; run: TagkeepRun }> {
  all.say('tagkeep with all tags known');
  const { knownTags } = all.options;
  const request = requestOf(all, cases.single, knownTags);
  return withTagkeep(all, { site, knownTags }, async ({ readyMs, run }) => ({
    readyMs,
    run: await run(request, 'nothing'),
  }));
}

interface Started {
  readonly readyMs: number;
  readonly run: (request: LoadRequest, look: TagkeepRunOptions['look']) => Promise<TagkeepRun>;
}

/** A Tagkeep that has just started and is warm. */
async function withTagkeep<T>(
  all: MeasureOptions,
  how: { readonly site: Site; readonly profileDir?: string | null; readonly knownTags?: number },
  work: (started: Started) => Promise<T>,
): Promise<T> {
  const { generator, probe } = all;
  const target = await startTagkeep(how.site, how.profileDir ?? null);
  await generator.connect(how.site, target.port);
  await heatUp(all, how.knownTags);
  const { apiKey } = how.site;
  const run: Started['run'] = (request, look) =>
    runTagkeep({ target, apiKey, generator, probe, request, look });
  const result = await work({ readyMs: target.readyMs, run });
  await generator.close();
  await target.stop();
  return result;
}
