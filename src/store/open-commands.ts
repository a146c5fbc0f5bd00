import { isAnswerable } from '../domain/command.ts';
import type { CommandKey } from './commands.ts';
import type { CommandRecord } from './records.ts';
import type { Store } from './store.ts';
import { tables } from './tables.ts';

/** A command that may still be answered, with where it is kept. */
export interface OpenCommand {
  readonly key: CommandKey;
  readonly command: CommandRecord;
}

/**
 * The commands that something can still happen to, in memory: an answer with any other id costs no look at the disk. It
 * follows what this process writes; what another removes is found gone where it is used, and forgotten by `check`.
 */
export class OpenCommands {
  readonly #store: Store;
  readonly #byReader = new Map<string, Map<number, OpenCommand>>();

  constructor(store: Store) {
    this.#store = store;
    for (const { key, value } of store.range(tables.commands)) this.#put(keyOf(key), value);
    store.watch(tables.commands, (keys) => {
      for (const key of keys) this.#put(keyOf(key), store.get(tables.commands, key));
    });
  }

  /** As they are now: the caller may wait while it goes through them. */
  all(): readonly OpenCommand[] {
    return [...this.#byReader.values()].flatMap((commands) => [...commands.values()]);
  }

  find(readerId: string, id: string): OpenCommand | undefined {
    // Seldom more than one.
    return [...(this.#byReader.get(readerId)?.values() ?? [])].find(({ command }) => command.id === id);
  }

  /** Looks again whether the command is still there. */
  check(key: CommandKey): void {
    this.#put(key, this.#store.get(tables.commands, [key.orgId, key.readerId, key.no]));
  }

  #put(key: CommandKey, command: CommandRecord | undefined): void {
    const ofReader = this.#byReader.get(key.readerId) ?? new Map<number, OpenCommand>();
    if (command && isAnswerable(command.standing)) ofReader.set(key.no, { key, command });
    else ofReader.delete(key.no);
    if (ofReader.size === 0) this.#byReader.delete(key.readerId);
    else this.#byReader.set(key.readerId, ofReader);
  }
}

function keyOf([orgId, readerId, no]: readonly [string, string, number]): CommandKey {
  return { orgId, readerId, no };
}
