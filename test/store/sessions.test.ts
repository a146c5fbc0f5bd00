import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../../src/domain/limits.ts';
import { hashApiKey, makeApiKey, putApiKey } from '../../src/store/api-keys.ts';
import type { UserRecord } from '../../src/store/records.ts';
import {
  beginSession,
  endSessions,
  findSession,
  isCallerLive,
  makeSessionToken,
  purgeSessions,
  sessionIdOf,
  sessionRules,
  touchSession,
  UserSessions,
} from '../../src/store/sessions.ts';
import { tables } from '../../src/store/tables.ts';
import { type StoreFolder, storeFolder } from '../support/store-folder.ts';

const { idleMs, absoluteMs } = sessionRules;
const noon = 1_772_442_937_412;
let folder: StoreFolder;
let sessions: UserSessions;

beforeEach(() => {
  folder = storeFolder();
  sessions = new UserSessions(folder.store);
});
afterEach(() => folder.close());

async function makeUser(): Promise<UserRecord> {
  const id = randomUUID();
  const user = { id, orgId: 'org', email: `${id}@a.example`, role: 'admin', passwordHash: '' } as const;
  const record = { ...user, createdAt: noon };
  await folder.store.write((tx) => tx.put(tables.users, id, record));
  return record;
}

async function begin(user: UserRecord, now = noon): Promise<string> {
  const token = makeSessionToken();
  await sessions.withSessionsOf(user.id, (own) =>
    folder.store.write((tx) => beginSession(tx, token, { user, own, now })),
  );
  return token;
}

const isLive = (token: string, now = noon): boolean => findSession(folder.store, token, now) !== null;
const touch = (token: string, at: number): Promise<void> =>
  folder.store.write((tx) => touchSession(tx, sessionIdOf(token), at));

describe('a session', () => {
  test('is found by its token only, of which the hash is stored', async () => {
    const user = await makeUser();
    const token = await begin(user);
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(findSession(folder.store, token, noon)).toMatchObject({ id: sessionIdOf(token), user });
    for (const other of ['', 'x', sessionIdOf(token), makeSessionToken(), `${token} `])
      expect(isLive(other)).toBe(false);
    expect(JSON.stringify([...folder.store.range(tables.sessions)])).not.toContain(token);
  });

  test('ends when it was not used for 12 hours, and 30 days after its begin', async () => {
    const token = await begin(await makeUser());
    expect([isLive(token, noon + idleMs - 1), isLive(token, noon + idleMs)]).toEqual([true, false]);
    await touch(token, noon + absoluteMs - 1);
    expect(isLive(token, noon + absoluteMs - 1)).toBe(true);
    expect(isLive(token, noon + absoluteMs)).toBe(false);
  });

  test('its last use only grows, and does not bring it back', async () => {
    const token = await begin(await makeUser());
    await touch(token, noon - 1);
    expect(folder.store.get(tables.sessions, sessionIdOf(token))?.lastUsedAt).toBe(noon);
    await folder.store.write((tx) => endSessions(tx, [{ id: sessionIdOf(token) }]));
    await touch(token, noon + 1);
    expect(folder.store.count(tables.sessions)).toBe(0);
  });

  test('ends with its user, also for what it opened', async () => {
    const user = await makeUser();
    const token = await begin(user);
    const id = sessionIdOf(token);
    expect(isCallerLive(folder.store, id, noon)).toBe(true);
    await folder.store.write((tx) => tx.remove(tables.users, user.id));
    expect([isLive(token), isCallerLive(folder.store, id, noon)]).toEqual([false, false]);
  });

  test('what an API key opened lives as long as the key', async () => {
    const dates = { createdAt: noon, expiresAt: noon + 1, revokedAt: null, lastUsedAt: null };
    const record = { id: randomUUID(), orgId: 'org', name: 'k', hash: hashApiKey(makeApiKey()), ...dates };
    await folder.store.write((tx) => putApiKey(tx, record));
    expect(isCallerLive(folder.store, record.id, noon)).toBe(true);
    expect(isCallerLive(folder.store, record.id, noon + 1)).toBe(false);
    expect(isCallerLive(folder.store, randomUUID(), noon)).toBe(false);
  });
});

describe('the sessions of a user', () => {
  test(`are ${limits.sessionsPerUser} at most: ended ones go first, then the oldest`, async () => {
    const [user, other] = [await makeUser(), await makeUser()];
    const theirs = await begin(other, noon - 1);
    const tokens: string[] = [];
    for (let i = 0; i < limits.sessionsPerUser; i++) tokens.push(await begin(user, noon + i));
    const [first = '', second = '', third = ''] = tokens;
    // The second has ended by itself, the others are in use.
    const later = noon + idleMs + 1;
    for (const token of tokens) if (token !== second) await touch(token, later);
    await begin(user, later);
    expect([first, second].map((token) => isLive(token, later))).toEqual([true, false]);
    await begin(user, later + 1);
    expect([first, third].map((token) => isLive(token, later + 1))).toEqual([false, true]);
    expect(folder.store.count(tables.sessions)).toBe(limits.sessionsPerUser + 1);
    expect(isLive(theirs)).toBe(true);
  });

  test('are all found, however many there are, and none begins meanwhile', async () => {
    const [user, other] = [await makeUser(), await makeUser()];
    await folder.store.write((tx) => {
      for (let i = 0; i < 1000; i++) beginSession(tx, makeSessionToken(), { user, own: [], now: noon });
      for (let i = 0; i < 1000; i++)
        beginSession(tx, makeSessionToken(), { user: other, own: [], now: noon });
    });
    const ending = sessions.withSessionsOf(user.id, (own) =>
      folder.store.write((tx) => {
        endSessions(tx, own);
        return own.length;
      }),
    );
    const token = begin(user);
    expect(await ending).toBe(1000);
    expect(isLive(await token)).toBe(true);
    expect(folder.store.count(tables.sessions)).toBe(1001);
  });

  test('a failure of one call does not stop the next', async () => {
    const user = await makeUser();
    const failing = sessions.withSessionsOf(user.id, () => Promise.reject(new Error('disk')));
    await expect(failing).rejects.toThrow('disk');
    expect(isLive(await begin(user))).toBe(true);
  });
});

describe('purging', () => {
  test('removes ended sessions and those of users who are gone, and no other', async () => {
    const [user, gone] = [await makeUser(), await makeUser()];
    const live = await begin(user, noon);
    await folder.store.write((tx) => {
      for (let i = 0; i < 450; i++)
        beginSession(tx, makeSessionToken(), { user, own: [], now: noon - idleMs });
    });
    await begin(gone);
    await folder.store.write((tx) => tx.remove(tables.users, gone.id));
    expect(await purgeSessions(folder.store, noon)).toBe(451);
    expect(await purgeSessions(folder.store, noon)).toBe(0);
    expect(isLive(live)).toBe(true);
    expect(folder.store.count(tables.sessions)).toBe(1);
  });
});
