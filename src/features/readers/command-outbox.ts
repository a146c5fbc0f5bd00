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
  /** By reader: the start or stop that the broker holds, as far as this run put it there. */
  readonly #retained = new Map<string, string>();

  constructor(options: CommandOutboxOptions) {
    this.#options = options;
  }

  /**
   * The broker is there. What can still be answered goes out again: the broker's store may be behind the service's own after a
   * crash.
   */
  async open(publish: PublishCommand): Promise<void> {
    this.#publish = publish;
    await this.#sendAll(() => true);
  }

  /** Sends what is not in the broker yet. For a call every second, which need not wait for the one before. */
  async sendOpen(): Promise<void> {
    this.#forgetOver();
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

  /**
   * The reader's agent is there (again): also sends settings that it was sent before and has not answered, and a start or stop
   * that this run has not seen in the broker, whose store may be behind after a power cut. Never rejects.
   */
  async agentReturned(reader: ReaderKey): Promise<void> {
    const { store } = this.#options;
    const before = latestCommand(store, reader, 'settings');
    // One that is just going out may have reached the agent before it was gone.
    const wasSent = before !== null && (before.publishedAt !== null || this.#underWay.has(before.id));
    await this.send(reader);
    const settings = latestCommand(store, reader, 'settings');
    if (wasSent && settings?.id === before.id && isAnswerable(settings.standing))
      await this.#sendAgain(reader, settings);
    const radio = latestCommand(store, reader);
    if (radio && radio.publishedAt !== null && this.#retained.get(reader.readerId) !== radio.id)
      await this.#sendAgain(reader, radio);
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
    return this.#track(command.id, () => this.#send(reader, command));
  }

  #sendAgain(reader: ReaderKey, command: CommandRecord): Promise<void> {
    return this.#track(`${command.id} again`, async () => {
      await this.#publishNow(reader, command).catch((error: unknown) => this.#sayOnce(command, error));
    });
  }

  /** One at a time of a kind. */
  #track(key: string, send: () => Promise<void>): Promise<void> {
    const running = this.#underWay.get(key);
    if (running) return running;
    const sending = send().finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, sending);
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

  /** False when there is nothing to publish, or nobody to publish it. */
  async #publishNow({ orgId, readerId }: ReaderKey, command: CommandRecord): Promise<boolean> {
    const { store } = this.#options;
    const reader = store.get(tables.readers, [orgId, readerId]);
    const payload = payloadOf(command, store.get(tables.antennas, [orgId, readerId]) ?? []);
    if (!reader || !payload || !this.#publish) return false;
    const retain = laneOf(command.kind) === 'radio';
    await this.#publish(reader.serial, payload, { retain });
    if (retain) this.#retained.set(readerId, command.id);
    return true;
  }

  /** Of commands that nothing can happen to any more, nothing is kept. */
  #forgetOver(): void {
    if (this.#refused.size + this.#published.size === 0) return;
    const open = new Set(this.#options.commands.all().map(({ command }) => command.id));
    for (const ids of [this.#refused, this.#published])
      for (const id of ids) if (!open.has(id)) ids.delete(id);
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
  { id, no, kind, preset }: CommandRecord,
  antennas: readonly AntennaRecord[],
): CommandPayload | null {
  if (kind === 'start') return { kind, id, no, preset: preset ?? defaultPreset };
  if (kind === 'stop') return { kind, id, no };
  // As they are now: what was changed meanwhile goes out with it.
  const settings = presetOf(antennas);
  return settings && { kind, id, no, preset: settings };
}
