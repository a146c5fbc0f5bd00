import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { tagList } from '../../src/http/openapi-tags.ts';
import { uuidParam } from '../../src/http/params.ts';
import { type Route, route } from '../../src/http/route.ts';
import { json, startHttp, type TestServer } from '../support/http-server.ts';

const Reader = z
  .object({ id: z.uuid(), name: z.string(), status: z.enum(['online', 'offline']), port: z.int().default(1) })
  .meta({ id: 'Reader' });
const base = { summary: 'Summary', tag: 'readers', handle: () => ({ status: 200 }) } as const;
const id = z.object({ id: uuidParam('reader') });
const routes: Route[] = [
  route({
    ...base,
    method: 'GET',
    path: '/readers',
    operationId: 'listReaders',
    access: 'caller',
    query: z.object({ q: z.string().optional().describe('Text to look for'), state: z.enum(['a', 'b']) }),
    responses: {
      200: {
        description: 'Readers',
        schema: z.array(Reader),
        example: [],
        headers: { Link: 'The next page' },
      },
    },
  }),
  route({
    ...base,
    method: 'PUT',
    path: '/readers/{id}',
    operationId: 'putReader',
    access: 'caller',
    description: 'Longer',
    params: id,
    body: Reader,
    bodyExample: { name: 'Dock' },
    responses: { 200: { description: 'The reader', schema: Reader }, 409: { description: 'Own words' } },
    refusals: ['claim-code-invalid', 'device-withdrawn'],
  }),
  route({
    ...base,
    method: 'DELETE',
    path: '/readers/{id}',
    operationId: 'deleteReader',
    access: 'admin',
    params: id,
    responses: { 204: { description: 'Gone' } },
  }),
  route({
    ...base,
    method: 'POST',
    path: '/login',
    operationId: 'login',
    access: 'public',
    tag: 'auth',
    body: z.object({}),
    responses: { 200: { description: 'In' } },
    refusals: ['too-many-requests'],
  }),
  route({
    ...base,
    method: 'POST',
    path: '/import',
    operationId: 'import',
    access: 'caller',
    consumes: 'multipart/form-data',
    body: z.object({ file: z.string() }),
    responses: { 200: { description: 'CSV', contentType: 'text/csv; charset=utf-8' } },
  }),
];

let server: TestServer;
// biome-ignore lint/suspicious/noExplicitAny: the document is looked into at many depths
let doc: any;
beforeAll(async () => {
  server = await startHttp(routes);
  doc = await json(await fetch(`${server.origin}/openapi.json`));
});
afterAll(() => server.close());

function walk(value: unknown, visit: (node: Record<string, unknown>) => void): void {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) visit(value as Record<string, unknown>);
  for (const inner of Object.values(value)) walk(inner, visit);
}

describe('the OpenAPI document', () => {
  test('is 3.1 with the members it has to have, and is what createHttp answers', () => {
    expect(doc).toMatchObject({
      openapi: '3.1.0',
      info: { title: 'Test', version: '1', license: { identifier: 'MIT' } },
      servers: [{ url: '/api/v1' }],
    });
    expect(doc).toEqual(JSON.parse(JSON.stringify(server.openapi)));
    expect(doc.info.description).toMatch(/^For tests .*RFC 9457/);
  });

  test('every $ref resolves', () => {
    let count = 0;
    walk(doc, (node) => {
      if (typeof node.$ref !== 'string') return;
      count++;
      expect(node.$ref).toMatch(/^#\//);
      const target = node.$ref
        .slice(2)
        .split('/')
        .reduce((at, name) => at?.[name], doc);
      expect(target, node.$ref).toBeDefined();
    });
    expect(count).toBeGreaterThan(20);
  });

  test('every route is there with all its statuses, and no other', () => {
    let count = 0;
    for (const one of routes) {
      const operation = doc.paths[one.path][one.method.toLowerCase()];
      expect(operation.operationId).toBe(one.operationId);
      expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(Object.keys(one.responses)));
      count++;
    }
    expect(Object.values<object>(doc.paths).flatMap((item) => Object.keys(item))).toHaveLength(count);
  });

  test('problems follow from access and shape: 401, 403, 404, 400, 413, 415, 507, 500', () => {
    const statuses = (path: string, method: string): string[] =>
      Object.keys(doc.paths[path][method].responses);
    expect(statuses('/readers', 'get')).toEqual(['200', '400', '401', '500']);
    expect(statuses('/readers/{id}', 'put')).toEqual([
      '200',
      '400',
      '401',
      '404',
      '409',
      '413',
      '415',
      '500',
      '507',
    ]);
    expect(statuses('/readers/{id}', 'delete')).toEqual(['204', '401', '403', '404', '500', '507']);
    expect(statuses('/login', 'post')).toEqual(['200', '400', '413', '415', '429', '500']);
  });

  test('several problems of one status stand together; own words go before implied ones', () => {
    const { responses } = doc.paths['/readers/{id}'].put;
    const examples = responses[404].content['application/problem+json'].examples;
    expect(Object.keys(examples).sort()).toEqual(['claim-code-invalid', 'not-found']);
    expect(responses[409]).toEqual({ description: 'Own words' });
  });

  test('every component is pointed to from somewhere', () => {
    const targets = new Set<unknown>();
    walk(doc, ({ $ref }) => targets.add($ref));
    const components = Object.entries(doc.components as Record<string, object>)
      .filter(([section]) => section !== 'securitySchemes')
      .flatMap(([section, all]) => Object.keys(all).map((name) => `#/components/${section}/${name}`));
    expect(components.length).toBeGreaterThan(8);
    expect(components.filter((one) => !targets.has(one))).toEqual([]);
  });

  test('headers that HTTP demands beside a status are documented with it', () => {
    expect(doc.components.responses.unauthenticated.headers).toHaveProperty('WWW-Authenticate');
    expect(doc.paths['/login'].post.responses[429]).toEqual({
      $ref: '#/components/responses/too-many-requests',
    });
    expect(doc.components.responses['too-many-requests'].headers).toHaveProperty('Retry-After');
  });

  test('tags come in the order of the documentation, each with words of its own; unknown ones last', () => {
    expect(tagList(['auth', 'Alerts', 'Fields', 'auth', 'Alerts'])).toEqual([
      { name: 'Fields', description: expect.stringContaining('columns') },
      { name: 'Alerts', description: expect.stringContaining('polling') },
      { name: 'auth', description: 'auth.' },
    ]);
    expect(doc.tags).toEqual(tagList(['readers', 'auth']));
  });

  test('an operation without a description of its own has its summary for one', () => {
    expect(doc.paths['/readers/{id}'].put.description).toBe('Longer');
    expect(doc.paths['/readers'].get.description).toBe('Summary.');
  });

  test('path parameters are required and all there, query parameters keep their words', () => {
    expect(doc.paths['/readers/{id}'].put.parameters).toEqual([
      {
        name: 'id',
        in: 'path',
        required: true,
        description: 'Id of the reader',
        schema: expect.objectContaining({ type: 'string', format: 'uuid' }),
      },
    ]);
    expect(doc.paths['/readers'].get.parameters).toEqual([
      {
        name: 'q',
        in: 'query',
        required: false,
        description: 'Text to look for',
        schema: { type: 'string' },
      },
      { name: 'state', in: 'query', required: true, schema: { type: 'string', enum: ['a', 'b'] } },
    ]);
  });

  test('schemas with an id are components, with a second one where sent and got differ', () => {
    expect(doc.paths['/readers'].get.responses[200]).toEqual({
      description: 'Readers',
      headers: { Link: { description: 'The next page', schema: { type: 'string' } } },
      content: {
        'application/json': {
          schema: { type: 'array', items: { $ref: '#/components/schemas/Reader' } },
          example: [],
        },
      },
    });
    expect(doc.paths['/readers/{id}'].put.requestBody).toEqual({
      required: true,
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/ReaderInput' },
          example: { name: 'Dock' },
        },
      },
    });
    expect(doc.components.schemas.Reader.required).toEqual(['id', 'name', 'status', 'port']);
    expect(doc.components.schemas.ReaderInput.required).toEqual(['id', 'name', 'status']);
    expect(JSON.stringify(doc)).not.toContain('$defs');
    expect(JSON.stringify(doc)).not.toContain('additionalProperties":false');
  });

  test('security: a key or a session, a session only for administration, nothing for public routes', () => {
    expect(doc.paths['/readers'].get.security).toEqual([{ apiKey: [] }, { session: [] }]);
    expect(doc.paths['/readers/{id}'].delete.security).toEqual([{ session: [] }]);
    expect(doc.paths['/login'].post.security).toEqual([]);
    for (const name of ['apiKey', 'session']) expect(doc.components.securitySchemes).toHaveProperty(name);
  });

  test('other body types are declared as such', () => {
    const { requestBody, responses } = doc.paths['/import'].post;
    expect(Object.keys(requestBody.content)).toEqual(['multipart/form-data']);
    expect(responses[200].content).toEqual({ 'text/csv': { schema: { type: 'string' } } });
  });
});

describe('the documentation viewer', () => {
  test.each(['/docs', '/docs/'])('%s is a page whose every file is served from here', async (path) => {
    const res = await fetch(`${server.origin}${path}`);
    const html = await res.text();
    expect(res.headers.get('content-security-policy')).toContain("script-src 'self';");
    expect(html).not.toMatch(/https?:|<script>|style=/);
    const links = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => String(link));
    expect(links).toHaveLength(4);
    for (const link of links) {
      const file = await fetch(`${server.origin}${link}`);
      expect([link, file.status]).toEqual([link, 200]);
      expect((await file.arrayBuffer()).byteLength).toBeGreaterThan(100);
    }
  });

  test('the viewer asks for this document and for no outside validator', async () => {
    const script = await (await fetch(`${server.origin}/docs/start.js`)).text();
    expect(script).toContain("url: '/openapi.json'");
    expect(script).toContain('validatorUrl: null');
  });

  test.each([
    '/docs/package.json',
    '/docs/index.html',
    '/docs/../package.json',
    '/docs/%2e%2e%2fpackage.json',
    '/docs/swagger-ui.js.map',
    '/docs/__proto__',
  ])('%s is not served', async (path) => {
    expect((await fetch(`${server.origin}${path}`)).status).toBe(404);
  });
});
