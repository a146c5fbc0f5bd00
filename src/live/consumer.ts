import { resyncFrame } from './entry.ts';
import type { EventFilter } from './filter.ts';

/** A consumer of one organisation's events. */
export interface LiveSink {
  /** The API key or session behind it: `closeFor` closes by it. */
  readonly callerId: string;
  /** Takes a batch of framed events or drops it, at once: it neither waits nor queues. False: dropped. */
  write(batch: Buffer): boolean;
  /** Ends the stream. The sink unsubscribes by itself. */
  end(): void;
}

/** Figures since the start, for metrics; `consumers` is now. */
export interface LiveCounters {
  readonly consumers: number;
  /** Events taken from `publish` while somebody listened, or had listened a short while ago. */
  readonly published: number;
  /** Events times consumers. */
  readonly delivered: number;
  readonly dropped: number;
  /** Consumers that came back and went on where they had been. */
  readonly resumed: number;
  /** Events of `delivered` that they had missed. */
  readonly replayed: number;
  /** Times a consumer was told that it missed events for good. */
  readonly resyncs: number;
}

/** The counters as the bus counts them up. */
export type Counting = { -readonly [K in keyof LiveCounters]: number };

const resync = Buffer.from(resyncFrame);

/** What the bus knows of a consumer. */
export class Consumer {
  readonly sink: LiveSink;
  readonly filter: EventFilter | null;
  readonly #counters: Counting;
  /** It missed events and does not know it yet. */
  #isBehind = false;

  constructor(sink: LiveSink, filter: EventFilter | null, counters: Counting) {
    this.sink = sink;
    this.filter = filter;
    this.#counters = counters;
  }

  get isBehind(): boolean {
    return this.#isBehind;
  }

  /** Writes a batch of so many events, or drops and counts them. What was dropped before is told first. */
  deliver(batch: Buffer, count: number): void {
    if (this.tell() && this.sink.write(batch)) {
      this.#counters.delivered += count;
      return;
    }
    this.miss(count);
  }

  /** Events are lost for this consumer: it is told as soon as it reads. */
  miss(count: number): void {
    this.#counters.dropped += count;
    this.#isBehind = true;
  }

  /** Tells it once that it missed events. False: it is to be told, and still takes nothing. */
  tell(): boolean {
    if (!this.#isBehind) return true;
    if (!this.sink.write(resync)) return false;
    this.#isBehind = false;
    this.#counters.resyncs++;
    return true;
  }
}
