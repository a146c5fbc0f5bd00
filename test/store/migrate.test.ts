import { afterEach, describe, expect, it } from 'vitest';
import { type Migration, migrate, SchemaTooNew } from '../../src/store/migrate.ts';
import { tables } from '../../src/store/tables.ts';
import { type StoreFolder, storeFolder } from '../support/store-folder.ts';

const folders: StoreFolder[] = [];

function folder(): StoreFolder {
  const made = storeFolder();
  folders.push(made);
  return made;
}

afterEach(async () => {
  for (const one of folders.splice(0)) await one.close();
});

/** Adds ten to each of `a`, `b`, `c`, once whatever happens, in small writes. */
function addTen(cutAfter = Number.POSITIVE_INFINITY): Migration {
  return async (store) => {
    let done = 0;
    for (const name of ['a', 'b', 'c']) {
      if (done++ >= cutAfter) throw new Error('power cut');
      await store.write((tx) => {
        if (tx.get(tables.meta, `moved-${name}`)) return;
        tx.put(tables.meta, name, (tx.get(tables.meta, name) ?? 0) + 10);
        tx.put(tables.meta, `moved-${name}`, 1);
      });
    }
  };
}

describe('migrate', () => {
  it('starts an empty store at the newest schema, without running anything', async () => {
    const { store } = folder();
    const ran: number[] = [];
    const step: Migration = async () => void ran.push(1);
    expect(await migrate(store, [step, step])).toBe(3);
    expect([store.get(tables.meta, 'schemaVersion'), ran]).toEqual([3, []]);
  });

  it('runs the steps that are missing, in order, each once', async () => {
    const { store } = folder();
    await migrate(store, []);
    const ran: string[] = [];
    const step = (name: string): Migration => {
      return async () => void ran.push(name);
    };
    expect(await migrate(store, [step('1 to 2')])).toBe(2);
    expect(await migrate(store, [step('1 to 2'), step('2 to 3'), step('3 to 4')])).toBe(4);
    expect(await migrate(store, [step('1 to 2'), step('2 to 3'), step('3 to 4')])).toBe(4);
    expect(ran).toEqual(['1 to 2', '2 to 3', '3 to 4']);
  });

  it.each([0, 1, 2])('takes up again what was cut off after %i writes', async (cutAfter) => {
    const made = folder();
    await migrate(made.store, []);
    await expect(migrate(made.store, [addTen(cutAfter)])).rejects.toThrow('power cut');
    expect(made.store.get(tables.meta, 'schemaVersion')).toBe(1);
    const store = await made.reopen();
    expect(await migrate(store, [addTen()])).toBe(2);
    expect(['a', 'b', 'c'].map((name) => store.get(tables.meta, name))).toEqual([10, 10, 10]);
  });

  it('refuses a store of a newer program, naming both schemas, and changes nothing', async () => {
    const { store } = folder();
    await store.write((tx) => tx.put(tables.meta, 'schemaVersion', 7));
    await expect(migrate(store, [])).rejects.toBeInstanceOf(SchemaTooNew);
    await expect(migrate(store, [])).rejects.toThrow(/schema 7, this Tagkeep knows up to 1/);
    expect(store.get(tables.meta, 'schemaVersion')).toBe(7);
  });
});
