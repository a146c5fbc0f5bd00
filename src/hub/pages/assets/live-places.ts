import type { HubEvent } from '../../live/batch.ts';

/** Where and when a tag was last read, as events tell it. */
export interface LivePlace {
  readonly zoneId: string | undefined;
  readonly zoneName: string | undefined;
  /** When it came into the zone; undefined when that was before the page listened. */
  readonly since: string | undefined;
  readonly lastSeenAt: string;
}

/** Newer reads in the same zone are shown in steps: nobody reads faster. */
const STEP_MS = 5000;

/** The latest places of the tags that somebody watches; of no others, so that it never outgrows what is on the page. */
export class LivePlaces {
  readonly #places = new Map<string, LivePlace>();
  readonly #watchers = new Map<string, Set<() => void>>();

  /** The newest place of a tag; undefined when none was told since it is watched. */
  get(epc: string): LivePlace | undefined {
    return this.#places.get(epc);
  }

  /** Is told when the place of a tag changes, until the answer is called. */
  watch(epc: string, watcher: () => void): () => void {
    const watchers = this.#watchers.get(epc) ?? new Set();
    this.#watchers.set(epc, watchers.add(watcher));
    return () => {
      watchers.delete(watcher);
      if (watchers.size > 0) return;
      this.#watchers.delete(epc);
      this.#places.delete(epc);
    };
  }

  /** Takes the events of a frame. */
  take(events: readonly HubEvent[]): void {
    const changed = new Set<string>();
    for (const event of events) {
      if (this.#watchers.has(event.data.epc) && this.#takeOne(event)) changed.add(event.data.epc);
    }
    for (const epc of changed) for (const watcher of this.#watchers.get(epc) ?? []) watcher();
  }

  #takeOne(event: HubEvent): boolean {
    const { epc } = event.data;
    const before = this.#places.get(epc);
    const after = placeAfter(event, before);
    if (!after || after === before) return false;
    this.#places.set(epc, after);
    return true;
  }
}

// A read tells where the tag was heard, which is not where it is: only a move changes the zone.
function placeAfter(event: HubEvent, before: LivePlace | undefined): LivePlace | undefined {
  if (event.type === 'tag_moved') {
    const { toZoneId: zoneId, zoneName, at } = event.data;
    return { zoneId, zoneName, since: at, lastSeenAt: at };
  }
  const lastSeenAt = event.data.lastSeen;
  const step = before ? Date.parse(lastSeenAt) - Date.parse(before.lastSeenAt) : STEP_MS;
  if (step < STEP_MS) return before;
  return { zoneId: undefined, zoneName: undefined, since: undefined, ...before, lastSeenAt };
}
