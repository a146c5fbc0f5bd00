// `npm run faults`: runs the faults that were asked for, one after the other, and prints a table of what came of them.
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanUp } from './clean-up.ts';
import type { Fault, FaultOutcome } from './fault.ts';
import { problemOf, type SuiteOptions, suiteOptionsOf, usage } from './options.ts';
import { jsonOf, markdownOf, type Result } from './report.ts';

const INTERRUPTED = 130;
const STOP_MS = 5000;

const say = (line: string): boolean => process.stderr.write(`faults: ${line}\n`);

async function main(args: readonly string[]): Promise<number> {
  const problem = problemOf(args);
  if (problem !== null) {
    process.stderr.write(`faults: ${problem}\n${usage()}`);
    return 2;
  }
  const options = suiteOptionsOf(args);
  const root = mkdtempSync(join(tmpdir(), 'tagkeep-faults-'));
  // Whatever the parts of the suite make in the folder for temporary files goes with it.
  process.env.TMPDIR = root;
  process.once('exit', () => cleanUp(root));
  const signal = stopSignal();
  const results = await runAll(options, { root, signal });
  if (signal.aborted) return INTERRUPTED;
  process.stdout.write(`${markdownOf(results)}\n`);
  if (options.json) writeFileSync(options.json, `${JSON.stringify(jsonOf(results, options), null, 2)}\n`);
  return results.every(({ outcome }) => outcome.held) ? 0 : 1;
}

/** Aborted by the first SIGINT or SIGTERM; a fault that does not stop in time is ended with everything it started. */
function stopSignal(): AbortSignal {
  const stop = new AbortController();
  const end = (): void => {
    if (stop.signal.aborted) return;
    say('stopping');
    stop.abort();
    setTimeout(() => process.exit(INTERRUPTED), STOP_MS).unref();
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, end);
  return stop.signal;
}

interface Place {
  readonly root: string;
  readonly signal: AbortSignal;
}

async function runAll(options: SuiteOptions, place: Place): Promise<readonly Result[]> {
  say(`--seed ${options.seed}${options.quick ? ' --quick' : ''}`);
  const results: Result[] = [];
  for (const fault of options.faults) {
    if (place.signal.aborted) break;
    const at = performance.now();
    const outcome = await runOne(fault, options, place);
    const seconds = (performance.now() - at) / 1000;
    results.push({ fault, outcome, seconds });
    say(`${fault.name}: ${outcome.held ? 'held' : 'NOT HELD'} after ${seconds.toFixed(0)} s`);
  }
  return results;
}

async function runOne(fault: Fault, options: SuiteOptions, { root, signal }: Place): Promise<FaultOutcome> {
  const { quick, seed, minutes } = options;
  const folder = join(root, fault.name);
  mkdirSync(folder);
  const log = (line: string): boolean => say(`${fault.name}: ${line}`);
  try {
    return await fault.run({ quick, seed, minutes, folder, log, signal });
  } catch (error) {
    return { held: false, figures: [], faults: [`it ended with: ${reasonOf(error)}`] };
  } finally {
    cleanUp(folder);
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return `${error.message}${cause}`;
}

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error) => {
    say(reasonOf(error));
    process.exit(1);
  },
);
