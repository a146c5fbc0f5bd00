import { createHash, randomBytes } from 'node:crypto';
import { limits } from '../domain/limits.ts';
import { Pace } from '../lib/pace.ts';
import { isApiKeyLive } from './api-keys.ts';
import type { SessionRecord, UserRecord } from './records.ts';
import type { Reading, Store, Tx } from './store.ts';
import { tables } from './tables.ts';

/** A session ends when it was not used for `idleMs`, and in any case `absoluteMs` after the login. */
export const sessionRules = { idleMs: 12 * 3_600_000, absoluteMs: 30 * 86_400_000 } as const;

const TOKEN = /^[A-Za-z0-9_-]{43}$/;
const SESSION_ID = /^[0-9a-f]{64}$/;
const TOKEN_BYTES = 32;
/** Sessions looked at, or removed, at a time. */
const SLICE = 200;

/** A session with its key in the table: the SHA-256 of its token, hex. */
export interface StoredSession {
  readonly id: string;
  readonly record: SessionRecord;
}

/** A session that holds, and whose it is. */
export interface LiveSession extends StoredSession {
  readonly user: UserRecord;
}

/** What a browser gets: 32 random bytes in base64url. Only its hash is kept. */
export function makeSessionToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** What is kept of a token, and names the session: its SHA-256, hex. */
export function sessionIdOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** The session behind a token; null when it is malformed, unknown, ended, or its user is gone. `now` is epoch ms. */
export function findSession(reading: Reading, token: string, now: number): LiveSession | null {
  return TOKEN.test(token) ? liveSession(reading, sessionIdOf(token), now) : null;
}

/**
 * Whether whoever opened something may go on with it: an API key by its id, a session by its own. False once the key is
 * revoked, the session ended or its user removed. `now` is epoch ms.
 */
export function isCallerLive(reading: Reading, id: string, now: number): boolean {
  return SESSION_ID.test(id) ? liveSession(reading, id, now) !== null : isApiKeyLive(reading, id, now);
}

/** Notes when a session was last used; one that is gone, or was used later, is left as it is. */
export function touchSession(tx: Tx, id: string, at: number): void {
  const record = tx.get(tables.sessions, id);
  if (record && record.lastUsedAt < at) tx.put(tables.sessions, id, { ...record, lastUsedAt: at });
}

/** Begins a session. Of the user's others (`own`) those over the limit go, ended ones first, then the oldest. */
export function beginSession(
  tx: Tx,
  token: string,
  {
    user,
    own,
    now,
  }: { readonly user: UserRecord; readonly own: readonly StoredSession[]; readonly now: number },
): void {
  const kept = own
    .filter(({ record }) => holds(record, now))
    .sort((a, b) => b.record.createdAt - a.record.createdAt)
    .slice(0, limits.sessionsPerUser - 1);
  endSessions(
    tx,
    own.filter((session) => !kept.includes(session)),
  );
  const { id: userId, orgId } = user;
  const expiresAt = now + sessionRules.absoluteMs;
  tx.put(tables.sessions, sessionIdOf(token), { userId, orgId, createdAt: now, lastUsedAt: now, expiresAt });
}

/** Ends sessions, at once. */
export function endSessions(tx: Tx, sessions: readonly { readonly id: string }[]): void {
  for (const { id } of sessions) tx.remove(tables.sessions, id);
}

/**
 * Removes sessions that ended by themselves and those of users who are gone; answers how many. For a timer: works in
 * slices and leaves the event loop free. `now` is epoch ms.
 */
export async function purgeSessions(store: Store, now: number): Promise<number> {
  const isDead = (reading: Reading, id: string): boolean =>
    reading.get(tables.sessions, id) !== undefined && liveSession(reading, id, now) === null;
  const dead = await sessionsWhere(store, ({ id }) => isDead(store, id));
  let removed = 0;
  for (let at = 0; at < dead.length; at += SLICE) {
    const slice = dead.slice(at, at + SLICE);
    // One that was used meanwhile stays.
    removed += await store.write((tx) => {
      const still = slice.filter(({ id }) => isDead(tx, id));
      endSessions(tx, still);
      return still.length;
    });
  }
  return removed;
}

/** Knows which sessions a user has. One for each store: that is what makes it exact. */
export class UserSessions {
  readonly #store: Store;
  #last: Promise<unknown> = Promise.resolve();

  constructor(store: Store) {
    this.#store = store;
  }

  /**
   * Runs `work` with all sessions of a user. Calls run one after another, so that no session begins while another call
   * ends those it has found.
   */
  withSessionsOf<T>(userId: string, work: (own: readonly StoredSession[]) => Promise<T>): Promise<T> {
    const result = this.#last.then(async () =>
      work(await sessionsWhere(this.#store, ({ record }) => record.userId === userId)),
    );
    this.#last = result.catch(() => undefined);
    return result;
  }
}

async function sessionsWhere(
  store: Store,
  matches: (session: StoredSession) => boolean,
): Promise<readonly StoredSession[]> {
  const pace = new Pace();
  const found: StoredSession[] = [];
  for (let last: string | null = null; ; ) {
    // The full stop makes a key that comes right after: ids have one length.
    const range = last === null ? { limit: SLICE } : { start: `${last}.`, limit: SLICE };
    const slice: readonly StoredSession[] = Array.from(
      store.range(tables.sessions, range),
      ({ key, value }) => ({ id: key, record: value }),
    );
    found.push(...slice.filter(matches));
    if (slice.length < SLICE) return found;
    last = slice.at(-1)?.id ?? null;
    if (pace.due) await pace.pause();
  }
}

function liveSession(reading: Reading, id: string, now: number): LiveSession | null {
  const record = reading.get(tables.sessions, id);
  if (!record || !holds(record, now)) return null;
  const user = reading.get(tables.users, record.userId);
  return user && user.orgId === record.orgId ? { id, record, user } : null;
}

function holds({ lastUsedAt, expiresAt }: SessionRecord, now: number): boolean {
  return now < expiresAt && now - lastUsedAt < sessionRules.idleMs;
}
