import type { Store } from './store.ts';
import { tables } from './tables.ts';

/** Which records of the directory this process has changed: what belongs to an organisation by id, with its organisation. */
export interface Changed {
  /** The versions of the directory these changes made. */
  readonly versions: ReadonlySet<number>;
  readonly orgs: ReadonlySet<string>;
  readonly devices: ReadonlySet<string>;
  readonly certificates: ReadonlySet<string>;
  readonly zones: ReadonlyMap<string, string>;
  /** Those whose antennas changed are among them. */
  readonly readers: ReadonlyMap<string, string>;
}

/** Collects what changed from one look at it to the next. */
export class ChangedKeys {
  #versions = new Set<number>();
  #orgs = new Set<string>();
  #devices = new Set<string>();
  #certificates = new Set<string>();
  #zones = new Map<string, string>();
  #readers = new Map<string, string>();

  watch(store: Store): void {
    store.watchDirectory((version) => this.#versions.add(version));
    store.watch(tables.orgs, (keys) => addAll(this.#orgs, keys));
    store.watch(tables.devices, (keys) => addAll(this.#devices, keys));
    store.watch(tables.certificates, (keys) => addAll(this.#certificates, keys));
    store.watch(tables.zones, (keys) => setAll(this.#zones, keys));
    store.watch(tables.readers, (keys) => setAll(this.#readers, keys));
    store.watch(tables.antennas, (keys) => setAll(this.#readers, keys));
  }

  /** What was collected; from now on it collects anew. */
  take(): Changed {
    const taken = {
      versions: this.#versions,
      orgs: this.#orgs,
      devices: this.#devices,
      certificates: this.#certificates,
      zones: this.#zones,
      readers: this.#readers,
    };
    this.#versions = new Set();
    this.#orgs = new Set();
    this.#devices = new Set();
    this.#certificates = new Set();
    this.#zones = new Map();
    this.#readers = new Map();
    return taken;
  }
}

function addAll(set: Set<string>, keys: readonly string[]): void {
  for (const key of keys) set.add(key);
}

function setAll(map: Map<string, string>, keys: readonly (readonly [orgId: string, id: string])[]): void {
  for (const [orgId, id] of keys) map.set(id, orgId);
}

/** Whether everything that happened between two versions was done by this process. */
export function isWhole({ versions }: Changed, from: number, to: number): boolean {
  for (let version = from + 1; version <= to; version++) if (!versions.has(version)) return false;
  return true;
}
