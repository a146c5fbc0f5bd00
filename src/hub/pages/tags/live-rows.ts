import type { Batch } from '../../live/batch.ts';

/** What the stream says of a tag that the list, when it was asked for, did not know. */
export interface LivePart {
  readonly lastSeenAt: string;
  /** Absent until it moved. */
  readonly zoneName?: string;
}

/** Tags that are kept: more than anybody scrolls through, and little memory. */
export const LIVE_MAX = 20_000;
const NEW_MAX = 1000;

/**
 * Zones and last reads as the stream tells them. Bounded: the tag not heard of for longest goes first. Only who looks at a
 * tag is told of it, once per frame.
 */
export class LiveRows {
  readonly #parts = new Map<string, LivePart>();
  readonly #listeners = new Map<string, Set<() => void>>();
  readonly #fresh = new Set<string>();

  /** Takes the events of a frame in. */
  take({ events }: Pick<Batch, 'events'>): void {
    const touched = new Set<string>();
    for (const { type, data } of events) {
      const before = this.#parts.get(data.epc);
      const at = type === 'tag_read' ? data.lastSeen : data.at;
      const zone = type === 'tag_moved' ? data.zoneName : before?.zoneName;
      const lastSeenAt = before && before.lastSeenAt > at ? before.lastSeenAt : at;
      this.#parts.delete(data.epc);
      this.#parts.set(data.epc, { lastSeenAt, ...(zone !== undefined && { zoneName: zone }) });
      if (type === 'tag_moved' && !data.fromZoneId && this.#fresh.size < NEW_MAX) this.#fresh.add(data.epc);
      touched.add(data.epc);
    }
    this.#shed();
    for (const epc of touched) for (const listener of this.#listeners.get(epc) ?? []) listener();
  }

  read(epc: string): LivePart | undefined {
    return this.#parts.get(epc);
  }

  /** How many tags were placed for the first time since `forget`; no more than a thousand are counted. */
  get fresh(): number {
    return this.#fresh.size;
  }

  /** The list is asked for anew: it knows all that was heard so far. */
  forget(): void {
    this.#parts.clear();
    this.#fresh.clear();
  }

  /** Calls `listener` after every change of the tag until the answer is called. */
  listen(epc: string, listener: () => void): () => void {
    const set = this.#listeners.get(epc) ?? new Set();
    this.#listeners.set(epc, set.add(listener));
    return () => {
      set.delete(listener);
      if (set.size === 0) this.#listeners.delete(epc);
    };
  }

  #shed(): void {
    for (const epc of this.#parts.keys()) {
      if (this.#parts.size <= LIVE_MAX) return;
      this.#parts.delete(epc);
    }
  }
}
