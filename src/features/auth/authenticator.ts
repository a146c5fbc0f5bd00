import type { Credentials } from '../../http/access.ts';
import type { Caller } from '../../http/route.ts';
import { findApiKey, touchApiKey } from '../../store/api-keys.ts';
import type { ApiKeyRecord } from '../../store/records.ts';
import type { Store } from '../../store/store.ts';

/** Between two notes of a key's last use. */
const TOUCH_EVERY_MS = 60_000;

export interface AuthenticatorOptions {
  readonly store: Store;
  /** Epoch ms. */
  readonly now: () => number;
}

/** Finds the caller behind an API key. */
export interface Authenticator {
  /** Null: no key, or a malformed, unknown, expired or revoked one. Asks the store every time: a revocation counts at once. */
  authenticate(credentials: Credentials): Caller | null;
  /** Resolves when notes of last use under way are on disk, or given up; for stopping. */
  idle(): Promise<void>;
}

/** API keys act as operators. `lastUsedAt` is written at most once a minute for each key, beside the request. */
export function createAuthenticator({ store, now }: AuthenticatorOptions): Authenticator {
  const touchedAt = new Map<string, number>();
  const writing = new Set<Promise<void>>();
  const touch = ({ id, lastUsedAt }: ApiKeyRecord, at: number): void => {
    const last = Math.max(
      lastUsedAt ?? Number.NEGATIVE_INFINITY,
      touchedAt.get(id) ?? Number.NEGATIVE_INFINITY,
    );
    if (at - last < TOUCH_EVERY_MS) return;
    touchedAt.set(id, at);
    // When the disk refuses, the request goes on all the same and the next minute tries again.
    const write = store.write((tx) => touchApiKey(tx, id, at)).catch(() => undefined);
    writing.add(write);
    void write.then(() => writing.delete(write));
  };
  return {
    authenticate({ bearer, address }) {
      const at = now();
      const key = bearer === null ? null : findApiKey(store, bearer, at);
      if (!key) return null;
      touch(key, at);
      return { orgId: key.orgId, id: key.id, email: '', role: 'operator', viaKey: true, address };
    },
    idle: async () => {
      await Promise.all(writing);
    },
  };
}
