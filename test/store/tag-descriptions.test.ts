import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Value } from '../../src/domain/value.ts';
import { addField, FieldCatalogue, putField, removeField } from '../../src/store/fields.ts';
import { removeTraces } from '../../src/store/forget-tags.ts';
import type { FieldRecord } from '../../src/store/records.ts';
import { openStore } from '../../src/store/store.ts';
import { tables } from '../../src/store/tables.ts';
import { changeValues } from '../../src/store/tag-data.ts';
import { TagDescriptions } from '../../src/store/tag-descriptions.ts';
import { type StoreFolder, storeFolder } from '../support/store-folder.ts';

const ORG = 'org-1';
const nothing = { label: undefined, attrs: undefined };

let folder: StoreFolder;
let descriptions: TagDescriptions;
let now = 1000;

beforeEach(async () => {
  folder = storeFolder();
  await folder.store.write((tx) => tx.put(tables.orgs, ORG, { id: ORG, no: 1, name: ORG, createdAt: 0 }));
  descriptions = new TagDescriptions({ store: folder.store, catalogue: new FieldCatalogue(folder.store) });
});
afterEach(() => folder.close());

function field(key: string, more: Partial<FieldRecord> = {}): Promise<FieldRecord> {
  return folder.store.write((tx) => {
    const record = { ...addField(tx, ORG, { id: randomUUID(), key, label: key, dataType: 'text' }), ...more };
    putField(tx, ORG, record);
    return record;
  });
}

async function say(tagNo: number, values: readonly (readonly [FieldRecord, Value | null])[]): Promise<void> {
  const changes = new Map(values.map(([{ no }, value]) => [no, value]));
  await folder.store.write((tx) => changeValues(tx, tagNo, { changes, now: now++ }));
}

const told = (tagNo: number) => descriptions.describe(ORG, tagNo);

describe('what live events say of a tag', () => {
  test('label is the text of the name field, attrs the typed values of fields shown in tables', async () => {
    const name = await field('name', { isLabel: true });
    const weight = await field('weight');
    const secret = await field('secret', { showInTable: false });
    await say(7, [[name, 17.5], [weight, 412.5], [secret, true]]); // biome-ignore format: one line
    expect(told(7)).toEqual({ label: '17.5', attrs: { name: 17.5, weight: 412.5 } });
  });

  test('both are absent without a value that counts', async () => {
    const secret = await field('secret', { showInTable: false });
    await say(7, [[secret, 'x']]);
    expect([told(7), told(8)]).toEqual([nothing, nothing]);
  });

  test('the name field of a tag is its label even when it is not shown', async () => {
    const name = await field('name', { isLabel: true, showInTable: false });
    await say(7, [[name, 'Pallet']]);
    expect(told(7)).toEqual({ label: 'Pallet', attrs: undefined });
  });

  test('a key such as __proto__ is a key like any other', async () => {
    await say(7, [[await field('__proto__'), 'x'], [await field('constructor'), 'y']]); // biome-ignore format: one line
    expect(JSON.stringify(told(7).attrs)).toBe('{"__proto__":"x","constructor":"y"}');
    expect(Object.getPrototypeOf(told(7).attrs)).toBe(Object.prototype);
  });

  test('is the same object until something changes', async () => {
    const name = await field('name');
    await say(7, [[name, 'a']]);
    const before = told(7);
    await say(8, [[name, 'b']]);
    expect(told(7)).toBe(before);
  });
});

describe('a write shows at once', () => {
  test('a value that changed or was cleared, a tag that is gone', async () => {
    const name = await field('name', { isLabel: true });
    await say(7, [[name, 'a']]);
    expect(told(7).label).toBe('a');
    await say(7, [[name, 'b']]);
    expect(told(7)).toEqual({ label: 'b', attrs: { name: 'b' } });
    await say(7, [[name, null]]);
    expect(told(7)).toEqual(nothing);
    await say(7, [[name, 'c']]);
    expect(told(7).label).toBe('c');
    await removeTraces(folder.store, [7]);
    expect(told(7)).toEqual(nothing);
  });

  test('a field that was renamed, hidden, made the name field or deleted', async () => {
    const name = await field('name', { isLabel: true });
    const other = await field('other');
    await say(7, [[name, 'a'], [other, 'b']]); // biome-ignore format: one line
    const write = async (change: Partial<FieldRecord>) => {
      await folder.store.write((tx) => putField(tx, ORG, { ...other, ...change }));
      return told(7);
    };
    expect(told(7)).toEqual({ label: 'a', attrs: { name: 'a', other: 'b' } });
    expect(await write({ key: 'renamed' })).toEqual({ label: 'a', attrs: { name: 'a', renamed: 'b' } });
    expect(await write({ showInTable: false })).toEqual({ label: 'a', attrs: { name: 'a' } });
    await folder.store.write((tx) => putField(tx, ORG, { ...name, isLabel: false }));
    expect(await write({ isLabel: true })).toEqual({ label: 'b', attrs: { name: 'a', other: 'b' } });
    await folder.store.write((tx) => removeField(tx, ORG, other));
    expect(told(7)).toEqual({ label: undefined, attrs: { name: 'a' } });
  });

  test('a field that another process changed shows in a turn of the event loop', async () => {
    const name = await field('name');
    await say(7, [[name, 'a']]);
    expect(told(7).label).toBeUndefined();
    const theirs = openStore(folder.dir);
    await theirs.write((tx) => putField(tx, ORG, { ...name, isLabel: true }));
    await theirs.close();
    await expect.poll(() => told(7).label, { interval: 1 }).toBe('a');
  });
});

test('however few are held, what is told is right', async () => {
  const name = await field('name', { isLabel: true });
  const few = new TagDescriptions({
    store: folder.store,
    catalogue: new FieldCatalogue(folder.store),
    max: 4,
  });
  const steps = fc.array(fc.tuple(fc.nat(9), fc.option(fc.integer(), { freq: 4 })), { maxLength: 40 });
  const held = new Map<number, string>();
  await fc.assert(
    fc.asyncProperty(steps, async (chosen) => {
      for (const [tagNo, value] of chosen) {
        if (value !== null) {
          await say(tagNo, [[name, value]]);
          held.set(tagNo, String(value));
        }
        expect(few.describe(ORG, tagNo).label).toBe(held.get(tagNo));
      }
    }),
    { numRuns: 20 },
  );
});
