import type { LiveEvent } from '../contract/events.ts';
import { frameOf } from './frame.ts';

/** A consumer of one organisation's events. */
export interface LiveSink {
  /** The API key or user behind it: `closeFor` closes by it. */
  readonly callerId: string;
  /** Takes a batch of framed events or drops it, at once: it neither waits nor queues. False: dropped. */
  write(batch: Buffer): boolean;
  /** Ends the stream. The sink unsubscribes by itself. */
  end(): void;
}

/** Figures since the start, for metrics; `consumers` is now. */
export interface LiveCounters {
  readonly consumers: number;
  /** Events taken from `publish` while somebody listened. */
  readonly published: number;
  /** Events times consumers. */
  readonly delivered: number;
  readonly dropped: number;
}

/** Spreads live events to the consumers of an organisation. */
export interface LiveBus {
  /** False: nobody would get an event, so there is no need to build one. */
  listening(orgId: string): boolean;
  /** Call it once what the events tell is on disk. Never waits. */
  publish(orgId: string, events: readonly LiveEvent[]): void;
  /** The answer takes the sink out again; null: the organisation has as many consumers as it may, or the bus is closed. */
  subscribe(orgId: string, sink: LiveSink): (() => void) | null;
  /** Whose streams are open, each once. */
  callers(): ReadonlySet<string>;
  /** Ends the streams of a revoked key or a user who is locked out. Answers how many. */
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
}

interface Channel {
  readonly sinks: Set<LiveSink>;
  frames: string[];
  /** Of all frames; characters stand for bytes, which is near enough for limits. */
  length: number;
  /** Takes back the write that is due. */
  cancel: (() => void) | null;
  isUrgent: boolean;
}

type Counters = { -readonly [K in keyof LiveCounters]: number };
type Limits = Required<LiveBusOptions>;

/** A bus without consumers. */
export function createLiveBus(options: LiveBusOptions = {}): LiveBus {
  const limits: Limits = { ...defaults, ...options };
  const channels = new Map<string, Channel>();
  const counters: Counters = { consumers: 0, published: 0, delivered: 0, dropped: 0 };
  let isClosed = false;
  const sinks = (): LiveSink[] => [...channels.values()].flatMap((channel) => [...channel.sinks]);
  return {
    counters,
    listening: (orgId) => channels.has(orgId),
    publish(orgId, events) {
      const channel = channels.get(orgId);
      if (!channel) return;
      counters.published += events.length;
      counters.dropped += collect(channel, events, limits) * channel.sinks.size;
      schedule(channel, limits, () => writeBatch(channel, limits, counters));
    },
    subscribe(orgId, sink) {
      const channel = channels.get(orgId) ?? emptyChannel();
      if (isClosed || channel.sinks.size >= limits.maxConsumersPerOrg) return null;
      channels.set(orgId, channel);
      channel.sinks.add(sink);
      counters.consumers++;
      return () => {
        if (!channel.sinks.delete(sink)) return;
        counters.consumers--;
        if (channel.sinks.size > 0) return;
        channel.cancel?.();
        channels.delete(orgId);
      };
    },
    callers: () => new Set(sinks().map((sink) => sink.callerId)),
    closeFor: (callerId) => end(sinks().filter((sink) => sink.callerId === callerId)),
    closeAll() {
      isClosed = true;
      end(sinks());
    },
  };
}

const defaults: Limits = {
  flushMs: 30,
  batchMaxBytes: 64 * 1024,
  pendingMaxBytes: 8 * 1024 * 1024,
  maxConsumersPerOrg: 1000,
};

function emptyChannel(): Channel {
  return { sinks: new Set(), frames: [], length: 0, cancel: null, isUrgent: false };
}

function end(sinks: readonly LiveSink[]): number {
  for (const sink of sinks) sink.end();
  return sinks.length;
}

/** Answers how many events did not fit. */
function collect(channel: Channel, events: readonly LiveEvent[], limits: Limits): number {
  let left = events.length;
  for (const event of events) {
    if (channel.length >= limits.pendingMaxBytes) break;
    const frame = frameOf(event);
    channel.frames.push(frame);
    channel.length += frame.length;
    left--;
  }
  return left;
}

// Only one batch per turn of the event loop: within a turn sockets take nothing, so that a burst written at once would
// look like consumers that do not read.
function schedule(channel: Channel, limits: Limits, write: () => void): void {
  const isUrgent = channel.length >= limits.batchMaxBytes;
  if (channel.length === 0 || (channel.cancel && channel.isUrgent >= isUrgent)) return;
  channel.cancel?.();
  channel.isUrgent = isUrgent;
  if (isUrgent) {
    const immediate = setImmediate(write);
    channel.cancel = () => clearImmediate(immediate);
  } else {
    const timer = setTimeout(write, limits.flushMs);
    channel.cancel = () => clearTimeout(timer);
  }
}

function writeBatch(channel: Channel, limits: Limits, counters: Counters): void {
  const frames = takeFrames(channel, limits.batchMaxBytes);
  channel.cancel = null;
  // One Buffer for all consumers: they share the bytes, not copies of them.
  const batch = Buffer.from(frames.join(''));
  for (const sink of channel.sinks) {
    if (sink.write(batch)) counters.delivered += frames.length;
    else counters.dropped += frames.length;
  }
  schedule(channel, limits, () => writeBatch(channel, limits, counters));
}

function takeFrames(channel: Channel, maxLength: number): string[] {
  let count = 0;
  let length = 0;
  while (count < channel.frames.length && length < maxLength) length += channel.frames[count++]?.length ?? 0;
  channel.length -= length;
  return channel.frames.splice(0, count);
}
