import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { radioStates } from '../contract/payloads.ts';
import type { DeviceDiagnostics } from '../ingest/diagnostics.ts';
import { Pace } from '../lib/pace.ts';
import { inSlices } from '../store/in-slices.ts';
import type { Store } from '../store/store.ts';
import { tables } from '../store/tables.ts';
import type { SweepTask } from '../sweep/sweeper.ts';
import type { Pipeline } from './pipeline.ts';
import { replaceRunFile } from './run-file.ts';

/** How often the file is written while troubles or connections change. */
const EVERY_MS = 5000;
/** How often for the sake of the figures alone: the disk may be a flash. */
const QUIET_EVERY_MS = 60_000;
const DEVICES_MAX = 10_000;
/** Devices whose bad payloads are written, and how many of each: the newest. */
const PAYLOAD_DEVICES_MAX = 50;
const PAYLOADS_MAX = 5;

const count = z.number().min(0);
const deviceSchema = z.object({
  serial: z.string(),
  /** Open now. */
  connections: count,
  radio: z.enum(radioStates).nullable(),
  messages: count,
  reads: count,
  repeats: count,
  rejected: count,
  clockSkewed: count,
  dropped: count,
  /** Reader's clock minus the service's at the last timed read, ms. */
  clockAheadMs: z.number().nullable(),
  /** Since the file was written before. */
  readsPerSecond: count,
  badPayloads: z.array(z.object({ at: z.number(), reason: z.string(), excerpt: z.string() })),
});
const fileSchema = z.object({
  /** Epoch ms. */
  at: z.number(),
  /** The serving process. */
  pid: z.int(),
  devices: z.array(deviceSchema),
});

/** One device as the running appliance knows it. Counters are since its start. */
export type SavedDevice = z.infer<typeof deviceSchema>;
/** What only the running appliance knows of its readers, as of `at` (epoch ms). */
export type SavedDiagnostics = z.infer<typeof fileSchema>;

/** Where the figures come from. */
export interface DiagnosticsFileOptions {
  readonly dataDir: string;
  readonly store: Pick<Store, 'range'>;
  readonly pipeline: Pick<Pipeline, 'activity' | 'diagnostics'>;
  /** Epoch ms. */
  readonly now: () => number;
}

const fileIn = (dataDir: string): string => join(dataDir, 'run', 'diagnostics.json');

/**
 * What keeps `<dataDir>/run/diagnostics.json` for `tagkeep doctor`: counters, connections and last bad payloads of every
 * device. A file and not a call, so that it can still be read when the appliance hangs or is gone. Written within five
 * seconds of a new trouble or connection, else once a minute; a full disk only delays it.
 */
export function diagnosticsTask(options: DiagnosticsFileOptions): SweepTask {
  let before: Written = { at: Number.NEGATIVE_INFINITY, signs: '', reads: new Map() };
  return {
    name: 'diagnostics',
    everyMs: EVERY_MS,
    run: async () => {
      const devices = await devicesNow(options, before);
      const at = options.now();
      const signs = signsOf(devices);
      const isDue = Math.abs(at - before.at) >= QUIET_EVERY_MS || signs !== before.signs;
      if (!isDue || !(await replace(fileIn(options.dataDir), { at, pid: process.pid, devices }))) return;
      before = { at, signs, reads: new Map(devices.map(({ serial, reads }) => [serial, reads])) };
    },
  };
}

/** What was last written; null when there is no such file, or it is none of ours. */
export function readDiagnostics(dataDir: string): SavedDiagnostics | null {
  try {
    return fileSchema.parse(JSON.parse(readFileSync(fileIn(dataDir), 'utf8')));
  } catch {
    return null;
  }
}

interface Written {
  readonly at: number;
  readonly signs: string;
  readonly reads: ReadonlyMap<string, number>;
}

/** Changes whenever there is something new worth a write. */
function signsOf(devices: readonly SavedDevice[]): string {
  let sum = 0;
  let connected = 0;
  for (const { rejected, clockSkewed, dropped, connections, radio } of devices) {
    sum += rejected + clockSkewed + dropped;
    // Weighed by its place: one that leaves and another that comes are a change.
    connected = (connected * 31 + connections * 4 + (radio ?? '').length) % 1_000_000_007;
  }
  return `${devices.length} ${sum} ${connected}`;
}

async function devicesNow(options: DiagnosticsFileOptions, before: Written): Promise<SavedDevice[]> {
  const { store, pipeline, now } = options;
  const known = new Map(pipeline.diagnostics.all());
  const withPayloads = newestPayloads(known);
  const seconds = Math.max((now() - before.at) / 1000, 1);
  const devices: SavedDevice[] = [];
  const pace = new Pace();
  for await (const { key: serial } of inSlices(store, tables.devices)) {
    if (devices.length >= DEVICES_MAX) break;
    const counters = known.get(serial);
    const { connections, radio } = pipeline.activity.of(serial);
    const { reads, ...rest } = countersOf(counters);
    const readsPerSecond = Math.max(0, reads - (before.reads.get(serial) ?? 0)) / seconds;
    const badPayloads = withPayloads.has(serial) ? (counters?.badPayloads.slice(-PAYLOADS_MAX) ?? []) : [];
    devices.push({ serial, connections, radio, reads, ...rest, readsPerSecond, badPayloads });
    if (pace.due) await pace.pause();
  }
  return devices;
}

function newestPayloads(known: ReadonlyMap<string, DeviceDiagnostics>): ReadonlySet<string> {
  const newest = ([, { badPayloads }]: readonly [string, DeviceDiagnostics]): number =>
    badPayloads.at(-1)?.at ?? 0;
  const sorted = [...known]
    .filter(([, { badPayloads }]) => badPayloads.length > 0)
    .sort((a, b) => newest(b) - newest(a));
  return new Set(sorted.slice(0, PAYLOAD_DEVICES_MAX).map(([serial]) => serial));
}

function countersOf(counters: DeviceDiagnostics | undefined) {
  return {
    messages: counters?.messages ?? 0,
    reads: counters?.reads ?? 0,
    repeats: counters?.repeats ?? 0,
    rejected: counters?.rejected ?? 0,
    clockSkewed: counters?.clockSkewed ?? 0,
    dropped: counters?.dropped ?? 0,
    clockAheadMs: counters?.clockAheadMs ?? null,
  };
}

/** False when there was no room for it. */
async function replace(file: string, value: SavedDiagnostics): Promise<boolean> {
  try {
    await replaceRunFile(file, JSON.stringify(value));
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOSPC' || code === 'EDQUOT') return false;
    throw error;
  }
}
