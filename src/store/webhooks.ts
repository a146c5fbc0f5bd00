import { randomBytes } from 'node:crypto';
import { limits } from '../domain/limits.ts';
import { refuse } from '../domain/refusal.ts';
import { isGivenUp, retryPauseMs, type WebhookEventType } from '../domain/webhook.ts';
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
  /** Epoch ms. */
  readonly at: number;
  readonly data: object;
}

/** Puts an event into the outbox of a subscription, within the transaction of what it tells. `id` is a new UUID. */
export function putEvent(tx: Tx, webhookId: string, event: NewWebhookEvent & { readonly id: string }): void {
  const { id, type, subject, at, data } = event;
  const record: WebhookEventRecord = { id, type, subject, at, data, attempts: 0, nextAt: 0 };
  tx.put(tables.webhookOutbox, [webhookId, tx.next('webhookEvents')], record);
}

/** How an attempt went; `error` is null when it was delivered. */
export interface AttemptOutcome {
  readonly statusCode: number | null;
  readonly durationMs: number;
  readonly error: string | null;
}

/**
 * Writes down how an attempt went, at `now` (epoch ms): the event is delivered, waits for the next attempt (`random`, from 0
 * to 1, spreads these), or is given up. Null when the event is gone: its subscription was deleted, or it had to make room.
 */
export function settleAttempt(
  tx: Tx,
  [webhookId, no]: OutboxKey,
  { now, random, ...outcome }: AttemptOutcome & { readonly now: number; readonly random: number },
): WebhookAttemptRecord['outcome'] | null {
  const event = tx.get(tables.webhookOutbox, [webhookId, no]);
  if (!event) return null;
  const attempts = event.attempts + 1;
  const tried: WebhookEventRecord = { ...event, attempts, nextAt: now + retryPauseMs(attempts, random) };
  const settled = outcome.error === null ? 'delivered' : isGivenUp(tried, now) ? 'dead' : 'retrying';
  if (settled === 'retrying') tx.put(tables.webhookOutbox, [webhookId, no], tried);
  else tx.remove(tables.webhookOutbox, [webhookId, no]);
  if (settled === 'dead') bury(tx, [webhookId, no], { event: tried, now, error: outcome.error ?? '' });
  const about = {
    eventId: event.id,
    type: event.type,
    at: now,
    attempt: attempts,
    outcome: settled,
  } as const;
  tx.put(tables.webhookAttempts, [webhookId, tx.next('webhookAttempts')], { ...about, ...outcome });
  return settled;
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

/** Puts a dead letter into the outbox again, after all that waits; false when there is none with this id. */
export function revive(tx: Tx, webhookId: string, eventId: string): boolean {
  const found = deadLetters(tx, webhookId).find(({ value }) => value.id === eventId);
  if (!found) return false;
  const { diedAt: _, error: __, ...event } = found.value;
  tx.remove(tables.webhookDead, found.key);
  // Counted anew: else the first failure gave it up again.
  const again: WebhookEventRecord = { ...event, attempts: 0, nextAt: 0 };
  tx.put(tables.webhookOutbox, [webhookId, tx.next('webhookEvents')], again);
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
