import { isAnswerOverdue, isUnsettled } from '../domain/command.ts';
import { type CommandKey, stepCommand } from '../store/commands.ts';
import type { OpenCommands } from '../store/open-commands.ts';
import type { CommandRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { tables } from '../store/tables.ts';

export interface CommandTimeoutsOptions {
  readonly store: Store;
  readonly commands: OpenCommands;
  /** Epoch ms. */
  readonly now: () => number;
  /** How long a command may wait for its acknowledgement, ms. */
  readonly ackTimeoutMs: number;
}

/** Commands decided in one transaction: some milliseconds. */
const SLICE = 100;

/**
 * Lets commands fail that nobody acknowledged in time, with the error `timeout` (interface: acknowledgement wait, 30 s),
 * counted from when the broker had them, else from when they were made. Call `run` every second. The time the service was
 * down counts.
 */
export function createCommandTimeouts(options: CommandTimeoutsOptions): {
  readonly run: () => Promise<void>;
} {
  const { store, commands, now, ackTimeoutMs } = options;
  const isDue = (command: CommandRecord, at: number): boolean =>
    isUnsettled(command.standing) && isAnswerOverdue({ ...command, timeoutMs: ackTimeoutMs }, at);
  return {
    run: async () => {
      const at = now();
      const due = commands.all().filter(({ command }) => isDue(command, at));
      for (let from = 0; from < due.length; from += SLICE) {
        const keys = due.slice(from, from + SLICE).map(({ key }) => key);
        await store.write((tx) => {
          for (const key of keys) {
            // Published or answered since.
            const command = tx.get(tables.commands, placeOf(key));
            if (command && isDue(command, at)) stepCommand(tx, key, { event: 'timeout', now: at });
          }
        });
        // One whose reader another process removed is still in memory.
        for (const key of keys) commands.check(key);
      }
    },
  };
}

function placeOf({ orgId, readerId, no }: CommandKey): readonly [string, string, number] {
  return [orgId, readerId, no];
}
