import { setTimeout as delay } from 'node:timers/promises';
import type { Acknowledgement } from '../../contract/command.ts';
import { oneLine } from '../../lib/json-describe.ts';
import type { Log } from '../../log/log.ts';
import { stepCommand } from '../../store/commands.ts';
import type { Directory } from '../../store/directory.ts';
import type { OpenCommand, OpenCommands } from '../../store/open-commands.ts';
import { type Store, type Tx, WriteFailed } from '../../store/store.ts';
import { tables } from '../../store/tables.ts';
import { decodeAcknowledgement } from './decode-acknowledgement.ts';

/** Where what could not be used is counted. */
export interface Rejections {
  of(serial: string): { dropped: number };
  reject(
    serial: string,
    rejection: { at: number; reasons: readonly string[]; count: number; payload: Buffer },
  ): void;
}

export interface AcknowledgementsOptions {
  readonly store: Store;
  readonly directory: Directory;
  readonly commands: OpenCommands;
  readonly diagnostics: Rejections;
  /** Why nothing may be written now (disk nearly full), or null. */
  readonly writeBlocked: () => string | null;
  /** Epoch ms. */
  readonly now: () => number;
  readonly log: Log;
}

const RETRY_MS = 500;
const ERROR_MAX_LENGTH = 500;

/**
 * Takes what agents answer to commands. An answer counts for a command of that reader only; one with an unknown or settled
 * id changes nothing. What can't be read is counted with its reason; of a device whose data is refused (unclaimed, released,
 * withdrawn, revoked) all is dropped and counted.
 */
export class Acknowledgements {
  readonly #options: AcknowledgementsOptions;
  readonly #running = new Set<Promise<void>>();
  #stopping = false;

  constructor(options: AcknowledgementsOptions) {
    this.#options = options;
  }

  /** `settle` is called once what the message says is on disk; while the disk refuses, the message waits for it. */
  take(serial: string, payload: Buffer, settle: () => void): void {
    const { diagnostics, directory, commands, now } = this.#options;
    const reader = directory.reader(serial);
    const decoded = reader ? decodeAcknowledgement(payload) : null;
    if (!decoded) diagnostics.of(serial).dropped++;
    else if ('problem' in decoded)
      diagnostics.reject(serial, { at: now(), reasons: [decoded.problem], count: 1, payload });
    const acknowledgement = decoded && 'acknowledgement' in decoded ? decoded.acknowledgement : null;
    const open = acknowledgement && reader && commands.find(reader.reader.id, acknowledgement.id);
    if (open) this.#start(open, acknowledgement, settle);
    else settle();
  }

  /** Resolves when what was taken is on disk, or can't be because the disk refuses. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#running);
  }

  #start(open: OpenCommand, acknowledgement: Acknowledgement, settle: () => void): void {
    const running = this.#apply(open, acknowledgement)
      .then((isDone) => {
        if (isDone) settle();
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** False when it gave up, which it only does while stopping: the agent sends it again. */
  async #apply({ key, command }: OpenCommand, acknowledgement: Acknowledgement): Promise<boolean> {
    const { store, commands, log } = this.#options;
    for (;;) {
      try {
        if (this.#options.writeBlocked() === null) {
          await store.write((tx) => this.#write(tx, { key, command }, acknowledgement));
          commands.check(key);
          return true;
        }
      } catch (error) {
        if (!(error instanceof WriteFailed)) {
          log.error({ err: error, command: command.id }, 'an acknowledgement could not be stored');
          return true;
        }
      }
      if (this.#stopping) return false;
      await delay(RETRY_MS);
    }
  }

  #write(tx: Tx, { key }: OpenCommand, { ok, error }: Acknowledgement): void {
    const now = this.#options.now();
    const reason = ok ? null : oneLine(error?.trim() || 'no reason given', ERROR_MAX_LENGTH);
    stepCommand(tx, key, { event: ok ? 'ack-ok' : 'ack-failed', now, error: reason });
    const place = [key.orgId, key.readerId] as const;
    const reader = tx.get(tables.readers, place);
    // Whatever it answers, an agent is there that takes commands.
    if (reader && reader.commandsConfirmedAt === undefined)
      tx.put(tables.readers, place, { ...reader, commandsConfirmedAt: now });
  }
}
