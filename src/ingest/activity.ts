import type { Health, RadioState } from '../contract/payloads.ts';
import type { DeviceActivity } from '../store/records.ts';
import { type Store, WriteFailed } from '../store/store.ts';
import { tables } from '../store/tables.ts';

const nothingYet: DeviceActivity = {
  firstSeenAt: null,
  lastSeenAt: null,
  lastEventAt: null,
  brokerStatusAt: null,
  health: null,
  healthAt: null,
};

/** Signs of life of one device: what is on disk, and what only this run knows. Times are epoch ms by the service's clock. */
export interface LiveActivity extends DeviceActivity {
  /** Connections open now: the reader's own client and the agent. */
  readonly connections: number;
  /** What the radio does, as the reader last said since it connected; null = it did not say. */
  readonly radio: RadioState | null;
}

interface Kept {
  /** Changed in place: a copy for every message costs more than all else here. */
  record: { -readonly [K in keyof DeviceActivity]: DeviceActivity[K] };
  connections: Set<string>;
  radio: RadioState | null;
}

/** When each device was last heard of. Written behind: the record on disk is seconds old at most, and exact after a stop. */
export class Activity {
  readonly #store: Store;
  readonly #bySerial = new Map<string, Kept>();
  #dirty = new Set<string>();

  constructor(store: Store) {
    this.#store = store;
    for (const { key, value } of store.range(tables.deviceActivity)) {
      this.#bySerial.set(key, { record: value, connections: new Set(), radio: null });
    }
  }

  of(serial: string): LiveActivity {
    const kept = this.#bySerial.get(serial);
    return {
      ...(kept?.record ?? nothingYet),
      connections: kept?.connections.size ?? 0,
      radio: kept?.radio ?? null,
    };
  }

  /** A connection opened; `brokerStatusAt` is when the first one did. */
  connected(serial: string, connectionId: string, now: number): void {
    const { connections } = this.#kept(serial);
    const first = connections.size === 0;
    connections.add(connectionId);
    this.#change(serial, now, first ? { brokerStatusAt: now } : {});
  }

  /** A connection closed; `brokerStatusAt` is when the last one did. */
  disconnected(serial: string, connectionId: string, now: number): void {
    const kept = this.#kept(serial);
    if (!kept.connections.delete(connectionId) || kept.connections.size > 0) return;
    kept.radio = null;
    // No sign of life: a connection may be found dead long after the last one.
    kept.record = { ...kept.record, brokerStatusAt: now };
    this.#dirty.add(serial);
  }

  /** Any message: a sign of life. `radio`: what it said of the radio, if it did. */
  heard(serial: string, now: number, radio: RadioState | null = null): void {
    this.#alive(serial, now, radio);
  }

  /** Tag data: at least one read. */
  events(serial: string, now: number, radio: RadioState | null): void {
    this.#alive(serial, now, radio).record.lastEventAt = now;
  }

  health(serial: string, now: number, health: Health): void {
    if (health.radio) this.#kept(serial).radio = health.radio;
    this.#change(serial, now, { health: { ...health }, healthAt: now });
  }

  /** Writes what changed since the last time. A full disk only delays it. */
  async save(): Promise<void> {
    const serials = [...this.#dirty];
    if (serials.length === 0) return;
    this.#dirty = new Set();
    try {
      await this.#store.write((tx) => {
        for (const serial of serials) tx.put(tables.deviceActivity, serial, this.#kept(serial).record);
      });
    } catch (error) {
      for (const serial of serials) this.#dirty.add(serial);
      if (!(error instanceof WriteFailed)) throw error;
    }
  }

  #change(serial: string, now: number, change: Partial<DeviceActivity>): void {
    Object.assign(this.#alive(serial, now, null).record, change);
  }

  #alive(serial: string, now: number, radio: RadioState | null): Kept {
    const kept = this.#kept(serial);
    if (radio) kept.radio = radio;
    kept.record.firstSeenAt ??= now;
    kept.record.lastSeenAt = now;
    this.#dirty.add(serial);
    return kept;
  }

  #kept(serial: string): Kept {
    const known = this.#bySerial.get(serial);
    if (known) return known;
    const kept: Kept = { record: { ...nothingYet }, connections: new Set(), radio: null };
    this.#bySerial.set(serial, kept);
    return kept;
  }
}
