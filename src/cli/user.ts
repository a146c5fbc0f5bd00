import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { limits } from '../domain/limits.ts';
import { appendAudit } from '../store/audit.ts';
import {
  addUser as addToStore,
  hashPassword,
  makePassword,
  parseEmail,
  userByEmail,
} from '../store/users.ts';
import { CliError, CliUsageError, type CommonOptions, withStore } from './context.ts';
import { print } from './output.ts';

export interface UserAddOptions extends CommonOptions {
  readonly role: string;
  readonly passwordStdin?: boolean;
}

/** `tagkeep user add EMAIL --role admin|operator`: prints a made password once, or takes one from standard input. */
export async function addUser(address: string, options: UserAddOptions): Promise<void> {
  const email = parseEmail(address);
  if (!email) throw new CliUsageError(`"${address}" is not an e-mail address`);
  const { role } = options;
  if (role !== 'admin' && role !== 'operator')
    throw new CliUsageError(`role is "${role}"; it must be admin or operator`);
  const given = options.passwordStdin ? checked((await text(process.stdin)).replace(/\r?\n$/, '')) : null;
  const password = given ?? makePassword();
  const passwordHash = await hashPassword(password);
  await withStore(options, async ({ store, org }) => {
    const user = {
      id: randomUUID(),
      orgId: org.id,
      email,
      role,
      passwordHash,
      createdAt: Date.now(),
    } as const;
    await store.write((tx) => {
      if (userByEmail(tx, email)) throw new CliError(`a user ${email} exists already`);
      addToStore(tx, user);
      const what = { action: 'create', resource: `users/${user.id}`, after: { email, role } };
      appendAudit(tx, { orgId: org.id, at: user.createdAt, ...what });
    });
    const record = { id: user.id, email, role, ...(given === null ? { password } : {}) };
    const shown = given === null ? [`password: ${password}   (shown this once; keep it)`] : [];
    print(record, options, [`added ${role} ${email}`, ...shown]);
  });
}

function checked(password: string): string {
  const { passwordMinLength: min, passwordMaxLength: max } = limits;
  if (password.length >= min && password.length <= max) return password;
  throw new CliError(`the password has ${password.length} characters; ${min} to ${max} are allowed`);
}
