import type { Credentials } from '../../http/access.ts';
import type { Caller } from '../../http/route.ts';
import { findApiKey, touchApiKey } from '../../store/api-keys.ts';
import { findSession, touchSession } from '../../store/sessions.ts';
import type { Store } from '../../store/store.ts';
import { LastUse } from './last-use.ts';

export interface AuthenticatorOptions {
  readonly store: Store;
  /** Epoch ms. */
  readonly now: () => number;
}

/** Finds the caller behind an API key or a session cookie. */
export interface Authenticator {
  /**
   * Null: no credentials, or malformed, unknown, expired, revoked or ended ones. An API key that is sent decides alone. Asks
   * the store every time: a revocation, a logout, another role or a removed user count at once.
   */
  authenticate(credentials: Credentials): Caller | null;
  /** Takes a write that no request waits for; its failure is nobody's. */
  readonly beside: (write: Promise<unknown>) => void;
  /** Resolves when notes of last use and other writes under way are on disk, or given up; for stopping. */
  idle(): Promise<void>;
}

/** API keys act as operators. The last use is written at most once a minute for each key and session, beside the request. */
export function createAuthenticator({ store, now }: AuthenticatorOptions): Authenticator {
  const keyUse = new LastUse();
  const sessionUse = new LastUse();
  const writing = new Set<Promise<unknown>>();
  const beside = (write: Promise<unknown>): void => {
    const settled = write.catch(() => undefined);
    writing.add(settled);
    void settled.then(() => writing.delete(settled));
  };
  const byKey = (bearer: string, address: string): Caller | null => {
    const at = now();
    const key = findApiKey(store, bearer, at);
    if (!key) return null;
    if (keyUse.due(key, at)) beside(store.write((tx) => touchApiKey(tx, key.id, at)));
    return { orgId: key.orgId, id: key.id, email: '', role: 'operator', viaKey: true, address };
  };
  const bySession = (token: string, address: string): Caller | null => {
    const at = now();
    const session = findSession(store, token, at);
    if (!session) return null;
    const { id: sessionId, record, user } = session;
    const { id, orgId, email, role } = user;
    const { lastUsedAt } = record;
    if (sessionUse.due({ id: sessionId, lastUsedAt }, at))
      beside(store.write((tx) => touchSession(tx, sessionId, at)));
    return { orgId, id, email, role, viaKey: false, address, sessionId };
  };
  return {
    authenticate({ bearer, cookie, address }) {
      if (bearer !== null) return byKey(bearer, address);
      return cookie === null ? null : bySession(cookie, address);
    },
    beside,
    idle: async () => {
      await Promise.all(writing);
    },
  };
}
