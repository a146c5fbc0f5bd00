import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Config } from '../config/options.ts';
import { openStore, type Store } from '../store/store.ts';
import { mayHaveStore } from '../store/store-file.ts';
import { type Endpoints, halfRestored, readServing } from './data-folder.ts';
import { readDiagnostics, type SavedDiagnostics } from './diagnostics-file.ts';

/** How long the running appliance may take for one answer: it is on this machine. */
const ANSWER_MS = 3000;
/** Characters of /metrics that are taken. */
const METRICS_MAX = 4_000_000;

const endpointsSchema = z.object({ http: z.string(), https: z.string(), mqtts: z.string(), pid: z.int() });
const readySchema = z.object({ status: z.string(), reasons: z.array(z.string()) });

/** What `/readyz` answered. */
export type Readiness = z.infer<typeof readySchema>;

/** What is to be seen of the appliance that serves the data folder. */
export interface Running {
  /** The serving process; null: none. */
  readonly pid: number | null;
  /** Null: it has not written them (yet). */
  readonly endpoints: Endpoints | null;
  readonly ready: Readiness | null;
  /** The text of `/metrics`. */
  readonly metrics: string | null;
  /** Why one of these is missing, in one line. */
  readonly problem: string | null;
}

/** Everything the doctor goes by, gathered once. Nothing is changed by looking. */
export interface Sight {
  readonly config: Config;
  /** Epoch ms. */
  readonly now: number;
  readonly running: Running;
  readonly diagnostics: SavedDiagnostics | null;
  /** Null: it could not be opened, `storeProblem` says why. */
  readonly store: Store | null;
  readonly storeProblem: string | null;
}

export interface SightOptions {
  readonly config: Config;
  /** Epoch ms. */
  readonly now: number;
  /** One that is open already, and stays so. */
  readonly store?: Store;
}

/** Gathers what is to be seen, hands it to `work`, and closes what it had to open. Takes a few seconds at most. */
export async function withSight<T>(options: SightOptions, work: (sight: Sight) => Promise<T>): Promise<T> {
  const { config, now } = options;
  const opened = options.store ? { store: options.store, storeProblem: null } : openIfThere(config.dataDir);
  try {
    const running = await lookAtRunning(config.dataDir);
    return await work({ config, now, running, diagnostics: readDiagnostics(config.dataDir), ...opened });
  } finally {
    if (!options.store) await opened.store?.close();
  }
}

function openIfThere(dataDir: string): Pick<Sight, 'store' | 'storeProblem'> {
  if (!mayHaveStore(dataDir)) return { store: null, storeProblem: whyNone(dataDir) };
  try {
    return { store: openStore(dataDir), storeProblem: null };
  } catch (error) {
    return { store: null, storeProblem: reasonOf(error) };
  }
}

function whyNone(dataDir: string): string {
  if (!halfRestored(dataDir)) return `${dataDir} has no appliance yet`;
  return `a restore into ${dataDir} was not finished; run it again (tagkeep restore FILE)`;
}

async function lookAtRunning(dataDir: string): Promise<Running> {
  const nothing = { pid: null, endpoints: null, ready: null, metrics: null, problem: null };
  try {
    const pid = readServing(dataDir)?.pid ?? null;
    if (pid === null) return nothing;
    const endpoints = readEndpoints(dataDir);
    if (endpoints?.pid !== pid) return { ...nothing, pid, problem: 'it is still starting' };
    return { pid, endpoints, ...(await ask(endpoints.http)) };
  } catch (error) {
    return { ...nothing, problem: reasonOf(error) };
  }
}

function readEndpoints(dataDir: string): Endpoints | null {
  try {
    return endpointsSchema.parse(JSON.parse(readFileSync(join(dataDir, 'run', 'endpoints.json'), 'utf8')));
  } catch {
    return null;
  }
}

async function ask(origin: string): Promise<Pick<Running, 'ready' | 'metrics' | 'problem'>> {
  const [ready, metrics] = await Promise.allSettled([readiness(origin), page(`${origin}/metrics`)]);
  const failed = [ready, metrics].find((one) => one.status === 'rejected');
  return {
    ready: ready.status === 'fulfilled' ? ready.value : null,
    metrics: metrics.status === 'fulfilled' ? metrics.value.text.slice(0, METRICS_MAX) : null,
    problem: failed ? `${origin} does not answer as it should: ${reasonOf(failed.reason)}` : null,
  };
}

async function readiness(origin: string): Promise<Readiness> {
  return readySchema.parse(JSON.parse((await page(`${origin}/readyz`, [200, 503])).text));
}

async function page(url: string, statuses: readonly number[] = [200]): Promise<{ readonly text: string }> {
  const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(ANSWER_MS) });
  if (!statuses.includes(response.status)) throw new Error(`${url} answers ${response.status}`);
  return { text: await response.text() };
}

/** What went wrong, in one line; of a failed request what was behind it. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  const text = cause instanceof Error && cause.message !== '' ? cause.message : error.message;
  return text.replace(/\s*\n\s*/g, ' ');
}
