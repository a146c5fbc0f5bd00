import type { Attempt, DeadLetter, Delivery, Webhook } from '../../contract/webhook.ts';
import { refuse } from '../../domain/refusal.ts';
import { formatInstant } from '../../lib/instant.ts';
import type { Reading } from '../../store/store.ts';
import { tables } from '../../store/tables.ts';
import type {
  DeadWebhookEventRecord,
  WebhookAttemptRecord,
  WebhookRecord,
} from '../../store/webhook-records.ts';
import type { AttemptOutcome } from '../../store/webhooks.ts';

/** A subscription of the caller's organisation. Throws `not-found`. */
export function knownWebhook(reading: Reading, orgId: string, id: string): WebhookRecord {
  const webhook = reading.get(tables.webhooks, [orgId, id]);
  if (!webhook) throw refuse('not-found', 'There is no webhook with this id.');
  return webhook;
}

/** A subscription as the interface has it: without its secrets. */
export function webhookView(webhook: WebhookRecord, waiting: number): Webhook {
  const { id, url, emailTo, enabled, paused, types, zoneIds, assetIds, severities } = webhook;
  const { caPem, createdAt } = webhook;
  const how = { url, emailTo: emailTo ? [...emailTo] : null, enabled, paused: paused ?? null };
  const lists = {
    types: [...types],
    zoneIds: zoneIds && [...zoneIds],
    assetIds: assetIds && [...assetIds],
    severities: severities && [...severities],
  };
  return { id, ...how, ...lists, caPem, createdAt: formatInstant(createdAt), waiting };
}

/** For the audit log: of the address only where it leads, because paths and queries of some receivers are secrets. */
export function auditView({
  url,
  emailTo,
  enabled,
  types,
  zoneIds,
  assetIds,
  severities,
  caPem,
}: WebhookRecord): object {
  return {
    ...(url === null ? { emailTo } : { origin: new URL(url).origin }),
    enabled,
    types,
    zoneIds,
    assetIds,
    severities,
    ownCa: caPem !== null,
  };
}

/** How an attempt went, as the interface has it. */
export function attemptView({ statusCode, durationMs, error, response }: AttemptOutcome): Attempt {
  const told = { ...(statusCode !== null && { statusCode }), ...(error !== null && { error }) };
  const said = response === undefined ? {} : { response };
  return { delivered: error === null, durationMs, ...told, ...said };
}

/** A logged attempt, as the interface has it. */
export function deliveryView(record: WebhookAttemptRecord): Delivery {
  const { eventId: id, type, at, outcome, attempt, events } = record;
  const { delivered: _, ...told } = attemptView(record);
  const many = events === undefined ? {} : { events };
  return { id, type, at: formatInstant(at), outcome, attempt, ...told, ...many };
}

/** An event that was given up, as the interface has it. */
export function deadLetterView(record: DeadWebhookEventRecord): DeadLetter {
  const { id, type, at, data, attempts, diedAt, error } = record;
  const times = { timestamp: formatInstant(at), diedAt: formatInstant(diedAt) };
  return { id, type, ...times, data: { ...data }, attempts, error };
}
