import { type ReplayMove, type ReplayPorts, type ReplaySummary, replay } from '../app/replay.ts';
import { limits } from '../domain/limits.ts';
import { type LocationPolicy, locationPolicies, type ZoneKind, zoneKinds } from '../domain/zone.ts';
import { formatInstant } from '../lib/instant.ts';
import { CliError, CliUsageError, type CommonOptions, configOf } from './context.ts';

export interface ReplayCliOptions extends CommonOptions {
  readonly ports: string;
  readonly policy?: string;
}

/** `tagkeep replay FILE --ports 1=Inside:storage,3=Dock:portal`: every move with its reason, then a summary. */
export async function replayFile(file: string, options: ReplayCliOptions): Promise<void> {
  const config = configOf(options);
  const ports = parsePorts(options.ports);
  const policy = parsePolicy(options.policy ?? config.location.policy);
  const moves: ReplayMove[] = [];
  const onMove = (move: ReplayMove): void => {
    if (options.json) moves.push(move);
    else process.stdout.write(`${moveLine(move)}\n`);
  };
  const summary = await readable(file, () => replay({ file, ports, policy, config }, onMove));
  if (!options.json) process.stdout.write(`${summaryLines(summary).join('\n')}\n`);
  else
    process.stdout.write(
      `${JSON.stringify({ moves: moves.map(jsonMove), summary: jsonSummary(summary) })}\n`,
    );
}

async function readable<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new CliError(`${file} can't be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function parsePorts(text: string): ReplayPorts {
  const ports = new Map<number, { zone: string; kind: ZoneKind }>();
  for (const part of text.split(',')) {
    const match = /^\s*(\d+)=([^:]+?)(?::([a-z]+))?\s*$/.exec(part);
    const port = Number(match?.[1]);
    const kind = zoneKinds.find((known) => known === (match?.[3] ?? 'storage'));
    if (!match?.[2] || !kind || port < 1 || port > limits.antennaPorts || ports.has(port)) {
      throw new CliUsageError(
        `--ports has "${part}"; it takes PORT=ZONE:KIND with a port of 1 to ${limits.antennaPorts}, each once, and a kind of ${zoneKinds.join(', ')}`,
      );
    }
    ports.set(port, { zone: match[2], kind });
  }
  return ports;
}

function parsePolicy(text: string): LocationPolicy {
  const policy = locationPolicies.find((known) => known === text);
  if (!policy) throw new CliUsageError(`--policy is "${text}"; it must be ${locationPolicies.join(' or ')}`);
  return policy;
}

function moveLine({ epc, from, to, at, reason }: ReplayMove): string {
  return `${formatInstant(at)}  ${epc}  ${from === null ? '' : `${from} -> `}${to}  (${reason})`;
}

function summaryLines(summary: ReplaySummary): readonly string[] {
  const { from, to } = summary;
  const span = from === null || to === null ? 'no reads' : `${formatInstant(from)} to ${formatInstant(to)}`;
  return [
    '',
    `policy ${summary.policy}: ${summary.reads} reads of ${summary.tags} tags, ${span}`,
    `${summary.placements} first placements, ${summary.moves} moves of ${summary.tagsMoved} tags`,
    `${summary.repeats} repeats, ${summary.rejected} rejected`,
    ...summary.rejections.map(({ line, reason }) => `  line ${line}: ${reason}`),
  ];
}

function jsonMove(move: ReplayMove): object {
  return { ...move, at: formatInstant(move.at) };
}

function jsonSummary(summary: ReplaySummary): object {
  const { from, to } = summary;
  return {
    ...summary,
    from: from === null ? null : formatInstant(from),
    to: to === null ? null : formatInstant(to),
  };
}
