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
  const writes = besideWrites();
  const finding = { store, now, beside: writes.beside };
  const byKey = keyHolders(finding);
  const bySession = sessionHolders(finding);
  return {
    authenticate({ bearer, cookie, address }) {
      if (bearer !== null) return byKey(bearer, address);
      return cookie === null ? null : bySession(cookie, address);
    },
    ...writes,
  };
}

type FindCaller = (secret: string, address: string) => Caller | null;
type Finding = AuthenticatorOptions & Pick<Authenticator, 'beside'>;

function keyHolders({ store, now, beside }: Finding): FindCaller {
  const use = new LastUse();
  return (bearer, address) => {
    const at = now();
    const key = findApiKey(store, bearer, at);
    if (!key) return null;
    if (use.due(key, at)) beside(store.write((tx) => touchApiKey(tx, key.id, at)));
    return { orgId: key.orgId, id: key.id, email: '', role: 'operator', viaKey: true, address };
  };
}

function sessionHolders({ store, now, beside }: Finding): FindCaller {
  const use = new LastUse();
  return (token, address) => {
    const at = now();
    const session = findSession(store, token, at);
    if (!session) return null;
    const { id: sessionId, record, user } = session;
    const { id, orgId, email, role } = user;
    const { lastUsedAt } = record;
    if (use.due({ id: sessionId, lastUsedAt }, at))
      beside(store.write((tx) => touchSession(tx, sessionId, at)));
    return { orgId, id, email, role, viaKey: false, address, sessionId };
  };
}

function besideWrites(): Pick<Authenticator, 'beside' | 'idle'> {
  const writing = new Set<Promise<unknown>>();
  return {
    beside: (write) => {
      const settled = write.catch(() => undefined);
      writing.add(settled);
      void settled.then(() => writing.delete(settled));
    },
    idle: async () => {
      await Promise.all(writing);
    },
  };
}
