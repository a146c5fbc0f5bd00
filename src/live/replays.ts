import type { Consumer, Counting } from './consumer.ts';
import type { Ring, RingPart } from './ring.ts';

export interface ReplaysOptions {
  readonly ring: Ring;
  readonly counters: Counting;
  /** So much is written to one consumer at once. */
  readonly batchMaxBytes: number;
  /** How long to wait when none of them takes anything. */
  readonly waitMs: number;
  /** The consumer has got all there is, or what it missed is gone; the live events are next. */
  readonly joined: (consumer: Consumer) => void;
}

/** So many past events are looked at in one turn of the event loop. */
const EVENTS_PER_TURN = 2000;

/**
 * Consumers that came back and get what they missed: each at its own pace, one piece of one of them per turn of the event
 * loop. The past stays in the ring, nothing is queued for them.
 */
export class Replays {
  readonly #options: ReplaysOptions;
  /** With the number of the last event each has got, in the order of their turns. */
  readonly #cursors = new Map<Consumer, number>();
  /** How many in a row took nothing. */
  #refusals = 0;
  #cancel: (() => void) | null = null;

  constructor(options: ReplaysOptions) {
    this.#options = options;
  }

  add(consumer: Consumer, after: number): void {
    this.#cursors.set(consumer, after);
    this.#refusals = 0;
    this.#schedule();
  }

  has(consumer: Consumer): boolean {
    return this.#cursors.has(consumer);
  }

  /** Takes a consumer that left out; one that is not in is fine. */
  remove(consumer: Consumer): void {
    if (this.#cursors.delete(consumer) && this.#cursors.size === 0) this.#cancel?.();
  }

  #schedule(): void {
    this.#cancel?.();
    this.#cancel = null;
    if (this.#cursors.size === 0) return;
    if (this.#refusals < this.#cursors.size) {
      const immediate = setImmediate(() => this.#turn());
      this.#cancel = () => clearImmediate(immediate);
    } else {
      this.#refusals = 0;
      const timer = setTimeout(() => this.#turn(), this.#options.waitMs);
      this.#cancel = () => clearTimeout(timer);
    }
  }

  #turn(): void {
    const [next] = this.#cursors;
    if (next) this.#go(...next);
    this.#schedule();
  }

  #go(consumer: Consumer, after: number): void {
    const { ring, batchMaxBytes: maxBytes } = this.#options;
    this.#cursors.delete(consumer);
    const part = ring.read(after, { filter: consumer.filter, maxEvents: EVENTS_PER_TURN, maxBytes });
    if (!part) this.#overtaken(consumer);
    else if (part.count === 0 || consumer.sink.write(part.bytes)) this.#got(consumer, part);
    else {
      this.#refusals++;
      this.#cursors.set(consumer, after);
    }
  }

  #got(consumer: Consumer, { last, count }: RingPart): void {
    const { ring, counters, joined } = this.#options;
    this.#refusals = 0;
    counters.delivered += count;
    counters.replayed += count;
    if (last < ring.last) this.#cursors.set(consumer, last);
    else joined(consumer);
  }

  /** It read more slowly than the past went by. How much of it the filter would have let through is not known any more. */
  #overtaken(consumer: Consumer): void {
    consumer.miss(1);
    consumer.tell();
    this.#options.joined(consumer);
  }
}
