import { createHash, randomBytes } from 'node:crypto';
import { limits } from '../domain/limits.ts';
import { invalid } from '../domain/refusal.ts';
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

/**
 * Adds a new key. An organisation has so many at most, revoked and expired ones included; of these the oldest make room.
 * Throws a 400 when all are valid. `createdAt` is the time now.
 */
export function addApiKey(tx: Tx, record: ApiKeyRecord): void {
  const keys = apiKeysOf(tx, record.orgId);
  const surplus = keys.length + 1 - limits.apiKeysPerOrganisation;
  const dead = keys.filter((key) => !isValid(key, record.createdAt));
  if (surplus > dead.length)
    throw invalid(`There are ${limits.apiKeysPerOrganisation} valid API keys, as many as there may be.`);
  for (const { id, hash } of dead.slice(0, Math.max(surplus, 0))) {
    tx.remove(tables.apiKeys, id);
    tx.remove(tables.apiKeyByHash, hash);
  }
  putApiKey(tx, record);
}

/** The keys of an organisation, the oldest first. There are few keys in all, so that looking through them is cheap. */
export function apiKeysOf(reading: Reading, orgId: string): readonly ApiKeyRecord[] {
  return Array.from(reading.range(tables.apiKeys), ({ value }) => value)
    .filter((key) => key.orgId === orgId)
    .sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
}

/** A key of this organisation; undefined for one of another. */
export function apiKeyOf(reading: Reading, orgId: string, id: string): ApiKeyRecord | undefined {
  const key = reading.get(tables.apiKeys, id);
  return key?.orgId === orgId ? key : undefined;
}

/** Revokes a key, at once and for good; null when it is revoked already. */
export function revokeApiKey(tx: Tx, key: ApiKeyRecord, now: number): ApiKeyRecord | null {
  if (key.revokedAt !== null) return null;
  const revoked = { ...key, revokedAt: now };
  tx.put(tables.apiKeys, key.id, revoked);
  return revoked;
}

/** What a key is good for at `now` (epoch ms). */
export type ApiKeyState = 'valid' | 'revoked' | 'expired';

/** Revoked goes before expired: it is what somebody did. */
export function apiKeyState(key: ApiKeyRecord, now: number): ApiKeyState {
  if (key.revokedAt !== null) return 'revoked';
  return isValid(key, now) ? 'valid' : 'expired';
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
