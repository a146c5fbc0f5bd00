import { fleet } from './fleet.ts';
import { loadAverage, machineFacts } from './machine.ts';
import type { RestBenchOptions } from './options.ts';
import { type Bar, figure, type Report, type Row } from './report.ts';
import type { Times } from './rest-client.ts';
import { benchShape, type RestMeasured } from './rest-measure.ts';

const bars = {
  search: { better: 'less', first: 100, next: 50, unit: 'ms' },
  inventory: { better: 'less', first: 20, next: 5, unit: 'ms' },
  import: { better: 'less', first: 5, next: 3, unit: 's' },
  stallP99: { better: 'less', first: 20, next: 10, unit: 'ms' },
  stallMax: { better: 'less', first: 60, next: 30, unit: 'ms' },
  deliveries: { better: 'more', first: 1_000_000, next: 2_000_000, unit: '/s' },
  coldStart: { better: 'less', first: 3, next: 1, unit: 's' },
} as const satisfies Record<string, Bar>;

/** The figures put beside their bars. */
export function restReportOf(options: RestBenchOptions, measured: RestMeasured, command: string): Report {
  const known = options.knownTags.toLocaleString('en-US');
  return {
    title: 'REST',
    command,
    date: new Date(),
    facts: [
      ...machineFacts(),
      `${known} tags with ${benchShape}, ${fleet.readers * 2} zones, every tag present; ${figure(measured.readsPerSecond)} reads/s flowed in meanwhile; load average ${loadAverage()} at the end`,
      `requests one after another for ${options.seconds} s of each kind; the client shares its core with the load generator`,
      `up to ${figure(measured.maxMegabytes)} MB less mapped files; the first search was answered ${figure(measured.firstSearchMs / 1000)} s after the start of the process`,
    ],
    rows: rowsOf(options, measured),
    details: [partTable(measured), timesTable(measured)],
    notes: [...(options.quick ? ['--quick: too short for figures'] : []), ...measured.notes],
  };
}

function rowsOf({ importRows }: RestBenchOptions, measured: RestMeasured): readonly Row[] {
  const { parts, fanOut } = measured;
  const worst = (times: readonly Times[]): number => Math.max(...times.map(({ p99Ms }) => p99Ms));
  const working = parts.filter(({ what }) => what !== 'nothing but reads');
  const rows = importRows.toLocaleString('en-US');
  return [
    { what: 'GET /tags?q=, worst p99 of all needles', value: worst(measured.searches), bar: bars.search },
    {
      what: 'GET /inventory/summary, /zones/{id}/inventory, worse p99',
      value: worst(measured.inventories),
      bar: bars.inventory,
    },
    { what: `import of ${rows} rows × 10 columns`, value: measured.importMs / 1000, bar: bars.import },
    {
      what: 'event-loop stall, worst p99 of all parts',
      value: Math.max(...working.map(({ loopP99Ms }) => loopP99Ms)),
      bar: bars.stallP99,
    },
    {
      what: 'event-loop stall, longest',
      value: Math.max(...working.map(({ loopMaxMs }) => loopMaxMs)),
      bar: bars.stallMax,
    },
    {
      what: 'stream deliveries/s to 100 consumers',
      value: fanOut?.deliveriesPerSecond ?? Number.NaN,
      bar: bars.deliveries,
    },
    {
      what: 'the same per second of its processor time, ingest included',
      value: fanOut?.deliveriesPerCpuSecond ?? Number.NaN,
      bar: bars.deliveries,
    },
    { what: 'cold start', value: measured.readyMs / 1000, bar: bars.coldStart },
  ];
}

function partTable({ parts, fanOut }: RestMeasured): readonly (readonly string[])[] {
  const lines = parts.map(({ what, ms, loopP99Ms, loopMaxMs }) => [
    what,
    figure(ms / 1000),
    `${figure(loopP99Ms)} / ${figure(loopMaxMs)}`,
  ]);
  const dropped = fanOut
    ? [
        [
          `stream: ${figure(100 * fanOut.droppedShare)} % dropped, ${figure(fanOut.bytesPerEvent)} B an event`,
          '-',
          '-',
        ],
      ]
    : [];
  return [['part', 'seconds', 'loop delay p99 / max ms'], ...lines, ...dropped];
}

function timesTable({ lists, searches, inventories }: RestMeasured): readonly (readonly string[])[] {
  const lines = [...lists, ...searches, ...inventories].map((one) => [
    `GET ${decodeURIComponent(one.path.replace(/^\/api\/v1/, '').replace(/[0-9a-f-]{36}/, '{id}'))}`,
    String(one.requests),
    [one.p50Ms, one.p99Ms, one.maxMs].map((ms) => figure(ms)).join(' / '),
  ]);
  return [['request', 'asked', 'p50 / p99 / max ms'], ...lines];
}
