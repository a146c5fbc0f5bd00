import { createHmac } from 'node:crypto';

/** What a message is signed with, and what of it. */
export interface Signing {
  readonly id: string;
  /** Of this attempt, epoch ms. */
  readonly now: number;
  readonly body: string;
  /** `whsec_` and base64; the first is the current one. */
  readonly secrets: readonly string[];
}

/** The headers of Standard Webhooks: id, time in seconds, and an HMAC-SHA256 of both and the body for each secret. */
export function signatureHeaders({ id, now, body, secrets }: Signing): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const signed = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signed.join(' ') };
}
