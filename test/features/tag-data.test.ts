import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { dataTypeOf, deriveKey } from '../../src/domain/field.ts';
import { limits } from '../../src/domain/limits.ts';
import { neverSeen } from '../../src/domain/tag-state.ts';
import { typeValue } from '../../src/domain/value.ts';
import { fieldRoutes } from '../../src/features/fields/field-routes.ts';
import { dataRoutes } from '../../src/features/tags/data-routes.ts';
import { historyRoutes } from '../../src/features/tags/history-routes.ts';
import { createTagDataView } from '../../src/features/tags/tag-data-view.ts';
import { contractBreach } from '../../src/http/answer.ts';
import type { Route } from '../../src/http/route.ts';
import { formatInstant } from '../../src/lib/instant.ts';
import { addFields, FieldCatalogue } from '../../src/store/fields.ts';
import { tagNoOf } from '../../src/store/tag-registry.ts';
import { type Answer, type House, noon, openHouse, type Tenant } from '../support/house.ts';

// A list of strings, from the repository's own corpus.
const naughty = JSON.parse(readFileSync('test/corpus/blns.json', 'utf8')) as readonly string[];

let house: House;
let tenant: Tenant;
let routes: readonly Route[] = [];

beforeEach(async () => {
  house = await openHouse({
    more: (parts) => {
      routes = [...fieldRoutes(parts), ...dataRoutes(parts), ...historyRoutes(parts)];
      return routes;
    },
  });
  tenant = await house.tenant('Ours');
});
afterEach(() => house.close());

const EPC = '3034257BF468D480000003E8';

const put = (body: unknown, epc = EPC): Promise<Answer> => tenant.call('PUT', `/tags/${epc}/data`, body);
const get = (epc = EPC): Promise<Answer> => tenant.call('GET', `/tags/${epc}/data`);
const history = async (query = ''): Promise<Answer['body']> =>
  (await tenant.call('GET', `/tags/${EPC}/history${query}`)).body;

async function fields(): Promise<Answer['body']> {
  return (await tenant.call('GET', '/fields')).body;
}

/** An object with this one member, whatever it is called. */
function member(key: string, value: string): object {
  return Object.fromEntries([[key, value]]);
}

test('every route has examples that keep to its own schemas', () => {
  for (const { responses, operationId, body, bodyExample, ...route } of routes) {
    for (const [status, { schema, example }] of Object.entries(responses))
      if (schema)
        expect(
          contractBreach({ ...route, responses, operationId }, { status: Number(status), body: example }),
          operationId,
        ).toBeNull();
    if (body) expect(body.safeParse(bodyExample).error, operationId).toBeUndefined();
  }
});

test('the body of PUT is documented as an object of texts, with its limits', () => {
  const { paths } = house.server.openapi as {
    paths: Record<string, { put: { requestBody: { content: Record<string, { schema: object }> } } }>;
  };
  expect(paths['/tags/{epc}/data']?.put.requestBody.content['application/json']?.schema).toMatchObject({
    type: 'object',
    additionalProperties: { type: 'string', maxLength: limits.valueMaxLength },
    maxProperties: limits.keysPerWrite,
  });
});

describe('GET /tags/{epc}/data', () => {
  test('an unknown EPC: 200 with empty attributes and no tagId', async () => {
    expect(await get()).toMatchObject({ status: 200, body: { epc: EPC, attributes: {} } });
    expect((await get()).body).not.toHaveProperty('tagId');
  });

  test('a tag without data: its id and empty attributes', async () => {
    const { id } = await tenant.tag(EPC);
    expect((await get()).body).toEqual({ epc: EPC, tagId: id, attributes: {} });
  });

  test('a lower-case EPC is folded', async () => {
    await put({ a: '1' }, EPC.toLowerCase());
    expect((await get(EPC.toLowerCase())).body).toMatchObject({ epc: EPC, attributes: { a: 1 } });
  });

  test.each([
    ['7 digits', '1234567'],
    ['65 digits', '1'.repeat(65)],
    ['a letter that is no hex digit', '1234567G'],
    ['blanks', '12345678%20'],
    ['a NUL', '12345678%00'],
    ['another script', '%D9%A1%D9%A2%D9%A3%D9%A4%D9%A1%D9%A2%D9%A3%D9%A4'],
  ])('400 naming epc for %s, in data and history', async (_, epc) => {
    for (const answer of [
      await get(epc),
      await put({ a: '1' }, epc),
      await tenant.call('GET', `/tags/${epc}/history`),
    ])
      expect(answer).toMatchObject({ status: 400, body: { errors: [{ path: 'epc' }] } });
    expect(await fields()).toEqual([]);
  });

  test('8 and 64 digits, and odd numbers of them, are EPCs', async () => {
    for (const epc of ['12345678', '123456789', 'F'.repeat(64)]) expect((await get(epc)).status).toBe(200);
  });
});

describe('PUT /tags/{epc}/data', () => {
  test('an unknown EPC becomes a tag; all values come back typed, in display order', async () => {
    const { status, body } = await put({ Name: 'Pallet 17', weight: '412.50', fragile: 'YES', lot: '0042' });
    expect(status).toBe(200);
    expect(body).toEqual({
      epc: EPC,
      tagId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      attributes: { name: 'Pallet 17', weight: 412.5, fragile: true, lot: '0042' },
    });
    expect(Object.keys(body.attributes)).toEqual(['name', 'weight', 'fragile', 'lot']);
    expect((await get()).body).toEqual(body);
    const tagNo = tagNoOf(house.store, tenant.orgNo, EPC) ?? 0;
    expect([house.ledger.states.orgNo(tagNo), house.ledger.states.get(tagNo)]).toEqual([
      tenant.orgNo,
      neverSeen,
    ]);
    expect((await tenant.call('GET', '/tags')).body).toMatchObject([{ id: body.tagId, lastSeenAt: null }]);
  });

  test('a tag with nothing said of it is made by an empty body', async () => {
    const { body } = await put({});
    expect(body).toEqual({ epc: EPC, tagId: expect.any(String), attributes: {} });
    expect((await get()).body.tagId).toBe(body.tagId);
  });

  test('a tag that was read keeps its id and state', async () => {
    const { id, no } = await tenant.tag(EPC, { firstSeenAt: noon, lastSeenAt: noon });
    expect((await put({ a: 'b' })).body.tagId).toBe(id);
    expect(house.ledger.states.get(no).lastSeenAt).toBe(noon);
  });

  test('only the fields sent change; a blank clears, the old value goes to history', async () => {
    await put({ a: '1', b: '2', c: '3' });
    house.now = noon + 1000;
    expect((await put({ a: '', b: ' \t', d: 'new' })).body.attributes).toEqual({ c: 3, d: 'new' });
    expect(await history()).toEqual([
      { key: 'd', value: 'new', validFrom: formatInstant(noon + 1000) },
      { key: 'c', value: 3, validFrom: formatInstant(noon) },
      { key: 'b', value: 2, validFrom: formatInstant(noon), validTo: formatInstant(noon + 1000) },
      { key: 'a', value: 1, validFrom: formatInstant(noon), validTo: formatInstant(noon + 1000) },
    ]);
  });

  test('the value it already holds makes no history entry', async () => {
    await put({ a: '1.50' });
    house.now = noon + 1000;
    await put({ a: '1.5' });
    expect(await history()).toEqual([{ key: 'a', value: 1.5, validFrom: formatInstant(noon) }]);
  });

  test('a key is that of a field, else a label whose key is derived, else a new field labelled as sent', async () => {
    await put({ 'Best Before (date)': 'x', Site: 'https://example.org', n: '1', ok: 'no' });
    expect(await fields()).toMatchObject([
      { key: 'best_before_date', label: 'Best Before (date)', dataType: 'text', displayOrder: 0 },
      { key: 'site', dataType: 'url' },
      { key: 'n', dataType: 'number' },
      { key: 'ok', dataType: 'boolean', displayOrder: 3, showInTable: true, isLabel: false },
    ]);
    await put({ best_before_date: 'y' });
    await put({ 'best before: DATE': 'z' });
    expect((await get()).body.attributes.best_before_date).toBe('z');
    expect(await fields()).toHaveLength(4);
  });

  test('after a rename the new key is the field; the old one makes a new field', async () => {
    await put({ a: '1' });
    await tenant.call('PATCH', '/fields/a', { label: 'b' });
    expect((await put({ b: '2', a: '3' })).body.attributes).toEqual({ b: 2, a: 3 });
  });

  test('a blank value for a key without field makes no field', async () => {
    expect((await put({ Nothing: '' })).body.attributes).toEqual({});
    expect(await fields()).toEqual([]);
  });

  test.each([
    ['two keys of one new field', { 'Best before': '1', best_before: '2' }, 'best_before'],
    ['two keys of one known field', { known: '1', ' KNOWN ': '2' }, ' KNOWN '],
    ['two keys of one field, one of them to clear', { other: '', Other: '2' }, 'Other'],
    ['a key without letter or digit', { ok: '1', '--': '2' }, '--'],
    ['an empty key', { ok: '1', '': '2' }, ''],
    ['epc', { ok: '1', epc: '2' }, 'epc'],
    ['EPC, blank', { ok: '1', 'E-P-C': '', EPC: '' }, 'EPC'],
    ['a key of 256 characters', { ok: '1', ['k'.repeat(256)]: '2' }, `${'k'.repeat(255)}…`],
    ['a number', { ok: '1', n: 2 }, 'n'],
    ['null', { ok: '1', n: null }, 'n'],
    ['an object', { ok: '1', n: {} }, 'n'],
    ['a text of 10,001 characters', { ok: '1', n: 'x'.repeat(10_001) }, 'n'],
  ])('400 naming the key for %s, and nothing changes', async (_, body, path) => {
    await tenant.call('POST', '/fields', { label: 'Known' });
    const before = await fields();
    const answer = await put(body);
    expect(answer).toMatchObject({ status: 400, body: { type: '/problems/invalid', errors: [{ path }] } });
    expect(await fields()).toEqual(before);
    expect((await get()).body).toEqual({ epc: EPC, attributes: {} });
    expect(tenant.audit()).toHaveLength(1);
  });

  test.each([['[]'], ['"text"'], ['null'], ['7']])('400 for a body of %s', async (text) => {
    expect((await put(JSON.parse(text))).status).toBe(400);
  });

  test('a text of 10,000 characters and a key of 255 are taken', async () => {
    const [key, value] = ['k'.repeat(255), '🙂'.repeat(5000)];
    expect((await put({ [key]: value })).body.attributes).toEqual({ [key]: value });
  });

  test('as many keys as a write may have are taken, one more is a 400', async () => {
    const many = Array.from({ length: limits.keysPerWrite + 1 }, (_, n) => [`f${n}`, `${n}`] as const);
    expect((await put(Object.fromEntries(many))).status).toBe(400);
    const { body } = await put(Object.fromEntries(many.slice(1)));
    expect(Object.keys(body.attributes)).toHaveLength(limits.keysPerWrite);
  });

  test('a field too many: 400, and neither tag nor the other new fields are made', async () => {
    const keys = Array.from({ length: limits.fieldsPerOrganisation - 1 }, (_, n) => `f${n}`);
    const news = keys.map((key) => ({ id: randomUUID(), key, label: key, dataType: 'text' as const }));
    await house.store.write((tx) => addFields(tx, tenant.orgId, news));
    expect((await put({ one: '1', two: '2' })).status).toBe(400);
    expect((await get()).body).not.toHaveProperty('tagId');
    expect(await fields()).toHaveLength(keys.length);
    expect((await put({ one: '1', f0: '2' })).status).toBe(200);
  });

  test('many at once make one tag and one field; every value but the last is in the history', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => put({ Count: `${n}` })));
    expect(new Set(answers.map(({ body }) => body.tagId)).size).toBe(1);
    expect(await fields()).toHaveLength(1);
    const values = (await history()).map(({ value }: { value: number }) => value);
    expect(values.toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(values[0]).toBe((await get()).body.attributes.count);
  });

  test('a new tag waits for a checkpoint while the journal is full', async () => {
    const { no } = await tenant.tag('ABCDEF01');
    const visit = { antennaNo: 0, zoneNo: 0, firstAt: 0, lastAt: 0, reads: 0 };
    const touch = { tagNo: no, orgNo: tenant.orgNo, state: neverSeen, visit };
    const entries = await house.store.write((tx) =>
      Array.from({ length: 1000 }, () => house.ledger.append(tx, [touch])),
    );
    for (const entry of entries) house.ledger.applied(entry);
    expect(house.ledger.full).toBe(true);
    expect((await put({ a: '1' })).status).toBe(200);
    expect(house.ledger.pending).toBe(1);
  });

  test('each is one entry in the audit log with what changed, fields that it made beside it', async () => {
    await put({ Name: 'x', n: '1' });
    await put({ name: 'y', n: '1' });
    await put({ name: '' });
    await put({ name: '' });
    expect(
      tenant.audit().map(({ action, resource, before, after }) => [action, resource, before, after]),
    ).toEqual([
      ['create', 'fields/name', undefined, { key: 'name', label: 'Name', dataType: 'text' }],
      ['create', 'fields/n', undefined, { key: 'n', label: 'n', dataType: 'number' }],
      ['create', `tags/${EPC}`, undefined, { name: 'x', n: 1 }],
      ['update', `tags/${EPC}`, { name: 'x' }, { name: 'y' }],
      ['update', `tags/${EPC}`, { name: 'y' }, {}],
      ['update', `tags/${EPC}`, {}, {}],
    ]);
    expect(tenant.audit().every(({ actor }) => actor.kind === 'key' && actor.id === tenant.keyId)).toBe(true);
  });

  test('the audit log keeps the first 1,000 characters of a value, and that a longer one changed', async () => {
    const [one, other] = [`${'a'.repeat(9_999)}1`, `${'a'.repeat(9_999)}2`];
    const short = `${'a'.repeat(1000)}… (9,000 more characters`;
    await put({ n: one, short: 'b'.repeat(1000) });
    await put({ n: other, short: 'b'.repeat(1000) });
    await put({ n: `${'b'.repeat(999)}🙂c` });
    expect((await get()).body.attributes.n).toHaveLength(1002);
    const noted = tenant.audit().filter(({ resource }) => resource.startsWith('tags/'));
    expect(noted.map(({ before, after }) => [before, after])).toEqual([
      [undefined, { n: `${short})`, short: 'b'.repeat(1000) }],
      [{ n: `${short})` }, { n: `${short}, changed)` }],
      [{ n: `${short})` }, { n: `${'b'.repeat(999)}… (3 more characters)` }],
    ]);
  });

  test('keys that mean something to JavaScript are ordinary', async () => {
    const { store } = house;
    const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'length', 'then'];
    for (const name of names) expect((await put(member(name, `of ${name}`))).status, name).toBe(200);
    const { attributes } = (await get()).body;
    expect(Object.entries(attributes)).toEqual(
      names.map((name) => [name === '__proto__' ? 'proto' : name.toLowerCase(), `of ${name}`]),
    );
    // A field that an older version, or an import, keeps under exactly this key.
    const field = { id: randomUUID(), key: '__proto__', label: 'p', dataType: 'text' as const };
    await store.write((tx) => addFields(tx, tenant.orgId, [field]));
    const answer = await put(member('__proto__', 'seven'));
    expect(Object.getOwnPropertyDescriptor(answer.body.attributes, '__proto__')?.value).toBe('seven');
    expect(Object.hasOwn((await get()).body.attributes, '__proto__')).toBe(true);
    expect((await history())[0]).toMatchObject({ key: '__proto__', value: 'seven' });
    const noted = tenant.audit().at(-1)?.after ?? {};
    expect(Object.getOwnPropertyDescriptor(noted, '__proto__')?.value).toBe('seven');
    expect(({} as Record<string, unknown>).seven).toBeUndefined();
    const view = createTagDataView({ store, catalogue: new FieldCatalogue(store) });
    const described = view.describe(tagNoOf(store, tenant.orgNo, EPC) ?? 0).attributes;
    expect(Object.getOwnPropertyDescriptor(described, '__proto__')?.value).toBe('seven');
  });
});

test('naughty strings are values like any other, and labels where a letter or digit is in them', async () => {
  for (const text of naughty) {
    const { status, body } = await put({ value: text });
    expect(status, text).toBe(200);
    expect(body.attributes.value ?? null, text).toBe(typeValue(text));
    const key = deriveKey(text);
    const label = text.length <= limits.nameMaxLength && key !== '' && key !== 'epc';
    const answer = await put(member(text, `as key: ${text}`));
    expect(answer.status, text).toBe(label ? 200 : 400);
    if (label)
      expect(Object.getOwnPropertyDescriptor(answer.body.attributes, key)?.value).toBe(`as key: ${text}`);
    if (label) await tenant.call('DELETE', `/fields/${encodeURIComponent(key)}`);
    await put({ value: '' });
  }
});

describe('tag data as lists show it', () => {
  test('every value as text, the label that of the name field; deleted fields are gone', async () => {
    const { store } = house;
    const view = createTagDataView({ store, catalogue: new FieldCatalogue(store) });
    await put({ name: '17.0', ok: 'yes', lot: '007' });
    const tagNo = tagNoOf(store, tenant.orgNo, EPC) ?? 0;
    expect(view.describe(tagNo)).toEqual({ label: null, attributes: { name: '17', ok: 'true', lot: '007' } });
    await tenant.call('PATCH', '/fields/name', { isLabel: true });
    expect(view.describe(tagNo).label).toBe('17');
    for (const key of ['name', 'ok', 'lot']) await tenant.call('DELETE', `/fields/${key}`);
    expect(view.describe(tagNo)).toEqual({ label: null, attributes: {} });
    expect(view.describe(99)).toEqual({ label: null, attributes: {} });
  });

  test('an organisation made later is found too', async () => {
    const { store } = house;
    const view = createTagDataView({ store, catalogue: new FieldCatalogue(store) });
    await put({ a: '1' });
    expect(view.describe(1).attributes).toEqual({ a: '1' });
    const later = await house.tenant('Later');
    await later.call('PUT', `/tags/${EPC}/data`, { a: '2' });
    expect(view.describe(2).attributes).toEqual({ a: '2' });
  });
});

test('tags of another organisation have data, history and fields of their own', async () => {
  const other = await house.tenant('Theirs');
  await put({ secret: 'ours' });
  expect((await other.call('GET', `/tags/${EPC}/data`)).body).toEqual({ epc: EPC, attributes: {} });
  expect((await other.call('GET', `/tags/${EPC}/history`)).body).toEqual([]);
  const { body } = await other.call('PUT', `/tags/${EPC}/data`, { secret: 'theirs' });
  expect(body.attributes).toEqual({ secret: 'theirs' });
  await other.call('DELETE', '/fields/secret');
  expect((await get()).body.attributes).toEqual({ secret: 'ours' });
  expect(await history()).toHaveLength(1);
});

test('the guess of a new field is made from its first value', async () => {
  for (const [n, text] of ['1', 'yes', 'x', 'http://a.b'].entries()) {
    await put({ [`f${n}`]: text });
    const value = typeValue(text) ?? '';
    expect((await fields()).at(-1)).toMatchObject({ key: `f${n}`, dataType: dataTypeOf(value) });
  }
  await put({ f0: 'now text' });
  expect((await fields())[0].dataType).toBe('number');
});
