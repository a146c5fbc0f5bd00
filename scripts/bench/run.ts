import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { killAll } from './child.ts';
import { UsageError } from './options.ts';
import { costLines } from './profile.ts';
import { markdown, type Report } from './report.ts';

const PROFILE_LINES = 45;
const distDir = join(import.meta.dirname, '..');

/** What a bench works in: both are its own, and gone or overwritten with the next run. */
export interface Place {
  readonly root: string;
  /** Where profiles go, when it was asked for them. */
  readonly profileDir: string | null;
}

/** A bench as a program. */
export interface Bench {
  /** The report's file, beside the programs. */
  readonly reportFile: string;
  /** A run that takes longer is given up: something hangs. */
  readonly maxSeconds: number;
  readonly cpuProfile: boolean;
  /** `whole` is false when something could not be measured. */
  readonly work: (place: Place) => Promise<{ readonly report: Report; readonly whole: boolean }>;
}

/** Runs one bench to its end and ends the process; whatever happens, nothing it started or wrote is left behind. */
export function runBench(args: readonly string[], parse: (args: readonly string[]) => Bench): void {
  run(args, parse).then(
    (code) => process.exit(code),
    (error) => {
      say(error instanceof Error ? error.message : String(error));
      if (error instanceof UsageError) process.stderr.write(`${error.usage}\n`);
      process.exit(error instanceof UsageError ? 2 : 1);
    },
  );
}

/** Tells how far it is; the report alone goes to standard output. */
export function say(what: string): void {
  process.stderr.write(`bench: ${what}\n`);
}

async function run(args: readonly string[], parse: (args: readonly string[]) => Bench): Promise<number> {
  const { cpuProfile, maxSeconds, reportFile, work } = parse(args);
  const root = mkdtempSync(join(tmpdir(), 'tagkeep-bench-'));
  process.once('exit', () => {
    killAll();
    // A killed child may write for a moment longer.
    rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(130));
  const limit = setTimeout(giveUp, 1000 * maxSeconds);
  const profileDir = cpuProfile ? newProfileDir() : null;
  const { report, whole } = await work({ root, profileDir });
  clearTimeout(limit);
  const text = markdown(report);
  process.stdout.write(`\n${text}`);
  writeFileSync(join(import.meta.dirname, reportFile), text);
  if (profileDir) tellProfile(profileDir);
  return whole ? 0 : 1;
}

function newProfileDir(): string {
  const dir = join(distDir, 'bench', 'profile');
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  return dir;
}

function tellProfile(dir: string): void {
  const lines = costLines(dir, PROFILE_LINES);
  process.stdout.write(`\nWhere the time goes in Tagkeep (profile in ${dir}):\n${lines.join('\n')}\n`);
}

function giveUp(): void {
  say('given up: something hangs, or the machine is far too slow');
  process.exit(1);
}
