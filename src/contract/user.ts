import { z } from 'zod';
import { limits } from '../domain/limits.ts';
import { timestamp, uuid } from './scalars.ts';

/** A new password. */
export const passwordInput = z
  .string()
  .min(limits.passwordMinLength)
  .max(limits.passwordMaxLength)
  .meta({ format: 'password' });

const role = z.enum(['operator', 'admin']);
const email = z.string().min(1).max(255).meta({ description: 'Compared without regard to case' });

/** A user. */
export const userSchema = z
  .object({ id: uuid, email: z.string(), role, createdAt: timestamp })
  .meta({ id: 'User', description: 'A person who uses the hub' });
export type User = z.infer<typeof userSchema>;

/** The answer of POST /users. */
export const madeUserSchema = userSchema
  .extend({
    password: z
      .string()
      .optional()
      .meta({ description: 'The password that was made because none was sent. It is shown this once.' }),
  })
  .meta({ id: 'MadeUser', description: 'A new user' });
export type MadeUser = z.infer<typeof madeUserSchema>;

/** The body of POST /users. */
export const newUserSchema = z
  .object({
    email,
    role,
    password: passwordInput.optional().meta({ description: 'One is made when it is left out' }),
  })
  .meta({ id: 'NewUser' });

/** The body of PATCH /users/{id}: at least one of them. */
export const userChangeSchema = z
  .object({ role: role.optional(), password: passwordInput.optional() })
  .refine((change) => Object.keys(change).length > 0, 'must have role or password')
  .meta({ id: 'UserChange' });

export const userExample: User = {
  id: '4c8e1f20-9a3b-4d5c-8e7f-1a2b3c4d5e6f',
  email: 'ada@example.org',
  role: 'admin',
  createdAt: '2026-03-01T08:00:00.000Z',
};
