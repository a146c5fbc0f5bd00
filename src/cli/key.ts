import { randomUUID } from 'node:crypto';
import { type ApiKey, apiKeyAnswer } from '../contract/api-key.ts';
import { limits } from '../domain/limits.ts';
import { parseDuration } from '../lib/duration.ts';
import { parseInstant } from '../lib/instant.ts';
import {
  addApiKey,
  apiKeyOf,
  apiKeyState,
  apiKeysOf,
  hashApiKey,
  makeApiKey,
  revokeApiKey,
} from '../store/api-keys.ts';
import { appendAudit } from '../store/audit.ts';
import type { ApiKeyRecord } from '../store/records.ts';
import { CliError, CliUsageError, type CommonOptions, withStore } from './context.ts';
import { print, tableLines, when } from './output.ts';

export interface KeyCreateOptions extends CommonOptions {
  readonly expires?: string;
}

/** `tagkeep key create NAME [--expires 30d|ISO]`: prints the key, once. */
export async function createKey(name: string, options: KeyCreateOptions): Promise<void> {
  if (name.trim() === '' || name.length > limits.nameMaxLength) {
    throw new CliUsageError(`a key's name has 1 to ${limits.nameMaxLength} characters`);
  }
  const createdAt = Date.now();
  const expiresAt = options.expires === undefined ? null : parseExpiry(options.expires, createdAt);
  await withStore(options, async ({ store, org }) => {
    const id = randomUUID();
    const key = makeApiKey();
    const dates = { createdAt, expiresAt, revokedAt: null, lastUsedAt: null };
    const kept = { id, orgId: org.id, name, hash: hashApiKey(key), ...dates };
    const shownKey = shown(kept, createdAt);
    const after = { name, expiresAt: shownKey.expiresAt };
    await store.write((tx) => {
      addApiKey(tx, kept);
      appendAudit(tx, { orgId: org.id, at: createdAt, action: 'create', resource: `api-keys/${id}`, after });
    });
    const record = { id, name, key, createdAt: shownKey.createdAt, expiresAt: shownKey.expiresAt };
    print(record, options, [`${key}   (shown this once; keep it)`]);
  });
}

/** `tagkeep key list`: every key of the organisation, never the key itself. */
export async function listKeys(options: CommonOptions): Promise<void> {
  await withStore(options, async ({ store, org }) => {
    const now = Date.now();
    const keys = apiKeysOf(store, org.id);
    const rows = keys.map((key) => [
      key.id,
      key.name,
      apiKeyState(key, now),
      when(key.createdAt),
      when(key.expiresAt),
      when(key.lastUsedAt),
    ]);
    print(
      keys.map((key) => shown(key, now)),
      options,
      tableLines(['ID', 'NAME', 'STATE', 'CREATED', 'EXPIRES', 'LAST USED'], rows),
    );
  });
}

/** `tagkeep key revoke ID`: from now on requests with it get 401. Doing it again changes nothing. */
export async function revokeKey(id: string, options: CommonOptions): Promise<void> {
  await withStore(options, async ({ store, org }) => {
    const now = Date.now();
    const key = await store.write((tx) => {
      const before = apiKeyOf(tx, org.id, id);
      if (!before) throw new CliError(`there is no key ${id}; see "tagkeep key list"`);
      const revoked = revokeApiKey(tx, before, now);
      if (!revoked) return before;
      const what = { action: 'revoke', resource: `api-keys/${id}`, before: { name: before.name } };
      appendAudit(tx, { orgId: org.id, at: now, ...what });
      return revoked;
    });
    print(shown(key, now), options, [`revoked ${key.name} (${id})`]);
  });
}

function shown(key: ApiKeyRecord, now: number): ApiKey {
  return apiKeyAnswer(key, apiKeyState(key, now));
}

function parseExpiry(text: string, now: number): number {
  const duration = parseDuration(text);
  const at = duration === null ? parseInstant(text) : now + duration;
  if (at === null)
    throw new CliUsageError(`--expires is "${text}"; it takes a span such as 30d or an ISO 8601 time`);
  if (at <= now) throw new CliUsageError(`--expires ${text} is not in the future`);
  return Math.floor(at);
}
