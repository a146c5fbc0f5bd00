import type { LinkMessage } from '../device/broker-link.ts';
import { createEventBuffer, type EventBuffer } from './event-buffer.ts';
import { type EventShape, overflowEvent } from './r700-event.ts';

export interface OutboxOptions {
  readonly link: {
    readonly connected: boolean;
    publish(message: LinkMessage, done: (error?: Error) => void): void;
  };
  readonly topic: string;
  readonly qos: 0 | 1;
  readonly shape: EventShape;
  /** Events kept waiting; then the oldest is purged. */
  readonly bufferSize: number;
  /** Events sent and not yet acknowledged. */
  readonly inFlight: number;
  readonly now: () => number;
}

export interface OutboxStats {
  /** Events handed to the connection, each counted once however often it is sent again. */
  readonly sent: number;
  /** Events the broker took: acknowledged (QoS 1) or written out (QoS 0). */
  readonly acknowledged: number;
  /** Events sent and not yet acknowledged. */
  readonly inFlight: number;
  /** Events waiting to be sent. */
  readonly buffered: number;
  /** Events given up because the buffer was full. */
  readonly purged: number;
}

const OVERFLOW_INTERVAL_MS = 1000;
const LAST_PACKET_ID = 65_535;

/**
 * What a reader has yet to deliver: a bounded buffer, and a bounded window of events on their way. Events leave in order;
 * after a reconnection those without an acknowledgement go again first, marked dup (QoS 1) or not at all (QoS 0). What
 * the buffer purged is told in an overflow event that takes the purged ones' place, at most one a second.
 */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #buffer: EventBuffer;
  readonly #inFlight = new Map<number, string>();
  #sent = 0;
  #acknowledged = 0;
  #packetId = 0;
  #toldLossAt = Number.NEGATIVE_INFINITY;
  #pumping = false;
  #onRest: (() => void) | undefined;

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#buffer = createEventBuffer(options.bufferSize);
  }

  get stats(): OutboxStats {
    return {
      sent: this.#sent,
      acknowledged: this.#acknowledged,
      inFlight: this.#inFlight.size,
      buffered: this.#buffer.size(),
      purged: this.#buffer.purged(),
    };
  }

  push(event: string): void {
    this.#buffer.push(event);
    this.#pump();
  }

  reconnected(): void {
    for (const [id, event] of [...this.#inFlight]) this.#transmit(id, event, true);
    this.#pump();
  }

  disconnected(): void {
    if (this.#options.qos === 0) this.#inFlight.clear();
    this.#onRest?.();
  }

  /** Resolves when nothing is left to deliver, the connection is gone, or `ms` have passed. */
  drained(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#onRest = () => {
        clearTimeout(timer);
        resolve();
      };
      this.#pump();
    });
  }

  #pump(): void {
    // A write that is done at once settles inside transmit: the loop below goes on with it.
    if (this.#pumping) return;
    this.#pumping = true;
    while (this.#options.link.connected && this.#inFlight.size < this.#options.inFlight) {
      const event = this.#lossToTell() ?? this.#buffer.take();
      if (event === undefined) break;
      const id = this.#nextPacketId();
      this.#inFlight.set(id, event);
      this.#sent += 1;
      this.#transmit(id, event, false);
    }
    this.#pumping = false;
    if (this.#inFlight.size + this.#buffer.size() === 0) this.#onRest?.();
  }

  #transmit(id: number, payload: string, dup: boolean): void {
    const { link, topic, qos } = this.#options;
    link.publish({ topic, payload, qos, dup, id }, (error) => this.#settle(id, error));
  }

  #settle(id: number, error: Error | undefined): void {
    // What failed stays in flight: it goes again when the connection is back.
    if (error !== undefined || !this.#inFlight.delete(id)) return;
    this.#acknowledged += 1;
    this.#pump();
  }

  #lossToTell(): string | undefined {
    if (!this.#buffer.hasLoss()) return undefined;
    const now = this.#options.now();
    // While a slow broker makes every event cost another, one report a second is enough.
    if (now - this.#toldLossAt < OVERFLOW_INTERVAL_MS && this.#buffer.size() > 0) return undefined;
    const loss = this.#buffer.takeLoss();
    if (loss === undefined) return undefined;
    this.#toldLossAt = now;
    return overflowEvent(loss, now, this.#options.shape);
  }

  #nextPacketId(): number {
    do this.#packetId = (this.#packetId % LAST_PACKET_ID) + 1;
    while (this.#inFlight.has(this.#packetId));
    return this.#packetId;
  }
}
