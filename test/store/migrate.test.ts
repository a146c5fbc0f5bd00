import { afterEach, describe, expect, it } from 'vitest';
import {
  type Migration,
  migrate,
  newestSchema,
  requireSchema,
  SchemaTooNew,
  SchemaTooOld,
} from '../../src/store/migrate.ts';
import type { Store } from '../../src/store/store.ts';
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
  return async ({ store }) => {
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
    expect(await migrate(store, { steps: [step, step] })).toBe(3);
    expect([store.get(tables.meta, 'schemaVersion'), ran]).toEqual([3, []]);
  });

  it('runs the steps that are missing, in order, each once', async () => {
    const { store } = folder();
    await migrate(store, { steps: [] });
    const ran: string[] = [];
    const step = (name: string): Migration => {
      return async () => void ran.push(name);
    };
    expect(await migrate(store, { steps: [step('1 to 2')] })).toBe(2);
    expect(await migrate(store, { steps: [step('1 to 2'), step('2 to 3'), step('3 to 4')] })).toBe(4);
    expect(await migrate(store, { steps: [step('1 to 2'), step('2 to 3'), step('3 to 4')] })).toBe(4);
    expect(ran).toEqual(['1 to 2', '2 to 3', '3 to 4']);
  });

  it.each([0, 1, 2])('takes up again what was cut off after %i writes', async (cutAfter) => {
    const made = folder();
    await migrate(made.store, { steps: [] });
    await expect(migrate(made.store, { steps: [addTen(cutAfter)] })).rejects.toThrow('power cut');
    expect(made.store.get(tables.meta, 'schemaVersion')).toBe(1);
    const store = await made.reopen();
    expect(await migrate(store, { steps: [addTen()] })).toBe(2);
    expect(['a', 'b', 'c'].map((name) => store.get(tables.meta, name))).toEqual([10, 10, 10]);
  });

  it('refuses a store of a newer program, naming both schemas, and changes nothing', async () => {
    const { store } = folder();
    await store.write((tx) => tx.put(tables.meta, 'schemaVersion', 7));
    await expect(migrate(store, { steps: [] })).rejects.toBeInstanceOf(SchemaTooNew);
    await expect(migrate(store, { steps: [] })).rejects.toThrow(/schema 7, this Tagkeep knows up to 1/);
    expect(store.get(tables.meta, 'schemaVersion')).toBe(7);
  });

  it('refuses a store that a newer program has begun to upgrade: half of it is not what it says', async () => {
    const { store } = folder();
    await migrate(store, { steps: [] });
    await expect(migrate(store, { steps: [addTen(1)] })).rejects.toThrow('power cut');
    await expect(migrate(store, { steps: [] })).rejects.toThrow(/has schema 2, this Tagkeep knows up to 1/);
    await expect(requireSchema(store, 1)).rejects.toBeInstanceOf(SchemaTooNew);
    expect(await migrate(store, { steps: [addTen(), addTen()] })).toBe(3);
    await expect(requireSchema(store, 3)).resolves.toBeUndefined();
  });

  it('asks for a copy before the first change of an upgrade, once however often it is cut off', async () => {
    const { store } = folder();
    const asked: unknown[] = [];
    const before = async (upgrade: unknown): Promise<void> => {
      asked.push([upgrade, store.get(tables.meta, 'a') ?? 0]);
    };
    await migrate(store, { steps: [], before });
    await expect(migrate(store, { steps: [addTen(2), addTen()], before })).rejects.toThrow('power cut');
    await expect(migrate(store, { steps: [addTen(), addTen(0)], before })).rejects.toThrow('power cut');
    await migrate(store, { steps: [addTen(), async () => undefined], before });
    await migrate(store, { steps: [addTen(), async () => undefined], before });
    expect(asked).toEqual([[{ from: 1, to: 3 }, 0]]);
  });

  it('changes nothing when the copy fails, and asks for it again', async () => {
    const { store } = folder();
    await migrate(store, { steps: [] });
    const before = async (): Promise<void> => {
      throw new Error('no room');
    };
    for (let i = 0; i < 2; i++)
      await expect(migrate(store, { steps: [addTen()], before })).rejects.toThrow('no room');
    expect(Array.from(store.range(tables.meta))).toEqual([{ key: 'schemaVersion', value: 1 }]);
  });
});

describe('requireSchema', () => {
  it('takes the newest schema, starts an empty store there, and refuses an older one without changing it', async () => {
    const { store } = folder();
    await requireSchema(store);
    expect(store.get(tables.meta, 'schemaVersion')).toBe(newestSchema);
    await requireSchema(store);
    await expect(requireSchema(store, newestSchema + 2)).rejects.toBeInstanceOf(SchemaTooOld);
    await expect(requireSchema(store, newestSchema + 2)).rejects.toThrow(/start the appliance once/);
    expect(Array.from(store.range(tables.meta))).toEqual([{ key: 'schemaVersion', value: newestSchema }]);
  });
});

/** A pass that counts in each record how often it was changed. */
function counting(pass: string, fail: (key: string) => void = () => undefined): Migration {
  return ({ inBatches }) =>
    inBatches({
      name: pass,
      table: tables.deviceByClaimCode,
      change: (tx, { key, value }) => {
        fail(key);
        tx.put(tables.deviceByClaimCode, key, `${value}+${pass}`);
      },
    });
}

const codes = (store: Store): string[] => Array.from(store.range(tables.deviceByClaimCode), (e) => e.value);

describe('inBatches', () => {
  it.each([0, 1, 499, 500, 501, 502, 1203])(
    'changes each of %i records once, in one pass after another',
    async (n) => {
      const { store } = folder();
      await migrate(store, { steps: [] });
      await store.write((tx) => {
        for (let i = 0; i < n; i++) tx.put(tables.deviceByClaimCode, `code-${i}`, 's');
      });
      const told: number[] = [];
      const onProgress = ({ records }: { readonly records: number }): unknown => told.push(records);
      const both: Migration = async (run) => {
        await counting('a')(run);
        await counting('b')(run);
      };
      await migrate(store, { steps: [both, counting('c')], onProgress });
      expect(codes(store)).toEqual(Array.from({ length: n }, () => 's+a+b+c'));
      expect(told.at(-1)).toBe(n);
      const left = Array.from(store.range(tables.meta), ({ key }) => key);
      expect(left).toEqual(['schemaVersion']);
    },
  );

  it('goes on behind what is done, wherever it was cut off', async () => {
    const { store } = folder();
    await migrate(store, { steps: [] });
    await store.write((tx) => {
      for (let i = 0; i < 2000; i++) tx.put(tables.deviceByClaimCode, `code-${i}`, 's');
    });
    const seen = new Set<string>();
    for (let cut = 1; cut < 12; cut++) {
      let left = cut * 131;
      const fail = (key: string): void => {
        if (left-- === 0) throw new Error('power cut');
        seen.add(key);
      };
      await migrate(store, { steps: [counting('x', fail)] }).catch(() => undefined);
    }
    await migrate(store, { steps: [counting('x')] });
    expect(codes(store)).toEqual(Array.from({ length: 2000 }, () => 's+x'));
    expect(seen.size).toBe(2000);
  });

  it('takes keys that are lists and records that are removed or moved to another table', async () => {
    const { store } = folder();
    await migrate(store, { steps: [] });
    await store.write((tx) => {
      for (let i = 0; i < 1100; i++) tx.put(tables.alertByProblem, ['org', `problem ${i}`], `${i}`);
    });
    const move: Migration = ({ inBatches }) =>
      inBatches({
        name: 'move',
        table: tables.alertByProblem,
        change: (tx, { key, value }) => {
          tx.remove(tables.alertByProblem, key);
          tx.put(tables.deviceByClaimCode, value, key[1]);
        },
      });
    await migrate(store, { steps: [move] });
    expect([store.count(tables.alertByProblem), store.count(tables.deviceByClaimCode)]).toEqual([0, 1100]);
  });
});
