import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Listening, listen } from '../../src/http/listen.ts';
import { route } from '../../src/http/route.ts';
import { mayForceHttps, transportHeaders } from '../../src/http/security-headers.ts';
import { createHttp } from '../../src/http/server.ts';
import { rawRequest } from '../support/http-raw.ts';
import { call, startHttp, type TestServer } from '../support/http-server.ts';
import { makeKey, makeSelfSigned } from '../support/openssl.ts';

const always = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
};
const metrics = async () => ({ contentType: 'text/plain', body: 'x 1\n' });

let plain: TestServer;
beforeAll(async () => {
  const stream = route({
    ...{ method: 'GET', path: '/stream', operationId: 'stream', summary: 's', tag: 't', access: 'caller' },
    responses: { 200: { description: 'The stream', contentType: 'text/event-stream' } },
    handle: ({ raw }) => {
      raw.res.writeHead(200, { 'Content-Type': 'text/event-stream' }).end(': \n\n');
      return 'taken';
    },
  });
  plain = await startHttp([stream], { metrics });
});
afterAll(() => plain.close());

describe('every answer says what browsers may not do', () => {
  test.each([
    '/healthz',
    '/readyz',
    '/metrics',
    '/openapi.json',
    '/docs',
    '/problems',
    '/nothing',
    '/api/v1/nothing',
  ])('%s', async (path) => {
    const { headers } = await fetch(plain.origin + path);
    expect(Object.fromEntries(headers)).toMatchObject(always);
    expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
    expect(headers.has('strict-transport-security')).toBe(false);
  });

  test('a live stream, which is written past the kernel', async () => {
    const answer = await call(plain.origin, '/stream');
    expect([answer.status, await answer.text()]).toEqual([200, ': \n\n']);
    expect(Object.fromEntries(answer.headers)).toMatchObject(always);
  });

  test('one to what is no request at all', async () => {
    const answer = (await rawRequest(plain.port, 'NONSENSE\r\n\r\n')).toLowerCase();
    for (const [name, value] of Object.entries(always))
      expect(answer).toContain(`${name}: ${value.toLowerCase()}`);
  });

  test('pages with scripts run their own files only, never what stands in the page', async () => {
    const policy = (await fetch(`${plain.origin}/docs`)).headers.get('content-security-policy') ?? '';
    expect(policy.split('; ')).toEqual(expect.arrayContaining(["script-src 'self'", "base-uri 'none'"]));
    expect(policy).not.toContain('unsafe-eval');
    const page = await (await fetch(`${plain.origin}/docs`)).text();
    expect(page).not.toMatch(/<script(?![^>]*\bsrc=)|\son\w+=|style=/);
  });
});

describe('over HTTPS', () => {
  let dir: string;
  let server: Listening;

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'tagkeep-hsts-'));
    const [key, out] = [join(dir, 'key.pem'), join(dir, 'cert.pem')];
    await makeKey(key, 'ec');
    await makeSelfSigned({ key, out, name: 'box.example', ca: false });
    const http = createHttp({
      ...{ routes: [], authenticate: () => null, probes: { ready: () => ({ ok: true, reasons: [] }) } },
      info: { title: 'T', version: '1', description: '' },
      log: { info() {}, warn() {}, error() {} },
    });
    const tls = { key: readFileSync(key, 'utf8'), cert: readFileSync(out, 'utf8') };
    server = await listen({ handler: http.handler, host: '127.0.0.1', port: 0, tls });
  });
  afterAll(async () => {
    await server.close();
    rmSync(dir, { recursive: true, force: true });
  });

  function headersFor(host: string): Promise<Readonly<Record<string, unknown>>> {
    const at = { host: '127.0.0.1', port: server.port, path: '/healthz', headers: { host }, agent: false };
    return new Promise((resolve, reject) => {
      const request = https.get({ ...at, rejectUnauthorized: false }, (res) => {
        res.resume();
        res.once('end', () => resolve(res.headers));
      });
      request.once('error', reject);
    });
  }

  test('browsers are told to come with HTTPS only, except to localhost', async () => {
    const headers = await headersFor('box.example:8443');
    expect(headers).toMatchObject({ ...always, 'strict-transport-security': 'max-age=31536000' });
    for (const host of ['localhost:8443', 'LOCALHOST', 'app.localhost'])
      expect(await headersFor(host)).not.toHaveProperty('strict-transport-security');
  });
});

test.each([
  ['127.0.0.1', 8080, 8443, true],
  ['localhost', 8080, 8443, true],
  ['0.0.0.0', 8080, 8443, false],
  ['0.0.0.0', 80, 8443, false],
  ['0.0.0.0', 80, 443, true],
])(
  'plain HTTP on %s:%i beside HTTPS on %i: browsers may be told to use HTTPS only: %s',
  (...[host, port, httpsPort, may]) => {
    const https = { host: '0.0.0.0', port: httpsPort };
    expect(mayForceHttps({ http: { host, port }, https })).toBe(may);
  },
);

test('nothing about transport is said on plain HTTP', () => {
  expect(transportHeaders(false, 'box.example')).toEqual({});
});
