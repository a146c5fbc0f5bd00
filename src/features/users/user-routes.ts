import { z } from 'zod';
import {
  type MadeUser,
  madeUserSchema,
  newUserSchema,
  type User,
  userChangeSchema,
  userExample,
  userSchema,
} from '../../contract/user.ts';
import { invalid, refuse } from '../../domain/refusal.ts';
import { uuidParam } from '../../http/params.ts';
import { type Caller, type Route, route } from '../../http/route.ts';
import { formatInstant } from '../../lib/instant.ts';
import { auditedWrite } from '../../store/audit.ts';
import type { UserRecord } from '../../store/records.ts';
import { endSessions, type UserSessions } from '../../store/sessions.ts';
import type { Reading, Store } from '../../store/store.ts';
import {
  addUser,
  changeUser,
  hashPassword,
  makePassword,
  parseEmail,
  removeUser,
  userOf,
  usersOf,
} from '../../store/users.ts';

export interface UserRoutesOptions {
  readonly store: Store;
  readonly sessions: UserSessions;
  /** Epoch ms. */
  readonly now: () => number;
  /** A new UUID. */
  readonly newId: () => string;
}

const tag = 'Account';
const params = z.object({ id: uuidParam('user') });

/** GET, POST, PATCH and DELETE of users, for administrators. */
export function userRoutes(options: UserRoutesOptions): readonly Route[] {
  return [listRoute(options), createRoute(options), changeRoute(options), removeRoute(options)];
}

function listRoute({ store }: UserRoutesOptions): Route {
  return route({
    method: 'GET',
    path: '/users',
    operationId: 'listUsers',
    summary: 'All users, by e-mail address',
    tag,
    access: 'admin',
    responses: { 200: { description: 'Users', schema: z.array(userSchema), example: [userExample] } },
    handle: ({ caller }) => ({ status: 200, body: usersOf(store, caller.orgId).map(shown) }),
  });
}

function createRoute({ store, now, newId }: UserRoutesOptions): Route {
  return route({
    method: 'POST',
    path: '/users',
    operationId: 'createUser',
    summary: 'Add a user',
    description:
      'Without a password one is made and answered, this once. An e-mail address belongs to one user.',
    tag,
    access: 'admin',
    body: newUserSchema,
    bodyExample: { email: 'grace@example.org', role: 'operator' },
    responses: {
      201: {
        description: 'The user',
        schema: madeUserSchema,
        example: { ...userExample, password: 'q7Zc0uVx2LmN4tRb8WyA' },
      },
    },
    refusals: ['email-taken', 'too-many-requests'],
    handle: async ({ caller, body }) => {
      const { user, made } = await newUser({ now, newId }, caller.orgId, body);
      await auditedWrite(store, { author: caller, now: now() }, (tx, note) => {
        addUser(tx, user);
        note({ action: 'create', resource: `users/${user.id}`, after: noted(user) });
      });
      const answer: MadeUser = { ...shown(user), ...(made !== null && { password: made }) };
      return { status: 201, body: answer };
    },
  });
}

/** The record of a user to be, and the password made for one who brings none. */
async function newUser(
  { now, newId }: Pick<UserRoutesOptions, 'now' | 'newId'>,
  orgId: string,
  { email: given, role, password }: z.output<typeof newUserSchema>,
): Promise<{ readonly user: UserRecord; readonly made: string | null }> {
  const email = emailOf(given);
  const made = password === undefined ? makePassword() : null;
  const passwordHash = await hashPassword(password ?? made ?? '');
  return { user: { id: newId(), orgId, email, role, passwordHash, createdAt: now() }, made };
}

function changeRoute(options: UserRoutesOptions): Route {
  return route({
    method: 'PATCH',
    path: '/users/{id}',
    operationId: 'changeUser',
    summary: 'Change the role or the password of a user',
    description: 'Another role counts at once. Another password ends all other sessions of the user.',
    tag,
    access: 'admin',
    params,
    body: userChangeSchema,
    bodyExample: { role: 'admin' },
    responses: { 200: { description: 'The user', schema: userSchema, example: userExample } },
    refusals: ['last-admin', 'too-many-requests'],
    handle: async ({ caller, params: { id }, body: { role, password } }) => {
      known(options.store, caller.orgId, id);
      const passwordHash = password === undefined ? undefined : await hashPassword(password);
      const change = { ...(role && { role }), ...(passwordHash && { passwordHash }) };
      return { status: 200, body: shown(await writeChange(options, caller, { id, change })) };
    },
  });
}

interface UserChange {
  readonly id: string;
  readonly change: Partial<Pick<UserRecord, 'role' | 'passwordHash'>>;
}

/** Changes a user; with another password the user's sessions end, all but the caller's own. */
function writeChange(
  { store, sessions, now }: UserRoutesOptions,
  caller: Caller,
  { id, change }: UserChange,
): Promise<UserRecord> {
  return sessions.withSessionsOf(id, (own) =>
    auditedWrite(store, { author: caller, now: now() }, (tx, note) => {
      const before = known(tx, caller.orgId, id);
      const after = changeUser(tx, before, change);
      const others = own.filter((session) => session.id !== caller.sessionId);
      if (change.passwordHash) endSessions(tx, others);
      const changed = change.passwordHash ? { ...noted(after), passwordChanged: true } : noted(after);
      note({ action: 'update', resource: `users/${id}`, before: noted(before), after: changed });
      return after;
    }),
  );
}

function removeRoute({ store, sessions, now }: UserRoutesOptions): Route {
  return route({
    method: 'DELETE',
    path: '/users/{id}',
    operationId: 'deleteUser',
    summary: 'Remove a user',
    description: 'The sessions of the user end at once. An organisation keeps at least one administrator.',
    tag,
    access: 'admin',
    params,
    responses: { 204: { description: 'Removed' } },
    refusals: ['last-admin'],
    handle: async ({ caller, params: { id } }) => {
      await sessions.withSessionsOf(id, (own) =>
        auditedWrite(store, { author: caller, now: now() }, (tx, note) => {
          const user = known(tx, caller.orgId, id);
          removeUser(tx, user);
          endSessions(tx, own);
          note({ action: 'delete', resource: `users/${id}`, before: noted(user) });
        }),
      );
      return { status: 204 };
    },
  });
}

function emailOf(text: string): string {
  const email = parseEmail(text);
  if (email !== null) return email;
  const message = 'must be an e-mail address';
  throw invalid(`email ${message}.`, [{ path: 'email', message }]);
}

function known(reading: Reading, orgId: string, id: string): UserRecord {
  const user = userOf(reading, orgId, id);
  if (!user) throw refuse('not-found', 'There is no user with this id.');
  return user;
}

function shown({ id, email, role, createdAt }: UserRecord): User {
  return { id, email, role, createdAt: formatInstant(createdAt) };
}

function noted({ email, role }: UserRecord): object {
  return { email, role };
}
