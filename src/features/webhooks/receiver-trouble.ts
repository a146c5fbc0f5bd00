/** Shorter is a receiver that was started anew. */
const TOLD_AFTER_MS = 15 * 60_000;
const TOLD_EVERY_MS = 3_600_000;

/** How a receiver has failed since it last took something. Times are epoch ms. */
interface Trouble {
  readonly since: number;
  readonly toldAt: number | null;
}

/**
 * When a word about a receiver is due: it has taken nothing for 15 minutes, then once an hour. Counted since the start of the
 * process, and anew when the clock was set back.
 */
export class ReceiverTrouble {
  readonly #byWebhook = new Map<string, Trouble>();

  /** Something went out to it at `now` (epoch ms), in vain or not. Since when it fails, when that is to be told; else null. */
  attempted(webhookId: string, succeeded: boolean, now: number): number | null {
    if (succeeded) {
      this.#byWebhook.delete(webhookId);
      return null;
    }
    const known = this.#byWebhook.get(webhookId);
    const { since, toldAt } = known && now >= known.since ? known : { since: now, toldAt: null };
    const isDue = now - since >= TOLD_AFTER_MS && (toldAt === null || now - toldAt >= TOLD_EVERY_MS);
    this.#byWebhook.set(webhookId, { since, toldAt: isDue ? now : toldAt });
    return isDue ? since : null;
  }

  /** It is deleted, or another address. */
  forget(webhookId: string): void {
    this.#byWebhook.delete(webhookId);
  }
}
