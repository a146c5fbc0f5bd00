import { parseArgs } from 'node:util';

export const targetNames = ['tagkeep', 'aedes', 'mosquitto'] as const;
export type TargetName = (typeof targetNames)[number];

/** What one run of the ingest bench does. */
export interface IngestOptions {
  readonly seconds: number;
  readonly warmupSeconds: number;
  /** Before the first figure of a program that has just started. */
  readonly heatUpSeconds: number;
  readonly repeats: number;
  readonly targets: readonly TargetName[];
  /** Tags known in the memory and cold-start part; 0 leaves it out. */
  readonly knownTags: number;
  readonly cpuProfile: boolean;
  readonly quick: boolean;
}

/** A wrong command line; the message is one line. `usage` is what to print below it. */
export class UsageError extends Error {
  readonly usage: string;
  constructor(message: string, help: string) {
    super(message);
    this.usage = help;
  }
}

const usage = `usage: npm run bench -- ingest [--seconds N] [--only tagkeep|aedes|mosquitto] [--quick] [--cpuprofile]
  --seconds N    how long each figure is measured (default 5, at most 20)
  --only NAME    one target only; there are no ratios then
  --quick        1 second each, one repeat, 100,000 known tags: to see whether it runs, not for figures
  --cpuprofile   runs Tagkeep with --cpu-prof and prints where its time goes; its figures are lower then`;

/** What one run of the REST bench does. */
export interface RestBenchOptions {
  /** How long each kind of request is asked. */
  readonly seconds: number;
  readonly knownTags: number;
  readonly importRows: number;
  readonly cpuProfile: boolean;
  readonly quick: boolean;
}

const restUsage = `usage: npm run bench -- rest [--seconds N] [--quick] [--cpuprofile]
  --seconds N    how long each kind of request is asked (default 8, at most 30)
  --quick        2 seconds each, 50,000 tags, 5,000 imported rows: to see whether it runs, not for figures
  --cpuprofile   runs Tagkeep with --cpu-prof and prints where its time goes; its figures are lower then`;

export function parseRestOptions(args: readonly string[]): RestBenchOptions {
  const { seconds, quick = false, cpuprofile = false } = parsed(args, restUsage);
  const length = seconds === undefined ? (quick ? 2 : 8) : Number(seconds);
  if (!(length >= 0.5 && length <= 30))
    throw new UsageError(`--seconds is "${seconds}"; 0.5 to 30 are allowed`, restUsage);
  return {
    seconds: length,
    knownTags: quick ? 50_000 : 1_000_000,
    importRows: quick ? 5000 : 100_000,
    cpuProfile: cpuprofile,
    quick,
  };
}

/** What one run of the commands bench does. */
export interface CommandsOptions {
  /** Starts and stops. */
  readonly count: number;
  readonly quick: boolean;
}

const commandsUsage = `usage: npm run bench -- commands [--quick]
  --quick        20 commands instead of 500: to see whether it runs, not for figures`;

export function parseCommandsOptions(args: readonly string[]): CommandsOptions {
  const { quick = false } = parsed(args, commandsUsage);
  return { count: quick ? 20 : 500, quick };
}

export function parseIngestOptions(args: readonly string[]): IngestOptions {
  const { seconds, only, quick, cpuprofile } = parsed(args, usage);
  const length = seconds === undefined ? (quick ? 1 : 5) : Number(seconds);
  if (!(length >= 0.5 && length <= 20))
    throw new UsageError(`--seconds is "${seconds}"; 0.5 to 20 are allowed`, usage);
  const target = targetNames.find((name) => name === only);
  if (only !== undefined && !target)
    throw new UsageError(`--only is "${only}"; it must be ${targetNames.join(' or ')}`, usage);
  return {
    seconds: length,
    warmupSeconds: quick ? 1 : 2,
    heatUpSeconds: quick ? 1 : 4,
    repeats: quick || cpuprofile ? 1 : 2,
    targets: target ? [target] : targetNames,
    knownTags: quick ? 100_000 : 1_000_000,
    cpuProfile: cpuprofile ?? false,
    quick: quick ?? false,
  };
}

function parsed(args: readonly string[], help: string) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        seconds: { type: 'string' },
        only: { type: 'string' },
        quick: { type: 'boolean' },
        cpuprofile: { type: 'boolean' },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), help);
  }
}
