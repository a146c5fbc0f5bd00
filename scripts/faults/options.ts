import { parseArgs } from 'node:util';
import { catalogue, onlyByName } from './catalogue.ts';
import type { Fault } from './fault.ts';

/** What one run of the suite does. */
export interface SuiteOptions {
  readonly faults: readonly Fault[];
  readonly quick: boolean;
  readonly seed: number;
  readonly minutes: number;
  /** Where the report also goes as JSON. */
  readonly json: string | null;
}

const WHOLE = /^\d{1,9}$/;
const MINUTES_MAX = 24 * 60;

/** How the suite is called, with the names there are. */
export function usage(): string {
  const names = catalogue.map(({ name, must }) => `  ${name.padEnd(18)} ${must}`);
  return [
    'usage: npm run faults -- [NAME…] [--quick] [--seed N] [--minutes N] [--json FILE]',
    '  no name: all but soak',
    '  --quick        a few rounds of each: to see whether it holds at all, not for figures',
    '  --seed N       chooses the moments; printed, so that a run can be repeated',
    '  --minutes N    how long soak goes on (default 60)',
    '  --json FILE    writes the report there too',
    '',
    ...names,
    '',
  ].join('\n');
}

/** The options of a command line; throws an Error of one line for one that is wrong. */
export function suiteOptionsOf(args: readonly string[]): SuiteOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      minutes: { type: 'string', default: '60' },
      json: { type: 'string' },
    },
  });
  return {
    faults: named(positionals),
    quick: values.quick,
    seed: whole('--seed', values.seed, 999_999_999),
    minutes: whole('--minutes', values.minutes, MINUTES_MAX),
    json: values.json ?? null,
  };
}

/** What is wrong with a command line; null when nothing is. */
export function problemOf(args: readonly string[]): string | null {
  try {
    suiteOptionsOf(args);
    return null;
  } catch (error) {
    return error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
  }
}

function named(names: readonly string[]): readonly Fault[] {
  const unknown = names.find((name) => !catalogue.some((fault) => fault.name === name));
  if (unknown !== undefined) throw new Error(`there is no fault "${unknown}"`);
  return catalogue.filter(({ name }) => (names.length === 0 ? !onlyByName.has(name) : names.includes(name)));
}

function whole(option: string, text: string, max: number): number {
  if (!WHOLE.test(text) || Number(text) < 1 || Number(text) > max)
    throw new Error(`${option} is "${text}"; it takes a whole number from 1 to ${max}`);
  return Number(text);
}
