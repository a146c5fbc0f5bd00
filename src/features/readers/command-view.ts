import type { ReaderCommand, SentCommand, SentSettings } from '../../contract/command.ts';
import { commandStateOf } from '../../domain/command.ts';
import { formatInstant } from '../../lib/instant.ts';
import type { CommandRecord } from '../../store/records.ts';

/** A start or stop as the interface shows it. */
export function commandView(command: CommandRecord): ReaderCommand {
  const { id, kind } = command;
  if (kind === 'push-config') throw new Error('antenna settings are neither a start nor a stop');
  return { id, kind, ...outcomeOf(command) };
}

/** Any command as the interface shows it. */
export function sentView(command: CommandRecord): SentCommand {
  const { id, kind } = command;
  return { id, kind, ...outcomeOf(command) };
}

/** Antenna settings as the interface shows them. */
export function settingsView(command: CommandRecord): SentSettings {
  return { id: command.id, ...outcomeOf(command) };
}

/** One that nobody answered has failed with the error `timeout`. */
function outcomeOf({ standing, createdAt, settledAt, error }: CommandRecord): Omit<SentSettings, 'id'> {
  const reason = standing === 'timed-out' ? 'timeout' : error;
  return {
    ...{ state: commandStateOf(standing), createdAt: formatInstant(createdAt) },
    ...(settledAt !== null && { settledAt: formatInstant(settledAt) }),
    ...(reason !== null && { error: reason }),
  };
}
