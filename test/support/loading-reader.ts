import { createPrng, type Prng } from '../../src/lib/prng.ts';
import { Publisher, type PublisherOptions } from './publisher.ts';
import type { ReadLedger, SentRead } from './read-ledger.ts';

export interface LoadOptions extends PublisherOptions {
  readonly ledger: ReadLedger;
  /** The name of the zone each port watches. */
  readonly zones: ReadonlyMap<number, string>;
  /** Four hexadecimal digits that its own tags have in common. */
  readonly mark: string;
  readonly seed: number;
}

interface Message {
  readonly payload: string;
  readonly reads: readonly SentRead[];
}

const TAGS_IN_VIEW = 40;
const NEW_TAG_SHARE = 0.1;
const READS_MAX = 3;

/** A reader under load: QoS 1, a window of unanswered messages, the same tags again and again and some new ones. */
export class LoadingReader {
  readonly #options: LoadOptions;
  readonly #prng: Prng;
  readonly #ports: readonly number[];
  readonly #unanswered = new Set<Message>();
  #publisher: Publisher | null = null;
  #window = 0;
  #newTags = 0;

  constructor(options: LoadOptions) {
    this.#options = options;
    this.#prng = createPrng(options.seed);
    this.#ports = [...options.zones.keys()];
  }

  /** Connects, sends again what was not answered before as MQTT wants it, then keeps `window` messages on their way. */
  async start(url: string, window: number): Promise<void> {
    const publisher = await Publisher.connect({ ...this.#options, url });
    this.#publisher = publisher;
    for (const message of [...this.#unanswered]) this.#transmit(publisher, message, true);
    this.#window = window;
    this.#fill();
  }

  /** Sends nothing new from now on. */
  hold(): void {
    this.#window = 0;
  }

  /** Resolves when the connection is gone and every answer that came is counted. */
  async ended(): Promise<void> {
    this.hold();
    await this.#publisher?.ended();
  }

  async close(): Promise<void> {
    this.hold();
    await this.#publisher?.close();
  }

  get unanswered(): number {
    return this.#unanswered.size;
  }

  #fill(): void {
    while (this.#publisher && !this.#publisher.closed && this.#unanswered.size < this.#window) {
      const message = this.#make();
      this.#unanswered.add(message);
      this.#transmit(this.#publisher, message, false);
    }
  }

  #transmit(publisher: Publisher, message: Message, dup: boolean): void {
    publisher.send({ payload: message.payload, dup }, () => {
      this.#unanswered.delete(message);
      for (const read of message.reads) this.#options.ledger.took(read);
      this.#fill();
    });
  }

  #make(): Message {
    const count = 1 + this.#prng.below(READS_MAX);
    const reads = Array.from({ length: count }, () => this.#read());
    const events = reads.map(({ epc, port, at }) => ({
      epc,
      antennaPort: port,
      rssiCdbm: -5500,
      timestamp: new Date(at).toISOString(),
    }));
    return { payload: JSON.stringify(events), reads };
  }

  #read(): SentRead {
    const { ledger, zones } = this.#options;
    const epc = this.#epc();
    const port = this.#ports[this.#prng.below(this.#ports.length)] ?? 1;
    const read = { epc, port, at: ledger.nextAt(epc) };
    ledger.sent(read, zones.get(port) ?? '');
    return read;
  }

  #epc(): string {
    const isNew = this.#prng.unit() < NEW_TAG_SHARE;
    const serial = isNew ? TAGS_IN_VIEW + ++this.#newTags : this.#prng.below(TAGS_IN_VIEW);
    return `E280${this.#options.mark}${serial.toString(16).toUpperCase().padStart(16, '0')}`;
  }
}
