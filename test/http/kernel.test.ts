import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { invalid, Refused, refuse } from '../../src/domain/refusal.ts';
import { uuidParam } from '../../src/http/params.ts';
import { problemKinds } from '../../src/http/problem.ts';
import { type Caller, type Route, route } from '../../src/http/route.ts';
import { rawRequest } from '../support/http-raw.ts';
import { call, json, startHttp, type TestServer } from '../support/http-server.ts';

const seen: { caller: Caller; query: unknown; params: unknown }[] = [];
const id = '0b54ffd9-5b4d-4d3c-9f8e-3f1c5a4d9e01';
const ok = { 200: { description: 'Done', schema: z.object({ ok: z.boolean() }) } };
const base = { summary: 's', tag: 't', access: 'caller', responses: ok } as const;
const done = { status: 200, body: { ok: true } };

function simple(more: Partial<Route> & Pick<Route, 'method' | 'path' | 'operationId'>): Route {
  return route({ ...base, handle: () => done, ...more });
}

const routes: Route[] = [
  route({
    ...base,
    method: 'GET',
    path: '/readers/{id}',
    operationId: 'getReader',
    params: z.object({ id: uuidParam('reader') }),
    handle: (one) => {
      seen.push(one);
      return done;
    },
  }),
  simple({ method: 'PATCH', path: '/readers/{id}', operationId: 'patchReader' }),
  route({
    ...base,
    method: 'GET',
    path: '/alerts',
    operationId: 'listAlerts',
    query: z.object({ state: z.enum(['open', 'acked']).optional() }),
    handle: (one) => {
      seen.push(one);
      return done;
    },
  }),
  simple({
    method: 'DELETE',
    path: '/zones/{id}',
    operationId: 'deleteZone',
    responses: { 204: { description: 'Gone' } },
    handle: () => ({ status: 204 }),
  }),
  simple({
    method: 'GET',
    path: '/tags/{epc}',
    operationId: 'getTag',
    handle: () => ({ status: 200, body: { ok: false } }),
  }),
  simple({
    method: 'GET',
    path: '/tags/export',
    operationId: 'exportTags',
    responses: { 200: { description: 'CSV', contentType: 'text/csv' } },
    handle: () => ({ status: 200, body: Readable.from(['epc\n', 'AA\n']) }),
  }),
  simple({ method: 'GET', path: '/admin', operationId: 'admin', access: 'admin' }),
  simple({ method: 'POST', path: '/admin', operationId: 'adminPost', access: 'admin' }),
  simple({ method: 'POST', path: '/login', operationId: 'login', access: 'public' }),
  simple({
    method: 'GET',
    path: '/fails',
    operationId: 'fails',
    handle: () => {
      throw new Error('secret of the inside');
    },
  }),
  simple({
    method: 'GET',
    path: '/breaks',
    operationId: 'breaks',
    handle: () => ({
      status: 200,
      body: new Readable({
        read() {
          this.destroy(new Error('secret'));
        },
      }),
    }),
  }),
  simple({
    method: 'GET',
    path: '/drifts',
    operationId: 'drifts',
    handle: () => ({ status: 200, body: { ok: true, more: 1 } }),
  }),
  simple({
    method: 'GET',
    path: '/drifts-type',
    operationId: 'driftsType',
    handle: () => ({ status: 200, body: { ok: 'yes' } }),
  }),
  simple({
    method: 'GET',
    path: '/drifts-status',
    operationId: 'driftsStatus',
    handle: () => ({ status: 201, body: {} }),
  }),
  simple({
    method: 'GET',
    path: '/slow-down',
    operationId: 'slowDown',
    handle: () => {
      throw new Refused({ kind: 'too-many-requests', detail: 'Slow down.', retryAfterSeconds: 7 });
    },
  }),
  simple({
    method: 'GET',
    path: '/named',
    operationId: 'named',
    handle: () => {
      throw invalid('name is taken', [{ path: 'name', message: 'is taken' }]);
    },
  }),
];

let server: TestServer;
beforeAll(async () => {
  server = await startHttp(routes, { checkResponses: true });
});
afterAll(() => server.close());

async function problem(res: Response): Promise<Record<string, unknown>> {
  expect(res.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
  const body = await json(res);
  expect(body).toMatchObject({ status: res.status, title: expect.any(String), detail: expect.any(String) });
  expect(problemKinds().has(String(body.type).replace('/problems/', ''))).toBe(true);
  return body;
}

describe('who may call', () => {
  const bare = (headers: Record<string, string>): Promise<Response> =>
    fetch(`${server.origin}/api/v1/alerts`, { headers });
  const cases: [string, Record<string, string>, RegExp][] = [
    ['no credentials', {}, /No API key/],
    ['another scheme', { authorization: 'Basic b3BlcmF0b3I=' }, /must be "Bearer <API key>"/],
    ['a scheme without a key', { authorization: 'Bearer' }, /must be "Bearer <API key>"/],
    ['a key with a blank in it', { authorization: 'Bearer a b' }, /must be "Bearer <API key>"/],
    ['an unknown key', { authorization: 'Bearer tk_nobody' }, /unknown, revoked or expired/],
    ['an ended session', { cookie: 'tagkeep_session=old' }, /session has ended/],
    ['another cookie', { cookie: 'x=admin' }, /No API key/],
  ];
  test.each(cases)('401 with WWW-Authenticate for %s', async (_, headers, detail) => {
    const res = await bare(headers);
    expect(res.status).toBe(401);
    expect(res.headers.get('www-authenticate')).toBe('Bearer');
    expect((await problem(res)).detail).toMatch(detail);
  });

  test('the scheme may be written in any case', async () => {
    expect((await bare({ authorization: 'bEaReR operator' })).status).toBe(200);
  });

  test('API keys get 403 on admin routes, an admin key too; operators as well; an admin who is logged in passes', async () => {
    const admin = (headers: Record<string, string>): Promise<Response> =>
      fetch(`${server.origin}/api/v1/admin`, { headers });
    const key = await admin({ authorization: 'Bearer operator' });
    expect(key.status).toBe(403);
    expect((await problem(key)).type).toBe('/problems/forbidden');
    expect((await admin({ authorization: 'Bearer admin-key' })).status).toBe(403);
    expect((await admin({ cookie: 'tagkeep_session=operator' })).status).toBe(403);
    expect((await admin({ cookie: 'a=b; tagkeep_session=admin' })).status).toBe(200);
  });

  test("a session does not carry another site's write", async () => {
    const write = (headers: Record<string, string>): Promise<Response> =>
      fetch(`${server.origin}/api/v1/admin`, {
        method: 'POST',
        headers: { cookie: 'tagkeep_session=admin', ...headers },
      });
    expect((await write({ origin: 'https://evil.example' })).status).toBe(401);
    expect((await write({ 'sec-fetch-site': 'cross-site' })).status).toBe(401);
    expect((await write({ 'sec-fetch-site': 'same-site' })).status).toBe(401);
    expect((await write({ origin: server.origin })).status).toBe(200);
    expect((await write({ 'sec-fetch-site': 'same-origin' })).status).toBe(200);
  });

  test('public routes need nothing', async () => {
    expect((await fetch(`${server.origin}/api/v1/login`, { method: 'POST' })).status).toBe(200);
  });
});

describe('addresses and methods', () => {
  test.each(['/nothing', '/readers', '/alerts/', '/Alerts', '', '/', '/readers/a/b/c'])(
    '404 for the unknown address %s',
    async (path) => {
      const res = await call(server.origin, path);
      expect(res.status).toBe(404);
      expect((await problem(res)).type).toBe('/problems/not-found');
    },
  );

  test('405 with Allow for a method the address does not have', async () => {
    const res = await call(server.origin, `/readers/${id}`, { method: 'DELETE' });
    expect(res.status).toBe(405);
    expect(res.headers.get('allow')).toBe('GET, HEAD, OPTIONS, PATCH');
    await problem(res);
    expect((await call(server.origin, '/healthz')).status).toBe(404);
    expect((await fetch(`${server.origin}/healthz`, { method: 'POST' })).status).toBe(405);
  });

  test('OPTIONS tells the methods', async () => {
    const res = await fetch(`${server.origin}/api/v1/readers/${id}`, { method: 'OPTIONS' });
    expect([res.status, res.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS, PATCH']);
  });

  test('HEAD is GET without a body', async () => {
    const res = await call(server.origin, '/alerts', { method: 'HEAD' });
    expect([res.status, await res.text(), res.headers.get('content-length')]).toEqual([200, '', '11']);
  });

  test('a fixed address goes before one with a parameter, in whatever order they are given', async () => {
    const res = await call(server.origin, '/tags/export');
    expect([res.headers.get('content-type'), await res.text()]).toEqual(['text/csv', 'epc\nAA\n']);
    expect(await (await call(server.origin, '/tags/AABB')).json()).toEqual({ ok: false });
  });

  test('an id that is no UUID is as unknown as one nobody has; upper case is folded', async () => {
    const res = await call(server.origin, '/readers/17');
    expect(res.status).toBe(404);
    expect((await problem(res)).detail).toBe('There is no reader with this id.');
    expect((await call(server.origin, `/readers/${id.toUpperCase()}`)).status).toBe(200);
    expect(seen.at(-1)?.params).toEqual({ id });
  });

  test('an unknown value of a known query parameter is refused by name, an unknown parameter is ignored', async () => {
    const res = await call(server.origin, '/alerts?state=foo');
    expect(res.status).toBe(400);
    expect(await problem(res)).toMatchObject({
      type: '/problems/invalid',
      detail: 'state must be one of open, acked.',
      errors: [{ path: 'state', message: 'must be one of open, acked' }],
    });
    expect((await call(server.origin, '/alerts?state=open&state=acked')).status).toBe(400);
    expect((await call(server.origin, '/alerts?state=open&other=1&__proto__=2')).status).toBe(200);
    expect(seen.at(-1)?.query).toEqual({ state: 'open' });
  });

  test('204 has no body', async () => {
    const res = await call(server.origin, `/zones/${id}`, { method: 'DELETE' });
    expect([res.status, await res.text(), res.headers.get('content-type')]).toEqual([204, '', null]);
  });

  test.each([
    'GET * HTTP/1.1',
    'GET http://[ HTTP/1.1',
    'GET //x HTTP/1.1',
    'GET /api/v1/tags/%E0%A4%A HTTP/1.1',
    'OPTIONS * HTTP/1.1',
  ])('the odd request line %s gets an answer below 500', async (line) => {
    const text = await rawRequest(server.port, `${line}\r\nHost: a\r\nConnection: close\r\n\r\n`);
    expect(text).toMatch(/^HTTP\/1\.1 [24]\d\d /);
  });

  test('an address over 8,000 characters gets 414, headers over 16 kB 431, what is no HTTP 400', async () => {
    const long = await call(server.origin, `/alerts?q=${'x'.repeat(8000)}`);
    expect(long.status).toBe(414);
    await problem(long);
    expect(
      await rawRequest(server.port, `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`),
    ).toMatch(/^HTTP\/1\.1 431 [\s\S]*"type":"\/problems\/headers-too-large"/);
    expect(await rawRequest(server.port, 'rubbish\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 400 [\s\S]*"type":"\/problems\/malformed-request"/,
    );
  });
});

describe('answers', () => {
  test('API answers carry a request id, are not stored and not sniffed', async () => {
    const res = await call(server.origin, '/alerts');
    expect(Object.fromEntries(res.headers)).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'content-type': 'application/json; charset=utf-8',
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  test.each(['/fails', '/breaks'])(
    '%s: what is no refusal is a 500 that tells nothing, logged under its request id',
    async (path) => {
      const res = await call(server.origin, path);
      const body = await problem(res);
      expect(res.status).toBe(500);
      expect(JSON.stringify(body)).not.toContain('secret');
      expect(server.errors.at(-1)?.fields).toMatchObject({
        requestId: res.headers.get('x-request-id'),
        url: `/api/v1${path}`,
      });
      expect(String(server.errors.at(-1)?.fields.err)).toContain('secret');
    },
  );

  test('429 says when to come back', async () => {
    const res = await call(server.origin, '/slow-down');
    expect([res.status, res.headers.get('retry-after')]).toEqual([429, '7']);
  });

  test("a refusal's field errors are in the body", async () => {
    expect(await problem(await call(server.origin, '/named'))).toMatchObject({
      errors: [{ path: 'name', message: 'is taken' }],
    });
  });

  test.each([
    ['/drifts', 'body.more: is not declared'],
    ['/drifts-type', 'body.ok: '],
    ['/drifts-status', 'status 201 is not declared'],
  ])(
    '%s: with checkResponses an answer against its declaration is a 500 that names the place',
    async (path, place) => {
      expect((await call(server.origin, path)).status).toBe(500);
      expect(String(server.errors.at(-1)?.fields.err)).toContain(place);
    },
  );
});

describe('beside the API', () => {
  test('probes: alive always, ready or why not', async () => {
    let ready = { ok: false, reasons: ['the store is opening'] };
    const other = await startHttp([], {
      probes: { ready: () => ready },
      metrics: async () => ({ contentType: 'text/plain', body: 'up 1\n' }),
    });
    expect(await (await fetch(`${other.origin}/healthz`)).json()).toEqual({ status: 'ok' });
    const not = await fetch(`${other.origin}/readyz`);
    expect([not.status, await not.json()]).toEqual([
      503,
      { status: 'unavailable', reasons: ['the store is opening'] },
    ]);
    ready = { ok: true, reasons: [] };
    expect((await fetch(`${other.origin}/readyz`)).status).toBe(200);
    expect(await (await fetch(`${other.origin}/metrics`)).text()).toBe('up 1\n');
    await other.close();
  });

  test('every problem type has a page', async () => {
    for (const slug of problemKinds().keys()) {
      const res = await fetch(`${server.origin}/problems/${slug}`);
      expect([res.status, res.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(await res.text()).toContain(`/problems/${slug}`);
    }
    expect((await fetch(`${server.origin}/problems/none`)).status).toBe(404);
  });

  test('writes are refused before their body is read when the service takes none', async () => {
    const full = await startHttp(routes, {
      beforeWrite: () => ({ kind: 'disk-full', detail: 'The disk is full.' }),
    });
    expect((await call(full.origin, `/readers/${id}`, { method: 'PATCH', body: '{' })).status).toBe(507);
    expect((await call(full.origin, `/readers/${id}`)).status).toBe(200);
    expect((await fetch(`${full.origin}/api/v1/login`, { method: 'POST' })).status).toBe(200);
    await full.close();
  });

  test('the hub is whatever is left', async () => {
    const hub = await startHttp([], {
      site: (path) => (path === '/' ? { body: '<p>hub', contentType: 'text/html' } : null),
    });
    expect(await (await fetch(`${hub.origin}/`)).text()).toBe('<p>hub');
    expect((await fetch(`${hub.origin}/api/v1`)).status).toBe(404);
    await hub.close();
  });

  test('two routes on one address, or with one name, stop the start', async () => {
    const first = simple({ method: 'GET', path: '/a/{x}', operationId: 'one' });
    await expect(startHttp([first, { ...first, path: '/a/{y}', operationId: 'two' }])).rejects.toThrow(
      'two routes are called GET /a/{}',
    );
    await expect(startHttp([first, { ...first, path: '/b' }])).rejects.toThrow('two routes are called one');
  });

  test('authentication may refuse with its own reason', async () => {
    const locked = await startHttp(routes, {
      authenticate: () => {
        throw refuse('unavailable', 'Starting.');
      },
    });
    expect((await call(locked.origin, '/alerts')).status).toBe(503);
    await locked.close();
  });
});
