import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { LookupFunction } from 'node:net';
import { limits } from '../../domain/limits.ts';
import { formatInstant } from '../../lib/instant.ts';
import type { Log } from '../../log/log.ts';
import { type Store, WriteFailed } from '../../store/store.ts';
import { tables } from '../../store/tables.ts';
import type { WebhookRecord } from '../../store/webhook-records.ts';
import { type AttemptOutcome, type OutboxKey, settleAttempt } from '../../store/webhooks.ts';
import { eachWaiting } from './load-outbox.ts';
import { NameLookup } from './name-lookup.ts';
import { send } from './send.ts';
import { signatureHeaders } from './signature.ts';
import type { Subscriptions } from './subscriptions.ts';
import { tidy } from './tidy.ts';
import { type Waiting, WaitingLine } from './waiting-line.ts';

export interface DelivererOptions {
  readonly store: Store;
  readonly subscriptions: Subscriptions;
  /** Why nothing can be written now; null = it can. Nothing goes out then: what came of it could not be kept. */
  readonly writeBlocked: () => string | null;
  /** Epoch ms. */
  readonly now: () => number;
  /** From 0 to 1; spreads the attempts. `Math.random` when left out. */
  readonly random?: () => number;
  readonly timeoutMs?: number;
  readonly log: Pick<Log, 'warn' | 'error'>;
}

/** What is told to a receiver. */
export interface Message {
  readonly id: string;
  readonly type: string;
  /** ISO 8601. */
  readonly timestamp: string;
  readonly data: object;
}

const AT_ONCE = 20;
const TIDY_EVERY_MS = 1000;

/**
 * Delivers what the outbox holds: at least once, in order for each subject, 5 at a time for each subscription and 20 in
 * all. What fails is tried again by `retryPauseMs`, which is on disk: a restart goes on where it was.
 */
export class WebhookDeliverer {
  readonly #options: DelivererOptions;
  readonly #lines = new Map<string, WaitingLine>();
  readonly #names = new NameLookup();
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<void>>();
  #isScheduled = false;
  #turn = 0;
  #tidiedAt = Number.NEGATIVE_INFINITY;
  /** Since the start of the process. */
  readonly counters = { delivered: 0, failed: 0, dead: 0, dropped: 0 };

  constructor(options: DelivererOptions) {
    this.#options = options;
    // One for each message on its way, tests included: no leak.
    setMaxListeners(2 * AT_ONCE, this.#stopping.signal);
  }

  /** Loads what waits, and follows the outbox from here on. Call it before anything else writes. */
  async open(): Promise<void> {
    const { store } = this.#options;
    store.watch(tables.webhookOutbox, (keys) => {
      for (const key of keys) this.#follow(key);
      this.#schedule();
    });
    store.watch(tables.webhooks, (keys) => {
      // Another address, or on again: what waits is tried at once.
      for (const [, id] of keys) this.#lines.get(id)?.wake();
      this.#schedule();
    });
    for await (const [id, waiting] of eachWaiting(store)) this.#line(id).set(waiting);
  }

  /** How many events wait, for one subscription or all. */
  waiting(webhookId?: string): number {
    if (webhookId !== undefined) return this.#lines.get(webhookId)?.size ?? 0;
    let count = 0;
    for (const line of this.#lines.values()) count += line.size;
    return count;
  }

  /** False for twice what may wait: more comes than can be given up in time, and is dropped. Asked for every event. */
  hasRoom(webhookId: string): boolean {
    const hasRoom = this.waiting(webhookId) < 2 * limits.webhookWaiting;
    if (!hasRoom) this.counters.dropped++;
    return hasRoom;
  }

  /** Starts what is due and takes away what is too much. For a timer, a few times a second. */
  async run(): Promise<void> {
    if (this.#isIdle()) return;
    this.#start();
    if (Math.abs(performance.now() - this.#tidiedAt) < TIDY_EVERY_MS) return;
    this.#tidiedAt = performance.now();
    const { store, subscriptions, now } = this.#options;
    const dead = await tidy({ store, subscriptions, lines: this.#lines, now });
    this.counters.dead += dead;
    if (dead > 0)
      this.#options.log.warn({ events: dead }, 'too many webhook events wait; the oldest were given up');
  }

  /** Sends a message at once, past the outbox, and says how it went. */
  deliver(webhook: WebhookRecord, message: Message): Promise<AttemptOutcome> {
    const { now, timeoutMs } = this.#options;
    const { id, ...told } = message;
    const body = JSON.stringify(told);
    const at = now();
    const secrets = [webhook.secret, ...previousSecret(webhook, at)];
    return send({
      ...{ url: webhook.url, caPem: webhook.caPem, body, signal: this.#stopping.signal },
      headers: signatureHeaders({ id, now: at, body, secrets }),
      lookup: this.#lookup,
      ...(timeoutMs !== undefined && { timeoutMs }),
    });
  }

  /** Breaks off what is on its way, which goes out again after the next start, and waits for what has an answer. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#running);
  }

  get #lookup(): LookupFunction {
    return this.#names.lookup;
  }

  #isIdle(): boolean {
    return this.#stopping.signal.aborted || this.#options.writeBlocked() !== null;
  }

  #line(webhookId: string): WaitingLine {
    const line = this.#lines.get(webhookId) ?? new WaitingLine();
    this.#lines.set(webhookId, line);
    return line;
  }

  #follow([webhookId, no]: OutboxKey): void {
    const event = this.#options.store.get(tables.webhookOutbox, [webhookId, no]);
    if (event) this.#line(webhookId).set({ no, subject: event.subject, nextAt: event.nextAt });
    else this.#lines.get(webhookId)?.remove(no);
  }

  /** In the next turn: writes of one commit are told of in any order. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      if (!this.#isIdle()) this.#start();
    });
  }

  /** Subscriptions take turns, so that one with much to tell holds up no other. */
  #start(): void {
    const lines = [...this.#lines];
    for (let fruitless = 0; fruitless < lines.length && this.#running.size < AT_ONCE; ) {
      const [webhookId, line] = lines[this.#turn++ % lines.length] ?? [];
      const isOn = webhookId !== undefined && this.#options.subscriptions.byId(webhookId)?.webhook.enabled;
      const next = isOn ? line?.take(this.#options.now()) : null;
      fruitless = next ? 0 : fruitless + 1;
      if (next && line && webhookId !== undefined) this.#begin(webhookId, line, next);
    }
  }

  #begin(webhookId: string, line: WaitingLine, next: Waiting): void {
    const running = this.#attempt([webhookId, next.no])
      .catch((error: unknown) => {
        if (!(error instanceof WriteFailed))
          this.#options.log.error({ err: error }, 'a webhook event could not be handled; it is tried again');
        // Sent or not: it is tried again, after a pause as if it had failed.
        return false;
      })
      .then((succeeded) => line.done(next, succeeded, this.#options.now()))
      .finally(() => {
        this.#running.delete(running);
        this.#schedule();
      });
    this.#running.add(running);
  }

  /** Null: it says nothing of the receiver. */
  async #attempt(key: OutboxKey): Promise<boolean | null> {
    const { store, subscriptions, now, random = Math.random } = this.#options;
    const event = store.get(tables.webhookOutbox, key);
    const webhook = subscriptions.byId(key[0])?.webhook;
    if (!event || !webhook) return null;
    const { id, type, at, data } = event;
    const outcome = await this.deliver(webhook, { id, type, timestamp: formatInstant(at), data });
    // Broken off by the stop, not by the receiver.
    if (this.#stopping.signal.aborted && outcome.error !== null) return null;
    const settled = await store.write((tx) =>
      settleAttempt(tx, key, { ...outcome, now: now(), random: random() }),
    );
    this.#count(outcome, settled === 'dead');
    return outcome.error === null;
  }

  #count({ error }: AttemptOutcome, isDead: boolean): void {
    if (error === null) this.counters.delivered++;
    else this.counters.failed++;
    if (isDead) this.counters.dead++;
  }
}

/** A message that tells nothing but that it arrives. */
export function testMessage(webhookId: string, timestamp: string): Message {
  const data = { webhookId, message: 'This is a test. Nothing has happened.' };
  return { id: randomUUID(), type: 'webhook_test', timestamp, data };
}

function previousSecret({ previous }: WebhookRecord, now: number): readonly string[] {
  return previous && now < previous.until ? [previous.secret] : [];
}
