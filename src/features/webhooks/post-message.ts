import { randomUUID } from 'node:crypto';
import type { LookupFunction } from 'node:net';
import { formatInstant } from '../../lib/instant.ts';
import type { WebhookRecord } from '../../store/webhook-records.ts';
import type { AttemptOutcome } from '../../store/webhooks.ts';
import { send } from './send.ts';
import { signatureHeaders } from './signature.ts';

/** What is told to a receiver. */
export interface Message {
  readonly id: string;
  readonly type: string;
  /** ISO 8601. */
  readonly timestamp: string;
  readonly data: object;
}

/** What a message is posted with. */
export interface Posting {
  readonly webhook: WebhookRecord;
  readonly lookup: LookupFunction;
  /** Ends the attempt, which then fails. */
  readonly signal: AbortSignal;
  /** Epoch ms. */
  readonly now: number;
  readonly timeoutMs?: number | undefined;
}

/** Posts a signed message to a webhook and says how it went; never throws. */
export async function postMessage(posting: Posting, message: Message): Promise<AttemptOutcome> {
  const { webhook, lookup, signal, now, timeoutMs } = posting;
  const { id, ...told } = message;
  if (webhook.url === null) return { statusCode: null, durationMs: 0, error: 'it has no address' };
  const body = JSON.stringify(told);
  return send({
    ...{ url: webhook.url, caPem: webhook.caPem, body, lookup, signal },
    headers: signatureHeaders({ id, now, body, secrets: secretsOf(webhook, now) }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  });
}

/** A message that tells nothing but that it arrives, at `now` (epoch ms). */
export function testMessage(webhookId: string, now: number): Message {
  const data = { webhookId, message: 'This is a test. Nothing has happened.' };
  return { id: randomUUID(), type: 'webhook_test', timestamp: formatInstant(now), data };
}

function secretsOf({ secret, previous }: WebhookRecord, now: number): readonly string[] {
  const old = previous && now < previous.until ? [previous.secret] : [];
  return secret === null ? old : [secret, ...old];
}
