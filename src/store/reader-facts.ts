import { latestCommand, type ReaderKey } from './commands.ts';
import type { AntennaRecord, CommandRecord } from './records.ts';
import type { Store } from './store.ts';
import { tables } from './tables.ts';

/** What a list of readers needs of each beside its record. */
export interface ReaderFacts {
  readonly lastCommand: CommandRecord | null;
  readonly lastSettings: CommandRecord | null;
  /** Undefined: the reader is gone. */
  readonly antennas: readonly AntennaRecord[] | undefined;
}

/** Far more readers than an appliance has; what was removed by another process goes with it. */
const FACTS_MAX = 20_000;

/**
 * The facts of readers in memory, read from the store when first asked for: looking for the newest command of each lane of
 * thousands of readers would hold the event loop for a tenth of a second. It follows what this process writes; another one
 * changes none of it but by removing the reader.
 */
export class ReaderFactsCache {
  readonly #store: Store;
  readonly #known = new Map<string, ReaderFacts>();

  constructor(store: Store) {
    this.#store = store;
    store.watch(tables.commands, (keys) => this.#forget(keys));
    store.watch(tables.antennas, (keys) => this.#forget(keys));
  }

  of(reader: ReaderKey): ReaderFacts {
    const known = this.#known.get(reader.readerId);
    if (known) return known;
    if (this.#known.size >= FACTS_MAX) this.#known.clear();
    const facts = {
      lastCommand: latestCommand(this.#store, reader),
      lastSettings: latestCommand(this.#store, reader, 'settings'),
      antennas: this.#store.get(tables.antennas, [reader.orgId, reader.readerId]),
    };
    this.#known.set(reader.readerId, facts);
    return facts;
  }

  #forget(keys: Iterable<readonly [string, string, ...unknown[]]>): void {
    for (const [, readerId] of keys) this.#known.delete(readerId);
  }
}
