import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { limits } from '../domain/limits.ts';
import { invalid, Refused, refuse } from '../domain/refusal.ts';
import { WorkQueue } from '../lib/work-queue.ts';
import type { UserRecord } from './records.ts';
import type { Reading, Tx } from './store.ts';
import { tables } from './tables.ts';

interface Cost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

const derive = promisify<string, Buffer, number, Cost & { maxmem: number }, Buffer>(scrypt);

const COST: Cost = { N: 2 ** 15, r: 8, p: 1 };
const MAX_MEMORY_BYTES = 64 * 1024 * 1024;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
const STORED = /^scrypt\$(\d{1,7})\$(\d{1,2})\$(\d{1,2})\$([A-Za-z0-9_-]+)\$([A-Za-z0-9_-]{43})$/;

/** One derivation takes 32 MB and a thread of the pool, which writes to the store need too. */
const queue = new WorkQueue({ atOnce: 2, waiting: 50, full: tooMany });
const RETRY_AFTER_SECONDS = 5;

/**
 * A password as it is kept: `scrypt$N$r$p$salt$hash`, so that the cost can be raised later. Off the event loop. Throws
 * `too-many-requests` when too many are waiting.
 */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await deriveInTurn(password, salt, COST);
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64url'), hash.toString('base64url')].join('$');
}

/**
 * Whether this is the password behind a kept hash, at the cost it was made with. For nobody (null) it takes as long, and
 * the answer is no. Off the event loop. Throws `too-many-requests` when too many are waiting.
 */
export async function verifyPassword(password: string, kept: string | null): Promise<boolean> {
  const match = kept === null ? null : STORED.exec(kept);
  if (!match) {
    await deriveInTurn(password, Buffer.alloc(SALT_BYTES), COST);
    return false;
  }
  const [, N, r, p, salt = '', hash = ''] = match;
  const cost = { N: Number(N), r: Number(r), p: Number(p) };
  const derived = await deriveInTurn(password, Buffer.from(salt, 'base64url'), cost);
  return timingSafeEqual(derived, Buffer.from(hash, 'base64url'));
}

function deriveInTurn(password: string, salt: Buffer, cost: Cost): Promise<Buffer> {
  // The same characters typed on another keyboard may come as other code points.
  const text = password.normalize('NFKC');
  return queue.run(() => derive(text, salt, HASH_BYTES, { ...cost, maxmem: MAX_MEMORY_BYTES }));
}

function tooMany(): Refused {
  const detail = 'Too many passwords are being checked right now. Try again in a few seconds.';
  return new Refused({ kind: 'too-many-requests', detail, retryAfterSeconds: RETRY_AFTER_SECONDS });
}

/** 20 characters of 62: about 119 bits, easy to copy from a terminal. */
export function makePassword(): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
  let password = '';
  while (password.length < 20) {
    // 248 is the largest multiple of 62 in a byte: above it, a remainder would favour some letters.
    for (const byte of randomBytes(32)) if (byte < 248) password += letters[byte % 62];
  }
  return password.slice(0, 20);
}

// It becomes a key of the store: no controls, and short enough in any script.
const EMAIL = /^[^\s@\p{Cc}\p{Cf}\p{Cs}]{1,64}@[^\s@\p{Cc}\p{Cf}\p{Cs}]{1,190}$/u;

/** An e-mail address as it is compared and kept; null when it is none. */
export function parseEmail(text: string): string | null {
  const email = text.trim().toLowerCase().normalize('NFC');
  return EMAIL.test(email) ? email : null;
}

/** The user with this address, as `parseEmail` gives it. */
export function userByEmail(reading: Reading, email: string): UserRecord | undefined {
  const id = reading.get(tables.userByEmail, email);
  return id === undefined ? undefined : reading.get(tables.users, id);
}

/** A user of this organisation; undefined for one of another. */
export function userOf(reading: Reading, orgId: string, id: string): UserRecord | undefined {
  const user = reading.get(tables.users, id);
  return user?.orgId === orgId ? user : undefined;
}

/** The users of an organisation by e-mail address. There are few users in all, so that looking through them is cheap. */
export function usersOf(reading: Reading, orgId: string): readonly UserRecord[] {
  return Array.from(reading.range(tables.users), ({ value }) => value)
    .filter((user) => user.orgId === orgId)
    .sort((a, b) => (a.email < b.email ? -1 : 1));
}

/** Adds a user. Throws `email-taken`, or a 400 when the organisation has as many as it may. */
export function addUser(tx: Tx, user: UserRecord): void {
  if (tx.get(tables.userByEmail, user.email) !== undefined)
    throw refuse('email-taken', `A user with the e-mail address ${user.email} exists already.`);
  if (usersOf(tx, user.orgId).length >= limits.usersPerOrganisation)
    throw invalid(`There are ${limits.usersPerOrganisation} users already, as many as there may be.`);
  tx.put(tables.users, user.id, user);
  tx.put(tables.userByEmail, user.email, user.id);
}

/** Changes role or password of a user; another password is no longer that of the first start. Throws `last-admin` when nobody would be left to administer. */
export function changeUser(
  tx: Tx,
  user: UserRecord,
  change: Partial<Pick<UserRecord, 'role' | 'passwordHash'>>,
): UserRecord {
  const { firstPassword, ...rest } = { ...user, ...change };
  const changed = firstPassword && !change.passwordHash ? { ...rest, firstPassword } : rest;
  if (user.role === 'admin' && changed.role !== 'admin') keepAnAdmin(tx, user);
  tx.put(tables.users, user.id, changed);
  return changed;
}

/** Removes a user; the address is free again. Throws `last-admin` when nobody would be left to administer. */
export function removeUser(tx: Tx, user: UserRecord): void {
  if (user.role === 'admin') keepAnAdmin(tx, user);
  tx.remove(tables.users, user.id);
  tx.remove(tables.userByEmail, user.email);
}

function keepAnAdmin(tx: Tx, { id, orgId }: UserRecord): void {
  for (const { value } of tx.range(tables.users))
    if (value.orgId === orgId && value.id !== id && value.role === 'admin') return;
  throw refuse('last-admin', 'This is the last administrator of the organisation. Make another one first.');
}
