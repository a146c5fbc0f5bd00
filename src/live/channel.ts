import { randomUUID } from 'node:crypto';
import type { LiveEvent } from '../contract/events.ts';
import { Consumer, type Counting, type LiveSink } from './consumer.ts';
import { type Entries, eventId, numberIn, resyncFrame } from './entry.ts';
import type { EventFilter } from './filter.ts';
import { FilterGroups } from './filter-groups.ts';
import { frameOf } from './frame.ts';
import { Replays } from './replays.ts';
import { Ring, type RingLimits } from './ring.ts';

/** The limits of one organisation's stream; what they mean: `LiveBusOptions`. */
export interface ChannelLimits {
  readonly flushMs: number;
  readonly batchMaxBytes: number;
  readonly pendingMaxBytes: number;
  readonly past: RingLimits;
}

/** What a consumer asks for. */
export interface Wish {
  /** Absent or null: everything. */
  readonly filter?: EventFilter | null;
  /** The id of the last event it got on a stream before; absent or null: it begins now. */
  readonly lastEventId?: string | null;
}

/** A consumer's place in the stream. */
export interface Subscription {
  /**
   * `live`: it gets what comes from now on. `resumed`: what it missed comes first. `resync`: what it missed cannot be told
   * any more; it has to hear so right after `hello`.
   */
  readonly start: 'live' | 'resumed' | 'resync';
  /** The id up to which it got everything that its filter lets through; null while that is not so. */
  position(): string | null;
  /** It has read all that was written. */
  drained(): void;
  leave(): void;
}

/** The stream of one organisation: numbers its events, collects them into batches and spreads these. */
export class Channel {
  readonly consumers = new Set<Consumer>();
  readonly #limits: ChannelLimits;
  readonly #counters: Counting;
  /** An id of another channel, so of another organisation or an earlier run, never has it. */
  readonly #epoch = randomUUID().slice(0, 8);
  readonly #ring: Ring;
  readonly #replays: Replays;
  /** Those without a filter, who share one Buffer. */
  readonly #all = new Set<Consumer>();
  readonly #groups = new FilterGroups<Consumer>();
  readonly #events: (LiveEvent | null)[] = [];
  readonly #frames: string[] = [];
  /** Of all frames; characters stand for bytes, which is near enough for limits. */
  #length = 0;
  #numbered = 0;
  #flushedAt = Number.NEGATIVE_INFINITY;
  /** Takes back the write that is due. */
  #cancel: (() => void) | null = null;
  #isUrgent = false;

  constructor(limits: ChannelLimits, counters: Counting) {
    const { past, batchMaxBytes, flushMs: waitMs } = limits;
    this.#limits = limits;
    this.#counters = counters;
    this.#ring = new Ring(past);
    const joined = (consumer: Consumer): void => this.#join(consumer);
    this.#replays = new Replays({ ring: this.#ring, counters, batchMaxBytes, waitMs, joined });
  }

  publish(events: readonly LiveEvent[]): void {
    this.#counters.published += events.length;
    const lostFrom = events.findIndex((event) => !this.#append(event));
    if (lostFrom >= 0) this.#lose(events.length - lostFrom);
    this.#schedule();
  }

  /** Nothing is written before the caller's turn of the event loop is over. */
  subscribe(sink: LiveSink, { filter = null, lastEventId = null }: Wish): Subscription {
    const consumer = new Consumer(sink, filter, this.#counters);
    this.consumers.add(consumer);
    return {
      start: this.#start(consumer, lastEventId),
      position: () => (this.#isUpToDate(consumer) ? eventId(this.#epoch, this.#ring.last) : null),
      drained: () => void consumer.tell(),
      leave: () => this.#leave(consumer),
    };
  }

  /** Forgets what waits. */
  close(): void {
    this.#cancel?.();
  }

  #start(consumer: Consumer, lastEventId: string | null): Subscription['start'] {
    const after = lastEventId === null ? null : numberIn(lastEventId, this.#epoch);
    if (after !== null && this.#ring.reaches(after)) {
      this.#counters.resumed++;
      if (after < this.#ring.last) this.#replays.add(consumer, after);
      else this.#join(consumer);
      return 'resumed';
    }
    this.#join(consumer);
    if (lastEventId === null) return 'live';
    this.#counters.resyncs++;
    return 'resync';
  }

  #join(consumer: Consumer): void {
    if (consumer.filter) this.#groups.add(consumer.filter, consumer);
    else this.#all.add(consumer);
  }

  #leave(consumer: Consumer): void {
    this.consumers.delete(consumer);
    this.#replays.remove(consumer);
    this.#all.delete(consumer);
    if (consumer.filter) this.#groups.remove(consumer.filter, consumer);
  }

  #isUpToDate(consumer: Consumer): boolean {
    return !consumer.isBehind && !this.#replays.has(consumer);
  }

  #append(event: LiveEvent): boolean {
    if (this.#length >= this.#limits.pendingMaxBytes) return false;
    this.#push(event, `id: ${eventId(this.#epoch, ++this.#numbered)}\n${frameOf(event)}`);
    return true;
  }

  /** Events come faster than they can be written: the rest is dropped for all, who are told where it is missing. */
  #lose(count: number): void {
    this.#counters.dropped += count * this.consumers.size;
    if (this.#events.at(-1) === null) return;
    this.#numbered++;
    this.#counters.resyncs += this.consumers.size;
    this.#push(null, resyncFrame);
  }

  #push(event: LiveEvent | null, frame: string): void {
    this.#events.push(event);
    this.#frames.push(frame);
    this.#length += frame.length;
  }

  // Only one batch per turn of the event loop: within a turn sockets take nothing, so that a burst written at once would
  // look like consumers that do not read. The first event after a quiet while does not wait.
  #schedule(): void {
    const { batchMaxBytes, flushMs } = this.#limits;
    const isUrgent = this.#length >= batchMaxBytes;
    if (this.#length === 0 || (this.#cancel && this.#isUrgent >= isUrgent)) return;
    this.#cancel?.();
    const delayMs = isUrgent ? 0 : this.#flushedAt + flushMs - performance.now();
    this.#isUrgent = delayMs <= 0;
    if (this.#isUrgent) {
      const immediate = setImmediate(() => this.#flush());
      this.#cancel = () => clearImmediate(immediate);
    } else {
      const timer = setTimeout(() => this.#flush(), delayMs);
      this.#cancel = () => clearTimeout(timer);
    }
  }

  #flush(): void {
    this.#cancel = null;
    this.#flushedAt = performance.now();
    const entries = this.#takeEntries();
    const { length } = entries.frames;
    // One Buffer for all consumers: they share the bytes, not copies of them.
    const batch = Buffer.from(entries.frames.join(''));
    this.#ring.push(batch, entries.events);
    for (const consumer of this.#all) consumer.deliver(batch, length);
    for (const { members, bytes, count } of this.#groups.split(entries))
      for (const consumer of members) consumer.deliver(bytes, count);
    this.#schedule();
  }

  #takeEntries(): Entries {
    const { batchMaxBytes } = this.#limits;
    let count = 0;
    let length = 0;
    while (count < this.#frames.length && length < batchMaxBytes)
      length += this.#frames[count++]?.length ?? 0;
    this.#length -= length;
    return { events: this.#events.splice(0, count), frames: this.#frames.splice(0, count) };
  }
}
