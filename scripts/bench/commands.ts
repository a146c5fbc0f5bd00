// `npm run bench -- commands`: how long a start or stop takes from PATCH to the reader's answer, and what the agent keeps in
// memory. See the usage.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Child, cores, start } from './child.ts';
import { serialOf } from './fleet.ts';
import { loadAverage, machineFacts } from './machine.ts';
import { type CommandsOptions, parseCommandsOptions } from './options.ts';
import { percentile } from './percentile.ts';
import { figure, type Report } from './report.ts';
import { type Place, runBench, say } from './run.ts';
import { makeSite, type Site } from './seed.ts';
import { startTagkeep, type TagkeepTarget } from './targets.ts';

const RUN_MAX_SECONDS = 600;
const READY_MS = 30_000;
const READS_PER_SECOND = 200;
const distDir = join(import.meta.dirname, '..');
const agentDir = join(distDir, 'agent', 'cap');

/** A reader's hardware and its agent. */
interface Reader {
  readonly what: string;
  readonly serial: string;
  readonly standIn: Child;
  readonly agent: Child;
}

interface Measured {
  /** From the request until an answer of REST shows the command applied, ms. */
  readonly seenMs: readonly number[];
  /** The same by the service's own clock: `settledAt` less `createdAt`. */
  readonly settledMs: readonly number[];
  /** Highest seen of each agent, with all its shared pages. */
  readonly residentMegabytes: readonly { readonly what: string; readonly value: number }[];
}

runBench(process.argv.slice(2), (args) => {
  const options = parseCommandsOptions(args);
  const command = `npm run bench -- commands ${args.join(' ')}`.trim();
  return {
    reportFile: 'commands-report.md',
    maxSeconds: RUN_MAX_SECONDS,
    cpuProfile: false,
    work: async (place) => ({ report: await reportOf(options, place, command), whole: true }),
  };
});

async function reportOf(options: CommandsOptions, { root }: Place, command: string): Promise<Report> {
  const site = await makeSite(root);
  const target = await startTagkeep(site, null);
  const readers = [
    await startReader(0, { root, target, what: 'agent', forwarded: false }),
    await startReader(1, { root, target, what: 'agent with --forward-events', forwarded: true }),
  ];
  const measured = await measure(options, { site, target, readers });
  for (const { agent, standIn } of readers) await Promise.all([agent.stop(), standIn.stop()]);
  await target.stop();
  return report(options, measured, command);
}

interface ReaderPlan {
  readonly root: string;
  readonly target: TagkeepTarget;
  readonly what: string;
  readonly forwarded: boolean;
}

async function startReader(no: number, { root, target, what, forwarded }: ReaderPlan): Promise<Reader> {
  const serial = serialOf(no);
  const dir = join(root, 'readers', serial);
  const broker = `mqtts://localhost:${target.port}`;
  const port = String(40_000 + (process.pid % 10_000) + no);
  const world = ['--rate', String(READS_PER_SECOND), '--tags', '50', '--dwell', '30'];
  const standIn = start(
    [
      ...[process.execPath, join(distDir, 'tagkeep.mjs'), 'simulate', '--stand-in', '--identity', dir],
      ...['--url', broker, '--local-port', port, ...world, ...(forwarded ? ['--no-mqtt'] : [])],
    ],
    { core: cores.load },
  );
  const agent = start(
    [
      ...[process.execPath, ...agentFlags(), join(agentDir, 'agent.mjs'), '--dir', dir],
      ...['--broker', broker, '--reader', `https://127.0.0.1:${port}`],
      ...(forwarded ? ['--forward-events'] : []),
    ],
    { core: cores.load },
  );
  return { what, serial, standIn, agent };
}

/** As `start` on a reader has them. */
function agentFlags(): readonly string[] {
  const [, flags = ''] = /\.\/node (.+) agent\.mjs/.exec(readFileSync(join(agentDir, 'start'), 'utf8')) ?? [];
  return flags.split(' ');
}

interface Running {
  readonly site: Site;
  readonly target: TagkeepTarget;
  readonly readers: readonly Reader[];
}

interface ShownReader {
  readonly id: string;
  readonly serial: string;
  readonly displayStatus: string;
  readonly lastCommand?: ShownCommand;
}

interface ShownCommand {
  readonly id: string;
  readonly state: string;
  readonly createdAt: string;
  readonly settledAt?: string;
}

async function measure({ count }: CommandsOptions, { site, target, readers }: Running): Promise<Measured> {
  const call = caller(site, target);
  const shown = await Promise.all(readers.map(({ serial }) => untilReading(call, serial)));
  const [first] = shown;
  if (!first) throw new Error('no reader');
  const seenMs: number[] = [];
  const settledMs: number[] = [];
  const peaks = readers.map(({ what }) => ({ what, value: 0 }));
  say(`${count} commands`);
  for (let no = 0; no < count; no++) {
    const began = performance.now();
    const asked = (await call('PATCH', `/readers/${first.id}`, { enabled: no % 2 === 1 })) as ShownReader;
    const applied = await untilApplied(call, first.id, asked.lastCommand?.id ?? '');
    seenMs.push(performance.now() - began);
    settledMs.push(Date.parse(applied.settledAt ?? '') - Date.parse(applied.createdAt));
    readers.forEach(({ agent }, at) => {
      const peak = peaks[at];
      if (peak) peak.value = Math.max(peak.value, residentMegabytes(agent.pid));
    });
    // A reader is not started and stopped without a breath; its reads flow in between.
    await sleep(50);
  }
  return { seenMs, settledMs, residentMegabytes: peaks };
}

type Call = (method: string, path: string, body?: object) => Promise<unknown>;

function caller({ apiKey }: Site, { origin }: TagkeepTarget): Call {
  return async (method, path, body) => {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
    const response = await fetch(`${origin}/api/v1${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
}

async function untilReading(call: Call, serial: string): Promise<ShownReader> {
  for (const limit = performance.now() + READY_MS; performance.now() < limit; await sleep(50)) {
    // The interface's own shape.
    const readers = (await call('GET', '/readers')) as readonly ShownReader[];
    const reader = readers.find((one) => one.serial === serial);
    if (reader?.displayStatus === 'Online and Reading' && reader.lastCommand?.state === 'applied')
      return reader;
  }
  throw new Error(`${serial} does not read`);
}

async function untilApplied(call: Call, id: string, command: string): Promise<ShownCommand> {
  for (const limit = performance.now() + READY_MS; performance.now() < limit; await sleep(1)) {
    const [last] = (await call('GET', `/readers/${id}/commands`)) as readonly ShownCommand[];
    if (last?.id === command && last.state === 'applied') return last;
    if (last?.state === 'failed') throw new Error(`a command failed: ${JSON.stringify(last)}`);
  }
  throw new Error('a command was not applied');
}

/** All that is resident, shared pages of the Node program too: what a reader's memory has to hold. */
function residentMegabytes(pid: number): number {
  const found = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return found ? Number(found[1]) / 1024 : Number.NaN;
}

function report({ count, quick }: CommandsOptions, measured: Measured, command: string): Report {
  const line = (what: string, values: readonly number[]): readonly string[] => [
    what,
    ...[0.5, 0.99, 1].map((share) => figure(percentile(values, share))),
  ];
  return {
    title: 'Commands',
    command,
    date: new Date(),
    facts: [
      ...machineFacts(),
      `${count} stops and starts in turn over REST, broker, agent and a stand-in of the reader's local interface, all on loopback; 2 readers with ${READS_PER_SECOND} reads/s each meanwhile; load average ${loadAverage()} at the end`,
    ],
    rows: measured.residentMegabytes.map(({ what, value }) => ({
      what: `${what}: resident memory, highest`,
      value,
      bar: { better: 'less', first: 80, next: 60, unit: 'MB' },
    })),
    details: [
      [
        ['from PATCH to applied, ms', 'p50', 'p99', 'longest'],
        line('as a client sees it', measured.seenMs),
        line("by the service's clock", measured.settledMs),
      ],
    ],
    notes: quick ? ['--quick: too short for figures'] : [],
  };
}
