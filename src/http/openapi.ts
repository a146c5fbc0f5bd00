import type { z } from 'zod';
import type { Refusal } from '../domain/refusal.ts';
import { Pace } from '../lib/pace.ts';
import { sessionCookie } from './access.ts';
import { apiBase } from './api.ts';
import { collectProblems, type ProblemCollector } from './openapi-problems.ts';
import { collectSchemas, type JsonSchema, type SchemaCollector } from './openapi-schemas.ts';
import { tagList } from './openapi-tags.ts';
import type { HttpOptions } from './options.ts';
import type { Access, ResponseSpec, Route } from './route.ts';

type DocumentOptions = Pick<HttpOptions, 'routes' | 'info' | 'writeRefusals'>;

/** What one document collects while its operations are described. */
interface Making {
  readonly schemas: SchemaCollector;
  readonly problems: ProblemCollector;
  readonly writeRefusals: readonly Refusal['kind'][];
  /** By path and lower-case method. */
  readonly paths: Map<string, Record<string, object>>;
}

/** The OpenAPI 3.1 document, made from the same records that serve: it cannot say anything else than the code does. */
export function openApiOf(options: DocumentOptions): object {
  const making = begin(options);
  for (const route of options.routes) describeRoute(route, making);
  return documentOf(options, making);
}

/** As `openApiOf`, a slice at a time: all of it would hold up the event loop for a tenth of a second. */
export async function openApiInSlices(options: DocumentOptions): Promise<object> {
  const making = begin(options);
  const pace = new Pace();
  for (const route of options.routes) {
    describeRoute(route, making);
    if (pace.due) await pace.pause();
  }
  return documentOf(options, making);
}

function begin({ writeRefusals = ['disk-full'] }: DocumentOptions): Making {
  return { schemas: collectSchemas(), problems: collectProblems(), writeRefusals, paths: new Map() };
}

function describeRoute(route: Route, making: Making): void {
  const item = making.paths.get(route.path) ?? {};
  item[route.method.toLowerCase()] = operation(route, making);
  making.paths.set(route.path, item);
}

function documentOf(options: DocumentOptions, making: Making): object {
  return {
    openapi: '3.1.0',
    info: { ...options.info, ...origin, description: `${options.info.description} ${everywhere}` },
    servers: [{ url: apiBase, description: 'This appliance' }],
    tags: tagList(options.routes.map(({ tag }) => tag)),
    paths: Object.fromEntries(making.paths),
    components: {
      schemas: { ...making.schemas.components(), Problem: problemSchema },
      responses: making.problems.components(),
      securitySchemes,
    },
  };
}

const origin = {
  contact: { name: 'Whoever runs this appliance' },
  license: { name: 'MIT', identifier: 'MIT' },
};

const everywhere = [
  'Errors are problem details (RFC 9457); `type` is stable and leads to a page about the problem.',
  'Beyond what an operation names, HTTP itself can be at fault: 405 with `Allow`, 408, 414, 431.',
].join(' ');

const securitySchemes = {
  apiKey: { type: 'http', scheme: 'bearer', description: 'An API key. Made with `tagkeep key create NAME`.' },
  session: { type: 'apiKey', in: 'cookie', name: sessionCookie, description: 'A user who is logged in.' },
};

const problemSchema = {
  type: 'object',
  description: 'Problem details, RFC 9457.',
  required: ['type', 'title', 'status', 'detail'],
  properties: {
    type: {
      type: 'string',
      pattern: '^/problems/[a-z-]+$',
      description: 'Stable; its page explains the problem.',
    },
    title: { type: 'string' },
    status: { type: 'integer', minimum: 400, maximum: 599 },
    detail: { type: 'string', description: 'What is wrong this time, in one sentence.' },
    errors: {
      type: 'array',
      description: 'Each value that breaks a rule; `path` is dotted and empty for the whole.',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: { path: { type: 'string' }, message: { type: 'string' } },
      },
    },
  },
};

const securityOf: Readonly<Record<Access, readonly object[]>> = {
  public: [],
  caller: [{ apiKey: [] }, { session: [] }],
  admin: [{ session: [] }],
};

function operation(route: Route, { schemas, problems, writeRefusals }: Making): object {
  const { operationId, summary, description = `${summary}.`, tag } = route;
  const parameters = [...parametersOf(route, 'path', schemas), ...parametersOf(route, 'query', schemas)];
  const answers = Object.entries(route.responses).map(([status, spec]) => [status, answer(spec, schemas)]);
  return {
    operationId,
    summary,
    description,
    tags: [tag],
    security: securityOf[route.access],
    ...(parameters.length > 0 && { parameters }),
    ...(route.body && { requestBody: requestBody(route, route.body, schemas) }),
    // What the route declares itself goes before what its access and shape imply.
    responses: {
      ...problems.responses(
        impliedRefusals(route, schemas, writeRefusals),
        new Set(Object.keys(route.responses)),
      ),
      ...Object.fromEntries(answers),
    },
  };
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
}

function parametersOf(route: Route, place: 'path' | 'query', schemas: SchemaCollector): object[] {
  const source = place === 'path' ? route.params : route.query;
  // Parameters are always an object of single values.
  const { properties = {}, required = [] } = (source ? schemas.convert(source, 'input') : {}) as ObjectSchema;
  const names = place === 'path' ? pathNames(route.path) : Object.keys(properties);
  return names.map((name) => {
    const { description, ...schema } = properties[name] ?? { type: 'string' };
    const text = typeof description === 'string' ? { description } : {};
    return { name, in: place, required: place === 'path' || required.includes(name), ...text, schema };
  });
}

function pathNames(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => String(name));
}

function requestBody(route: Route, body: z.ZodType, schemas: SchemaCollector): object {
  const media = {
    schema: schemas.convert(body, 'input'),
    ...(route.bodyExample !== undefined && { example: route.bodyExample }),
  };
  const required = !body.safeParse(undefined).success && !body.safeParse({}).success;
  const [type = 'application/json', ...rawTypes] = route.consumes ? [route.consumes].flat() : [];
  const raw = rawTypes.map((one) => [one, { schema: { type: 'string', format: 'binary' } }]);
  return { required, content: { [type]: media, ...Object.fromEntries(raw) } };
}

function answer(spec: ResponseSpec, schemas: SchemaCollector): object {
  const headers = Object.entries(spec.headers ?? {}).map(([name, text]) => [
    name,
    { description: text, schema: { type: 'string' } },
  ]);
  const hasBody = spec.schema !== undefined || spec.contentType !== undefined;
  const media = {
    schema: spec.schema ? schemas.convert(spec.schema, 'output') : { type: 'string' },
    ...(spec.example !== undefined && { example: spec.example }),
  };
  return {
    description: spec.description,
    ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
    ...(hasBody && { content: { [mediaType(spec.contentType ?? 'application/json')]: media } }),
  };
}

/** Without its parameters: a character set is nothing to choose by. */
function mediaType(contentType: string): string {
  return contentType.split(';', 1)[0] ?? contentType;
}

function impliedRefusals(
  route: Route,
  schemas: SchemaCollector,
  writeRefusals: readonly Refusal['kind'][],
): Set<Refusal['kind']> {
  const kinds = new Set<Refusal['kind']>(route.refusals);
  const isUuid = parametersOf(route, 'path', schemas).map((one) =>
    JSON.stringify(one).includes('"format":"uuid"'),
  );
  if (isUuid.includes(true)) kinds.add('not-found');
  if (isUuid.includes(false) || route.query || route.body) kinds.add('invalid');
  if (route.body || route.consumes) kinds.add('too-large').add('unsupported-media-type');
  if (route.access !== 'public') kinds.add('unauthenticated');
  if (route.access === 'admin') kinds.add('forbidden');
  const isWrite = route.method !== 'GET' && !route.readsOnly;
  if (route.access !== 'public' && isWrite) for (const kind of writeRefusals) kinds.add(kind);
  return kinds;
}
