import type { IncomingMessage, ServerResponse } from 'node:http';
import type { z } from 'zod';
import type { Refusal } from '../domain/refusal.ts';

/** Who is calling: found by the authentication of `createHttp`, the same for every route. */
export interface Caller {
  readonly orgId: string;
  /** The id of the API key or user. */
  readonly id: string;
  readonly email: string;
  readonly role: 'operator' | 'admin';
  readonly viaKey: boolean;
  readonly address: string;
  /** Names the session a user calls with; absent for an API key. What must end with the session is known by it, not by `id`. */
  readonly sessionId?: string;
}

/** `public`: anyone; `caller`: an API key or a user's session; `admin`: an admin's session, API keys get 403. */
export type Access = 'public' | 'caller' | 'admin';

/** One answer of a route, for the documentation and for checking answers in tests. */
export interface ResponseSpec {
  readonly description: string;
  /** Absent: no body, unless `contentType` names one that is not JSON. */
  readonly schema?: z.ZodType;
  /** `application/json` when absent; `image/*` stands for every kind of image. For another type the handler answers a string, a Buffer or a Readable. */
  readonly contentType?: string;
  /** Headers beyond those every answer has, for the documentation: name → what it says. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly example?: unknown;
}

/** What a handler gets: everything already checked against the route's schemas. */
export interface Call<P, Q, B> {
  /** On `public` routes without a caller: `anonymous` (see `http/access.ts`), whose `orgId` and `id` are empty. */
  readonly caller: Caller;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly requestId: string;
  /** For routes that answer by themselves (streams): they return `'taken'`. */
  readonly raw: { readonly req: IncomingMessage; readonly res: ServerResponse };
}

/** A body that is no string, Buffer or Readable goes out as JSON; absent: no body. */
export type Answer =
  | { readonly status: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
  | 'taken';

/** One operation of the interface: validation, access, documentation and behaviour in one record. */
export interface Route<P = unknown, Q = unknown, B = unknown> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/api/v1`, with `{name}` parameters, as in OpenAPI: `/readers/{id}/antennas`. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  readonly access: Access;
  readonly params?: z.ZodType<P>;
  readonly query?: z.ZodType<Q>;
  readonly body?: z.ZodType<B>;
  /**
   * Absent: the body is JSON, read and checked before `handle`. Else only type and declared length are checked, `handle`
   * reads `raw.req` by itself, and `body` is documentation only: of a form. In a list the form stands first.
   */
  readonly consumes?: 'multipart/form-data' | readonly ['multipart/form-data', ...string[]];
  /** A POST that only asks: it changes nothing, so what forbids writing (licence, disk) does not forbid it. */
  readonly readsOnly?: true;
  /** Longer bodies get 413. `limits.jsonBodyMaxBytes` when absent. */
  readonly bodyMaxBytes?: number;
  /** An example of the request body, for the documentation. */
  readonly bodyExample?: unknown;
  readonly responses: Readonly<Record<number, ResponseSpec>>;
  /** Refusals beyond those every route of its access and shape has (400, 401, 403, 404 …). */
  readonly refusals?: readonly Refusal['kind'][];
  readonly handle: (call: Call<P, Q, B>) => Promise<Answer> | Answer;
}

/** Keeps a route's inferred types while letting routes of different shapes stand in one list. */
export function route<P, Q, B>(record: Route<P, Q, B>): Route {
  // The router parses params, query and body with the record's own schemas before `handle` sees them.
  return record as unknown as Route;
}
