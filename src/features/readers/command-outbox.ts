import type { CommandPayload } from '../../contract/command.ts';
import { commandLanes, defaultPreset, isAnswerable, laneOf } from '../../domain/command.ts';
import { presetOf } from '../../domain/preset.ts';
import type { Log } from '../../log/log.ts';
import { type CommandKey, latestCommand, markPublished, type ReaderKey } from '../../store/commands.ts';
import type { OpenCommands } from '../../store/open-commands.ts';
import type { AntennaRecord, CommandRecord } from '../../store/records.ts';
import type { Store } from '../../store/store.ts';
import { tables } from '../../store/tables.ts';

/** Publishes on a reader's `commands` topic; resolves once the broker has stored it. */
export type PublishCommand = (
  serial: string,
  payload: CommandPayload,
  options: { readonly retain: boolean },
) => Promise<void>;

export interface CommandOutboxOptions {
  readonly store: Store;
  readonly commands: OpenCommands;
  /** Epoch ms. */
  readonly now: () => number;
  readonly log: Log;
}

/**
 * Brings commands from the store to the broker. Of a lane only the newest command of a reader ever goes out. A start or stop is
 * retained: what the reader is to do. Antenna settings are not, they go out again when the agent comes back without having
 * answered. What can't go out now stays pending, and goes out with the next `sendOpen`.
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

  /** Sends the newest commands of a reader that are not in the broker, settings first. Never rejects: see their standing. */
  async send(reader: ReaderKey): Promise<void> {
    const latest = commandLanes.map((lane) => latestCommand(this.#options.store, reader, lane));
    await Promise.all(
      latest.map((command) => command?.publishedAt === null && this.#sendOnce(reader, command)),
    );
  }

  /** The reader's agent is there (again): also sends settings that it was sent before and has not answered. */
  async agentReturned(reader: ReaderKey): Promise<void> {
    const before = latestCommand(this.#options.store, reader, 'settings');
    // One that is just going out may have reached the agent before it was gone.
    const wasSent = before !== null && (before.publishedAt !== null || this.#underWay.has(before.id));
    await this.send(reader);
    const settings = latestCommand(this.#options.store, reader, 'settings');
    if (wasSent && settings?.id === before.id && isAnswerable(settings.standing))
      await this.#sendAgain(reader, settings);
  }

  async #sendAll(isDue: (command: CommandRecord) => boolean): Promise<void> {
    const { store, commands } = this.#options;
    // All at once: one agent that does not read must not hold up the others.
    const sendings = commands.all().map(({ key, command }) => {
      if (!isDue(command)) return undefined;
      const latest = latestCommand(store, key, laneOf(command.kind));
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
    const { store, now } = this.#options;
    const key: CommandKey = { orgId, readerId, no: command.no };
    try {
      // Called at once after looking for the newest: the broker keeps the order of the calls.
      if (!this.#published.has(command.id) && !(await this.#publishNow(key, command))) return;
      this.#published.add(command.id);
      await store.write((tx) => markPublished(tx, key, now()));
      this.#published.delete(command.id);
      this.#refused.delete(command.id);
    } catch (error) {
      this.#sayOnce(command, error);
    }
  }

  async #sendAgain(reader: ReaderKey, settings: CommandRecord): Promise<void> {
    try {
      await this.#publishNow(reader, settings);
    } catch (error) {
      this.#sayOnce(settings, error);
    }
  }

  /** False when there is nothing to publish, or nobody to publish it. */
  async #publishNow({ orgId, readerId }: ReaderKey, command: CommandRecord): Promise<boolean> {
    const { store } = this.#options;
    const reader = store.get(tables.readers, [orgId, readerId]);
    const payload = payloadOf(command, store.get(tables.antennas, [orgId, readerId]) ?? []);
    if (!reader || !payload || !this.#publish) return false;
    await this.#publish(reader.serial, payload, { retain: laneOf(command.kind) === 'radio' });
    return true;
  }

  /** It is tried again every second; one line is enough. */
  #sayOnce({ id }: CommandRecord, error: unknown): void {
    if (this.#refused.has(id)) return;
    this.#refused.add(id);
    this.#options.log.warn({ err: error, command: id }, 'a command waits to be published');
  }
}

/** What goes out for a command: the contract's "Reader command channel". Null: settings that no preset can say. */
function payloadOf(
  { id, kind, preset }: CommandRecord,
  antennas: readonly AntennaRecord[],
): CommandPayload | null {
  if (kind === 'start') return { kind, id, preset: preset ?? defaultPreset };
  if (kind === 'stop') return { kind, id };
  // As they are now: what was changed meanwhile goes out with it.
  const settings = presetOf(antennas);
  return settings && { kind, id, preset: settings };
}
