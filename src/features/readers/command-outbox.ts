import type { CommandPayload } from '../../contract/command.ts';
import { defaultPreset } from '../../domain/command.ts';
import type { Log } from '../../log/log.ts';
import { type CommandKey, latestCommand, markPublished, type ReaderKey } from '../../store/commands.ts';
import type { OpenCommands } from '../../store/open-commands.ts';
import type { CommandRecord } from '../../store/records.ts';
import type { Store } from '../../store/store.ts';
import { tables } from '../../store/tables.ts';

/** Publishes on a reader's `commands` topic, retained; resolves once the broker has stored it. */
export type PublishCommand = (serial: string, payload: CommandPayload) => Promise<void>;

export interface CommandOutboxOptions {
  readonly store: Store;
  readonly commands: OpenCommands;
  /** Epoch ms. */
  readonly now: () => number;
  readonly log: Log;
}

/**
 * Brings commands from the store to the broker. Only the newest command of a reader ever goes out: the retained message is
 * what the reader is to do. What can't go out now stays pending, and goes out with the next `sendOpen`.
 */
export class CommandOutbox {
  readonly #options: CommandOutboxOptions;
  #publish: PublishCommand | null = null;
  readonly #underWay = new Map<string, Promise<void>>();
  /** In the broker since this start, though the store may not say so yet. */
  readonly #published = new Set<string>();
  readonly #refused = new Set<string>();

  constructor(options: CommandOutboxOptions) {
    this.#options = options;
  }

  /**
   * The broker is there. What was not settled before the start goes out again: the broker's store may be behind the
   * service's own after a crash.
   */
  async open(publish: PublishCommand): Promise<void> {
    this.#publish = publish;
    await this.#sendAll(({ standing, publishedAt }) => publishedAt === null || standing === 'published');
  }

  /** Sends what is not in the broker yet. For a call every second, which need not wait for the one before. */
  async sendOpen(): Promise<void> {
    await this.#sendAll(({ publishedAt }) => publishedAt === null);
  }

  /** Sends nothing more; resolves when what was under way is over, which the end of the broker makes sure of. */
  async close(): Promise<void> {
    this.#publish = null;
    await Promise.all(this.#underWay.values());
  }

  /** Sends the newest command of a reader, unless it is in the broker. Never rejects: see its standing. */
  async send(reader: ReaderKey): Promise<void> {
    const command = latestCommand(this.#options.store, reader);
    if (command?.publishedAt === null) await this.#sendOnce(reader, command);
  }

  async #sendAll(isDue: (command: CommandRecord) => boolean): Promise<void> {
    const { store, commands } = this.#options;
    // All at once: one agent that does not read must not hold up the others.
    const sendings = commands.all().map(({ key, command }) => {
      if (!isDue(command)) return undefined;
      const latest = latestCommand(store, key);
      if (latest?.no === key.no && isDue(latest)) return this.#sendOnce(key, latest);
      return commands.check(key);
    });
    await Promise.all(sendings);
  }

  #sendOnce(reader: ReaderKey, command: CommandRecord): Promise<void> {
    const running = this.#underWay.get(command.id);
    if (running) return running;
    const sending = this.#send(reader, command).finally(() => this.#underWay.delete(command.id));
    this.#underWay.set(command.id, sending);
    return sending;
  }

  async #send({ orgId, readerId }: ReaderKey, command: CommandRecord): Promise<void> {
    const { store, now, log } = this.#options;
    const reader = store.get(tables.readers, [orgId, readerId]);
    if (!reader || !this.#publish) return;
    const key: CommandKey = { orgId, readerId, no: command.no };
    try {
      // Called at once after looking for the newest: the broker keeps the order of the calls.
      if (!this.#published.has(command.id)) await this.#publish(reader.serial, payloadOf(command));
      this.#published.add(command.id);
      await store.write((tx) => markPublished(tx, key, now()));
      this.#published.delete(command.id);
      this.#refused.delete(command.id);
    } catch (error) {
      // It is tried again every second; one line is enough.
      if (this.#refused.has(command.id)) return;
      this.#refused.add(command.id);
      log.warn({ err: error, serial: reader.serial, command: command.id }, 'a command waits to be published');
    }
  }
}

/** What goes out for a command: the contract's "Reader command channel". */
function payloadOf({ id, kind, preset }: CommandRecord): CommandPayload {
  return kind === 'start' ? { kind, id, preset: preset ?? defaultPreset } : { kind, id };
}
