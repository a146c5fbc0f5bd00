import { randomUUID } from 'node:crypto';
import { limits } from '../../domain/limits.ts';
import { askedPauseMs, isAlertEvent } from '../../domain/webhook.ts';
import { formatInstant } from '../../lib/instant.ts';
import type { Log } from '../../log/log.ts';
import { type Store, WriteFailed } from '../../store/store.ts';
import { tables } from '../../store/tables.ts';
import type { WebhookEventRecord, WebhookRecord } from '../../store/webhook-records.ts';
import {
  type AttemptOutcome,
  mailGroup,
  type OutboxKey,
  pauseGone,
  settleAttempt,
  settleTogether,
} from '../../store/webhooks.ts';
import { AttemptSignals } from './attempt-signals.ts';
import { DeliveryCount } from './delivery-count.ts';
import { eachWaiting } from './load-outbox.ts';
import { mailEvents, mailTest } from './mail-delivery.ts';
import { MailPaces } from './mail-pace.ts';
import { namesOf } from './mail-sentence.ts';
import type { MailServer } from './mail-server.ts';
import { NameLookup } from './name-lookup.ts';
import { postMessage, testMessage } from './post-message.ts';
import type { Subscriptions } from './subscriptions.ts';
import { Tidy } from './tidy.ts';
import { type Waiting, WaitingLine } from './waiting-line.ts';

export interface DelivererOptions {
  readonly store: Store;
  readonly subscriptions: Subscriptions;
  /** Null: e-mail is not set up. */
  readonly mail: MailServer | null;
  /** Why nothing can be written now; null = it can. Nothing goes out then: what came of it could not be kept. */
  readonly writeBlocked: () => string | null;
  /** Epoch ms. */
  readonly now: () => number;
  /** From 0 to 1; spreads the attempts. `Math.random` when left out. */
  readonly random?: () => number;
  readonly timeoutMs?: number;
  readonly log: Pick<Log, 'warn' | 'error'>;
}

const AT_ONCE = 20;
/** All of them go to one mail server, which may be slow. */
const MAILS_AT_ONCE = 3;
/** E-mails of a subscription go out one after the other; `mailGroup` says what is in them. */
const ONE_SUBJECT = '';
const GONE = 410;
const TIDY_EVERY_MS = 1000;
/** What came of an attempt could not be kept: a disk that refuses does so for a while. */
const UNSETTLED_PAUSE_MS = 5000;

/**
 * Delivers what the outbox holds: at least once, in order for each subject, 5 at a time for each subscription and 20 in
 * all; by e-mail up to 100 events in one message, when `isMailDue` says so. What fails is tried again by `retryPauseMs`, which
 * is on disk: a restart goes on where it was.
 */
export class WebhookDeliverer {
  readonly #options: DelivererOptions;
  readonly #lines = new Map<string, WaitingLine>();
  readonly #paces: MailPaces;
  readonly #count: DeliveryCount;
  #mails = 0;
  readonly #names = new NameLookup();
  // Tests go out too, and at any number.
  readonly #signals = new AttemptSignals(2 * AT_ONCE);
  readonly #running = new Set<Promise<void>>();
  #isScheduled = false;
  #turn = 0;
  readonly #tidy: Tidy;
  #tidiedAt = Number.NEGATIVE_INFINITY;

  constructor(options: DelivererOptions) {
    this.#options = options;
    this.#count = new DeliveryCount(options.log);
    this.#paces = new MailPaces(options.store);
    this.#tidy = new Tidy({ ...options, lines: this.#lines });
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
      for (const [, id] of keys) {
        this.#lines.get(id)?.wake();
        this.#count.forget(id);
        if (this.#isKnown(id)) continue;
        this.#signals.end(id);
        this.#paces.forget(id);
      }
      this.#schedule();
    });
    for await (const [id, waiting] of eachWaiting(store))
      this.#line(id).set(this.#isMail(id) ? { ...waiting, subject: ONE_SUBJECT } : waiting);
  }

  /** Since the start of the process. */
  get counters(): DeliveryCount['counters'] {
    return this.#count.counters;
  }

  get hasMailServer(): boolean {
    return this.#options.mail !== null;
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
    this.#count.crowdedOut(await this.#tidy.run());
  }

  /** Sends a message that tells nothing at once, past the outbox, and says how it went. */
  test(webhook: WebhookRecord): Promise<AttemptOutcome> {
    const sending = this.#sending(webhook);
    return webhook.url === null
      ? mailTest(sending, randomUUID())
      : postMessage(sending, testMessage(webhook.id, sending.now));
  }

  /** Breaks off what is on its way, which goes out again after the next start, and waits for what has an answer. */
  async stop(): Promise<void> {
    this.#signals.endAll();
    await Promise.all(this.#running);
  }

  #sending(webhook: WebhookRecord) {
    const { now, timeoutMs, mail } = this.#options;
    const { lookup } = this.#names;
    return { server: mail, webhook, lookup, signal: this.#signals.of(webhook.id), now: now(), timeoutMs };
  }

  #isKnown(webhookId: string): boolean {
    return this.#options.subscriptions.byId(webhookId) !== undefined;
  }

  #isMail(webhookId: string): boolean {
    return this.#options.subscriptions.byId(webhookId)?.webhook.url === null;
  }

  #isIdle(): boolean {
    return this.#signals.isStopped || this.#options.writeBlocked() !== null;
  }

  #line(webhookId: string): WaitingLine {
    const line = this.#lines.get(webhookId) ?? new WaitingLine();
    this.#lines.set(webhookId, line);
    return line;
  }

  #follow([webhookId, no]: OutboxKey): void {
    const event = this.#options.store.get(tables.webhookOutbox, [webhookId, no]);
    if (event) this.#wait([webhookId, no], event);
    else this.#lines.get(webhookId)?.remove(no);
  }

  #wait([webhookId, no]: OutboxKey, { type, subject, attempts, nextAt }: WebhookEventRecord): void {
    const isMail = this.#isMail(webhookId);
    this.#line(webhookId).set({ no, subject: isMail ? ONE_SUBJECT : subject, nextAt });
    if (isMail && attempts === 0)
      this.#paces.of(webhookId).waits({ isUrgent: isAlertEvent(type), now: this.#options.now() });
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
      const isOn = webhookId !== undefined && this.#mayStart(webhookId);
      const next = isOn ? line?.take(this.#options.now()) : null;
      fruitless = next ? 0 : fruitless + 1;
      if (next && line && webhookId !== undefined) this.#begin(webhookId, line, next);
    }
  }

  #mayStart(webhookId: string): boolean {
    const webhook = this.#options.subscriptions.byId(webhookId)?.webhook;
    if (!webhook?.enabled) return false;
    if (webhook.url !== null) return true;
    return this.#mails < MAILS_AT_ONCE && this.#paces.of(webhookId).isDue(this.#options.now());
  }

  #begin(webhookId: string, line: WaitingLine, next: Waiting): void {
    const isMail = this.#isMail(webhookId);
    if (isMail) this.#mails++;
    const running = (isMail ? this.#attemptMail(webhookId) : this.#attempt([webhookId, next.no]))
      .catch((error: unknown) => this.#unsettled(line, error))
      .then((succeeded) => line.done(next, succeeded, this.#options.now()))
      .finally(() => {
        if (isMail) this.#mails--;
        this.#running.delete(running);
        this.#schedule();
      });
    this.#running.add(running);
  }

  /** Sent or not: it is tried again, and so that a receiver does not get it over and over, after a pause. */
  #unsettled(line: WaitingLine, error: unknown): null | false {
    line.leaveAlone(this.#options.now() + UNSETTLED_PAUSE_MS);
    if (error instanceof WriteFailed) return null;
    this.#options.log.error({ err: error }, 'a webhook event could not be handled; it is tried again');
    return false;
  }

  /** Null: it says nothing of the receiver. */
  async #attempt(key: OutboxKey): Promise<boolean | null> {
    const { store, subscriptions } = this.#options;
    const event = store.get(tables.webhookOutbox, key);
    const subscription = subscriptions.byId(key[0]);
    if (!event || !subscription) return null;
    const { id, type, data } = event;
    const message = { id, type, timestamp: formatInstant(event.at), data };
    const outcome = await postMessage(this.#sending(subscription.webhook), message);
    if (this.#wasBrokenOff(key[0], outcome)) return null;
    const at = this.#at(outcome);
    const settled = await store.write((tx) => {
      if (outcome.statusCode === GONE) pauseGone(tx, subscription.orgId, key[0]);
      return settleAttempt(tx, key, at);
    });
    if (outcome.retryAfterMs !== undefined)
      this.#line(key[0]).leaveAlone(at.now + askedPauseMs(outcome.retryAfterMs));
    const { webhook } = subscription;
    this.#count.attempted({ webhook, outcome, events: 1, dead: settled === 'dead' ? 1 : 0, now: at.now });
    return outcome.error === null;
  }

  /** As `#attempt`, with what goes together in one e-mail. */
  async #attemptMail(webhookId: string): Promise<boolean | null> {
    const { store, subscriptions } = this.#options;
    const subscription = subscriptions.byId(webhookId);
    const group = mailGroup(store, webhookId, this.#options.now());
    if (!subscription || group.length === 0) return null;
    const pace = this.#paces.of(webhookId);
    pace.began();
    const { orgId, webhook } = subscription;
    const events = group.map(({ value }) => value);
    const more = this.waiting(webhookId) - events.length;
    const outcome = await mailEvents(this.#sending(webhook), { events, more, names: namesOf(store, orgId) });
    if (this.#wasBrokenOff(webhookId, outcome)) return null;
    const keys = group.map(({ key }) => key);
    const settled = this.#at(outcome);
    const dead = await store.write((tx) => settleTogether(tx, keys, settled));
    this.#count.attempted({ webhook, outcome, events: events.length, dead, now: settled.now });
    const isSettled = outcome.error === null || outcome.isFinal === true;
    if (isSettled) pace.sent(settled.now);
    return isSettled;
  }

  /** By the stop or because the webhook is deleted, not by the receiver. */
  #wasBrokenOff(webhookId: string, { error }: AttemptOutcome): boolean {
    return error !== null && (this.#signals.isStopped || !this.#isKnown(webhookId));
  }

  #at(outcome: AttemptOutcome) {
    const { now, random = Math.random } = this.#options;
    return { ...outcome, now: now(), random: random() };
  }
}
