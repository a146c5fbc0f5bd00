import { createHash } from 'node:crypto';
import type { LookupFunction } from 'node:net';
import { areLateRecipientsGivenUp } from '../../domain/webhook.ts';
import type { WebhookEventRecord, WebhookRecord } from '../../store/webhook-records.ts';
import type { AttemptOutcome } from '../../store/webhooks.ts';
import { plainLine } from './fault.ts';
import type { Names } from './mail-sentence.ts';
import type { MailServer } from './mail-server.ts';
import { mailText } from './mail-text.ts';

/** What an e-mail goes out with. */
export interface MailDelivery {
  readonly server: MailServer | null;
  readonly webhook: WebhookRecord;
  readonly lookup: LookupFunction;
  readonly signal: AbortSignal;
  /** Epoch ms. */
  readonly now: number;
}

/** What a message of the outbox is made of. */
export interface Told {
  readonly events: readonly WebhookEventRecord[];
  /** How many more wait. */
  readonly more: number;
  readonly names: Names;
}

/** Sends events in one e-mail to everybody who did not get it yet; never throws. */
export async function mailEvents(
  delivery: MailDelivery,
  { events, more, names }: Told,
): Promise<AttemptOutcome> {
  const { webhook } = delivery;
  const before = events[0]?.told ?? [];
  const outcome = await sendLetter(delivery, {
    ...mailText(events, { names, more, webhookId: webhook.id }),
    ids: events.map(({ id }) => id),
    recipients: (webhook.emailTo ?? []).filter((address) => !before.includes(address)),
  });
  const told = [...before, ...(outcome.told ?? [])];
  const { error } = outcome;
  if (error === null || told.length === 0) return outcome;
  if (!areLateRecipientsGivenUp((events[0]?.attempts ?? 0) + 1)) return { ...outcome, told };
  const { told: _, ...rest } = outcome;
  return { ...rest, error: null, response: plainLine(`not for all, given up: ${error}`) };
}

/** Sends an e-mail that says only that it arrives; never throws. `id` is a new UUID. */
export function mailTest(delivery: MailDelivery, id: string): Promise<AttemptOutcome> {
  const text = 'This is a test. Nothing has happened.\n';
  const recipients = delivery.webhook.emailTo ?? [];
  return sendLetter(delivery, { subject: 'Tagkeep: test', text, ids: [id], recipients });
}

interface Content {
  readonly subject: string;
  readonly text: string;
  /** Of all that is told. */
  readonly ids: readonly string[];
  readonly recipients: readonly string[];
}

async function sendLetter(delivery: MailDelivery, content: Content): Promise<AttemptOutcome> {
  const { server, webhook, now, lookup, signal } = delivery;
  if (!server) return { statusCode: null, durationMs: 0, error: 'mail.host is not set in the configuration' };
  const { ids, ...letter } = content;
  // Everybody who was left is no longer asked for.
  if (letter.recipients.length === 0) return { statusCode: null, durationMs: 0, error: null };
  const domain = server.from.slice(server.from.lastIndexOf('@') + 1);
  const began = performance.now();
  const told = await server.send(
    {
      ...letter,
      // Of the same events the same one: by it a mailbox tells what came twice.
      messageId: `${createHash('sha256').update(ids.join()).digest('hex').slice(0, 32)}@${domain}`,
      to: webhook.emailTo ?? [],
      listId: `${webhook.id}.tagkeep.${domain}`,
      at: now,
    },
    { lookup, signal },
  );
  return { ...told, durationMs: Math.round(performance.now() - began) };
}
