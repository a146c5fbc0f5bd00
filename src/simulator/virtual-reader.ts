import { isReaderSerial, topicOf } from '../contract/topics.ts';
import { BrokerLink } from '../device/broker-link.ts';
import type { Identity } from '../device/identity.ts';
import { Outbox, type OutboxStats } from './outbox.ts';
import { type EventShape, type TimedRead, tagInventoryEvent } from './r700-event.ts';
import { checkWhole } from './world-options.ts';

/** QoS 0: the status topic is a sign of life, and its packet takes no identifier from the events. */
const CONNECTED = { payload: 'connected', qos: 0, dup: false, id: 0 } as const;

export interface VirtualReaderOptions {
  /** The identity's common name: 1 to 64 of letters, digits, `.`, `_`, `-`. */
  readonly serial: string;
  /** `mqtts://host:port`; the host is checked against the broker's certificate. */
  readonly url: string;
  readonly identity: Identity;
  readonly format: EventShape['format'];
  readonly qos: 0 | 1;
  /** Events kept while they cannot be sent, 1 to 300,000; then the oldest is purged. */
  readonly bufferSize: number;
  /** Events sent and not yet acknowledged, 1 to 10,000; 100 when absent. */
  readonly inFlight?: number;
  /** Further shape of the events: host name, or without `eventType`. */
  readonly shape?: Omit<EventShape, 'format'>;
  /** Epoch milliseconds, for the overflow event; `Date.now` when absent. */
  readonly now?: () => number;
  /** Takes one line without a line end. */
  readonly log: (line: string) => void;
}

/** A reader as the broker sees one: mutual TLS, a session that stays, events at least once in order (QoS 1). */
export interface VirtualReader {
  readonly connected: boolean;
  readonly stats: OutboxStats;
  /** Formats a read and queues it; after `stop` it does nothing. */
  publish(read: TimedRead): void;
  /** Queues an event that is formatted already. */
  publishEvent(event: string): void;
  /** Cuts the connection as a pulled cable would (the will goes out) until `goOnline`; events go on into the buffer. */
  goOffline(): void;
  goOnline(): void;
  /** Sends what is waiting for at most `drainMs` (3000) when connected, then leaves. */
  stop(drainMs?: number): Promise<void>;
}

/** Starts connecting at once and keeps trying. Throws one line when an option is wrong. */
export function startVirtualReader(options: VirtualReaderOptions): VirtualReader {
  checkOptions(options);
  const { serial, url, identity, qos, log } = options;
  const shape: EventShape = { ...options.shape, format: options.format };
  const link: BrokerLink = new BrokerLink({
    serial,
    url,
    identity,
    log,
    onOpen: () => {
      link.publish({ ...CONNECTED, topic: topicOf(serial, 'status') }, () => {});
      outbox.reconnected();
    },
    onClose: () => outbox.disconnected(),
  });
  const outbox = new Outbox({
    link,
    qos,
    shape,
    topic: topicOf(serial, 'events'),
    bufferSize: options.bufferSize,
    inFlight: options.inFlight ?? 100,
    now: options.now ?? Date.now,
  });
  return readerOver(link, outbox, shape);
}

function readerOver(link: BrokerLink, outbox: Outbox, shape: EventShape): VirtualReader {
  let stopping: Promise<void> | undefined;
  const finish = async (drainMs: number): Promise<void> => {
    if (link.connected) await outbox.drained(drainMs);
    await link.close();
  };
  const publishEvent = (event: string): void => {
    if (stopping === undefined) outbox.push(event);
  };
  return {
    get connected() {
      return link.connected;
    },
    get stats() {
      return outbox.stats;
    },
    publish: (read) => publishEvent(tagInventoryEvent(read, shape)),
    publishEvent,
    goOffline: () => link.cut(),
    goOnline: () => {
      if (stopping === undefined) link.restore();
    },
    stop: (drainMs = 3000) => {
      stopping ??= finish(drainMs);
      return stopping;
    },
  };
}

function checkOptions(options: VirtualReaderOptions): void {
  if (!isReaderSerial(options.serial)) {
    throw new RangeError(`serial must be 1 to 64 of A-Z a-z 0-9 . _ -, not "${options.serial}"`);
  }
  checkWhole('bufferSize', options.bufferSize, [1, 300_000]);
  checkWhole('inFlight', options.inFlight ?? 100, [1, 10_000]);
}
