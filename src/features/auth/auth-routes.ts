import { identityExample, identitySchema } from '../../contract/identity.ts';
import { type Route, route } from '../../http/route.ts';
import type { Store } from '../../store/store.ts';
import { userOf } from '../../store/users.ts';
import { identityOf } from './identity-view.ts';

/** GET /auth/me: the simplest check of a key. */
export function authRoutes({ store }: { readonly store: Store }): readonly Route[] {
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
      handle: ({ caller: { orgId, id, email, role, viaKey } }) => {
        const user = viaKey ? undefined : userOf(store, orgId, id);
        return { status: 200, body: user ? identityOf(user) : { id, email, role, viaKey } };
      },
    }),
  ];
}
