import { z } from 'zod';
import { uuid } from './scalars.ts';

/** Who is calling, as GET /auth/me answers it. */
export const identitySchema = z
  .object({
    id: uuid,
    email: z.string().meta({ description: 'Empty for an API key' }),
    role: z.enum(['operator', 'admin']).meta({ description: '`operator` for an API key' }),
    viaKey: z.boolean().meta({ description: 'True when authenticated with an API key' }),
    mustChangePassword: z.literal(true).optional().meta({
      description:
        '(extension) True while the user still has the password the first start printed: `POST /auth/password` sets another. Absent otherwise',
    }),
  })
  .meta({ id: 'Identity', description: 'Who is calling' });
export type Identity = z.infer<typeof identitySchema>;

export const identityExample: Identity = {
  id: '7b1d2c34-5e6f-4a7b-8c9d-0e1f2a3b4c5d',
  email: '',
  role: 'operator',
  viaKey: true,
};
