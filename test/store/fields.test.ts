import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../../src/domain/limits.ts';
import {
  addField,
  addFields,
  FieldCatalogue,
  fieldsOf,
  type NewField,
  putField,
  removeField,
} from '../../src/store/fields.ts';
import { tables } from '../../src/store/tables.ts';
import { type StoreFolder, storeFolder } from '../support/store-folder.ts';

let folder: StoreFolder;

beforeEach(async () => {
  folder = storeFolder();
  await folder.store.write((tx) => {
    tx.put(tables.orgs, 'a', { id: 'a', no: 1, name: 'A', createdAt: 1 });
    tx.put(tables.orgs, 'b', { id: 'b', no: 2, name: 'B', createdAt: 1 });
  });
});
afterEach(() => folder.close());

function newField(key: string): NewField {
  return { id: `id-${key}`, key, label: key.toUpperCase(), dataType: 'text' };
}

const keys = (orgId: string): readonly string[] => fieldsOf(folder.store, orgId).map(({ key }) => key);

describe('fields of an organisation', () => {
  test('one that is added comes last, shown in tables, no name field, with a number of its own', async () => {
    const [x, y] = await folder.store.write((tx) => [
      addField(tx, 'a', newField('z')),
      addField(tx, 'a', newField('b')),
    ]);
    expect(x).toEqual({ ...newField('z'), no: 1, displayOrder: 0, showInTable: true, isLabel: false });
    expect(y).toMatchObject({ no: 2, displayOrder: 1 });
    expect(keys('a')).toEqual(['z', 'b']);
    expect(keys('b')).toEqual([]);
  });

  test('several that are added at once come in their order', async () => {
    const made = await folder.store.write((tx) => {
      addField(tx, 'a', newField('first'));
      return addFields(tx, 'a', ['c', 'b', 'a'].map(newField));
    });
    expect(made.map(({ key, displayOrder }) => [key, displayOrder])).toEqual([
      ['c', 1],
      ['b', 2],
      ['a', 3],
    ]);
    expect(keys('a')).toEqual(['first', 'c', 'b', 'a']);
  });

  test('past the limit none is added, and of several none at all', async () => {
    const many = Array.from({ length: limits.fieldsPerOrganisation }, (_, n) => newField(`f${n}`));
    await folder.store.write((tx) => addFields(tx, 'a', many.slice(1)));
    const two = folder.store.write((tx) => addFields(tx, 'a', [newField('x'), newField('y')]));
    await expect(two).rejects.toMatchObject({ refusal: { kind: 'invalid' } });
    expect(keys('a')).toHaveLength(limits.fieldsPerOrganisation - 1);
    await folder.store.write((tx) => addField(tx, 'a', newField('x')));
    await expect(folder.store.write((tx) => addField(tx, 'a', newField('y')))).rejects.toMatchObject({
      refusal: { detail: `There can be no more than ${limits.fieldsPerOrganisation} fields.` },
    });
    await expect(folder.store.write((tx) => addField(tx, 'b', newField('y')))).resolves.toBeDefined();
  });

  test('the number of a removed one is noted for the sweep and never given again', async () => {
    await folder.store.write((tx) => {
      const field = addField(tx, 'b', newField('x'));
      removeField(tx, 'b', field);
    });
    expect(folder.store.get(tables.deletedFields, 1)).toEqual({ orgNo: 2, nextTagNo: 1 });
    const again = await folder.store.write((tx) => addField(tx, 'b', newField('x')));
    expect(again).toMatchObject({ no: 2, displayOrder: 0 });
  });
});

describe('the catalogue', () => {
  test('shows every change of any organisation, in display order', async () => {
    const catalogue = new FieldCatalogue(folder.store);
    const before = catalogue.version;
    expect(catalogue.of('a')).toEqual([]);
    const field = await folder.store.write((tx) => addField(tx, 'a', newField('x')));
    expect(catalogue.of('a')).toEqual([field]);
    expect(catalogue.version).toBeGreaterThan(before);
    await folder.store.write((tx) => putField(tx, 'a', { ...field, isLabel: true, displayOrder: 7 }));
    await folder.store.write((tx) => addField(tx, 'a', newField('y')));
    expect(catalogue.of('a').map(({ key, displayOrder }) => [key, displayOrder])).toEqual([
      ['x', 7],
      ['y', 8],
    ]);
    expect(catalogue.of('b')).toEqual([]);
    await folder.store.write((tx) => removeField(tx, 'a', field));
    expect(catalogue.of('a').map(({ key }) => key)).toEqual(['y']);
  });

  test('answers the same list while nothing changed', async () => {
    await folder.store.write((tx) => addField(tx, 'a', newField('x')));
    const catalogue = new FieldCatalogue(folder.store);
    const list = catalogue.of('a');
    await folder.store.write((tx) => tx.put(tables.meta, 'other', 1));
    expect(catalogue.of('a')).toBe(list);
  });
});
