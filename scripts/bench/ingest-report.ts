import { fleet, tagsInView } from './fleet.ts';
import { machineFacts } from './machine.ts';
import { type CaseName, cases, type Figure, type Measured } from './measure.ts';
import type { IngestOptions, TargetName } from './options.ts';
import { mean } from './percentile.ts';
import { type Bar, figure, type Report, type Row } from './report.ts';
import type { TagkeepRun } from './tagkeep-run.ts';

const bars = {
  ratio: { better: 'more', first: 0.6, next: 1, unit: '' },
  tenReads: { better: 'more', first: 200_000, next: 400_000, unit: 'reads/s' },
  rest: { better: 'less', first: 50, next: 20, unit: 'ms' },
  memory: { better: 'less', first: 400, next: 250, unit: 'MB' },
  latency: { better: 'less', first: 100, next: 50, unit: 'ms' },
  coldStart: { better: 'less', first: 3, next: 1, unit: 's' },
} as const satisfies Record<string, Bar>;

/** The figures put beside their bars. */
export function reportOf(options: IngestOptions, measured: Measured, command: string): Report {
  const { notes, skipped, loadBefore, loadAfter } = measured;
  return {
    title: 'Ingest',
    command,
    date: new Date(),
    facts: [
      ...machineFacts(),
      `${fleet.readers} readers, ${tagsInView.toLocaleString('en-US')} tags in view, each at two antennas of one zone; mutual TLS 1.3, AES-128-GCM, QoS 1, R700 events of about 250 bytes`,
      `${options.seconds} s after ${options.warmupSeconds} s of warm-up, mean of ${options.repeats}; load average ${loadBefore} before, ${loadAfter} after`,
      'Tagkeep: on disk before it is acknowledged, processed and offered to one stream consumer (REST is asked 200 times a second in runs of its own); the others: acknowledged, nothing behind them',
    ],
    rows: rowsOf(options, measured),
    details: details(measured),
    notes: [
      ...(options.quick ? ['--quick: too short for figures'] : []),
      ...(options.cpuProfile ? ['with the profiler on: slower than it is'] : []),
      ...skipped,
      ...disturbance(measured),
      ...offPace(measured),
      ...notes,
    ],
  };
}

function rowsOf(options: IngestOptions, { figures, rest, latency, grown }: Measured): readonly Row[] {
  const rate = (target: TargetName, name: CaseName): number => rateOf(figures, target, name);
  const ratio = (other: TargetName, name: CaseName): number => rate('tagkeep', name) / rate(other, name);
  const perCpu = (other: TargetName): number => perCpuOf(figures, 'tagkeep') / perCpuOf(figures, other);
  const known = options.knownTags.toLocaleString('en-US');
  return [
    {
      what: 'durable processed single-read messages/s ÷ bare Aedes',
      value: ratio('aedes', 'single'),
      bar: bars.ratio,
    },
    { what: 'the same ÷ Mosquitto', value: ratio('mosquitto', 'single'), bar: bars.ratio },
    { what: '100 in flight: ÷ bare Aedes', value: ratio('aedes', 'singleWide'), bar: bars.ratio },
    { what: '100 in flight: ÷ Mosquitto', value: ratio('mosquitto', 'singleWide'), bar: bars.ratio },
    { what: 'the first per second of processor time: ÷ bare Aedes', value: perCpu('aedes'), bar: bars.ratio },
    {
      what: 'the first per second of processor time: ÷ Mosquitto',
      value: perCpu('mosquitto'),
      bar: bars.ratio,
    },
    {
      what: 'durable processed reads/s in 10-read messages',
      value: rate('tagkeep', 'ten') * 10,
      bar: bars.tenReads,
    },
    { what: 'REST p99 while saturated', value: worst(rest, (run) => run.rest?.p99Ms), bar: bars.rest },
    {
      what: `memory at ${known} tags, saturated`,
      value: grown?.run.maxMegabytes ?? Number.NaN,
      bar: bars.memory,
    },
    {
      what: 'read to `tag_read` at a consumer, p99 at 10,000 reads/s',
      value: latency?.stream?.p99Ms ?? Number.NaN,
      bar: bars.latency,
    },
    {
      what: `cold start with ${known} tags`,
      value: (grown?.readyMs ?? Number.NaN) / 1000,
      bar: bars.coldStart,
    },
  ];
}

function rateOf(figures: readonly Figure[], target: TargetName, name: CaseName): number {
  return mean(
    figures.filter((one) => one.target === target && one.name === name).map((one) => one.messagesPerSecond),
  );
}

function perCpuOf(figures: readonly Figure[], target: TargetName): number {
  const some = figures.filter((one) => one.target === target && one.name === 'single');
  return mean(some.map((one) => one.cpu.messagesPerCpuSecond));
}

/** Below this share of its core a target was kept from its work by others: rates by the clock say little then. */
const CORE_SHARE_MIN = 0.85;

function disturbance({ figures }: Measured): readonly string[] {
  const kept = figures.filter(({ target, cpu }) => target !== 'mosquitto' && cpu.share < CORE_SHARE_MIN);
  if (kept.length === 0) return [];
  const names = [...new Set(kept.map(({ target, name }) => `${target} (${cases[name].name})`))];
  return [
    `not saturated, or kept from its core by other programs: ${names.join(', ')}; go by the ratios per second of processor time`,
  ];
}

/** Reads asked for in the latency run. */
const PACE = 10_000;

function offPace({ latency }: Measured): readonly string[] {
  const rate = latency ? latency.load.messages / latency.load.seconds : PACE;
  if (rate >= 0.95 * PACE) return [];
  return [
    `latency: only ${figure(rate)} of 10,000 reads/s came through, so that is the latency of an overload`,
  ];
}

/** The worst of several runs; NaN when none measured it. */
function worst(runs: readonly TagkeepRun[], pick: (run: TagkeepRun) => number | undefined): number {
  const values = runs.map((run) => pick(run) ?? Number.NaN).filter((value) => !Number.isNaN(value));
  return values.length > 0 ? Math.max(...values) : Number.NaN;
}

function details(measured: Measured): readonly (readonly (readonly string[])[])[] {
  return [rateTable(measured.figures), behaviourTable(measured)];
}

function rateTable(figures: readonly Figure[]): readonly (readonly string[])[] {
  const targets = [...new Set(figures.map(({ target }) => target))];
  const lines = Object.entries(cases).flatMap(([name, what]) =>
    targets.map((target) => {
      const some = figures.filter((one) => one.target === target && one.name === name);
      const percent = (pick: (one: Figure) => number): string => `${figure(100 * mean(some.map(pick)))} %`;
      return [
        what.name,
        target,
        figure(mean(some.map((one) => one.messagesPerSecond))),
        some.map((one) => figure(one.messagesPerSecond)).join(', '),
        percent((one) => one.cpu.share),
        figure(mean(some.map((one) => one.cpu.messagesPerCpuSecond))),
        percent((one) => one.generatorCpu),
      ];
    }),
  );
  return [
    ['load', 'target', 'messages/s', 'each run', 'its core', 'per second of it', "generator's core"],
    ...lines,
  ];
}

function behaviourTable({ figures, rest, latency, grown }: Measured): readonly (readonly string[])[] {
  const named: { what: string; run: TagkeepRun }[] = figures.flatMap(({ run, name }) =>
    run ? [{ what: cases[name].name, run }] : [],
  );
  for (const run of rest) named.push({ what: '1 read, 20 in flight, REST asked beside', run });
  if (latency) named.push({ what: '10,000 reads/s', run: latency });
  if (grown) named.push({ what: 'all tags known, 1 read, 20 in flight', run: grown.run });
  const header = [
    'Tagkeep under',
    'messages/s',
    'REST p50 / p99 / max ms',
    'loop delay p99 / max ms',
    'stream events',
    'of them dropped',
    'read to consumer p50 / p99 / max ms',
    'memory MB',
  ];
  return [header, ...named.map(({ what, run }) => behaviourLine(what, run))];
}

function behaviourLine(what: string, run: TagkeepRun): readonly string[] {
  const { rest, stream, load } = run;
  const three = (one: { p50Ms: number; p99Ms: number; maxMs: number } | null): string =>
    one && !Number.isNaN(one.p50Ms)
      ? [one.p50Ms, one.p99Ms, one.maxMs].map((ms) => figure(ms)).join(' / ')
      : '-';
  return [
    what,
    figure(load.messages / load.seconds),
    three(rest),
    `${figure(run.loopP99Ms)} / ${figure(run.loopMaxMs)}`,
    figure(stream?.events ?? Number.NaN),
    figure(run.streamDropped),
    three(stream),
    figure(run.maxMegabytes),
  ];
}
