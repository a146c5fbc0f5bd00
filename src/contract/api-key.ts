import { z } from 'zod';
import { formatInstant, parseInstant } from '../lib/instant.ts';
import { nameInput, timestamp, uuid } from './scalars.ts';

/** An API key as it is listed: never the key itself. */
export const apiKeySchema = z
  .object({
    id: uuid,
    name: z.string(),
    state: z.enum(['valid', 'revoked', 'expired']),
    createdAt: timestamp,
    expiresAt: timestamp.nullable().meta({ description: 'null: it does not expire' }),
    revokedAt: timestamp.nullable(),
    lastUsedAt: timestamp.nullable().meta({ description: 'To the minute; null: never used' }),
  })
  .meta({ id: 'ApiKey', description: 'An API key, without the key itself' });
export type ApiKey = z.infer<typeof apiKeySchema>;

/** What is kept of a key that may be shown; times are epoch ms. */
export interface KeptApiKey {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly lastUsedAt: number | null;
}

/** A key as REST and the command line show it. */
export function apiKeyAnswer(key: KeptApiKey, state: ApiKey['state']): ApiKey {
  return {
    id: key.id,
    name: key.name,
    state,
    createdAt: formatInstant(key.createdAt),
    expiresAt: time(key.expiresAt),
    revokedAt: time(key.revokedAt),
    lastUsedAt: time(key.lastUsedAt),
  };
}

function time(at: number | null): string | null {
  return at === null ? null : formatInstant(at);
}

/** The answer of POST /api-keys. */
export const madeApiKeySchema = apiKeySchema
  .extend({ key: z.string().meta({ description: 'The key. It is shown this once.' }) })
  .meta({ id: 'MadeApiKey', description: 'A new API key' });
export type MadeApiKey = z.infer<typeof madeApiKeySchema>;

const instantInput = z
  .string()
  .max(64)
  .transform((text, context) => {
    const at = parseInstant(text);
    if (at !== null) return Math.floor(at);
    context.addIssue('must be a time such as 2026-03-01T12:00:00Z');
    return z.NEVER;
  })
  .meta({ format: 'date-time' });

/** The body of POST /api-keys. `expiresAt` becomes epoch ms; null or left out: the key does not expire. */
export const newApiKeySchema = z
  .object({ name: nameInput, expiresAt: instantInput.nullable().default(null) })
  .meta({ id: 'NewApiKey' });

export const apiKeyExample: ApiKey = {
  id: '7b1d2c34-5e6f-4a7b-8c9d-0e1f2a3b4c5d',
  name: 'ERP',
  state: 'valid',
  createdAt: '2026-03-01T08:00:00.000Z',
  expiresAt: '2027-03-01T08:00:00.000Z',
  revokedAt: null,
  lastUsedAt: '2026-03-02T09:15:00.000Z',
};
