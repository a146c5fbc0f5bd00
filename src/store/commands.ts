import {
  type CommandEvent,
  type CommandKind,
  type CommandLane,
  commandStep,
  commandsKept,
  defaultPreset,
  laneOf,
} from '../domain/command.ts';
import type { CommandRecord } from './records.ts';
import type { RangeOptions, Reading, Tx } from './store.ts';
import { tables } from './tables.ts';

const LAST_NO = 'lastCommandNo';

/** Whose commands. */
export interface ReaderKey {
  readonly orgId: string;
  readonly readerId: string;
}

/** Which command. */
export interface CommandKey extends ReaderKey {
  readonly no: number;
}

/** A command that is to be; `now` is epoch ms. */
export interface NewCommand extends ReaderKey {
  readonly id: string;
  readonly kind: CommandKind;
  readonly now: number;
}

/** A lane that ends without a newer command; `now` is epoch ms. */
export interface LaneEnd {
  readonly lane: CommandLane;
  readonly now: number;
}

/** What happened to a command, epoch ms; `error` is why it failed, if the agent said so. */
export interface CommandHappening {
  readonly event: CommandEvent;
  readonly now: number;
  readonly error?: string | null;
}

/**
 * Adds a command as pending (a start with the default preset), which supersedes an older one of its lane that is not settled.
 * Only the newest commands of a lane are kept.
 */
export function addCommand(tx: Tx, { orgId, readerId, id, kind, now }: NewCommand): CommandRecord {
  const older = commandsOf(tx, { orgId, readerId }).filter((one) => laneOf(one.kind) === laneOf(kind));
  older.forEach((command, index) => {
    const key = { orgId, readerId, no: command.no };
    if (index >= commandsKept - 1) tx.remove(tables.commands, [orgId, readerId, command.no]);
    else stepCommand(tx, key, { event: 'supersede', now });
  });
  const no = nextNo(tx, now);
  const preset = kind === 'start' ? defaultPreset : null;
  const times = { createdAt: now, publishedAt: null, settledAt: null };
  const command: CommandRecord = { id, no, kind, preset, standing: 'pending', ...times, error: null };
  tx.put(tables.commands, [orgId, readerId, no], command);
  return command;
}

/**
 * Higher than any before, and than those a service had that was since put back to a backup: agents go by it, whatever order
 * commands reach them in.
 */
function nextNo(tx: Tx, now: number): number {
  const no = Math.max((tx.get(tables.meta, LAST_NO) ?? 0) + 1, now);
  tx.put(tables.meta, LAST_NO, no);
  return no;
}

/** Steps a command; null when it is gone or the event changes nothing. */
export function stepCommand(
  tx: Tx,
  { orgId, readerId, no }: CommandKey,
  { event, now, error = null }: CommandHappening,
): CommandRecord | null {
  const before = tx.get(tables.commands, [orgId, readerId, no]);
  const standing = before && commandStep(before.standing, event);
  if (!before || !standing) return null;
  const settledAt = standing === 'published' ? null : now;
  const after: CommandRecord = {
    ...before,
    standing,
    settledAt,
    error: standing === 'failed' ? error : null,
  };
  tx.put(tables.commands, [orgId, readerId, no], after);
  return after;
}

/** The broker has stored a command, whatever has become of it since. */
export function markPublished(tx: Tx, key: CommandKey, now: number): void {
  const place = [key.orgId, key.readerId, key.no] as const;
  const command = stepCommand(tx, key, { event: 'publish', now }) ?? tx.get(tables.commands, place);
  if (command && command.publishedAt === null)
    tx.put(tables.commands, place, { ...command, publishedAt: now });
}

/** Takes back what was not settled of a lane: nothing takes its place. */
export function supersedeLane(tx: Tx, reader: ReaderKey, { lane, now }: LaneEnd): void {
  for (const { no, kind } of commandsOf(tx, reader))
    if (laneOf(kind) === lane) stepCommand(tx, { ...reader, no }, { event: 'supersede', now });
}

/** The commands of a reader that are kept, newest first. */
export function commandsOf(reading: Reading, reader: ReaderKey): readonly CommandRecord[] {
  return Array.from(reading.range(tables.commands, newestFirst(reader)), ({ value }) => value);
}

/** The newest command of a lane of a reader, or null. */
export function latestCommand(
  reading: Reading,
  reader: ReaderKey,
  lane: CommandLane = 'radio',
): CommandRecord | null {
  for (const { value } of reading.range(tables.commands, newestFirst(reader)))
    if (laneOf(value.kind) === lane) return value;
  return null;
}

/** Removes all commands of a reader; false when there were none. */
export function dropCommands(tx: Tx, reader: ReaderKey): boolean {
  const commands = commandsOf(tx, reader);
  for (const { no } of commands) tx.remove(tables.commands, [reader.orgId, reader.readerId, no]);
  return commands.length > 0;
}

function newestFirst({ orgId, readerId }: ReaderKey): RangeOptions {
  return { start: [orgId, readerId, Number.MAX_VALUE], end: [orgId, readerId], reverse: true };
}
