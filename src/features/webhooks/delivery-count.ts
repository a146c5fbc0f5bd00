import { formatInstant } from '../../lib/instant.ts';
import type { Log } from '../../log/log.ts';
import type { WebhookRecord } from '../../store/webhook-records.ts';
import { type AttemptOutcome, receiverName } from '../../store/webhooks.ts';
import { ReceiverTrouble } from './receiver-trouble.ts';

/** What one attempt came to. */
export interface Counted {
  readonly webhook: WebhookRecord;
  readonly outcome: AttemptOutcome;
  /** How many events were in it, and how many of them are given up now. */
  readonly events: number;
  readonly dead: number;
  /** Epoch ms. */
  readonly now: number;
}

/** Counts deliveries, and says so in the log when a receiver fails for long. */
export class DeliveryCount {
  readonly #log: Pick<Log, 'warn'>;
  readonly #trouble = new ReceiverTrouble();
  /** Since the start of the process. */
  readonly counters = { delivered: 0, failed: 0, dead: 0, dropped: 0 };

  constructor(log: Pick<Log, 'warn'>) {
    this.#log = log;
  }

  attempted({ webhook, outcome: { error }, events, dead, now }: Counted): void {
    if (error === null) this.counters.delivered += events;
    else this.counters.failed++;
    this.counters.dead += dead;
    const since = this.#trouble.attempted(webhook.id, error === null, now);
    if (since === null) return;
    const told = { webhook: webhook.id, receiver: receiverName(webhook), since: formatInstant(since), error };
    this.#log.warn(told, 'a receiver of webhook events has taken nothing for long; they wait');
  }

  crowdedOut(events: number): void {
    if (events === 0) return;
    this.counters.dead += events;
    this.#log.warn({ events }, 'too many webhook events wait; the oldest were given up');
  }

  /** A subscription is deleted, or has another address. */
  forget(webhookId: string): void {
    this.#trouble.forget(webhookId);
  }
}
