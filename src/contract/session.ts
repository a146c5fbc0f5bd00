import { z } from 'zod';
import type { Identity } from './identity.ts';
import { passwordInput } from './user.ts';

/** What is sent as a password to be checked may be longer than a new one: rules change, passwords stay. */
const SENT_MAX_LENGTH = 1024;

const sentPassword = z.string().min(1).max(SENT_MAX_LENGTH).meta({ format: 'password' });

/** The body of POST /auth/login. */
export const loginSchema = z
  .object({ email: z.string().min(1).max(255), password: sentPassword })
  .meta({ id: 'Login' });

/** The body of POST /auth/password. */
export const passwordChangeSchema = z
  .object({ currentPassword: sentPassword, newPassword: passwordInput })
  .meta({ id: 'PasswordChange' });

/** Somebody who has logged in. */
export const userIdentityExample: Identity = {
  id: '4c8e1f20-9a3b-4d5c-8e7f-1a2b3c4d5e6f',
  email: 'ada@example.org',
  role: 'admin',
  viaKey: false,
};
