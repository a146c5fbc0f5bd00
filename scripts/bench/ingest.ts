// `npm run bench -- ingest`: what the path of a read can take, beside bare brokers in the same run. See the usage.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { killAll } from './child.ts';
import { Generator, Probe } from './clients.ts';
import { reportOf } from './ingest-report.ts';
import { type Measured, measure } from './measure.ts';
import { type IngestOptions, parseIngestOptions, UsageError, usage } from './options.ts';
import { costLines } from './profile.ts';
import { markdown } from './report.ts';
import { growSite, makeSite } from './seed.ts';

/** A run that takes longer is given up: something hangs. Five minutes at the default of 5 seconds a figure. */
const RUN_MAX_SECONDS = 180;
const RUN_MAX_FIGURES = 24;
const PROFILE_LINES = 45;
const distDir = join(import.meta.dirname, '..');

async function main(args: readonly string[]): Promise<number> {
  const options = parseIngestOptions(args);
  const root = mkdtempSync(join(tmpdir(), 'tagkeep-bench-'));
  process.once('exit', () => {
    killAll();
    // A killed child may write for a moment longer.
    rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(130));
  const limit = setTimeout(giveUp, 1000 * (RUN_MAX_SECONDS + RUN_MAX_FIGURES * options.seconds));
  const profileDir = options.cpuProfile ? newProfileDir() : null;
  const measured = await run(options, { root, profileDir });
  clearTimeout(limit);
  const text = markdown(reportOf(options, measured, `npm run bench -- ingest ${args.join(' ')}`.trim()));
  process.stdout.write(`\n${text}`);
  writeFileSync(join(import.meta.dirname, 'report.md'), text);
  if (profileDir) tellProfile(profileDir);
  return measured.notes.length === 0 ? 0 : 1;
}

async function run(
  options: IngestOptions,
  at: { root: string; profileDir: string | null },
): Promise<Measured> {
  say('making certificates and an appliance');
  const site = await makeSite(at.root);
  const grown =
    options.targets.includes('tagkeep') && !options.cpuProfile ? await growing(options, site, at.root) : null;
  const clients = { generator: new Generator(), probe: new Probe() };
  return measure({ options, site, grown, ...at, ...clients, say });
}

async function growing(options: IngestOptions, site: Awaited<ReturnType<typeof makeSite>>, root: string) {
  say(`writing ${options.knownTags.toLocaleString('en-US')} known tags`);
  return growSite(site, root, options.knownTags);
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

function say(what: string): void {
  process.stderr.write(`bench: ${what}\n`);
}

function giveUp(): void {
  say('given up: something hangs, or the machine is far too slow');
  process.exit(1);
}

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error) => {
    say(error instanceof Error ? error.message : String(error));
    if (error instanceof UsageError) process.stderr.write(`${usage}\n`);
    process.exit(error instanceof UsageError ? 2 : 1);
  },
);
