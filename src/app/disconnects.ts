import { lastDisconnectNo } from '../store/device-states.ts';
import { inSlices } from '../store/in-slices.ts';
import type { Store } from '../store/store.ts';
import { tables } from '../store/tables.ts';
import type { SweepTask } from '../sweep/sweeper.ts';

/** "Now" is within this, and what it costs is one look at one number. */
const EVERY_MS = 250;

/**
 * Cuts the connections of readers somebody asked to have cut, from this process or another: `tagkeep reader revoke
 * --disconnect` writes a number that grows with every request into the device's record. Made before the broker takes
 * connections: what was asked for until then has none to cut.
 */
export class Disconnects {
  readonly #store: Store;
  #doneUpTo: number;

  constructor(store: Store) {
    this.#store = store;
    this.#doneUpTo = lastDisconnectNo(store);
  }

  /** The same again and again, as the sweeper takes it. */
  task(disconnect: (serial: string) => Promise<unknown>): SweepTask {
    return { name: 'disconnects', everyMs: EVERY_MS, run: () => this.run(disconnect) };
  }

  /** Looks for new requests once; `disconnect` cuts a reader's connections. */
  async run(disconnect: (serial: string) => Promise<unknown>): Promise<void> {
    const last = lastDisconnectNo(this.#store);
    if (last === this.#doneUpTo) return;
    const since = this.#doneUpTo;
    const serials: string[] = [];
    for await (const { value } of inSlices(this.#store, tables.devices))
      if ((value.disconnectNo ?? 0) > since) serials.push(value.serial);
    await Promise.all(serials.map((serial) => disconnect(serial)));
    // Not before: a failure is tried again.
    this.#doneUpTo = last;
  }
}
