import { randomBytes } from 'node:crypto';
import { limits } from '../domain/limits.ts';
import { refuse } from '../domain/refusal.ts';
import {
  askedPauseMs,
  isAlertEvent,
  isGivenUp,
  retryPauseMs,
  type WebhookEventType,
} from '../domain/webhook.ts';
import { ofOrg } from './of-org.ts';
import type { Entry, Reading, Tx } from './store.ts';
import { type Table, tables } from './tables.ts';
import type {
  DeadWebhookEventRecord,
  WebhookAttemptRecord,
  WebhookEventRecord,
  WebhookRecord,
} from './webhook-records.ts';

/** Names a waiting event: its subscription and its number. */
export type OutboxKey = readonly [webhookId: string, no: number];

const SECRET_BYTES = 32;

/** A new signing secret: `whsec_` and 32 random bytes in base64. Show it once. */
export function makeWebhookSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/** The subscriptions of an organisation, the oldest first. */
export function webhooksOf(reading: Reading, orgId: string): readonly WebhookRecord[] {
  return ofOrg(reading, tables.webhooks, orgId).toSorted((a, b) => a.createdAt - b.createdAt);
}

/** What people may see of where a subscription goes: the host only, for an address may hold a secret; or `e-mail`. */
export function receiverName({ url }: Pick<WebhookRecord, 'url'>): string {
  return url !== null && URL.canParse(url) ? new URL(url).host : 'e-mail';
}

/** Adds a subscription. Throws `webhook-limit` when the organisation has as many as there may be. */
export function addWebhook(tx: Tx, orgId: string, webhook: WebhookRecord): void {
  const max = limits.webhooksPerOrganisation;
  if (webhooksOf(tx, orgId).length >= max)
    throw refuse('webhook-limit', `There are ${max} webhooks, as many as there may be.`);
  tx.put(tables.webhooks, [orgId, webhook.id], webhook);
}

/** An event as it is made. */
export interface NewWebhookEvent {
  readonly type: WebhookEventType;
  /** Events of one subject go out in the order of these calls. */
  readonly subject: string;
  /** When it happened, and since when it waits, epoch ms. */
  readonly at: number;
  readonly queuedAt: number;
  readonly data: object;
}

/** What one transaction knows of the outbox: a batch of reads puts thousands of events, and none looks for itself. */
interface OutboxTurn {
  /** By subscription. */
  readonly exists: Map<string, boolean>;
  /** The last number given, and the last of those taken. */
  no: number;
  taken: number;
  /** How many are taken next. */
  block: number;
}

const turns = new WeakMap<Tx, OutboxTurn>();

function turnOf(tx: Tx): OutboxTurn {
  const known = turns.get(tx);
  if (known) return known;
  const turn: OutboxTurn = { exists: new Map(), no: 0, taken: 0, block: 1 };
  turns.set(tx, turn);
  return turn;
}

/** Taken one, two, four, … at a time, so that one event takes one and thousands look a dozen times. Gaps mean nothing. */
function nextEventNo(tx: Tx): number {
  const turn = turnOf(tx);
  if (turn.no < turn.taken) return ++turn.no;
  turn.taken = tx.next('webhookEvents', turn.block);
  turn.no = turn.taken - turn.block + 1;
  turn.block *= 2;
  return turn.no;
}

/** Whether there is a subscription; looked up once in a transaction, so ask before it is deleted there, not after. */
export function hasWebhook(tx: Tx, orgId: string, webhookId: string): boolean {
  const { exists } = turnOf(tx);
  const known = exists.get(webhookId) ?? tx.get(tables.webhooks, [orgId, webhookId]) !== undefined;
  exists.set(webhookId, known);
  return known;
}

/** Puts an event into the outbox of a subscription, within the transaction of what it tells. `id` is a new UUID. */
export function putEvent(tx: Tx, webhookId: string, event: NewWebhookEvent & { readonly id: string }): void {
  const { id, type, subject, at, queuedAt, data } = event;
  const record: WebhookEventRecord = { id, type, subject, at, queuedAt, data, attempts: 0, nextAt: 0 };
  tx.put(tables.webhookOutbox, [webhookId, nextEventNo(tx)], record);
}

/** How an attempt went; `error` is null when it was delivered. */
export interface AttemptOutcome {
  readonly statusCode: number | null;
  readonly durationMs: number;
  readonly error: string | null;
  /** How long the receiver wants to be left alone, ms. */
  readonly retryAfterMs?: number;
  /** Of e-mail: what the mail server said, one line. */
  readonly response?: string;
  /** Of e-mail: the mail server will never take it. */
  readonly isFinal?: boolean;
  /** Of e-mail that did not get to all: the addresses that got it, now or before. */
  readonly told?: readonly string[];
}

/** An outcome at `now` (epoch ms); `random`, from 0 to 1, spreads the next attempts. */
export interface SettledAt extends AttemptOutcome {
  readonly now: number;
  readonly random: number;
}

type Settled = WebhookAttemptRecord['outcome'];

/**
 * Writes down how an attempt went: the event is delivered, waits for the next attempt, or is given up. Null when the event
 * is gone: its subscription was deleted, or it had to make room.
 */
export function settleAttempt(tx: Tx, key: OutboxKey, outcome: SettledAt): Settled | null {
  const event = tx.get(tables.webhookOutbox, key);
  if (!event) return null;
  const settled = settleEvent(tx, { key, event }, outcome);
  putAttempt(tx, key[0], { event, settled, outcome });
  return settled;
}

/**
 * Writes down how one message about several events went: each is delivered, waits, or is given up, and the attempt is
 * logged once, as what became of the first. Answers how many were given up.
 */
export function settleTogether(tx: Tx, keys: readonly OutboxKey[], outcome: SettledAt): number {
  const settled = keys.flatMap((key) => {
    const event = tx.get(tables.webhookOutbox, key);
    return event ? [{ webhookId: key[0], event, settled: settleEvent(tx, { key, event }, outcome) }] : [];
  });
  const [first] = settled;
  if (first) putAttempt(tx, first.webhookId, { ...first, outcome, events: settled.length });
  return settled.filter((one) => one.settled === 'dead').length;
}

function settleEvent(
  tx: Tx,
  { key, event }: { readonly key: OutboxKey; readonly event: WebhookEventRecord },
  { now, random, error, retryAfterMs = 0, isFinal = false, told }: SettledAt,
): Settled {
  const attempts = event.attempts + 1;
  const pauseMs = Math.max(retryPauseMs(attempts, random), askedPauseMs(retryAfterMs));
  const tried: WebhookEventRecord = { ...event, attempts, nextAt: now + pauseMs, ...(told && { told }) };
  const isOver = isFinal || isGivenUp({ queuedAt: event.queuedAt ?? event.at, attempts }, now);
  const settled = error === null ? 'delivered' : isOver ? 'dead' : 'retrying';
  if (settled === 'retrying') tx.put(tables.webhookOutbox, key, tried);
  else tx.remove(tables.webhookOutbox, key);
  if (settled === 'dead') bury(tx, key, { event: tried, now, error: error ?? '' });
  return settled;
}

interface Attempted {
  readonly event: WebhookEventRecord;
  readonly settled: Settled;
  readonly outcome: SettledAt;
  readonly events?: number;
}

function putAttempt(tx: Tx, webhookId: string, { event, settled, outcome, events }: Attempted): void {
  const { now, statusCode, durationMs, error, response } = outcome;
  const record: WebhookAttemptRecord = {
    ...{ eventId: event.id, type: event.type, at: now, attempt: event.attempts + 1, outcome: settled },
    ...{ statusCode, durationMs, error },
    ...(events !== undefined && { events }),
    ...(response !== undefined && { response }),
  };
  tx.put(tables.webhookAttempts, [webhookId, tx.next('webhookAttempts')], record);
}

/** How far behind a backlog alerts are looked for: some milliseconds of reading. */
const ALERT_LOOK_MAX = 5000;

/**
 * What goes out in one message: up to 100 events that were tried as often as the first, so that a message that is sent again
 * holds the same. Alerts that are due at `now` (epoch ms) come first, however many others wait before them; everything else in
 * its order. An alert and the move of a tag are different subjects, so the order per subject stays.
 */
export function mailGroup(
  reading: Reading,
  webhookId: string,
  now: number,
): readonly Entry<OutboxKey, WebhookEventRecord>[] {
  const end = [webhookId, Number.MAX_VALUE];
  const oldest = Array.from(
    reading.range(tables.webhookOutbox, { start: [webhookId], end, limit: limits.mailEvents }),
  );
  const last = oldest.at(-1);
  if (!last || oldest.length < limits.mailEvents) return triedAlike(oldest);
  const start = [webhookId, last.key[1] + 1];
  const behind = Array.from(reading.range(tables.webhookOutbox, { start, end, limit: ALERT_LOOK_MAX }));
  const waiting = [...oldest, ...behind].filter(({ value }) => isAlertEvent(value.type));
  // One that has to wait keeps its place before those behind it: they may be of the same alert.
  const undue = waiting.findIndex(({ value }) => value.nextAt > now);
  const alerts = undue < 0 ? waiting : waiting.slice(0, undue);
  if (alerts.length === 0) return triedAlike(oldest);
  return triedAlike([...alerts, ...oldest.filter((one) => !isAlertEvent(one.value.type))]);
}

function triedAlike(
  entries: readonly Entry<OutboxKey, WebhookEventRecord>[],
): readonly Entry<OutboxKey, WebhookEventRecord>[] {
  const end = entries.findIndex(({ value }) => value.attempts !== entries[0]?.value.attempts);
  return entries.slice(0, Math.min(end < 0 ? entries.length : end, limits.mailEvents));
}

/** Switches a subscription off whose receiver says that it is gone for good (410). */
export function pauseGone(tx: Tx, orgId: string, webhookId: string): void {
  const webhook = tx.get(tables.webhooks, [orgId, webhookId]);
  if (webhook) tx.put(tables.webhooks, [orgId, webhookId], { ...webhook, enabled: false, paused: 'gone' });
}

/** Gives up an event that waits because too many do. */
export function crowdOut(tx: Tx, [webhookId, no]: OutboxKey, now: number): void {
  const event = tx.get(tables.webhookOutbox, [webhookId, no]);
  if (!event) return;
  const error = `more than ${limits.webhookWaiting} events waited; the oldest make room`;
  tx.remove(tables.webhookOutbox, [webhookId, no]);
  bury(tx, [webhookId, no], { event, now, error });
}

function bury(
  tx: Tx,
  [webhookId, no]: OutboxKey,
  { event, now, error }: { readonly event: WebhookEventRecord; readonly now: number; readonly error: string },
): void {
  const dead: DeadWebhookEventRecord = { ...event, diedAt: now, error };
  tx.put(tables.webhookDead, [webhookId, no], dead);
}

/** The events that were given up, newest first. */
export function deadLetters(
  reading: Reading,
  webhookId: string,
): readonly Entry<OutboxKey, DeadWebhookEventRecord>[] {
  return newest(reading, tables.webhookDead, { webhookId, limit: limits.webhookDeadLetters });
}

/** Puts a dead letter into the outbox again at `now` (epoch ms), after all that waits; false when there is none with this id. */
export function revive(
  tx: Tx,
  [webhookId, eventId]: readonly [webhookId: string, eventId: string],
  now: number,
): boolean {
  const found = deadLetters(tx, webhookId).find(({ value }) => value.id === eventId);
  if (!found) return false;
  // To all addresses: what came of each is known of the last attempt only.
  const { diedAt: _, error: __, told: ___, ...event } = found.value;
  tx.remove(tables.webhookDead, found.key);
  // Counted anew: else the first failure gave it up again.
  const again: WebhookEventRecord = { ...event, queuedAt: now, attempts: 0, nextAt: 0 };
  tx.put(tables.webhookOutbox, [webhookId, nextEventNo(tx)], again);
  return true;
}

/** The last attempts of a subscription, newest first. */
export function lastAttempts(
  reading: Reading,
  webhookId: string,
): readonly Entry<OutboxKey, WebhookAttemptRecord>[] {
  return newest(reading, tables.webhookAttempts, { webhookId, limit: limits.webhookAttemptsKept });
}

function newest<V>(
  reading: Reading,
  table: Table<OutboxKey, V>,
  { webhookId, limit }: { readonly webhookId: string; readonly limit: number },
): readonly Entry<OutboxKey, V>[] {
  const range = { start: [webhookId, Number.MAX_VALUE], end: [webhookId], reverse: true, limit };
  return Array.from(reading.range(table, range));
}
