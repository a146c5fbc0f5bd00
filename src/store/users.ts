import { randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify<string, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(
  scrypt,
);

const COST = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** A password as it is kept: `scrypt$N$r$p$salt$hash`, so that the cost can be raised later. Off the event loop. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(password.normalize('NFKC'), salt, HASH_BYTES, COST);
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64url'), hash.toString('base64url')].join('$');
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

/** An e-mail address as it is compared and kept; null when it is none. */
export function parseEmail(text: string): string | null {
  const email = text.trim().toLowerCase();
  return /^[^\s@]{1,64}@[^\s@]{1,190}$/.test(email) ? email : null;
}
