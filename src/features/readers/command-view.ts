import type { ReaderCommand } from '../../contract/command.ts';
import { commandStateOf } from '../../domain/command.ts';
import { formatInstant } from '../../lib/instant.ts';
import type { CommandRecord } from '../../store/records.ts';

/** A command as the interface shows it; one that nobody answered has failed with the error `timeout`. */
export function commandView({
  id,
  kind,
  standing,
  createdAt,
  settledAt,
  error,
}: CommandRecord): ReaderCommand {
  const reason = standing === 'timed-out' ? 'timeout' : error;
  return {
    ...{ id, kind, state: commandStateOf(standing), createdAt: formatInstant(createdAt) },
    ...(settledAt !== null && { settledAt: formatInstant(settledAt) }),
    ...(reason !== null && { error: reason }),
  };
}
