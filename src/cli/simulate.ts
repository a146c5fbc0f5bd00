import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withLocal } from '../app/stand-ins.ts';
import {
  provisionedReader,
  type SimulatedReader,
  type Simulation,
  startSimulation,
  virtualReaders,
} from '../app/virtual-readers.ts';
import { openAuthority } from '../pki/authority.ts';
import { CliError, CliUsageError, type CommonOptions, configOf, withStore } from './context.ts';

/** As typed: every figure is text. */
export interface SimulateOptions extends CommonOptions {
  readonly readers: string;
  readonly tags: string;
  readonly rate: string;
  readonly seed: string;
  readonly dwell: string;
  readonly format: string;
  readonly qos: string;
  readonly duration?: string;
  readonly outageEvery?: string;
  readonly url?: string;
  readonly identity?: readonly string[];
  readonly standIn?: boolean;
  readonly localPort?: string;
  readonly localDir?: string;
  /** False with `--no-mqtt`. */
  readonly mqtt: boolean;
}

/** `tagkeep simulate`: virtual readers, or provisioned ones by their identity folders, against a running appliance. */
export async function simulate(options: SimulateOptions): Promise<void> {
  const { format } = options;
  if (format !== 'minimal' && format !== 'full')
    throw new CliUsageError(`--format is "${format}"; it is minimal or full`);
  const url = options.url ?? servedUrl(options);
  const readers = await readersOf(options);
  const simulation = await startSimulation({
    readers,
    url,
    format,
    qos: qosOf(options.qos),
    seed: numberOf('--seed', options.seed),
    tags: numberOf('--tags', options.tags),
    readsPerSecond: numberOf('--rate', options.rate),
    dwellSeconds: numberOf('--dwell', options.dwell),
    ...optional('durationSeconds', '--duration', options.duration),
    ...optional('outageEverySeconds', '--outage-every', options.outageEvery),
    now: Date.now,
    log: (line) => process.stderr.write(`${line}\n`),
  });
  for (const [serial, { url: local }] of simulation.locals)
    process.stdout.write(`${JSON.stringify({ serial, local })}\n`);
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void simulation.stop());
  await simulation.done;
  report(simulation, options);
}

async function readersOf(options: SimulateOptions): Promise<readonly SimulatedReader[]> {
  const { identity, standIn } = options;
  if (standIn) return Promise.all(standInDirs(options).map((dir) => standInReader(dir, options)));
  return identity ? identity.map(provisionedReader) : ownReaders(options);
}

function standInDirs({ identity = [], localPort, localDir }: SimulateOptions): readonly string[] {
  if (identity.length === 0)
    throw new CliUsageError('--stand-in needs --identity: the folder of a provisioned reader');
  if (identity.length > 1 && (localPort !== undefined || localDir !== undefined))
    throw new CliUsageError('--local-port and --local-dir are for one --identity');
  return identity;
}

/** A provisioned reader that can be started, stopped and set up by its agent. */
async function standInReader(identityDir: string, options: SimulateOptions): Promise<SimulatedReader> {
  const { localDir: dir = join(identityDir, 'stand-in'), localPort = '0', mqtt: nativeMqtt } = options;
  const port = numberOf('--local-port', localPort);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new CliUsageError(`--local-port is ${localPort}; it takes a whole number of 0 to 65535`);
  return withLocal(provisionedReader(identityDir), { identityDir, dir, port, nativeMqtt });
}

async function ownReaders(options: SimulateOptions): Promise<readonly SimulatedReader[]> {
  const count = numberOf('--readers', options.readers);
  if (!Number.isInteger(count) || count < 1 || count > 1000) {
    throw new CliUsageError(`--readers is ${options.readers}; it takes a whole number of 1 to 1000`);
  }
  return withStore(options, async ({ config, store, org }) => {
    const now = Date.now();
    const authority = await openAuthority({
      certsDir: config.certsDir,
      passphraseFile: config.pki.passphraseFile,
      now,
    });
    return virtualReaders({
      store,
      authority,
      dataDir: config.dataDir,
      orgId: org.id,
      prefix: 'SIM',
      count,
      now,
    });
  });
}

function qosOf(text: string): 0 | 1 {
  if (text !== '0' && text !== '1') throw new CliUsageError(`--qos is "${text}"; it is 0 or 1`);
  return text === '0' ? 0 : 1;
}

function servedUrl(options: SimulateOptions): string {
  const { dataDir } = configOf(options);
  const file = join(dataDir, 'run', 'endpoints.json');
  try {
    // The appliance wrote this file: it has the member or is not there.
    return (JSON.parse(readFileSync(file, 'utf8')) as { mqtts: string }).mqtts;
  } catch {
    throw new CliError(
      `no appliance is serving ${dataDir}; start it with "tagkeep serve", or name a broker with --url`,
    );
  }
}

function report(simulation: Simulation, options: SimulateOptions): void {
  const { reads, outages, total } = simulation.stats();
  if (options.json) {
    process.stdout.write(`${JSON.stringify({ reads, outages, ...total })}\n`);
    return;
  }
  process.stdout.write(
    `${reads} reads, ${total.acknowledged} acknowledged, ${total.purged} purged, ${outages} outages\n`,
  );
}

function optional<K extends string>(
  key: K,
  option: string,
  value: string | undefined,
): { [P in K]?: number } {
  // One member, named by the caller: the shape is what it says.
  return (value === undefined ? {} : { [key]: numberOf(option, value) }) as { [P in K]?: number };
}

function numberOf(option: string, text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value))
    throw new CliUsageError(`${option} is "${text}"; it takes a number`);
  return value;
}
