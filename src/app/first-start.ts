import { randomUUID } from 'node:crypto';
import { appendAudit } from '../store/audit.ts';
import type { Store } from '../store/store.ts';
import { tables } from '../store/tables.ts';
import { hashPassword, makePassword } from '../store/users.ts';

/** What the first start made; the password is known here and nowhere else. */
export interface FirstStart {
  readonly email: string;
  readonly password: string;
}

const ORGANISATION = 'My organisation';
const ADMIN_EMAIL = 'admin@tagkeep.local';

/** Whether the data folder already has an organisation. */
export function isInitialised(store: Store): boolean {
  for (const _ of store.range(tables.orgs, { limit: 1 })) return true;
  return false;
}

/** A password as it is told and as it is kept. */
export interface FirstPassword {
  readonly password: string;
  readonly passwordHash: Promise<string>;
}

/** Begins with what takes long of a first start: the hash is made off the event loop. */
export function makeFirstPassword(): FirstPassword {
  const password = makePassword();
  const passwordHash = hashPassword(password);
  // Whoever awaits it hears of a failure; a start that ends before has one of its own.
  passwordHash.catch(() => undefined);
  return { password, passwordHash };
}

/**
 * Makes the first organisation, its site and its admin, all or none; null when there is one already. `begun` is the password
 * when it was begun with before.
 */
export async function firstStart(
  store: Store,
  now: number,
  begun: FirstPassword | null = null,
): Promise<FirstStart | null> {
  if (isInitialised(store)) return null;
  const { password, passwordHash: hashing } = begun ?? makeFirstPassword();
  const passwordHash = await hashing;
  const orgId = randomUUID();
  await store.write((tx) => {
    const site = { id: randomUUID(), name: 'Main site', createdAt: now };
    const admin = {
      id: randomUUID(),
      orgId,
      email: ADMIN_EMAIL,
      role: 'admin' as const,
      passwordHash,
      firstPassword: true as const,
      createdAt: now,
    };
    tx.put(tables.orgs, orgId, {
      id: orgId,
      no: tx.next('lastOrgNo'),
      name: ORGANISATION,
      createdAt: now,
    });
    tx.put(tables.sites, [orgId, site.id], site);
    tx.put(tables.users, admin.id, admin);
    tx.put(tables.userByEmail, admin.email, admin.id);
    const noted = { orgId, at: now, action: 'create' };
    const { name, email, role } = { ...site, ...admin };
    appendAudit(tx, { ...noted, resource: `organisations/${orgId}`, after: { name: ORGANISATION } });
    appendAudit(tx, { ...noted, resource: `sites/${site.id}`, after: { name } });
    appendAudit(tx, { ...noted, resource: `users/${admin.id}`, after: { email, role } });
  });
  return { email: ADMIN_EMAIL, password };
}
