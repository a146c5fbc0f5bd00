import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { neverSeen } from '../../src/domain/tag-state.ts';
import { tables } from '../../src/store/tables.ts';
import { TagLedger } from '../../src/store/tag-ledger.ts';
import { type Registration, registerTag, tagNoOf } from '../../src/store/tag-registry.ts';
import { type StoreFolder, storeFolder } from '../support/store-folder.ts';

let folder: StoreFolder;

beforeEach(() => {
  folder = storeFolder();
});
afterEach(() => folder.close());

function registration(epc: string, orgNo = 1): Registration {
  return { orgNo, epc, now: 1000, newId: () => `id-${orgNo}-${epc}` };
}

describe('registering a tag that people name', () => {
  test('a new one gets a number, a record and a touch that says it was never seen', async () => {
    const made = await folder.store.write((tx) => registerTag(tx, registration('ABCDEF01')));
    expect(made).toMatchObject({
      tagNo: 1,
      touch: { tagNo: 1, orgNo: 1, state: neverSeen, visit: { reads: 0 } },
    });
    expect(folder.store.get(tables.tags, 1)).toEqual({
      id: 'id-1-ABCDEF01',
      orgNo: 1,
      epc: 'ABCDEF01',
      createdAt: 1000,
    });
    expect(tagNoOf(folder.store, 1, 'ABCDEF01')).toBe(1);
  });

  test('one that is known keeps its number and makes no touch', async () => {
    await folder.store.write((tx) => registerTag(tx, registration('ABCDEF01')));
    const again = await folder.store.write((tx) => registerTag(tx, registration('ABCDEF01')));
    expect(again).toEqual({ tagNo: 1, touch: null });
  });

  test('the same EPC is another tag in another organisation', async () => {
    const [one, two] = await folder.store.write((tx) => [
      registerTag(tx, registration('ABCDEF01', 1)),
      registerTag(tx, registration('ABCDEF01', 2)),
    ]);
    expect([one?.tagNo, two?.tagNo]).toEqual([1, 2]);
    expect(tagNoOf(folder.store, 3, 'ABCDEF01')).toBeUndefined();
  });

  test('its touch, journalled, makes it a tag of its organisation, after another start too', async () => {
    const ledger = new TagLedger(folder.store);
    const entry = await folder.store.write((tx) => {
      const { touch } = registerTag(tx, registration('ABCDEF01', 4));
      return ledger.append(tx, touch ? [touch] : []);
    });
    ledger.applied(entry);
    expect(ledger.states.orgNo(1)).toBe(4);
    expect(ledger.visits(1, 10)).toEqual([]);
    const reopened = new TagLedger(await folder.reopen());
    expect(reopened.states.orgNo(1)).toBe(4);
    expect(reopened.states.get(1)).toEqual(neverSeen);
  });
});
