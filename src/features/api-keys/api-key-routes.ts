import { z } from 'zod';
import {
  type ApiKey,
  apiKeyAnswer,
  apiKeyExample,
  apiKeySchema,
  type MadeApiKey,
  madeApiKeySchema,
  newApiKeySchema,
} from '../../contract/api-key.ts';
import { limits } from '../../domain/limits.ts';
import { invalid, refuse } from '../../domain/refusal.ts';
import { uuidParam } from '../../http/params.ts';
import { type Route, route } from '../../http/route.ts';
import {
  addApiKey,
  apiKeyOf,
  apiKeyState,
  apiKeysOf,
  hashApiKey,
  makeApiKey,
  revokeApiKey,
} from '../../store/api-keys.ts';
import { auditedWrite } from '../../store/audit.ts';
import type { ApiKeyRecord } from '../../store/records.ts';
import type { Store } from '../../store/store.ts';

export interface ApiKeyRoutesOptions {
  readonly store: Store;
  /** Epoch ms. */
  readonly now: () => number;
  /** A new UUID. */
  readonly newId: () => string;
}

const tag = 'Account';
const params = z.object({ id: uuidParam('API key') });

/** GET and POST of API keys, and DELETE, which revokes: for administrators. */
export function apiKeyRoutes(options: ApiKeyRoutesOptions): readonly Route[] {
  return [listRoute(options), createRoute(options), revokeRoute(options)];
}

function listRoute({ store, now }: ApiKeyRoutesOptions): Route {
  return route({
    method: 'GET',
    path: '/api-keys',
    operationId: 'listApiKeys',
    summary: 'All API keys, the oldest first',
    description: 'Revoked and expired ones too. The keys themselves are nowhere.',
    tag,
    access: 'admin',
    responses: { 200: { description: 'API keys', schema: z.array(apiKeySchema), example: [apiKeyExample] } },
    handle: ({ caller }) => {
      const at = now();
      return { status: 200, body: apiKeysOf(store, caller.orgId).map((key) => shown(key, at)) };
    },
  });
}

function createRoute({ store, now, newId }: ApiKeyRoutesOptions): Route {
  return route({
    method: 'POST',
    path: '/api-keys',
    operationId: 'createApiKey',
    summary: 'Make an API key',
    description: `The key is answered this once. Of ${limits.apiKeysPerOrganisation} keys the oldest revoked or expired one makes room.`,
    tag,
    access: 'admin',
    body: newApiKeySchema,
    bodyExample: { name: 'ERP', expiresAt: '2999-03-01T08:00:00Z' },
    responses: {
      201: {
        description: 'The API key',
        schema: madeApiKeySchema,
        example: { ...apiKeyExample, lastUsedAt: null, key: `tk_${'x'.repeat(43)}` },
      },
    },
    handle: async ({ caller, body: { name, expiresAt } }) => {
      const createdAt = now();
      if (expiresAt !== null && expiresAt <= createdAt) throw past();
      const key = makeApiKey();
      const dates = { createdAt, expiresAt, revokedAt: null, lastUsedAt: null };
      const record = { id: newId(), orgId: caller.orgId, name, hash: hashApiKey(key), ...dates };
      const answer: MadeApiKey = { ...shown(record, createdAt), key };
      await auditedWrite(store, { author: caller, now: createdAt }, (tx, note) => {
        addApiKey(tx, record);
        const after = { name, expiresAt: answer.expiresAt };
        note({ action: 'create', resource: `api-keys/${record.id}`, after });
      });
      return { status: 201, body: answer };
    },
  });
}

function revokeRoute({ store, now }: ApiKeyRoutesOptions): Route {
  return route({
    method: 'DELETE',
    path: '/api-keys/{id}',
    operationId: 'revokeApiKey',
    summary: 'Revoke an API key',
    description:
      'Requests with it get 401 from now on, its event streams end. Doing it again changes nothing.',
    tag,
    access: 'admin',
    params,
    responses: { 204: { description: 'Revoked' } },
    handle: async ({ caller, params: { id } }) => {
      const at = now();
      await auditedWrite(store, { author: caller, now: at }, (tx, note) => {
        const key = apiKeyOf(tx, caller.orgId, id);
        if (!key) throw refuse('not-found', 'There is no API key with this id.');
        if (revokeApiKey(tx, key, at))
          note({ action: 'revoke', resource: `api-keys/${id}`, before: { name: key.name } });
      });
      return { status: 204 };
    },
  });
}

function past(): Error {
  const message = 'must be in the future';
  return invalid(`expiresAt ${message}.`, [{ path: 'expiresAt', message }]);
}

function shown(key: ApiKeyRecord, now: number): ApiKey {
  return apiKeyAnswer(key, apiKeyState(key, now));
}
