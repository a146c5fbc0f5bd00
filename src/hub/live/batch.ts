import type { TagMovedEvent, TagReadEvent } from '../../contract/events.ts';

export type HubEvent =
  | { readonly type: 'tag_read'; readonly data: TagReadEvent }
  | { readonly type: 'tag_moved'; readonly data: TagMovedEvent };

/** More than a page can show between two frames, also when it was hidden; what is over is dropped, and told as a gap. */
export const BATCH_MAX = 5000;

export interface Batch {
  readonly events: readonly HubEvent[];
  /** Events were left out: whoever keeps something from them asks REST again. */
  readonly gap: boolean;
}

/** Collects events until the next frame. */
export class Collector {
  #events: HubEvent[] = [];
  #gap = false;

  /** Takes an event, or counts it as left out when there are `BATCH_MAX` already. */
  add(event: HubEvent): void {
    if (this.#events.length < BATCH_MAX) this.#events.push(event);
    else this.#gap = true;
  }

  /** Something was missed. */
  miss(): void {
    this.#gap = true;
  }

  /** What was collected; null when there is nothing. */
  take(): Batch | null {
    if (this.#events.length === 0 && !this.#gap) return null;
    const batch = { events: this.#events, gap: this.#gap };
    this.#events = [];
    this.#gap = false;
    return batch;
  }
}
