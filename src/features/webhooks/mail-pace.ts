import { isMailDue } from '../../domain/webhook.ts';
import type { Reading } from '../../store/store.ts';
import { lastAttempts } from '../../store/webhooks.ts';

/** When e-mails of one subscription go out: `isMailDue` over what happened so far. Times are epoch ms. */
export class MailPace {
  #sentAt: number | null;
  #waitsSince: number | null = null;
  #isUrgent = false;

  /** `sentAt`: when the last one before this run was taken. */
  constructor(sentAt: number | null) {
    this.#sentAt = sentAt;
  }

  /** A new event waits. */
  waits({ isUrgent, now }: { readonly isUrgent: boolean; readonly now: number }): void {
    this.#waitsSince ??= now;
    this.#isUrgent ||= isUrgent;
  }

  /** A message sets out with what waits. */
  began(): void {
    this.#waitsSince = null;
    this.#isUrgent = false;
  }

  /** The mail server took it. */
  sent(now: number): void {
    this.#sentAt = now;
  }

  isDue(now: number): boolean {
    const [sentAt, waitsSince, isUrgent] = [this.#sentAt, this.#waitsSince, this.#isUrgent];
    return isMailDue({ sentAt, waitsSince, isUrgent }, now);
  }
}

/** The paces of all subscriptions that were asked for; over a restart the last attempt on disk counts. */
export class MailPaces {
  readonly #reading: Reading;
  readonly #byWebhook = new Map<string, MailPace>();

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  of(webhookId: string): MailPace {
    const known = this.#byWebhook.get(webhookId);
    if (known) return known;
    const [last] = lastAttempts(this.#reading, webhookId);
    const pace = new MailPace(last && last.value.outcome !== 'retrying' ? last.value.at : null);
    this.#byWebhook.set(webhookId, pace);
    return pace;
  }

  forget(webhookId: string): void {
    this.#byWebhook.delete(webhookId);
  }
}
