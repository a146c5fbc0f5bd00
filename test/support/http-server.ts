import { type Listening, listen } from '../../src/http/listen.ts';
import type { Caller, Route } from '../../src/http/route.ts';
import { createHttp, type HttpOptions } from '../../src/http/server.ts';

/** What was logged at `error`. */
export interface LoggedError {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

export interface TestServer extends Listening {
  readonly errors: LoggedError[];
  readonly openapi: object;
}

const keyCaller: Caller = {
  orgId: 'org-1',
  id: 'key-1',
  email: '',
  role: 'operator',
  viaKey: true,
  address: '127.0.0.1',
};

/** Known credentials: keys `operator` and `admin-key`, sessions `admin` and `operator`. */
function authenticate({ bearer, cookie }: { bearer: string | null; cookie: string | null }): Caller | null {
  if (bearer === 'operator') return keyCaller;
  if (bearer === 'admin-key') return { ...keyCaller, role: 'admin' };
  if (cookie === 'admin')
    return { ...keyCaller, id: 'user-1', email: 'a@example.org', role: 'admin', viaKey: false };
  if (cookie === 'operator') return { ...keyCaller, id: 'user-2', email: 'o@example.org', viaKey: false };
  return null;
}

/** The kernel with these routes on a free port of the loopback address. */
export async function startHttp(
  routes: readonly Route[],
  more: Partial<HttpOptions> & { readonly timeouts?: Parameters<typeof listen>[0]['timeouts'] } = {},
): Promise<TestServer> {
  const errors: LoggedError[] = [];
  const http = createHttp({
    routes,
    authenticate,
    probes: { ready: () => ({ ok: true, reasons: [] }) },
    info: { title: 'Test', version: '1', description: 'For tests' },
    log: {
      info() {},
      warn() {},
      error: (fields, message) => errors.push({ fields: { ...fields }, message }),
    },
    ...more,
  });
  const server = await listen({ handler: http.handler, host: '127.0.0.1', port: 0, timeouts: more.timeouts });
  return { ...server, errors, openapi: http.openapi };
}

/** A request with the operator's key. */
export function call(origin: string, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: 'Bearer operator', ...Object.fromEntries(new Headers(init.headers)) };
  return fetch(`${origin}/api/v1${path}`, { ...init, headers });
}

/** A JSON POST with the operator's key. */
export function send(origin: string, path: string, body: unknown): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return call(origin, path, { method: 'POST', body: text, headers: { 'content-type': 'application/json' } });
}

/** The JSON object of an answer. */
export async function json(res: Response): Promise<Record<string, unknown>> {
  // The tests assert on what they find in it.
  return (await res.json()) as Record<string, unknown>;
}
