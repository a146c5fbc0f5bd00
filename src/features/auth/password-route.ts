import { passwordChangeSchema } from '../../contract/session.ts';
import { invalid, refuse } from '../../domain/refusal.ts';
import { type Caller, type Route, route } from '../../http/route.ts';
import { auditedWrite } from '../../store/audit.ts';
import type { UserRecord } from '../../store/records.ts';
import { endSessions, type UserSessions } from '../../store/sessions.ts';
import type { Store } from '../../store/store.ts';
import { changeUser, hashPassword, userOf, verifyPassword } from '../../store/users.ts';
import type { LoginAttempts } from './login-attempts.ts';

export interface PasswordRouteOptions {
  readonly store: Store;
  readonly sessions: UserSessions;
  /** The same that login counts with: a stolen session is no way around the limits. */
  readonly attempts: LoginAttempts;
  /** Epoch ms. */
  readonly now: () => number;
}

/** POST /auth/password: one's own password (extension). */
export function passwordRoute(options: PasswordRouteOptions): Route {
  return route({
    method: 'POST',
    path: '/auth/password',
    operationId: 'changePassword',
    summary: "Change one's own password (extension)",
    description: 'For a user who is logged in, not for API keys. All other sessions of the user end.',
    tag: 'Account',
    access: 'caller',
    body: passwordChangeSchema,
    bodyExample: { currentPassword: 'correct horse battery', newPassword: 'staple correct horse' },
    responses: { 204: { description: 'Changed' } },
    refusals: ['forbidden', 'too-many-requests'],
    handle: async ({ caller, body: { currentPassword, newPassword } }) => {
      const user = caller.viaKey ? undefined : userOf(options.store, caller.orgId, caller.id);
      if (!user) throw refuse('forbidden', 'Only a user who is logged in has a password.');
      if (user.firstPassword && newPassword === currentPassword) throw sameAgain();
      await checkCurrent(user, currentPassword, { ...options, address: caller.address });
      await change(options, { caller, user, passwordHash: await hashPassword(newPassword) });
      return { status: 204 };
    },
  });
}

function sameAgain(): Error {
  const message = 'must be another one than the first start printed';
  return invalid(`newPassword ${message}.`, [{ path: 'newPassword', message }]);
}

async function checkCurrent(
  { email, passwordHash }: UserRecord,
  password: string,
  { attempts, address, now }: PasswordRouteOptions & { readonly address: string },
): Promise<void> {
  const attempt = attempts.begin({ account: email, address }, now());
  const isRight = await verifyPassword(password, passwordHash).catch((error) => {
    attempt.dropped();
    throw error;
  });
  if (isRight) {
    attempt.succeeded();
    return;
  }
  attempt.failed(now());
  // Not 401: the session is good.
  throw invalid('currentPassword is wrong.', [{ path: 'currentPassword', message: 'is wrong' }]);
}

interface Change {
  readonly caller: Caller;
  /** As it was when the current password was checked. */
  readonly user: UserRecord;
  readonly passwordHash: string;
}

async function change(
  { store, sessions, now }: PasswordRouteOptions,
  { caller, user, passwordHash }: Change,
): Promise<void> {
  await sessions.withSessionsOf(user.id, (own) =>
    auditedWrite(store, { author: caller, now: now() }, (tx, note) => {
      const current = userOf(tx, user.orgId, user.id);
      if (current?.passwordHash !== user.passwordHash)
        throw invalid('The password was changed by somebody else in the meantime.');
      changeUser(tx, current, { passwordHash });
      endSessions(
        tx,
        own.filter(({ id }) => id !== caller.sessionId),
      );
      note({ action: 'update', resource: `users/${user.id}`, after: { passwordChanged: true } });
    }),
  );
}
