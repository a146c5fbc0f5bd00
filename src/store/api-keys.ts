import { createHash, randomBytes } from 'node:crypto';
import type { ApiKeyRecord } from './records.ts';
import type { Reading, Tx } from './store.ts';
import { tables } from './tables.ts';

const KEY = /^tk_[A-Za-z0-9_-]{43}$/;
const KEY_BYTES = 32;

/** A new API key: `tk_` and 32 random bytes in base64url. Show it once; only its hash is kept. */
export function makeApiKey(): string {
  return `tk_${randomBytes(KEY_BYTES).toString('base64url')}`;
}

/** What is kept of a key: its SHA-256, hex. A random key of 256 bits needs no slow hash. */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** Puts a key and its index entry. */
export function putApiKey(tx: Tx, record: ApiKeyRecord): void {
  tx.put(tables.apiKeys, record.id, record);
  tx.put(tables.apiKeyByHash, record.hash, record.id);
}

/** The record behind a key sent by a client; null when it is malformed, unknown, revoked, or expired at `now` (epoch ms). */
export function findApiKey(reading: Reading, key: string, now: number): ApiKeyRecord | null {
  if (!KEY.test(key)) return null;
  const id = reading.get(tables.apiKeyByHash, hashApiKey(key));
  const record = id === undefined ? undefined : reading.get(tables.apiKeys, id);
  return record && isValid(record, now) ? record : null;
}

/** Whether a key's owner may go on with what it opened: neither revoked nor expired at `now` (epoch ms). */
export function isApiKeyLive(reading: Reading, id: string, now: number): boolean {
  const record = reading.get(tables.apiKeys, id);
  return record !== undefined && isValid(record, now);
}

/** Notes when a key was last used; a key that is gone, or was used later, is left as it is. */
export function touchApiKey(tx: Tx, id: string, at: number): void {
  const record = tx.get(tables.apiKeys, id);
  if (record && (record.lastUsedAt ?? 0) < at) tx.put(tables.apiKeys, id, { ...record, lastUsedAt: at });
}

function isValid({ revokedAt, expiresAt }: ApiKeyRecord, now: number): boolean {
  return revokedAt === null && (expiresAt === null || now < expiresAt);
}
