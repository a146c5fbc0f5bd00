import type { CommandKind } from '../../domain/command.ts';
import { presetOf } from '../../domain/preset.ts';
import type { Log } from '../../log/log.ts';
import { addCommand, latestCommand, type ReaderKey } from '../../store/commands.ts';
import { type Reading, type Store, WriteFailed } from '../../store/store.ts';
import { tables } from '../../store/tables.ts';

export interface ReconcileOptions {
  readonly store: Store;
  readonly outbox: { agentReturned(reader: ReaderKey): Promise<void> };
  /** Epoch ms. */
  readonly now: () => number;
  /** A new UUID. */
  readonly newId: () => string;
  readonly log: Log;
}

/**
 * A reader's agent has come (back): makes the commands that bring the reader to its desired state as far as it was never told
 * it or could not do it, and sends what it has not answered. Never rejects; the next time the agent comes tries again.
 */
export async function reconcileReader(
  { store, outbox, now, newId, log }: ReconcileOptions,
  reader: ReaderKey,
): Promise<void> {
  try {
    if (missingCommands(store, reader).length > 0)
      await store.write((tx) => {
        for (const kind of missingCommands(tx, reader))
          addCommand(tx, { ...reader, id: newId(), kind, now: now() });
      });
  } catch (error) {
    if (!(error instanceof WriteFailed)) throw error;
    log.warn({ err: error, reader: reader.readerId }, "a reader's desired state could not be stored");
  }
  await outbox.agentReturned(reader);
}

/** Settings come first. Those that the reader refused are not repeated: it would stop reading for nothing each time. */
function missingCommands(reading: Reading, key: ReaderKey): readonly CommandKind[] {
  const reader = reading.get(tables.readers, [key.orgId, key.readerId]);
  if (!reader) return [];
  const preset = presetOf(reading.get(tables.antennas, [key.orgId, key.readerId]) ?? []);
  const wanted = reader.enabled && preset ? 'start' : 'stop';
  const last = latestCommand(reading, key);
  const isTold = last?.kind === wanted && last.standing !== 'failed';
  const isSet = preset === null || latestCommand(reading, key, 'settings') !== null;
  return [...(isSet ? [] : ['push-config' as const]), ...(isTold ? [] : ([wanted] as const))];
}
