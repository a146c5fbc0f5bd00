import { identitySchema } from '../../contract/identity.ts';
import { loginSchema, userIdentityExample } from '../../contract/session.ts';
import { refuse } from '../../domain/refusal.ts';
import { refuseForeignWrite, sessionTokenOf } from '../../http/access.ts';
import { type Route, route } from '../../http/route.ts';
import { auditedWrite } from '../../store/audit.ts';
import type { UserRecord } from '../../store/records.ts';
import {
  beginSession,
  endSessions,
  findSession,
  makeSessionToken,
  sessionIdOf,
  type UserSessions,
} from '../../store/sessions.ts';
import type { Store } from '../../store/store.ts';
import { tables } from '../../store/tables.ts';
import { parseEmail, userByEmail, verifyPassword } from '../../store/users.ts';
import { identityOf } from './identity-view.ts';
import { LoginAttempts } from './login-attempts.ts';
import { LoginNotes, type LoginNotesOptions } from './login-notes.ts';
import { passwordRoute } from './password-route.ts';
import { clearCookie, setCookie } from './session-cookie.ts';

export interface SessionRoutesOptions extends LoginNotesOptions {
  readonly store: Store;
  readonly sessions: UserSessions;
  /** Epoch ms. */
  readonly now: () => number;
}

const tag = 'Account';
const LOGIN_MAX_BYTES = 16 * 1024;

const description = [
  'For the hub: the answer sets a session cookie that scripts cannot read. A session ends with the logout, when it was not',
  'used for 12 hours, and 30 days after the login. A wrong address and a wrong password are answered alike. After five',
  'failures for an account, or twenty from an address, the next tries have to wait, longer each time.',
].join(' ');

/** POST /auth/login, POST /auth/logout, POST /auth/password. */
export function sessionRoutes(options: SessionRoutesOptions): readonly Route[] {
  const attempts = new LoginAttempts();
  return [loginRoute(options, attempts), logoutRoute(options), passwordRoute({ ...options, attempts })];
}

function loginRoute(options: SessionRoutesOptions, attempts: LoginAttempts): Route {
  const notes = new LoginNotes(options);
  return route({
    method: 'POST',
    path: '/auth/login',
    operationId: 'logIn',
    summary: 'Log in with e-mail address and password',
    description,
    tag,
    access: 'public',
    body: loginSchema,
    bodyMaxBytes: LOGIN_MAX_BYTES,
    bodyExample: { email: 'ada@example.org', password: 'correct horse battery' },
    responses: {
      200: {
        description: 'Who has logged in',
        schema: identitySchema,
        headers: { 'Set-Cookie': 'The session' },
        example: userIdentityExample,
      },
    },
    refusals: ['login-failed', 'forbidden', 'too-many-requests', 'disk-full'],
    handle: async ({ body, caller: { address }, raw: { req } }) => {
      refuseForeignWrite(req);
      const user = await checkUser({ ...options, attempts, notes, address }, body);
      const token = await begin(options, user, { address, replaced: sessionTokenOf(req) });
      return { status: 200, body: identityOf(user), headers: setCookie(req, token) };
    },
  });
}

interface Check extends SessionRoutesOptions {
  readonly attempts: LoginAttempts;
  readonly notes: LoginNotes;
  readonly address: string;
}

interface Sent {
  readonly email: string;
  readonly password: string;
}

/** The user with this address and password. An unknown address costs as much time as a known one. */
async function checkUser(check: Check, { email, password }: Sent): Promise<UserRecord> {
  const { store, attempts, notes, address, now } = check;
  const account = parseEmail(email);
  const attempt = attempts.begin({ account: account ?? email, address }, now());
  const user = account === null ? undefined : userByEmail(store, account);
  const isRight = await verifyPassword(password, user?.passwordHash ?? null).catch((error) => {
    attempt.dropped();
    throw error;
  });
  if (user && isRight) {
    attempt.succeeded();
    return user;
  }
  attempt.failed(now());
  notes.failed(user, { address, now: now() });
  throw wrong();
}

interface Login {
  readonly address: string;
  /** The session this browser had before. */
  readonly replaced: string | null;
}

function begin(
  { store, sessions, now }: SessionRoutesOptions,
  user: UserRecord,
  { address, replaced }: Login,
): Promise<string> {
  const token = makeSessionToken();
  const { id, orgId, email } = user;
  return sessions.withSessionsOf(id, async (own) => {
    const at = now();
    const author = { orgId, id, email, viaKey: false, address };
    await auditedWrite(store, { author, now: at }, (tx, note) => {
      // The password may have been changed, or the user removed, while it was checked.
      if (tx.get(tables.users, id)?.passwordHash !== user.passwordHash) throw wrong();
      if (replaced !== null) endSessions(tx, [{ id: sessionIdOf(replaced) }]);
      beginSession(tx, token, { user, own, now: at });
      note({ action: 'login', resource: `users/${id}` });
    });
    return token;
  });
}

function wrong(): Error {
  return refuse('login-failed', 'The e-mail address or the password is wrong.');
}

function logoutRoute({ store, now }: SessionRoutesOptions): Route {
  return route({
    method: 'POST',
    path: '/auth/logout',
    operationId: 'logOut',
    summary: 'Log out',
    description:
      'Ends the session, its event streams too, and takes the cookie away. Without a session: the same answer.',
    tag,
    access: 'public',
    responses: { 204: { description: 'Logged out', headers: { 'Set-Cookie': 'Clears the session' } } },
    refusals: ['forbidden', 'disk-full'],
    handle: async ({ caller: { address }, raw: { req } }) => {
      refuseForeignWrite(req);
      const token = sessionTokenOf(req);
      const session = token === null ? null : findSession(store, token, now());
      if (session) {
        const { id, orgId, email } = session.user;
        const author = { orgId, id, email, viaKey: false, address };
        await auditedWrite(store, { author, now: now() }, (tx, note) => {
          endSessions(tx, [session]);
          note({ action: 'logout', resource: `users/${id}` });
        });
      }
      return { status: 204, headers: clearCookie(req) };
    },
  });
}
