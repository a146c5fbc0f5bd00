import type { LiveEvent } from '../contract/events.ts';
import { Channel, type ChannelLimits, type Subscription, type Wish } from './channel.ts';
import type { Counting, LiveCounters, LiveSink } from './consumer.ts';

/** Spreads live events to the consumers of an organisation. */
export interface LiveBus {
  /** False: nobody would get an event, now or on coming back, so there is no need to build one. */
  listening(orgId: string): boolean;
  /** Call it once what the events tell is on disk. Never waits. */
  publish(orgId: string, events: readonly LiveEvent[]): void;
  /** False: the organisation has as many consumers as it may, or the bus is closed. */
  hasRoom(orgId: string): boolean;
  /** Null: there is no room. Nothing is written to the sink within this call. */
  subscribe(orgId: string, sink: LiveSink, wish?: Wish): Subscription | null;
  /** Whose streams are open, each once. */
  callers(): ReadonlySet<string>;
  /** Ends the streams of a revoked key, or of a session that is over. Answers how many. */
  closeFor(callerId: string): number;
  /** Ends all streams and takes no more: for stopping. */
  closeAll(): void;
  readonly counters: LiveCounters;
}

/** The limits of a bus. */
export interface LiveBusOptions {
  /** How long events are collected before they go out as one write; the cost is per write. Default 30. */
  readonly flushMs?: number;
  /** So much is written at once, and when so much is there it does not wait for `flushMs`. Default 64 kB. */
  readonly batchMaxBytes?: number;
  /** Events that find so much of their organisation waiting are dropped for all. Default 8 MB. */
  readonly pendingMaxBytes?: number;
  /** Default 1,000. */
  readonly maxConsumersPerOrg?: number;
  /** How much of each stream is kept for consumers that come back. Default 10,000 events, 4 MB. */
  readonly past?: ChannelLimits['past'];
  /** How long a stream that lost its last consumer goes on, for one that comes back. Default 60,000. */
  readonly lingerMs?: number;
}

const defaults: Required<LiveBusOptions> = {
  flushMs: 30,
  batchMaxBytes: 64 * 1024,
  pendingMaxBytes: 8 * 1024 * 1024,
  maxConsumersPerOrg: 1000,
  past: { maxEvents: 10_000, maxBytes: 4 * 1024 * 1024 },
  lingerMs: 60_000,
};

/** A bus without consumers. */
export function createLiveBus(options: LiveBusOptions = {}): LiveBus {
  return new Bus({ ...defaults, ...options });
}

class Bus implements LiveBus {
  readonly counters: Counting = noFigures();
  readonly #limits: Required<LiveBusOptions>;
  readonly #channels = new Map<string, Channel>();
  /** What is due for the streams without consumers. */
  readonly #endings = new Map<string, NodeJS.Timeout>();
  #isClosed = false;

  constructor(limits: Required<LiveBusOptions>) {
    this.#limits = limits;
  }

  listening(orgId: string): boolean {
    return this.#channels.has(orgId);
  }

  publish(orgId: string, events: readonly LiveEvent[]): void {
    this.#channels.get(orgId)?.publish(events);
  }

  hasRoom(orgId: string): boolean {
    const taken = this.#channels.get(orgId)?.consumers.size ?? 0;
    return !this.#isClosed && taken < this.#limits.maxConsumersPerOrg;
  }

  subscribe(orgId: string, sink: LiveSink, wish: Wish = {}): Subscription | null {
    if (!this.hasRoom(orgId)) return null;
    const channel = this.#channels.get(orgId) ?? new Channel(this.#limits, this.counters);
    this.#channels.set(orgId, channel);
    this.#keep(orgId);
    this.counters.consumers++;
    const subscription = channel.subscribe(sink, wish);
    let isIn = true;
    const leave = (): void => {
      if (!isIn) return;
      isIn = false;
      subscription.leave();
      this.counters.consumers--;
      if (channel.consumers.size === 0) this.#linger(orgId);
    };
    return { ...subscription, leave };
  }

  callers(): ReadonlySet<string> {
    return new Set(this.#sinks().map((sink) => sink.callerId));
  }

  closeFor(callerId: string): number {
    return end(this.#sinks().filter((sink) => sink.callerId === callerId));
  }

  closeAll(): void {
    this.#isClosed = true;
    for (const orgId of [...this.#endings.keys()]) this.#drop(orgId);
    end(this.#sinks());
  }

  #sinks(): LiveSink[] {
    return [...this.#channels.values()].flatMap(({ consumers }) => [...consumers].map(({ sink }) => sink));
  }

  /** A client that lost its connection finds what it missed when it is back in time. */
  #linger(orgId: string): void {
    if (this.#isClosed || this.#limits.lingerMs === 0) {
      this.#drop(orgId);
      return;
    }
    const timer = setTimeout(() => this.#drop(orgId), this.#limits.lingerMs);
    timer.unref();
    this.#endings.set(orgId, timer);
  }

  #keep(orgId: string): void {
    clearTimeout(this.#endings.get(orgId));
    this.#endings.delete(orgId);
  }

  #drop(orgId: string): void {
    this.#keep(orgId);
    this.#channels.get(orgId)?.close();
    this.#channels.delete(orgId);
  }
}

function end(sinks: readonly LiveSink[]): number {
  for (const sink of sinks) sink.end();
  return sinks.length;
}

function noFigures(): Counting {
  return { consumers: 0, published: 0, delivered: 0, dropped: 0, resumed: 0, replayed: 0, resyncs: 0 };
}
