import { setTimeout as delay } from 'node:timers/promises';
import type { CommandKind } from '../../domain/command.ts';
import { presetOf } from '../../domain/preset.ts';
import type { Log } from '../../log/log.ts';
import { addCommand, latestCommand, type ReaderKey } from '../../store/commands.ts';
import type { CommandRecord } from '../../store/records.ts';
import type { Reading, Store } from '../../store/store.ts';
import { tables } from '../../store/tables.ts';

export interface ReconcileOptions {
  readonly store: Store;
  readonly outbox: { agentReturned(reader: ReaderKey): Promise<void> };
  /** Why nothing may be written now (disk nearly full), or null. */
  readonly writeBlocked: () => string | null;
  /** Epoch ms. */
  readonly now: () => number;
  /** A new UUID. */
  readonly newId: () => string;
  readonly log: Log;
}

/** An agent that subscribes again and again is not answered more often. */
const PAUSE_MS = 500;
/** A start or stop that failed is not made anew sooner: who mends its cause needs longer. */
const FAILED_ANEW_MS = 10_000;

/** Brings readers to their desired state whenever their agents come, one reconciliation of a reader at a time. */
export class Reconciler {
  readonly #options: ReconcileOptions;
  readonly #underWay = new Map<string, { again: boolean }>();

  constructor(options: ReconcileOptions) {
    this.#options = options;
  }

  /** A reader's agent has come (back), or the reader of an agent that is there was claimed. */
  agentReturned(reader: ReaderKey): void {
    const running = this.#underWay.get(reader.readerId);
    if (running) running.again = true;
    else void this.#run(reader);
  }

  async #run(reader: ReaderKey): Promise<void> {
    const state = { again: false };
    this.#underWay.set(reader.readerId, state);
    do {
      state.again = false;
      await reconcileReader(this.#options, reader);
      if (state.again) await delay(PAUSE_MS, undefined, { ref: false });
    } while (state.again);
    this.#underWay.delete(reader.readerId);
  }
}

/**
 * Makes the commands that bring a reader to its desired state as far as it was never told it or could not do it, and sends
 * what its agent has not answered. Never rejects; the next time the agent comes tries again.
 */
export async function reconcileReader(options: ReconcileOptions, reader: ReaderKey): Promise<void> {
  try {
    if (options.writeBlocked() === null) await addMissing(options, reader);
    await options.outbox.agentReturned(reader);
  } catch (error) {
    options.log.warn({ err: error, reader: reader.readerId }, "a reader's desired state could not be sent");
  }
}

async function addMissing({ store, now, newId }: ReconcileOptions, reader: ReaderKey): Promise<void> {
  const at = now();
  if (missingCommands(store, reader, at).length === 0) return;
  await store.write((tx) => {
    for (const kind of missingCommands(tx, reader, at))
      addCommand(tx, { ...reader, id: newId(), kind, now: at });
  });
}

/** Settings come first. Those that the reader refused are not repeated: it would stop reading for nothing each time. */
function missingCommands(reading: Reading, key: ReaderKey, now: number): readonly CommandKind[] {
  const reader = reading.get(tables.readers, [key.orgId, key.readerId]);
  if (!reader) return [];
  const preset = presetOf(reading.get(tables.antennas, [key.orgId, key.readerId]) ?? []);
  const wanted = reader.enabled && preset ? 'start' : 'stop';
  const last = latestCommand(reading, key);
  const isTold = last?.kind === wanted && !isToTryAnew(last, now);
  const isSet = preset === null || latestCommand(reading, key, 'settings') !== null;
  return [...(isSet ? [] : ['push-config' as const]), ...(isTold ? [] : ([wanted] as const))];
}

function isToTryAnew({ standing, settledAt }: CommandRecord, now: number): boolean {
  return standing === 'failed' && Math.abs(now - (settledAt ?? 0)) >= FAILED_ANEW_MS;
}
