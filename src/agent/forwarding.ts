import type { Delivery } from '../device/delivery.ts';
import { EventStream } from './event-stream.ts';
import type { LocalRest } from './local-rest.ts';
import { type Loss, SegmentBuffer } from './segment-buffer.ts';

export interface ForwardingOptions {
  /** Folder of the buffer. */
  readonly dir: string;
  readonly maxBytes: number;
  readonly topic: string;
  readonly rest: Pick<LocalRest, 'open'>;
  readonly delivery: Delivery;
  readonly log: (line: string) => void;
}

export interface Forwarding {
  /** Sends what waits; to be called when the link is open. */
  pump(): void;
  stop(): void;
}

const WINDOW = 64;
const MESSAGE_MAX_BYTES = 48 * 1024;
const LINGER_MS = 50;
const OVERFLOW_EVERY_MS = 1000;

/**
 * Forwards the reader's own event stream at QoS 1, for readers whose MQTT client has no mutual TLS: events that come within
 * 50 ms share a message (one per line, under 64 kB), at most 64 are on their way, what waits is on disk. What had to be
 * dropped is said in the log and in an overflow event, as a reader does.
 */
export function startForwarding(options: ForwardingOptions): Forwarding {
  const { dir, maxBytes, rest, log } = options;
  const onDisk = (problem: string | null): void =>
    log(problem === null ? 'events are kept on disk again' : `events are kept in memory only: ${problem}`);
  const buffer = new SegmentBuffer({ dir, maxBytes, onDisk });
  const sender = new EventSender(options, buffer);
  const stream = new EventStream({
    open: () => rest.open('/data/stream'),
    log,
    onLines: (text) => {
      buffer.append(text);
      sender.linger();
    },
  });
  return {
    pump: () => sender.pump(),
    stop: () => {
      stream.stop();
      sender.stop();
      buffer.close();
    },
  };
}

class EventSender {
  readonly #options: ForwardingOptions;
  readonly #buffer: SegmentBuffer;
  #inFlight = 0;
  #timer: NodeJS.Timeout | undefined;
  #toldLossAt = Number.NEGATIVE_INFINITY;

  constructor(options: ForwardingOptions, buffer: SegmentBuffer) {
    this.#options = options;
    this.#buffer = buffer;
  }

  linger(): void {
    if (this.#buffer.bytesWaiting >= MESSAGE_MAX_BYTES) this.pump();
    else this.#timer ??= setTimeout(() => this.pump(), LINGER_MS);
  }

  pump(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    while (this.#options.delivery.connected && this.#inFlight < WINDOW) {
      if (!this.#tellLoss() && !this.#sendBatch()) return;
    }
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #sendBatch(): boolean {
    const batch = this.#buffer.read(MESSAGE_MAX_BYTES);
    if (!batch) return false;
    this.#send(batch.text, () => this.#buffer.delivered(batch));
    return true;
  }

  #tellLoss(): boolean {
    const now = performance.now();
    if (!this.#buffer.hasLoss || now - this.#toldLossAt < OVERFLOW_EVERY_MS) return false;
    const loss = this.#buffer.takeLoss();
    if (!loss) return false;
    this.#toldLossAt = now;
    this.#options.log(`the buffer was full: ${loss.purged} events dropped, the oldest first`);
    this.#send(overflowEvent(loss, Date.now()), () => {});
    return true;
  }

  #send(text: string, delivered: () => void): void {
    const { delivery, topic } = this.#options;
    this.#inFlight += 1;
    delivery.send(topic, text, () => {
      this.#inFlight -= 1;
      delivered();
      // Under load the window paces; with less, what came meanwhile waits for company.
      if (this.#buffer.bytesWaiting > 0) this.linger();
    });
  }
}

/** As readers tell of it. `at` in epoch ms. */
function overflowEvent({ first, last, purged, remaining }: Loss, at: number): string {
  const overflow = {
    firstEventTimestamp: timestampOf(first),
    lastEventTimestamp: timestampOf(last),
    eventsPurged: purged,
    eventsRemaining: remaining,
  };
  const timestamp = new Date(at).toISOString();
  return JSON.stringify({ timestamp, eventType: 'overflow', overflowEvent: overflow });
}

function timestampOf(event: string): string | undefined {
  return /"timestamp"\s*:\s*"([^"]{1,64})"/.exec(event)?.[1];
}
