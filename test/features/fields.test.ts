import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { deriveKey } from '../../src/domain/field.ts';
import { limits } from '../../src/domain/limits.ts';
import { fieldRoutes } from '../../src/features/fields/field-routes.ts';
import { dataRoutes } from '../../src/features/tags/data-routes.ts';
import { historyRoutes } from '../../src/features/tags/history-routes.ts';
import { contractBreach } from '../../src/http/answer.ts';
import type { Route } from '../../src/http/route.ts';
import { addFields } from '../../src/store/fields.ts';
import { codePoint } from '../support/code-point.ts';
import { type Answer, type House, openHouse, type Tenant } from '../support/house.ts';

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

async function make(...labels: readonly string[]): Promise<void> {
  for (const label of labels) expect((await tenant.call('POST', '/fields', { label })).status).toBe(201);
}

async function list(): Promise<Answer['body']> {
  return (await tenant.call('GET', '/fields')).body;
}

async function keys(): Promise<readonly string[]> {
  return (await list()).map(({ key }: { key: string }) => key);
}

async function attributes(): Promise<object> {
  return (await tenant.call('GET', `/tags/${EPC}/data`)).body.attributes;
}

const patch = (key: string, body: object) => tenant.call('PATCH', `/fields/${encodeURIComponent(key)}`, body);

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

describe('POST /fields', () => {
  test('201 with the field: the key derived from the label, text, shown, last, no name field', async () => {
    await make('First');
    const { status, body } = await tenant.call('POST', '/fields', { label: 'Best Before' });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      key: 'best_before',
      label: 'Best Before',
      dataType: 'text',
      options: null,
      displayOrder: 1,
      showInTable: true,
      isLabel: false,
    });
    expect((await list())[1]).toEqual(body);
  });

  test('409 when the key is taken, however the label is written', async () => {
    await make('Best before');
    for (const label of ['Best before', 'best_before', ' BEST-BEFORE! ']) {
      const { status, body } = await tenant.call('POST', '/fields', { label });
      expect([status, body.type]).toEqual([409, '/problems/field-exists']);
    }
    expect(await keys()).toEqual(['best_before']);
  });

  test.each([
    ['no label', {}],
    ['a blank label', { label: ' ' }],
    ['a label without letter or digit', { label: '!?' }],
    ['the label EPC', { label: 'EPC' }],
    ['a label of 256 characters', { label: 'x'.repeat(256) }],
    ['a label that is no text', { label: 1 }],
  ])('400 that names the label for %s', async (_, body) => {
    const answer = await tenant.call('POST', '/fields', body);
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ path: 'label' }] } });
    expect(await keys()).toEqual([]);
  });

  test('past the limit: 400', async () => {
    const many = Array.from({ length: limits.fieldsPerOrganisation }, (_, n) => `f${n}`);
    await house.store.write((tx) =>
      addFields(
        tx,
        tenant.orgId,
        many.map((key) => ({ id: randomUUID(), key, label: key, dataType: 'text' as const })),
      ),
    );
    expect((await tenant.call('POST', '/fields', { label: 'one more' })).status).toBe(400);
  });

  test('of two at the same time with one key, one is made', async () => {
    const answers = await Promise.all(
      ['Same', 'same', 'SAME'].map((label) => tenant.call('POST', '/fields', { label })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect(await keys()).toEqual(['same']);
  });
});

describe('PATCH /fields/{key}', () => {
  test('a label: the key changes with it, and values and history move', async () => {
    await tenant.call('PUT', `/tags/${EPC}/data`, { Weight: '1' });
    await tenant.call('PUT', `/tags/${EPC}/data`, { Weight: '2' });
    const { status, body } = await patch('weight', { label: 'Mass (kg)' });
    expect([status, body.key, body.label]).toEqual([200, 'mass_kg', 'Mass (kg)']);
    expect(await attributes()).toEqual({ mass_kg: 2 });
    const { body: history } = await tenant.call('GET', `/tags/${EPC}/history`);
    expect(history.map(({ key }: { key: string }) => key)).toEqual(['mass_kg', 'mass_kg']);
    expect((await patch('weight', { label: 'x' })).status).toBe(404);
  });

  test('409 when the new key is that of another field; its own key with another label is fine', async () => {
    await make('One', 'Two');
    expect(await patch('one', { label: ' two ' })).toMatchObject({
      status: 409,
      body: { type: '/problems/field-exists' },
    });
    expect(await patch('one', { label: 'ONE!' })).toMatchObject({
      status: 200,
      body: { key: 'one', label: 'ONE!' },
    });
    expect(await keys()).toEqual(['one', 'two']);
  });

  test('isLabel true: the full list, and it is the only name field', async () => {
    await make('One', 'Two', 'Three');
    await patch('one', { isLabel: true });
    const { status, body } = await patch('two', { isLabel: true });
    expect(status).toBe(200);
    expect(body.map(({ key, isLabel }: Answer['body']) => [key, isLabel])).toEqual([
      ['one', false],
      ['two', true],
      ['three', false],
    ]);
    expect(await list()).toEqual(body);
  });

  test('isLabel false leaves no name field, and answers the full list', async () => {
    await make('One', 'Two');
    await patch('one', { isLabel: true });
    await patch('two', { isLabel: false });
    expect((await list())[0].isLabel).toBe(true);
    const { body } = await patch('one', { isLabel: false });
    expect(body).toHaveLength(2);
    expect(body.some(({ isLabel }: Answer['body']) => isLabel)).toBe(false);
  });

  test('a body with isLabel answers the full list, whatever else it changes', async () => {
    await make('One', 'Two');
    const { body } = await patch('two', {
      label: 'Name',
      isLabel: true,
      displayOrder: 0,
      showInTable: false,
    });
    expect(body).toMatchObject([
      { key: 'name', isLabel: true, displayOrder: 0, showInTable: false },
      { key: 'one', displayOrder: 1 },
    ]);
  });

  test('showInTable and displayOrder: the field, the others numbered from 0', async () => {
    await make('a', 'b', 'c', 'd');
    expect((await patch('c', { displayOrder: 0 })).body).toMatchObject({ key: 'c', displayOrder: 0 });
    expect(await keys()).toEqual(['c', 'a', 'b', 'd']);
    await patch('c', { displayOrder: 2 });
    expect(await keys()).toEqual(['a', 'b', 'c', 'd']);
    expect((await patch('a', { displayOrder: 99 })).body.displayOrder).toBe(3);
    expect((await list()).map(({ displayOrder }: Answer['body']) => displayOrder)).toEqual([0, 1, 2, 3]);
    expect((await patch('a', { showInTable: false })).body).toMatchObject({ key: 'a', showInTable: false });
  });

  test.each([
    ['nothing', {}],
    ['an unknown member alone', { dataType: 'number' }],
    ['a blank label', { label: '' }],
    ['the label epc', { label: 'epc' }],
    ['isLabel that is text', { isLabel: 'true' }],
    ['isLabel null', { isLabel: null }],
    ['a displayOrder below 0', { displayOrder: -1 }],
    ['a displayOrder that is no whole number', { displayOrder: 1.5 }],
  ])('400 for %s, and nothing changes', async (_, body) => {
    await make('One');
    const before = await list();
    expect((await patch('one', body)).status).toBe(400);
    expect(await list()).toEqual(before);
  });

  test('404 for a key that no field has', async () => {
    await make('One');
    for (const key of ['ONE', 'two', '__proto__', 'constructor', 'a\0b', 'a/b'])
      expect((await patch(key, { showInTable: false })).status, key).toBe(404);
  });
});

describe('DELETE /fields/{key}', () => {
  test('204: the field and its values, past ones too, are gone at once; one made anew has none', async () => {
    await tenant.call('PUT', `/tags/${EPC}/data`, { gone: 'x', kept: 'y' });
    await tenant.call('PUT', `/tags/${EPC}/data`, { gone: 'z' });
    expect(await tenant.call('DELETE', '/fields/gone')).toMatchObject({ status: 204, body: null });
    expect(await attributes()).toEqual({ kept: 'y' });
    expect((await tenant.call('GET', `/tags/${EPC}/history`)).body).toMatchObject([
      { key: 'kept', value: 'y' },
    ]);
    await make('gone');
    expect(await attributes()).toEqual({ kept: 'y' });
    expect(await list()).toMatchObject([
      { key: 'kept', displayOrder: 0 },
      { key: 'gone', displayOrder: 1 },
    ]);
  });

  test('404 for an unknown key', async () => {
    expect((await tenant.call('DELETE', '/fields/nope')).status).toBe(404);
  });
});

test('fields of another organisation do not show and cannot be touched', async () => {
  const other = await house.tenant('Theirs');
  await make('Secret');
  expect((await other.call('GET', '/fields')).body).toEqual([]);
  expect((await other.call('PATCH', '/fields/secret', { label: 'x' })).status).toBe(404);
  expect((await other.call('DELETE', '/fields/secret')).status).toBe(404);
  expect((await other.call('POST', '/fields', { label: 'Secret' })).status).toBe(201);
  await other.call('DELETE', '/fields/secret');
  expect(await keys()).toEqual(['secret']);
});

test('every write is in the audit log, with what changed', async () => {
  await make('One', 'Two');
  await patch('one', { isLabel: true });
  await patch('two', { isLabel: true, label: 'Name' });
  await tenant.call('DELETE', '/fields/one');
  await patch('name', { label: 'epc' });
  expect(
    tenant.audit().map(({ action, resource, before, after }) => [action, resource, before, after]),
  ).toEqual([
    ['create', 'fields/one', undefined, expect.objectContaining({ key: 'one', label: 'One' })],
    ['create', 'fields/two', undefined, expect.objectContaining({ key: 'two' })],
    ['update', 'fields/one', { isLabel: false }, { isLabel: true }],
    [
      'update',
      'fields/two',
      { key: 'two', label: 'Two', isLabel: false },
      { key: 'name', label: 'Name', isLabel: true },
    ],
    ['update', 'fields/one', { isLabel: true }, { isLabel: false }],
    ['delete', 'fields/one', expect.objectContaining({ key: 'one' }), undefined],
  ]);
});

test('any label makes an ordinary field or a 400; its key leads to it and it can be deleted', async () => {
  const labels = fc.oneof(
    fc.constantFrom(...naughty),
    fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty', 'Länge', '数量', 'a/b', '%2e'),
    fc.string({ unit: codePoint, maxLength: 40 }),
  );
  await fc.assert(
    fc.asyncProperty(labels, async (label) => {
      const { status, body } = await tenant.call('POST', '/fields', { label });
      const key = deriveKey(label);
      const whole = !/\p{Surrogate}/u.test(label) && /\S/.test(label) && label.length <= limits.nameMaxLength;
      if (!whole || key === '' || key === 'epc') {
        expect(status).toBe(400);
        return;
      }
      expect([status, body.key, body.label]).toEqual([201, key, label]);
      expect((await patch(key, { showInTable: false })).body).toEqual({ ...body, showInTable: false });
      expect((await tenant.call('DELETE', `/fields/${encodeURIComponent(key)}`)).status).toBe(204);
    }),
    { numRuns: 150 },
  );
  expect(await keys()).toEqual([]);
});

test('the first value of a field made without one tells its type, and no later one changes it', async () => {
  await tenant.call('POST', '/fields', { label: 'Gross weight' });
  await tenant.call('PUT', '/tags/AABBCCDD01/data', { gross_weight: '5' });
  await tenant.call('PUT', '/tags/AABBCCDD02/data', { gross_weight: 'heavy' });
  expect((await tenant.call('GET', '/fields')).body).toMatchObject([
    { key: 'gross_weight', dataType: 'number' },
  ]);
});
