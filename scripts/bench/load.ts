import { fleet } from './fleet.ts';
import { type Template, templatesOf } from './message.ts';
import { Sender, type SenderOptions } from './sender.ts';

/** One stretch of load. */
export interface LoadRequest {
  readonly readsPerMessage: number;
  /** Messages a reader has on the way at most; with `readsPerSecond` it is only the limit. */
  readonly window: number;
  readonly warmupMs: number;
  readonly measureMs: number;
  /** Over all readers; absent = as much as the broker takes. */
  readonly readsPerSecond?: number;
  /** How many tags are known, which decides the EPCs of those in view. */
  readonly knownTags: number;
}

export interface LoadResult {
  /** Acknowledged while measuring. */
  readonly messages: number;
  readonly seconds: number;
  /** All that was sent and acknowledged, warm-up and end included. */
  readonly total: number;
  /** What the slowest reader sent, of all that was sent. */
  readonly least: number;
  /** Share of one core the generator took while measuring, 0 to 1. */
  readonly cpu: number;
  /** Epoch milliseconds between which was measured. */
  readonly from: number;
  readonly to: number;
}

const DRAIN_MS = 10_000;
const PACE_MS = 2;

/** A fleet of readers under load. Everything it does ends by itself. */
export class Load {
  readonly #senders: Sender[] = [];
  readonly #templates = new Map<string, readonly (readonly Template[])[]>();
  #failure: Error | null = null;
  #fail: (error: Error) => void = () => {};

  async connect(readers: readonly SenderOptions[]): Promise<void> {
    for (const reader of readers) {
      const onFailure = (error: Error): void => {
        this.#failure ??= error;
        this.#fail(error);
      };
      this.#senders.push(await Sender.connect(reader, onFailure));
    }
  }

  close(): void {
    for (const sender of this.#senders) sender.close();
    this.#senders.length = 0;
  }

  /** Rejects when a connection ends, or when something sent is not acknowledged in the end. */
  async run(request: LoadRequest): Promise<LoadResult> {
    const before = this.#senders.map(({ sent }) => sent);
    this.#arm(request);
    const stop = request.readsPerSecond === undefined ? this.#saturate(request) : this.#pace(request);
    try {
      await this.#wait(request.warmupMs);
      const measured = await this.#measure(request.measureMs);
      stop();
      await this.#drain();
      const sent = this.#senders.map((sender, i) => sender.sent - (before[i] ?? 0));
      return { ...measured, total: sent.reduce((a, b) => a + b, 0), least: Math.min(...sent) };
    } finally {
      stop();
    }
  }

  async #measure(ms: number): Promise<Omit<LoadResult, 'total' | 'least'>> {
    const from = Date.now();
    const start = performance.now();
    const cpu = process.cpuUsage();
    const acked = this.#total('acked');
    await this.#wait(ms);
    const seconds = (performance.now() - start) / 1000;
    const { user, system } = process.cpuUsage(cpu);
    const messages = this.#total('acked') - acked;
    return { messages, seconds, cpu: (user + system) / 1e6 / seconds, from, to: Date.now() };
  }

  #arm({ readsPerMessage, knownTags }: LoadRequest): void {
    const key = `${readsPerMessage}/${knownTags}`;
    const known = this.#templates.get(key);
    const all = known ?? this.#senders.map((_, reader) => templatesOf(reader, readsPerMessage, knownTags));
    this.#templates.set(key, all);
    this.#senders.forEach((sender, reader) => {
      sender.load(all[reader] ?? []);
    });
  }

  #saturate({ window }: LoadRequest): () => void {
    for (const sender of this.#senders) sender.keepUp(window);
    return () => {
      for (const sender of this.#senders) sender.hold();
    };
  }

  /** Spreads the messages evenly over time and readers; one that is not answered in time is waited for, and that shows. */
  #pace({ window, readsPerMessage, readsPerSecond = 0 }: LoadRequest): () => void {
    const perMs = readsPerSecond / readsPerMessage / 1000;
    const start = performance.now();
    let sent = 0;
    const timer = setInterval(() => {
      for (const due = (performance.now() - start) * perMs; sent < due; sent++) {
        const sender = this.#senders[sent % this.#senders.length];
        if (!sender || sender.unanswered >= window) return;
        sender.send(1);
      }
    }, PACE_MS);
    return () => clearInterval(timer);
  }

  async #drain(): Promise<void> {
    const limit = performance.now() + DRAIN_MS;
    while (this.#senders.some(({ unanswered }) => unanswered > 0)) {
      if (performance.now() > limit) {
        const missing = this.#total('sent') - this.#total('acked');
        throw new Error(`${missing} messages were not acknowledged within ${DRAIN_MS} ms`);
      }
      await this.#wait(5);
    }
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, ms);
      this.#fail = (error) => {
        clearTimeout(timer);
        reject(error);
      };
      if (this.#failure) this.#fail(this.#failure);
    });
  }

  #total(what: 'sent' | 'acked'): number {
    return this.#senders.reduce((sum, sender) => sum + sender[what], 0);
  }
}

/** Messages of one read after which a reader has reported every tag at both its antennas. */
export const messagesOfACycle = fleet.tagsPerReader * 2;
