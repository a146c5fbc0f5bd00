import { z } from 'zod';
import { limits } from '../domain/limits.ts';
import { alertSeverities, type WebhookEventType, webhookEventTypes } from '../domain/webhook.ts';
import { timestamp, uuid, uuidInput } from './scalars.ts';

const eventType = z.enum(webhookEventTypes as readonly [WebhookEventType, ...WebhookEventType[]]); // it has members
const severity = z.enum(alertSeverities);

const zoneIds = 'Of moves of tags (from or to there) and of assets: only these zones. Null: all';
const assetIds = 'Of asset events, and of alerts about assets: only these assets. Null: all';
const severities = 'Of alerts: only these. Null: all';

/** A subscription. The secret is never part of it. */
export const webhookSchema = z
  .object({
    id: uuid,
    url: z.string().nullable().meta({ description: 'Null: it goes out by e-mail' }),
    emailTo: z
      .array(z.string())
      .nullable()
      .meta({ description: 'Who gets the e-mail. Null: it is a webhook, at `url`' }),
    enabled: z.boolean(),
    paused: z.enum(['gone']).nullable().meta({
      description:
        '`gone`: the receiver answered 410, and so it was switched off. Null: nothing but a person switches it',
    }),
    types: z.array(eventType).meta({ description: 'What is told' }),
    zoneIds: z.array(uuid).nullable().meta({ description: zoneIds }),
    assetIds: z.array(uuid).nullable().meta({ description: assetIds }),
    severities: z.array(severity).nullable().meta({ description: severities }),
    caPem: z.string().nullable().meta({
      description: "What the receiver's certificate must lead to. Null: the authorities known everywhere",
    }),
    createdAt: timestamp,
    waiting: z.int().meta({ description: 'Events not delivered yet' }),
  })
  .meta({ id: 'Webhook', description: 'Who is told of what' });
export type Webhook = z.infer<typeof webhookSchema>;

const secretWords = 'The signing secret, `whsec_` and base64. It is shown this once. Null for e-mail.';

/** The answer of POST /webhooks and POST /webhooks/{id}/rotate-secret. */
export const madeWebhookSchema = webhookSchema
  .extend({ secret: z.string().nullable().meta({ description: secretWords }) })
  .meta({ id: 'MadeWebhook', description: 'A webhook with its secret' });
export type MadeWebhook = z.infer<typeof madeWebhookSchema>;

const urlInput = z
  .string()
  .max(limits.webhookUrlMaxLength)
  .transform((text, context) => {
    const url = parseUrl(text);
    if (url !== null) return url;
    context.addIssue('must be an address such as https://erp.example.org/hooks, without user, password or #');
    return z.NEVER;
  })
  .meta({ description: 'http:// or https://, on the own network or beyond. It is called by the appliance.' });

function parseUrl(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const { protocol, username, password, hash, hostname, href } = new URL(text);
  const isPlain = username === '' && password === '' && hash === '' && hostname !== '';
  const isShort = href.length <= limits.webhookUrlMaxLength * 3;
  return isPlain && isShort && /^https?:$/.test(protocol) ? href : null;
}

const ADDRESS = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/;
const emailToInput = z
  .array(
    z
      .string()
      .max(limits.mailAddressMaxLength)
      .regex(ADDRESS, 'must be an address such as lead@example.org, without a name before it'),
  )
  .min(1)
  .max(limits.mailRecipients)
  .transform((addresses) => [...new Set(addresses.map(withPlainDomain))])
  .meta({
    description:
      "Who gets e-mail, through the site's own mail server (`mail.host`); they see each other's addresses",
  });

// As it goes out: what the mail server took is compared with it.
function withPlainDomain(address: string): string {
  const at = address.lastIndexOf('@');
  return address.slice(0, at) + address.slice(at).toLowerCase();
}

const idsInput = z.array(uuidInput).min(1).max(limits.webhookFilterIds).nullable();
const input = {
  url: urlInput,
  emailTo: emailToInput,
  types: z.array(eventType).min(1).max(webhookEventTypes.length),
  enabled: z.boolean(),
  zoneIds: idsInput.meta({ description: zoneIds }),
  assetIds: idsInput.meta({ description: assetIds }),
  severities: z
    .array(severity)
    .min(1)
    .max(alertSeverities.length)
    .nullable()
    .meta({ description: severities }),
  caPem: z
    .string()
    .max(limits.webhookCaMaxLength)
    .nullable()
    .meta({ description: 'PEM certificates, for a receiver with a certificate of an own authority' }),
};

/** The body of POST /webhooks. */
export const newWebhookSchema = z
  .object({
    ...{ url: input.url.nullish(), emailTo: input.emailTo.nullish() },
    ...{ types: input.types, enabled: input.enabled.default(true) },
    zoneIds: input.zoneIds.default(null),
    assetIds: input.assetIds.default(null),
    severities: input.severities.default(null),
    caPem: input.caPem.default(null),
  })
  .refine(({ url, emailTo }) => !url !== !emailTo, {
    message: 'must be given, or emailTo in its place, not both',
    path: ['url'],
  })
  .meta({ id: 'NewWebhook' });

/** The body of PATCH /webhooks/{id}: at least one of them; a webhook never becomes e-mail, nor the other way round. */
export const webhookChangeSchema = z
  .object(input)
  .partial()
  .refine(
    (change) => Object.keys(change).length > 0,
    'must have url, emailTo, types, enabled, zoneIds, assetIds, severities or caPem',
  )
  .meta({ id: 'WebhookChange' });
export type WebhookChange = z.output<typeof webhookChangeSchema>;

const statusCode = 'What the receiver answered, if it did; of e-mail the reply code of SMTP';
const response = 'Of e-mail: what the mail server said, and who it did not take it for';

/** How one attempt to deliver went. */
export const attemptSchema = z
  .object({
    delivered: z.boolean(),
    statusCode: z.int().optional().meta({ description: statusCode }),
    durationMs: z.int(),
    error: z.string().optional().meta({ description: 'Why it was not delivered' }),
    response: z.string().optional().meta({ description: response }),
  })
  .meta({ id: 'WebhookTest', description: 'What came of a test' });
export type Attempt = z.infer<typeof attemptSchema>;

const deliveryId = uuid.meta({ description: 'Of the event: the header `webhook-id` of every attempt' });

/** An attempt to deliver an event. */
export const deliverySchema = z
  .object({
    id: deliveryId,
    type: eventType,
    at: timestamp,
    outcome: z.enum(['delivered', 'retrying', 'dead']),
    attempt: z.int().meta({ description: 'Which attempt it was, from 1' }),
    statusCode: z.int().optional().meta({ description: statusCode }),
    durationMs: z.int(),
    error: z.string().optional(),
    response: z.string().optional().meta({ description: response }),
    events: z.int().optional().meta({
      description: 'Of e-mail: how many events were in the message; the entry is about the first',
    }),
  })
  .meta({ id: 'WebhookDelivery', description: 'One attempt to deliver an event' });
export type Delivery = z.infer<typeof deliverySchema>;

/** An event that was given up. */
export const deadLetterSchema = z
  .object({
    id: deliveryId,
    type: eventType,
    timestamp: timestamp.meta({ description: 'When it happened' }),
    data: z.looseObject({}).meta({ description: 'What was to be told' }),
    attempts: z.int(),
    diedAt: timestamp,
    error: z.string().meta({ description: 'Why it was given up' }),
  })
  .meta({ id: 'WebhookDeadLetter', description: 'An event that could not be delivered' });
export type DeadLetter = z.infer<typeof deadLetterSchema>;

export const webhookExample: Webhook = {
  id: '3e9b5a70-1c2d-4e3f-8a4b-5c6d7e8f9a0b',
  url: 'https://erp.example.org/hooks/tagkeep',
  emailTo: null,
  enabled: true,
  paused: null,
  types: ['alert_opened', 'alert_resolved'],
  zoneIds: null,
  assetIds: null,
  severities: ['critical'],
  caPem: null,
  createdAt: '2026-03-01T08:00:00.000Z',
  waiting: 0,
};

export const deliveryExample: Delivery = {
  id: '8d7c6b5a-4f3e-4d2c-9b1a-0f9e8d7c6b5a',
  type: 'alert_opened',
  at: '2026-03-02T09:16:38.120Z',
  outcome: 'retrying',
  attempt: 1,
  statusCode: 503,
  durationMs: 41,
  error: 'the receiver answered 503',
};

export const deadLetterExample: DeadLetter = {
  id: '8d7c6b5a-4f3e-4d2c-9b1a-0f9e8d7c6b5a',
  type: 'alert_opened',
  timestamp: '2026-03-02T09:16:38.020Z',
  data: { id: '019caef3-1d54-7000-8001-1c2d3e4f5a6b', severity: 'critical', state: 'open' },
  attempts: 84,
  diedAt: '2026-03-05T09:20:00.000Z',
  error: 'the connection was refused: nothing listens there',
};
