import { Counter, Gauge, type Registry } from 'prom-client';
import type { DeviceDiagnostics } from '../ingest/diagnostics.ts';
import type { Pipeline } from './pipeline.ts';

/** Readers with series of their own: those heard of first since the start. The counters of all others go together. */
const READERS_MAX = 200;
const OTHERS = 'other';

type Counted = 'reads' | 'rejected' | 'clockSkewed';

const counters: readonly { readonly name: string; readonly help: string; readonly of: Counted }[] = [
  { name: 'tagkeep_reader_reads_total', help: 'Reads decoded, by reader', of: 'reads' },
  { name: 'tagkeep_reader_rejected_total', help: 'Items that could not be read, by reader', of: 'rejected' },
  { name: 'tagkeep_reader_clock_skewed_total', help: 'Reads from the future, by reader', of: 'clockSkewed' },
];

/** Adds the figures of single readers, by serial: 200 of them, then `other`, so that the series stay few. */
export function registerReaders(
  registry: Registry,
  pipeline: Pick<Pipeline, 'activity' | 'diagnostics'>,
): void {
  const { activity, diagnostics } = pipeline;
  for (const { name, help, of } of counters)
    new Counter({
      ...{ name, help, labelNames: ['serial'], registers: [registry] },
      collect() {
        this.reset();
        for (const [serial, value] of totals(diagnostics.all(), of)) this.inc({ serial }, value);
      },
    });
  new Gauge({
    name: 'tagkeep_reader_clock_ahead_seconds',
    help: "A reader's clock minus the appliance's at its last timed read; far below 0 while it sends what it had kept",
    ...{ labelNames: ['serial'], registers: [registry] },
    collect() {
      this.reset();
      for (const [serial, { clockAheadMs }] of first(diagnostics.all()))
        if (clockAheadMs !== null) this.set({ serial }, clockAheadMs / 1000);
    },
  });
  new Gauge({
    name: 'tagkeep_reader_connections',
    help: 'Connections open now of readers that have sent something since the start',
    ...{ labelNames: ['serial'], registers: [registry] },
    collect() {
      this.reset();
      for (const [serial] of first(diagnostics.all())) this.set({ serial }, activity.of(serial).connections);
    },
  });
}

type Entries = Iterable<readonly [serial: string, diagnostics: DeviceDiagnostics]>;

function* first(entries: Entries): Iterable<readonly [string, DeviceDiagnostics]> {
  let count = 0;
  for (const entry of entries) {
    if (++count > READERS_MAX) return;
    yield entry;
  }
}

/** A device keeps its place in the order of arrival, so no series ever goes down. */
function totals(entries: Entries, of: Counted): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const [serial, diagnostics] of entries) {
    const name = sums.size < READERS_MAX ? serial : OTHERS;
    sums.set(name, (sums.get(name) ?? 0) + diagnostics[of]);
  }
  return sums;
}
