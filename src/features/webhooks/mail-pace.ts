import { isMailDue } from '../../domain/webhook.ts';

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
