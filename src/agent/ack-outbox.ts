import type { Delivery } from '../device/delivery.ts';
import type { Ack } from './agent-command.ts';

const WAITING_MAX = 64;

/**
 * Answers on their way to the service, one at a time and in order: at once when connected, else kept, the newest for each
 * command and 64 at most (the oldest is given up: the service has long timed it out).
 */
export class AckOutbox {
  readonly #delivery: Delivery;
  readonly #topic: string;
  readonly #waiting = new Map<string, Ack>();
  #isSending = false;

  constructor(delivery: Delivery, topic: string) {
    this.#delivery = delivery;
    this.#topic = topic;
  }

  push(ack: Ack): void {
    this.#waiting.delete(ack.id);
    this.#waiting.set(ack.id, ack);
    const [oldest] = this.#waiting.keys();
    if (this.#waiting.size > WAITING_MAX && oldest !== undefined) this.#waiting.delete(oldest);
    this.pump();
  }

  /** To be called when the link is open. */
  pump(): void {
    const [next] = this.#waiting.values();
    if (this.#isSending || !this.#delivery.connected || !next) return;
    this.#waiting.delete(next.id);
    this.#isSending = true;
    this.#delivery.send(this.#topic, JSON.stringify(next), () => {
      this.#isSending = false;
      this.pump();
    });
  }
}
