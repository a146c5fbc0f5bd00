import { setMaxListeners } from 'node:events';

/** What breaks attempts off: all of one subscription, or all there are. */
export class AttemptSignals {
  readonly #byWebhook = new Map<string, AbortController>();
  readonly #listenersMax: number;
  #isStopped = false;

  /** `listenersMax`: as many attempts of one subscription at once are no leak. */
  constructor(listenersMax: number) {
    this.#listenersMax = listenersMax;
  }

  /** After `endAll`; every signal is aborted then. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** For the attempts of one subscription. */
  of(webhookId: string): AbortSignal {
    if (this.#isStopped) return AbortSignal.abort();
    const known = this.#byWebhook.get(webhookId);
    if (known) return known.signal;
    const made = new AbortController();
    setMaxListeners(this.#listenersMax, made.signal);
    this.#byWebhook.set(webhookId, made);
    return made.signal;
  }

  /** Breaks off what is on its way for a subscription. */
  end(webhookId: string): void {
    this.#byWebhook.get(webhookId)?.abort();
    this.#byWebhook.delete(webhookId);
  }

  endAll(): void {
    this.#isStopped = true;
    for (const id of [...this.#byWebhook.keys()]) this.end(id);
  }
}
