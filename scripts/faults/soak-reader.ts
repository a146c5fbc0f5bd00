import { setTimeout as sleep } from 'node:timers/promises';
import { createSecureContext, type SecureContext } from 'node:tls';
import { Publisher } from '../../test/support/publisher.ts';
import { epcOf } from '../bench/fleet.ts';
import type { Identity } from '../bench/seed.ts';
import type { SoakLedger, SoakRead } from './soak-ledger.ts';

export interface SteadyReaderOptions {
  readonly serial: string;
  readonly identity: Identity & { readonly ca: string };
  readonly ledger: SoakLedger;
  /** The tags it reads, in turn. */
  readonly tags: { readonly first: number; readonly count: number };
  /** Told how long an answer took, from when the message was made. */
  readonly onAnswer: (ms: number) => void;
}

interface Message {
  readonly payload: string;
  readonly reads: readonly SoakRead[];
  readonly madeAt: number;
}

const PAUSE_MIN_MS = 100;
const PAUSE_MAX_MS = 2000;
const PORTS = [1, 3] as const;
/** Every so many reads of a tag it is heard in the other zone once. */
const MOVE_EVERY = 97;

/** A reader that comes back whenever its connection ends, and sends again what was not answered, as MQTT wants it. */
export class SteadyReader {
  readonly #options: SteadyReaderOptions;
  readonly #unanswered = new Set<Message>();
  /** Made once: a thousand readers in one process would do nothing else when they come back. */
  readonly #secureContext: SecureContext;
  #publisher: Publisher | null = null;
  #closed = false;
  #staying: Promise<void> | null = null;
  #reads = 0;
  /** Times the broker let it in. */
  connections = 0;
  /** `performance.now()` of the last time; NaN before it. */
  connectedAt = Number.NaN;

  constructor(options: SteadyReaderOptions) {
    this.#options = options;
    this.#secureContext = createSecureContext(options.identity);
  }

  get connected(): boolean {
    return this.#publisher !== null && !this.#publisher.closed;
  }

  get unanswered(): number {
    return this.#unanswered.size;
  }

  /** Connects, and again after a growing pause, until it is closed. */
  stay(url: string): void {
    this.#staying ??= this.#stay(url);
  }

  /** Makes one message of so many reads and sends it, or keeps it until there is a connection. */
  read(count: number): void {
    const reads = Array.from({ length: count }, () => this.#read());
    const events = reads.map(({ tag, at }, index) => ({
      epc: epcOf(tag),
      antennaPort: this.#port(tag, index),
      rssiCdbm: -5500,
      timestamp: new Date(at).toISOString(),
    }));
    const message = { payload: JSON.stringify(events), reads, madeAt: performance.now() };
    this.#unanswered.add(message);
    if (this.#publisher && !this.#publisher.closed) this.#send(this.#publisher, message, false);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#publisher?.close();
    await this.#staying;
  }

  async #stay(url: string): Promise<void> {
    for (let pauseMs = PAUSE_MIN_MS; !this.#closed; pauseMs = Math.min(PAUSE_MAX_MS, 2 * pauseMs)) {
      if (await this.#visit(url)) pauseMs = PAUSE_MIN_MS;
      // Readers that lost their connection at the same moment do not all come back at another one.
      if (!this.#closed) await sleep(pauseMs * (0.5 + Math.random()));
    }
  }

  /** One connection from its beginning to its end; false when there was none. */
  async #visit(url: string): Promise<boolean> {
    const { serial } = this.#options;
    try {
      const identity = { secureContext: this.#secureContext };
      const publisher = await Publisher.connect({ url, serial, identity });
      this.connections++;
      this.connectedAt = performance.now();
      for (const message of [...this.#unanswered]) this.#send(publisher, message, true);
      this.#publisher = publisher;
      if (this.#closed) await publisher.close();
      await publisher.ended();
      return true;
    } catch {
      return false;
    }
  }

  #send(publisher: Publisher, message: Message, dup: boolean): void {
    publisher.send({ payload: message.payload, dup }, () => {
      this.#unanswered.delete(message);
      for (const read of message.reads) this.#options.ledger.took(read);
      this.#options.onAnswer(performance.now() - message.madeAt);
    });
  }

  #read(): SoakRead {
    const { tags, ledger } = this.#options;
    return ledger.next(tags.first + (this.#reads++ % tags.count));
  }

  #port(tag: number, index: number): number {
    const strays = (this.#reads + index) % MOVE_EVERY === 0 ? 1 : 0;
    return PORTS[(tag + strays) % PORTS.length] ?? 1;
  }
}
