import { randomUUID } from 'node:crypto';
import { apiKeyRoutes } from '../../src/features/api-keys/api-key-routes.ts';
import { auditRoutes } from '../../src/features/audit/audit-routes.ts';
import { sessionRoutes } from '../../src/features/auth/session-routes.ts';
import { billingRoutes } from '../../src/features/billing/billing-routes.ts';
import { userRoutes } from '../../src/features/users/user-routes.ts';
import type { Route } from '../../src/http/route.ts';
import type { UserRecord } from '../../src/store/records.ts';
import { UserSessions } from '../../src/store/sessions.ts';
import type { Store } from '../../src/store/store.ts';
import { tables } from '../../src/store/tables.ts';
import { hashPassword } from '../../src/store/users.ts';
import { type Answer, type House, type HouseOptions, type HouseParts, openHouse } from './house.ts';

export const password = 'correct horse battery';

export const licence = { valid: true, customer: 'Ours', edition: 'on-premises', state: 'licensed' };

/** What was logged while logins failed. */
export interface Warning {
  readonly fields: object;
  readonly message: string;
}

/** Somebody who has logged in. */
export interface Person {
  readonly cookie: string;
  call(method: string, path: string, body?: unknown): Promise<Answer>;
}

/** A house with the routes of the account, people and their sessions. */
export interface AccountHouse extends House {
  readonly warnings: readonly Warning[];
  /** Resolves when writes beside the requests are done. */
  settled(): Promise<void>;
  user(orgId: string, more?: Partial<UserRecord>): Promise<UserRecord>;
  /** POST /auth/login as it comes. */
  logIn(email: string, password: string, headers?: Record<string, string>): Promise<Answer>;
  /** A new user with a session. */
  person(orgId: string, more?: Partial<UserRecord>): Promise<Person & { readonly user: UserRecord }>;
  /** A call with this cookie. */
  as(cookie: string): Person;
}

interface AccountParts extends Pick<HouseParts, 'store' | 'now' | 'newId'> {
  readonly beside?: (write: Promise<unknown>) => void;
  readonly log?: { warn(fields: object, message: string): void };
  readonly lookThrough?: number;
}

/** The routes of the account. */
function accountRoutes({ beside = () => {}, log, lookThrough, ...parts }: AccountParts): Route[] {
  const shared = { ...parts, sessions: new UserSessions(parts.store) };
  return [
    ...sessionRoutes({ ...shared, beside, log: log ?? { warn() {} } }),
    ...userRoutes(shared),
    ...apiKeyRoutes(shared),
    ...auditRoutes({ store: parts.store, ...(lookThrough !== undefined && { lookThrough }) }),
    ...billingRoutes({ licence: () => licence }),
  ];
}

export async function openAccountHouse(
  options: HouseOptions & { readonly lookThrough?: number } = {},
): Promise<AccountHouse> {
  const writes: Promise<unknown>[] = [];
  const warnings: Warning[] = [];
  const beside = (write: Promise<unknown>): void => void writes.push(write);
  const log = { warn: (fields: object, message: string) => void warnings.push({ fields, message }) };
  const { lookThrough } = options;
  const house = await openHouse({
    ...options,
    more: (parts) => [
      ...accountRoutes({ ...parts, beside, log, ...(lookThrough !== undefined && { lookThrough }) }),
      ...(options.more?.(parts) ?? []),
    ],
  });
  const send = sender(house);
  const as = (cookie: string): Person => ({
    cookie,
    call: (method, path, body) => send(method, path, { body, headers: { cookie } }),
  });
  const logIn: AccountHouse['logIn'] = (email, sent, headers = {}) =>
    send('POST', '/auth/login', { body: { email, password: sent }, headers });
  // The house's clock is a getter: a copy would stand still.
  return Object.assign(house, {
    warnings,
    as,
    logIn,
    user: (orgId: string, more?: Partial<UserRecord>) => makeUser(house.store, orgId, more),
    async person(orgId: string, more?: Partial<UserRecord>) {
      const user = await makeUser(house.store, orgId, more);
      const cookie = cookieOf(await logIn(user.email, password));
      return { ...as(cookie), user };
    },
    async settled() {
      await Promise.all(writes);
    },
  });
}

/** The cookie an answer sets, as a browser sends it back. */
export function cookieOf({ headers }: Answer): string {
  return String(headers.get('set-cookie')).split(';')[0] ?? '';
}

interface Sent {
  readonly body?: unknown;
  readonly headers: Record<string, string>;
}

function sender(house: House): (method: string, path: string, sent: Sent) => Promise<Answer> {
  return async (method, path, { body, headers: more }) => {
    const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
    const response = await fetch(`${house.server.origin}/api/v1${path}`, {
      method,
      headers: { ...type, ...more },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const { status, headers } = response;
    return { status, headers, body: text === '' ? null : JSON.parse(text) };
  };
}

let hashed: Promise<string> | null = null;

/** A user with the password above, hashed once. */
async function makeUser(store: Store, orgId: string, more: Partial<UserRecord> = {}): Promise<UserRecord> {
  hashed ??= hashPassword(password);
  const id = randomUUID();
  const passwordHash = await hashed;
  const role = 'admin' as const;
  const user = { id, orgId, email: `${id}@example.org`, role, passwordHash, createdAt: 0, ...more };
  await store.write((tx) => {
    tx.put(tables.users, user.id, user);
    tx.put(tables.userByEmail, user.email, user.id);
  });
  return user;
}
