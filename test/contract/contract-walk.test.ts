import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Appliance } from '../support/appliance.ts';
import { ApiDocument, type Media, type Operation, type Schema } from '../support/contract-document.ts';
import { merged, schemaFaults } from '../support/contract-fields.ts';
import { type Endpoint, endpoints } from './endpoints.ts';
import { pageLimits } from './errors.ts';
import { type ResourceName, resources } from './resources.ts';

const appliance = new Appliance({ env: { TAGKEEP_LOG__LEVEL: 'warn' } });
let doc: ApiDocument;

beforeAll(async () => {
  const { http } = await appliance.start();
  doc = new ApiDocument(await (await fetch(`${http}/openapi.json`)).json());
});
afterAll(() => appliance.dispose());

const title = ({ method, path }: Endpoint): string => `${method} ${path}`;
const rows = endpoints.map((row): [string, Endpoint] => [title(row), row]);
const rowsWith = (has: (row: Endpoint) => unknown) => rows.filter(([, row]) => has(row));

/** The only media type of a set, by name. */
function only(content: Readonly<Record<string, Media>> | undefined): readonly [type: string, media: Media] {
  const entries = Object.entries(content ?? {});
  const [first] = entries;
  if (!first || entries.length > 1) throw new Error(`${entries.length} media types instead of one`);
  return first;
}

const statusesOf = ({ responses }: Operation): readonly number[] => Object.keys(responses).map(Number);

describe('every row of the endpoint tables is in the document', () => {
  test.each(rows)('%s has the statuses of the contract', (_, row) => {
    const statuses = statusesOf(doc.need(row.method, row.path));
    const isWrite = row.method !== 'GET';
    const implied = [
      ...[401, ...(row.adminOnly ? [403] : []), ...(isWrite ? [402] : [])],
      ...(row.path.includes('{id}') ? [404] : []),
    ];
    const wanted = [row.status, ...implied, ...(row.refusals ?? [])];
    expect(statuses).toEqual(expect.arrayContaining(wanted));
    expect(statuses.filter((status) => status < 300)).toEqual([row.status]);
  });

  test.each(rows)('%s takes who the contract lets in', (_, row) => {
    const { security } = doc.need(row.method, row.path);
    const schemes = security.flatMap((one) => Object.keys(one));
    expect(schemes).toEqual(row.adminOnly ? ['session'] : ['apiKey', 'session']);
  });

  test.each(rowsWith(({ body }) => body))('%s takes the members of the contract', (_, row) => {
    const [type, media] = only(doc.need(row.method, row.path).requestBody?.content);
    expect(type).toBe(row.consumes ?? 'application/json');
    const schema = doc.resolve(media.schema);
    const items = row.bodyIsList ? doc.resolve(schema.items as Schema) : schema; // a list has a schema there
    const { properties = {}, required = [] } = merged(doc, items);
    const told = Object.keys(row.body ?? {}).map((name) => [
      name,
      name in properties ? (required.includes(name) ? 'required' : 'optional') : 'missing',
    ]);
    expect(Object.fromEntries(told)).toEqual(row.body);
  });

  test.each(rowsWith(({ query }) => query))('%s takes the query of the contract', (_, row) => {
    const names = doc.need(row.method, row.path).parameters.filter((one) => one.in === 'query');
    expect(names.map(({ name }) => name)).toEqual(expect.arrayContaining([...(row.query ?? [])]));
    expect(names.filter(({ required }) => required)).toEqual([]);
  });

  test.each(rowsWith(({ answer }) => answer !== 'not told'))(
    '%s answers what the contract says',
    (_, row) => {
      const { content } = doc.need(row.method, row.path).responses[row.status] ?? {};
      const { answer } = row;
      if (answer === 'no body' || answer === 'not told') return expect(content).toBeUndefined();
      const [type, media] = only(content);
      if ('media' in answer) return expect(type).toBe(answer.media);
      expect(type).toBe('application/json');
      expect(bodyFaults(doc.resolve(media.schema), answer)).toEqual([]);
    },
  );
});

function bodyFaults(
  schema: Schema,
  answer: { one: ResourceName } | { many: ResourceName } | { oneOrMany: ResourceName },
): readonly string[] {
  if ('one' in answer) return schemaFaults(doc, schema, { fields: resources[answer.one] });
  if ('many' in answer) {
    if (schema.type !== 'array') return ['the answer is no list'];
    const items = doc.resolve(schema.items as Schema); // a list has a schema there
    return schemaFaults(doc, items, { fields: resources[answer.many] });
  }
  const choices = ((schema.anyOf ?? schema.oneOf ?? []) as readonly Schema[]).map((one) => doc.resolve(one));
  const list = choices.find(({ type }) => type === 'array');
  const single = choices.find(({ type }) => type !== 'array');
  if (!list || !single || choices.length !== 2) return ['the answer is not one or a list'];
  const name = answer.oneOrMany;
  return [...bodyFaults(list, { many: name }), ...bodyFaults(single, { one: name })];
}

describe('every row of the limits table that a list has', () => {
  test.each(pageLimits)('$path answers up to $limit, and can be paged', ({ path, limit }) => {
    const { parameters, responses } = doc.need('GET', path);
    const page = parameters.find(({ name }) => name === 'limit');
    expect(page?.schema).toMatchObject({ type: 'integer', minimum: 1, maximum: limit });
    expect(parameters.map(({ name }) => name)).toContain('cursor');
    expect(Object.keys(responses[200]?.headers ?? {})).toContain('Link');
  });

  test('the limits of antenna settings and of a bulk delete are those of the table', () => {
    const settings = only(doc.need('PUT', '/readers/{id}/antennas').requestBody?.content)[1].schema;
    const { properties = {} } = merged(doc, doc.resolve(settings).items as Schema); // a list has one
    expect(properties.port).toMatchObject({ minimum: 1, maximum: 4 });
    expect(properties.transmitPowerCdbm).toMatchObject({ minimum: 1000, maximum: 3300 });
    expect(properties.inventorySession).toMatchObject({ minimum: 0, maximum: 3 });
    const deletion = only(doc.need('POST', '/tags/bulk-delete').requestBody?.content)[1].schema;
    expect(merged(doc, deletion).properties?.epcs).toMatchObject({ type: 'array', maxItems: 10_000 });
  });
});

describe('the document itself', () => {
  test('every operation has a summary, a description, a known tag, and an example of each JSON body', () => {
    const known = new Map(doc.source.tags.map(({ name, description }) => [name, description]));
    const faults = doc.operations.flatMap((operation) => {
      const { operationId, summary, description, tags } = operation;
      const bare = [summary, description].some((text) => !text?.trim()) ? ['has no words'] : [];
      const [tag = ''] = tags;
      const strange =
        (known.get(tag) ?? `${tag}.`) === `${tag}.` ? [`has the tag ${tag} nobody explains`] : [];
      return [...bare, ...strange, ...missingExamples(operation)].map((fault) => `${operationId} ${fault}`);
    });
    expect(faults).toEqual([]);
    expect(doc.operations.length).toBeGreaterThan(10);
  });

  test('every example keeps to its own schema', () => {
    const faults = doc.operations.flatMap(({ operationId, requestBody, responses }) =>
      [requestBody, ...Object.values(responses)].flatMap((one) =>
        Object.entries(one?.content ?? {}).flatMap(([type, { schema, example }]) => {
          const breach = example === undefined ? null : doc.breach(schema, example);
          return breach ? [`${operationId} ${type}: ${breach}`] : [];
        }),
      ),
    );
    expect(faults).toEqual([]);
  });
});

function missingExamples({ requestBody, responses }: Operation): readonly string[] {
  const answers = Object.entries(responses).map(
    ([status, one]) => [`answer ${status}`, one.content] as const,
  );
  const all = [...answers, ['request', requestBody?.content] as const];
  return all.flatMap(([name, content]) => {
    const media = content?.['application/json'];
    return media && media.example === undefined ? [`has no example of its ${name}`] : [];
  });
}
