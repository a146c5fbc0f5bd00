import http from 'node:http';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { limits } from '../../src/domain/limits.ts';
import { textMap } from '../../src/http/params.ts';
import { type Route, route } from '../../src/http/route.ts';
import { rawRequest } from '../support/http-raw.ts';
import { call, json, send, startHttp, type TestServer } from '../support/http-server.ts';

let got: unknown;
const keep = (one: { body: unknown }): { status: number } => {
  got = one.body;
  return { status: 204 };
};
const base = {
  method: 'POST',
  summary: 's',
  tag: 't',
  access: 'caller',
  responses: { 204: { description: 'Done' } },
} as const;
const antenna = z.object({
  port: z.int().min(1).max(4),
  zoneId: z.uuid().nullable().optional(),
  searchMode: z.enum(['dual-target', 'single-target']).optional(),
  enabled: z.boolean().optional(),
});
const routes: Route[] = [
  route({
    ...base,
    path: '/antennas',
    operationId: 'antennas',
    body: z.array(antenna).min(1).max(4),
    handle: keep,
  }),
  route({
    ...base,
    path: '/assets',
    operationId: 'assets',
    body: z.object({
      name: z.string().trim().min(1).max(20),
      number: z.union([z.string(), z.number()]),
      at: z.iso.datetime().optional(),
      kind: z.literal('asset').optional(),
      own: z.string().max(2, { error: 'has its own words' }).optional(),
    }),
    handle: keep,
  }),
  route({
    ...base,
    path: '/check-out',
    operationId: 'checkOut',
    body: z.object({ custodian: z.string().optional() }),
    handle: keep,
  }),
  route({ ...base, path: '/data', operationId: 'data', body: textMap(10), handle: keep }),
  route({ ...base, path: '/check-in', operationId: 'checkIn', handle: keep }),
  route({
    ...base,
    path: '/import',
    operationId: 'import',
    consumes: 'multipart/form-data',
    bodyMaxBytes: 10_000,
    handle: async ({ raw }) => {
      let bytes = 0;
      for await (const chunk of raw.req) bytes += chunk.length;
      got = bytes;
      return { status: 204 };
    },
  }),
];

let server: TestServer;
beforeAll(async () => {
  server = await startHttp(routes);
});
afterAll(() => server.close());

async function errorsOf(res: Response): Promise<unknown> {
  expect(res.status).toBe(400);
  return (await json(res)).errors;
}

describe('reading a body', () => {
  test('400 tells where the JSON is broken', async () => {
    const res = await send(server.origin, '/assets', '{"name": "x",}');
    expect([res.status, (await json(res)).detail]).toEqual([
      400,
      'The body is not valid JSON: unexpected "}" at line 1, column 14.',
    ]);
  });

  test('415 for a body that is not JSON, and for a compressed one; a body of nothing has no type', async () => {
    for (const headers of [
      { 'content-type': 'text/plain' },
      { 'content-type': 'application/x-www-form-urlencoded' },
    ])
      expect((await call(server.origin, '/assets', { method: 'POST', headers, body: '{}' })).status).toBe(
        415,
      );
    const gzip = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    expect((await call(server.origin, '/assets', { method: 'POST', headers: gzip, body: '{}' })).status).toBe(
      415,
    );
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect(
      (await call(server.origin, '/check-out', { method: 'POST', headers: form, body: '' })).status,
    ).toBe(204);
  });

  test('JSON with a charset or a +json type is taken, and text comes through whole', async () => {
    const body = JSON.stringify({ name: 'Büro 😀 中', number: 1 });
    for (const type of ['application/json; charset=utf-8', 'application/vnd.x+json']) {
      expect(
        (await call(server.origin, '/assets', { method: 'POST', headers: { 'content-type': type }, body }))
          .status,
      ).toBe(204);
      expect(got).toEqual({ name: 'Büro 😀 中', number: 1 });
    }
  });

  test('413 above the limit, with a declared length and without one; the limit itself is taken', async () => {
    const filled = (length: number): string => `{"custodian":"${'x'.repeat(length - 16)}"}`;
    expect((await send(server.origin, '/check-out', filled(limits.jsonBodyMaxBytes))).status).toBe(204);
    const res = await send(server.origin, '/check-out', filled(limits.jsonBodyMaxBytes + 1));
    expect([res.status, (await json(res)).type]).toEqual([413, '/problems/too-large']);
    const chunked = await call(server.origin, '/check-out', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: new Blob([filled(limits.jsonBodyMaxBytes + 1)]).stream(),
      duplex: 'half',
    } as RequestInit);
    expect(chunked.status).toBe(413);
  });

  test('a body is asked for only once the caller may send it', async () => {
    const head = (authorization: string): string =>
      `POST /api/v1/check-out HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\nAuthorization: Bearer ${authorization}\r\nContent-Length: 900000\r\nExpect: 100-continue\r\n\r\n`;
    const refused = await rawRequest(server.port, head('nobody'));
    expect(refused).toMatch(/^HTTP\/1\.1 401 /);
    const accepted = await new Promise<boolean>((resolve, reject) => {
      const options = {
        port: server.port,
        path: '/api/v1/check-out',
        method: 'POST',
        headers: {
          authorization: 'Bearer operator',
          'content-type': 'application/json',
          'content-length': 2,
          expect: '100-continue',
        },
      };
      const req = http.request(options, (res) => resolve(res.statusCode === 204));
      req
        .on('continue', () => req.end('{}'))
        .on('error', reject)
        .flushHeaders();
    });
    expect(accepted).toBe(true);
  });

  test('a client that leaves in the middle of its body is no error of ours', async () => {
    let finished = 0;
    const own = await startHttp(routes, { observe: () => finished++ });
    const headers = {
      authorization: 'Bearer operator',
      'content-type': 'application/json',
      'content-length': 100,
    };
    const req = http.request({ port: own.port, path: '/api/v1/check-out', method: 'POST', headers });
    req.on('error', () => {});
    const arrived = new Promise((resolve) => own.server.once('request', resolve));
    req.write('{"custodian"');
    await arrived;
    req.destroy();
    await vi.waitFor(() => expect(finished).toBe(1));
    expect(own.errors).toEqual([]);
    await own.close();
  });

  test('100,000 nested arrays are a 400', async () => {
    expect((await send(server.origin, '/data', '['.repeat(100_000) + ']'.repeat(100_000))).status).toBe(400);
  });

  test('a body left out stands for an empty one where all members are optional, else 400; a body nobody wants is ignored', async () => {
    expect((await call(server.origin, '/check-out', { method: 'POST' })).status).toBe(204);
    expect(got).toEqual({});
    const res = await call(server.origin, '/assets', { method: 'POST' });
    expect([res.status, (await json(res)).detail]).toEqual([400, 'A JSON body is needed.']);
    expect((await call(server.origin, '/check-in', { method: 'POST', body: 'anything' })).status).toBe(204);
  });

  test('an upload is handed over unread; its type and declared length are checked before', async () => {
    const form = new FormData();
    form.append('file', new Blob(['x'.repeat(5000)]), 'a.csv');
    expect((await call(server.origin, '/import', { method: 'POST', body: form })).status).toBe(204);
    expect(got).toBeGreaterThan(5000);
    expect((await send(server.origin, '/import', {})).status).toBe(415);
    form.append('more', new Blob(['x'.repeat(6000)]));
    expect((await call(server.origin, '/import', { method: 'POST', body: form })).status).toBe(413);
  });
});

describe('checking a body', () => {
  test('each wrong member is named, with its rule in words', async () => {
    const res = await send(server.origin, '/assets', {
      name: ' ',
      number: true,
      at: 'today',
      kind: 'reader',
      own: 'long',
    });
    expect(await errorsOf(res)).toEqual([
      { path: 'name', message: 'must not be empty' },
      { path: 'number', message: 'must be text or a number' },
      { path: 'at', message: 'must be a time such as 2026-03-01T12:00:00Z' },
      { path: 'kind', message: 'must be asset' },
      { path: 'own', message: 'has its own words' },
    ]);
    const long = await send(server.origin, '/assets', { name: 'x'.repeat(21) });
    expect(await errorsOf(long)).toEqual([
      { path: 'name', message: 'must have at most 20 characters' },
      { path: 'number', message: 'is missing' },
    ]);
  });

  test('members of lists are named by their place', async () => {
    const res = await send(server.origin, '/antennas', [
      { port: 1 },
      { port: 5, zoneId: 'x', searchMode: 'y', enabled: 1 },
      { port: 1.5 },
      7,
    ]);
    expect(await errorsOf(res)).toEqual([
      { path: '1.port', message: 'must be at most 4' },
      { path: '1.zoneId', message: 'must be a UUID' },
      { path: '1.searchMode', message: 'must be one of dual-target, single-target' },
      { path: '1.enabled', message: 'must be true or false' },
      { path: '2.port', message: 'must be a whole number' },
      { path: '3', message: 'must be an object' },
    ]);
    expect(await errorsOf(await send(server.origin, '/antennas', []))).toEqual([
      { path: '', message: 'must hold at least 1 items' },
    ]);
  });

  test('detail says it in one line, three members at most', async () => {
    const res = await send(server.origin, '/antennas', [{}, {}, {}, {}]);
    expect((await json(res)).detail).toBe(
      '0.port is missing; 1.port is missing; 2.port is missing (and 1 more).',
    );
    expect((await json(await send(server.origin, '/assets', '[]'))).detail).toBe(
      'The body must be an object.',
    );
  });

  test('unknown members are ignored', async () => {
    expect((await send(server.origin, '/check-out', { custodian: 'A', other: 1 })).status).toBe(204);
    expect(got).toEqual({ custodian: 'A' });
  });

  test('free names arrive in a Map, __proto__ among them, their values checked', async () => {
    expect((await send(server.origin, '/data', '{"__proto__":"a","constructor":"b"}')).status).toBe(204);
    expect(got).toEqual(
      new Map([
        ['__proto__', 'a'],
        ['constructor', 'b'],
      ]),
    );
    expect(await errorsOf(await send(server.origin, '/data', { a: 1, b: 'x'.repeat(11) }))).toEqual([
      { path: 'a', message: 'must be text' },
      { path: 'b', message: 'must have at most 10 characters' },
    ]);
    expect((await send(server.origin, '/data', [])).status).toBe(400);
  });
});
