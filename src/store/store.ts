import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  type Database,
  type Key as LmdbKey,
  open,
  type RootDatabase,
  type RootDatabaseOptionsWithPath,
} from 'lmdb';
import { mapSizeOf } from './map-size.ts';
import { checkStoreFile, storeFile } from './store-file.ts';
import { type Key, type Table, tables } from './tables.ts';

export interface RangeOptions {
  readonly start?: Key;
  readonly end?: Key;
  readonly reverse?: boolean;
  readonly limit?: number;
}

export interface KeysOptions extends RangeOptions {
  /** Entries jumped over first. */
  readonly offset?: number;
}

export interface Entry<K, V> {
  readonly key: K;
  readonly value: V;
}

/** Reading, the same outside a write (the last committed state) and inside one (its own changes too). */
export interface Reading {
  get<K extends Key, V>(table: Table<K, V>, key: K): V | undefined;
  /** Entries in key order. The iterator holds an old snapshot open: take what is needed at once, in slices. */
  range<K extends Key, V>(table: Table<K, V>, options?: RangeOptions): Iterable<Entry<K, V>>;
  count<K extends Key, V>(table: Table<K, V>): number;
}

export interface Tx extends Reading {
  put<K extends Key, V>(table: Table<K, V>, key: K, value: V): void;
  remove<K extends Key, V>(table: Table<K, V>, key: K): void;
  /** The next value of a counter kept in `meta`, starting at 1. Of `count` taken together: the last one. */
  next(counter: string, count?: number): number;
}

/** What a running write changed that somebody wants to know. */
interface Change {
  directory: boolean;
  /** The version this write made, when it changed the directory. */
  directoryVersion: number;
  /** Keys by the name of a watched table. */
  readonly watched: Map<string, Key[]>;
}

type Companion = (tx: Tx, key: Key, value: unknown) => void;

/** A write that could not be made durable; nothing of it is kept. The cause is the disk, not the caller. */
export class WriteFailed extends Error {
  constructor(cause: unknown) {
    super('the store could not write to disk', { cause });
    this.name = 'WriteFailed';
  }
}

/**
 * LMDB behind a typed table registry. A resolved `write` is on disk (data and meta page flushed); one that throws,
 * or whose commit fails, has changed nothing. Several processes may have the same store open.
 */
export class Store implements Reading {
  readonly #root: RootDatabase;
  readonly #databases = new Map<string, Database>();
  readonly #watchers = new Map<string, ((keys: readonly Key[]) => void)[]>();
  readonly #companions = new Map<string, Companion[]>();
  readonly #directoryWatchers: ((version: number) => void)[] = [];
  readonly #onBroken: () => void;
  /** Grows with every change this process makes to a directory table: seen at once, without asking the disk. */
  ownDirectoryChanges = 0;

  constructor(root: RootDatabase, onBroken: () => void = () => {}) {
    this.#root = root;
    this.#onBroken = onBroken;
    for (const table of Object.values(tables)) this.#open(table as Table<Key, unknown>);
  }

  get<K extends Key, V>(table: Table<K, V>, key: K): V | undefined {
    return this.#database(table).get(key as LmdbKey) as V | undefined; // the registry fixes what a table holds
  }

  range<K extends Key, V>(table: Table<K, V>, options: RangeOptions = {}): Iterable<Entry<K, V>> {
    const found = this.#database(table).getRange({ ...options } as Parameters<Database['getRange']>[0]);
    return found as unknown as Iterable<Entry<K, V>>; // the registry fixes what a table holds
  }

  /** As `range`, but keys only: values, which are much more work, are not read. */
  keys<K extends Key, V>(table: Table<K, V>, options: KeysOptions = {}): Iterable<K> {
    const found = this.#database(table).getKeys({ ...options } as Parameters<Database['getKeys']>[0]);
    return found as unknown as Iterable<K>; // the registry fixes what the keys of a table are
  }

  count<K extends Key, V>(table: Table<K, V>): number {
    const stats = this.#database(table).getStats() as { entryCount: number }; // lmdb types it as {}
    return stats.entryCount;
  }

  /**
   * Runs `action` in one transaction, synchronously, and resolves with its result once it is durable.
   * A throw rolls everything back and comes out as it is; a failed commit comes out as `WriteFailed`.
   */
  async write<T>(action: (tx: Tx) => T): Promise<T> {
    let thrown: { readonly error: unknown } | null = null;
    const change: Change = { directory: false, directoryVersion: 0, watched: new Map() };
    try {
      const result = await this.#root.childTransaction(() => {
        try {
          return this.#run(action, change);
        } catch (error) {
          thrown = { error };
          throw error;
        }
      });
      this.#tell(change);
      return result;
    } catch (error) {
      silenceCommitError(error);
      // TypeScript can't see the assignment made inside the callback.
      const own = thrown as { readonly error: unknown } | null;
      if (own && own.error === error) throw error;
      if (this.#isBroken()) this.#onBroken();
      throw new WriteFailed(error);
    }
  }

  /**
   * Tells which keys of a table a write of this process put or removed, once it is durable and before whoever wrote goes
   * on. A key may come more than once. The watcher must not throw.
   */
  watch<K extends Key, V>(table: Table<K, V>, watcher: (keys: readonly K[]) => void): void {
    const watchers = this.#watchers.get(table.name) ?? [];
    // The registry fixes what the keys of a table are.
    watchers.push(watcher as (keys: readonly Key[]) => void);
    this.#watchers.set(table.name, watchers);
  }

  /**
   * Runs within every write of this process that puts a record of a table, right after the put: what it writes is durable
   * with the record or not at all. It must be quick; what it throws rolls the write back.
   */
  accompany<K extends Key, V>(table: Table<K, V>, companion: (tx: Tx, key: K, value: V) => void): void {
    const companions = this.#companions.get(table.name) ?? [];
    // The registry fixes what the keys and values of a table are.
    companions.push(companion as unknown as Companion);
    this.#companions.set(table.name, companions);
  }

  /** Tells the version a durable write of this process gave the directory, after the keys it changed. */
  watchDirectory(watcher: (version: number) => void): void {
    this.#directoryWatchers.push(watcher);
  }

  /** Grows by one with every change to a directory table, by this process or another. */
  directoryVersion(): number {
    return this.get(tables.meta, 'directoryVersion') ?? 0;
  }

  async close(): Promise<void> {
    await this.#root.close();
  }

  #run<T>(action: (tx: Tx) => T, change: Change): T {
    const tx: Tx = {
      get: (table, key) => this.get(table, key),
      range: (table, options) => this.range(table, options),
      count: (table) => this.count(table),
      put: (table, key, value) => {
        this.#note(change, table, key);
        this.#database(table)
          .put(key as LmdbKey, value)
          .catch(silenceCommitError);
        for (const companion of this.#companions.get(table.name) ?? []) companion(tx, key, value);
      },
      remove: (table, key) => {
        this.#note(change, table, key);
        this.#database(table)
          .remove(key as LmdbKey)
          .catch(silenceCommitError);
      },
      next: (counter, count = 1) => this.#next(tx, counter, count),
    };
    const result = action(tx);
    if (change.directory) change.directoryVersion = this.#next(tx, 'directoryVersion', 1);
    return result;
  }

  /** LMDB gives up the whole environment when the disk refuses a meta page: reads fail too, from the next snapshot on. */
  #isBroken(): boolean {
    try {
      this.#root.resetReadTxn();
      this.get(tables.meta, 'directoryVersion');
      return false;
    } catch (error) {
      return String(error).includes('MDB_PANIC');
    }
  }

  #tell(change: Change): void {
    for (const [name, keys] of change.watched)
      for (const watcher of this.#watchers.get(name) ?? []) watcher(keys);
    if (!change.directory) return;
    this.ownDirectoryChanges++;
    for (const watcher of this.#directoryWatchers) watcher(change.directoryVersion);
  }

  #note(change: Change, table: Table<Key, unknown>, key: Key): void {
    change.directory ||= table.directory;
    if (!this.#watchers.has(table.name)) return;
    const keys = change.watched.get(table.name);
    if (keys) keys.push(key);
    else change.watched.set(table.name, [key]);
  }

  #next(tx: Tx, counter: string, count: number): number {
    const value = (tx.get(tables.meta, counter) ?? 0) + count;
    tx.put(tables.meta, counter, value);
    return value;
  }

  #database<K extends Key, V>(table: Table<K, V>): Database {
    const database = this.#databases.get(table.name);
    if (!database) throw new Error(`table ${table.name} is not in the registry`);
    return database;
  }

  #open(table: Table<Key, unknown>): void {
    const options = {
      name: table.name,
      encoding: table.values,
      ...(table.keys === 'uint32' ? { keyEncoding: 'uint32' as const } : {}),
    };
    this.#databases.set(table.name, this.#root.openDB(options));
  }
}

/** A failed commit also rejects a promise of its own inside lmdb; unheard, it would end the process. */
function silenceCommitError(error: unknown): void {
  const inner = (error as { commitError?: Promise<unknown> } | null)?.commitError;
  inner?.catch?.(() => undefined);
}

/**
 * Opens the store in `<dataDir>/db`, making it when it is not there. `onBroken` is told when a failed write has made it
 * unusable: what is on disk is whole, but this process can neither read nor write any more, and has to end before it tries.
 * Throws when the address space does not suffice.
 */
export function openStore(dataDir: string, onBroken?: () => void): Store {
  const path = storeFile(dataDir);
  checkStoreFile(path);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const options: RootDatabaseOptionsWithPath & { permissionsMode: number } = {
    path,
    noSubdir: true,
    maxDbs: 64,
    // A resolved write then means flushed, not just visible.
    overlappingSync: false,
    // Room is reserved, not used; growing the map while running would stall the loop.
    mapSize: mapSizeOf(path),
    // Every write is one transaction already; batching by event turn would add a promise nobody hears when the disk is full.
    eventTurnBatching: false,
    // Not in lmdb's types; without it others may read the file.
    permissionsMode: 0o600,
  };
  return new Store(open(options), onBroken);
}
