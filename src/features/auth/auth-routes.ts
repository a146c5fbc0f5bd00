import { identityExample, identitySchema } from '../../contract/identity.ts';
import { type Route, route } from '../../http/route.ts';

/** GET /auth/me: the simplest check of a key. */
export function authRoutes(): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/auth/me',
      operationId: 'getIdentity',
      summary: 'Who is calling',
      description: 'The simplest check of an API key: 401 when it is not valid.',
      tag: 'Account',
      access: 'caller',
      responses: { 200: { description: 'The caller', schema: identitySchema, example: identityExample } },
      handle: ({ caller: { id, email, role, viaKey } }) => ({
        status: 200,
        body: { id, email, role, viaKey },
      }),
    }),
  ];
}
