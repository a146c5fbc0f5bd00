import { randomUUID } from 'node:crypto';
import { limits } from '../domain/limits.ts';
import { parseDuration } from '../lib/duration.ts';
import { formatInstant, parseInstant } from '../lib/instant.ts';
import { hashApiKey, makeApiKey, putApiKey } from '../store/api-keys.ts';
import { appendAudit } from '../store/audit.ts';
import type { ApiKeyRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { tables } from '../store/tables.ts';
import { CliError, type CommonOptions, withStore } from './context.ts';
import { print, tableLines, when } from './output.ts';

export interface KeyCreateOptions extends CommonOptions {
  readonly expires?: string;
}

/** `tagkeep key create NAME [--expires 30d|ISO]`: prints the key, once. */
export async function createKey(name: string, options: KeyCreateOptions): Promise<void> {
  if (name.trim() === '' || name.length > limits.nameMaxLength) {
    throw new CliError(`a key's name has 1 to ${limits.nameMaxLength} characters`);
  }
  const createdAt = Date.now();
  const expiresAt = options.expires === undefined ? null : parseExpiry(options.expires, createdAt);
  await withStore(options, async ({ store, org }) => {
    const id = randomUUID();
    const key = makeApiKey();
    const kept = { id, orgId: org.id, name, hash: hashApiKey(key), createdAt, expiresAt };
    await store.write((tx) => {
      putApiKey(tx, { ...kept, revokedAt: null, lastUsedAt: null });
      const after = { name, expiresAt };
      appendAudit(tx, { orgId: org.id, at: createdAt, action: 'create', resource: `api-keys/${id}`, after });
    });
    const expires = expiresAt === null ? null : formatInstant(expiresAt);
    const record = { id, name, key, createdAt: formatInstant(createdAt), expiresAt: expires };
    print(record, options, [`${key}   (shown this once; keep it)`]);
  });
}

/** `tagkeep key list`: every key of the organisation, never the key itself. */
export async function listKeys(options: CommonOptions): Promise<void> {
  await withStore(options, async ({ store, org }) => {
    const now = Date.now();
    const keys = keysOf(store, org.id);
    const rows = keys.map((key) => [
      key.id,
      key.name,
      stateOf(key, now),
      when(key.createdAt),
      when(key.expiresAt),
      when(key.lastUsedAt),
    ]);
    print(
      keys.map(shown),
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
      const before = tx.get(tables.apiKeys, id);
      if (!before || before.orgId !== org.id)
        throw new CliError(`there is no key ${id}; see "tagkeep key list"`);
      if (before.revokedAt !== null) return before;
      const after = { ...before, revokedAt: now };
      tx.put(tables.apiKeys, id, after);
      appendAudit(tx, { orgId: org.id, at: now, action: 'revoke', resource: `api-keys/${id}` });
      return after;
    });
    print(shown(key), options, [`revoked ${key.name} (${id})`]);
  });
}

function keysOf(store: Store, orgId: string): readonly ApiKeyRecord[] {
  return Array.from(store.range(tables.apiKeys), ({ value }) => value)
    .filter((key) => key.orgId === orgId)
    .sort((a, b) => a.createdAt - b.createdAt);
}

function stateOf({ revokedAt, expiresAt }: ApiKeyRecord, now: number): string {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'valid';
}

function shown({ id, name, createdAt, expiresAt, revokedAt, lastUsedAt }: ApiKeyRecord): object {
  const time = (at: number | null): string | null => (at === null ? null : formatInstant(at));
  return {
    id,
    name,
    createdAt: formatInstant(createdAt),
    expiresAt: time(expiresAt),
    revokedAt: time(revokedAt),
    lastUsedAt: time(lastUsedAt),
  };
}

function parseExpiry(text: string, now: number): number {
  const duration = parseDuration(text);
  const at = duration === null ? parseInstant(text) : now + duration;
  if (at === null)
    throw new CliError(`--expires is "${text}"; it takes a span such as 30d or an ISO 8601 time`);
  if (at <= now) throw new CliError(`--expires ${text} is not in the future`);
  return Math.floor(at);
}
