import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { neverSeen } from '../../src/domain/tag-state.ts';
import { removeTraces } from '../../src/store/forget-tags.ts';
import { type Store, type Tx, WriteFailed } from '../../src/store/store.ts';
import { tables } from '../../src/store/tables.ts';
import { type JournalEntry, TagLedger } from '../../src/store/tag-ledger.ts';
import { registerTag } from '../../src/store/tag-registry.ts';
import { type StoreFolder, storeFolder } from '../support/store-folder.ts';
import { ledgerModel, type ModelRead } from '../support/store-ledger-model.ts';

const folders: StoreFolder[] = [];

function folder(): StoreFolder {
  const made = storeFolder();
  folders.push(made);
  return made;
}

afterEach(async () => {
  for (const one of folders.splice(0)) await one.close();
});

/** The same store, whose write number `failAt` (from 0, counted from now on) fails as a full disk does. */
function failing(store: Store): { readonly store: Store; failAt: number | null } {
  const control: { store: Store; failAt: number | null } = { store, failAt: null };
  control.store = Object.create(store, {
    write: {
      value: async (action: (tx: Tx) => unknown) => {
        if (control.failAt !== null && control.failAt-- === 0) {
          control.failAt = null;
          throw new WriteFailed(new Error('ENOSPC'));
        }
        return store.write(action);
      },
    },
    // Private members are found on the real store alone.
    get: { value: store.get.bind(store) },
    range: { value: store.range.bind(store) },
  });
  return control;
}

async function commit(store: Store, ledger: TagLedger, action: (tx: Tx) => JournalEntry): Promise<void> {
  ledger.applied(await store.write(action));
}

const read = (at: number, tagNo = 1): ModelRead => ({ tagNo, at, antennaNo: 9, zoneNo: 1 });

describe('the ledger', () => {
  it('takes nothing into the live state before it is told that the batch is durable', async () => {
    const { store } = folder();
    const ledger = new TagLedger(store);
    const entry = await store.write((tx) => ledger.append(tx, [ledgerModel().touch(read(5))]));
    expect([ledger.states.orgNo(1), ledger.pending, ledger.visits(1, 10)]).toEqual([0, 0, []]);
    ledger.applied(entry);
    expect([ledger.states.orgNo(1), ledger.pending, ledger.visits(1, 10).length]).toEqual([1, 1, 1]);
  });

  it('after a crash holds what was committed, though no checkpoint ever ran', async () => {
    const made = folder();
    const ledger = new TagLedger(made.store);
    const model = ledgerModel();
    for (let at = 1; at <= 10; at++) {
      await commit(made.store, ledger, (tx) => ledger.append(tx, [model.touch(read(at, at % 3))]));
    }
    const store = await made.reopen();
    const again = new TagLedger(store);
    expect(again.pending).toBe(10);
    expect(model.difference(store, again)).toEqual([]);
  });

  it('shows a stay as it is now, though its table is not written yet or still holds it as it was', async () => {
    const { store } = folder();
    const ledger = new TagLedger(store);
    const model = ledgerModel();
    for (let at = 1; at <= 3; at++) {
      await commit(store, ledger, (tx) => ledger.append(tx, [model.touch(read(at))]));
      expect(ledger.visits(1, 10).map(({ reads }) => reads)).toEqual([at]);
      if (at === 1) await ledger.checkpoint();
      if (at === 2) {
        const running = ledger.checkpoint();
        expect(ledger.visits(1, 10).map(({ reads }) => reads)).toEqual([at]);
        await running;
      }
    }
  });

  it('never overwrites a batch that is not in its tables: at the end of the ring the transaction is rolled back', async () => {
    const { store } = folder();
    const ledger = new TagLedger(store);
    const model = ledgerModel();
    const put = (at: number) =>
      commit(store, ledger, (tx) => ledger.append(tx, [model.touch(read(at, at % 7))]));
    for (let at = 1; at <= 1024; at++) {
      expect(ledger.full).toBe(at > 992);
      await put(at);
    }
    await expect(put(513)).rejects.toThrow('the journal is full');
    model.undo();
    expect(model.difference(store, new TagLedger(store))).toEqual([]);
    await ledger.checkpoint();
    expect([ledger.full, ledger.pending]).toEqual([false, 0]);
    await put(513);
    expect(model.difference(store, new TagLedger(store))).toEqual([]);
  });

  it('goes round the ring many times, with checkpoints running meanwhile', async () => {
    const { store } = folder();
    const ledger = new TagLedger(store);
    const model = ledgerModel();
    let running = Promise.resolve();
    for (let at = 1; at <= 1500; at++) {
      if (at % 100 === 0) running = ledger.checkpoint();
      if (ledger.full) await running;
      await commit(store, ledger, (tx) => ledger.append(tx, [model.touch(read(at, at % 50))]));
    }
    expect(model.difference(store, new TagLedger(store))).toEqual([]);
    await ledger.checkpoint();
    expect(model.difference(store, ledger)).toEqual([]);
  });

  it('gives batches on their way at once different places, and a rolled back one leaves no gap', async () => {
    const { store } = folder();
    const ledger = new TagLedger(store);
    const model = ledgerModel();
    const outcomes = [1, 2, 3, 4].map((at) => {
      const touch = at === 2 ? null : model.touch(read(at, at));
      return store.write((tx) => {
        const entry = ledger.append(tx, touch ? [touch] : []);
        if (!touch) throw new Error('rolled back');
        return entry;
      });
    });
    for (const outcome of outcomes) {
      const entry = await outcome.catch(() => null);
      if (entry) ledger.applied(entry);
    }
    expect(ledger.pending).toBe(3);
    expect(model.difference(store, ledger)).toEqual([]);
    expect(model.difference(store, new TagLedger(store))).toEqual([]);
  });

  it('a batch applied within the turn a checkpoint is asked for is never passed over', async () => {
    const { store } = folder();
    const ledger = new TagLedger(store);
    const model = ledgerModel();
    const first = model.touch(read(1, 1));
    const second = model.touch(read(2, 100));
    const one = await store.write((tx) => ledger.append(tx, [first]));
    const two = await store.write((tx) => ledger.append(tx, [second]));
    ledger.applied(two);
    const running = ledger.checkpoint();
    ledger.applied(one);
    await running;
    expect(model.difference(store, new TagLedger(store))).toEqual([]);
  });

  it('what came while a checkpoint ran is still in the journal when it is done', async () => {
    const { store } = folder();
    const ledger = new TagLedger(store);
    const model = ledgerModel();
    const put = (at: number, tagNo: number) =>
      commit(store, ledger, (tx) => ledger.append(tx, [model.touch(read(at, tagNo))]));
    for (let i = 0; i < 300; i++) await put(i, i * 32);
    const running = ledger.checkpoint();
    let done = false;
    void running.then(() => {
      done = true;
    });
    for (let i = 0; !done; i++) await put(1000 + i, i * 32);
    expect(ledger.pending).toBeGreaterThan(0);
    expect(model.difference(store, new TagLedger(store))).toEqual([]);
  });

  it('a state without reads (a tag made by hand) survives, and makes no stay', async () => {
    const { store } = folder();
    const ledger = new TagLedger(store);
    const visit = { antennaNo: 0, zoneNo: 0, firstAt: 0, lastAt: 0, reads: 0 };
    const touch = { tagNo: 3, orgNo: 1, state: neverSeen, visit };
    await commit(store, ledger, (tx) => ledger.append(tx, [touch]));
    for (const one of [ledger, new TagLedger(store)]) {
      expect([one.states.orgNo(3), one.states.get(3), one.visits(3, 9)]).toEqual([1, neverSeen, []]);
    }
  });

  it('a deletion is ahead only between its transaction and the moment the live state shows it', async () => {
    const { store } = folder();
    const ledger = new TagLedger(store);
    const ahead = () => store.write((tx) => ledger.deletionAhead(tx));
    expect(await ahead()).toBe(false);
    const entry = await store.write((tx) => ledger.forget(tx, [1]));
    expect(await ahead()).toBe(true);
    ledger.applied(entry);
    expect(await ahead()).toBe(false);
    const again = new TagLedger(store);
    expect(await store.write((tx) => again.deletionAhead(tx))).toBe(false);
  });
});

const aRead = fc.record({
  tagNo: fc.integer({ min: 1, max: 100 }),
  antennaNo: fc.constantFrom(9, 10),
  zoneNo: fc.constantFrom(0, 1, 2),
  anew: fc.boolean(),
});
const aBatch = fc.record({ reads: fc.array(aRead, { maxLength: 6 }), commits: fc.boolean() });
const anOperation = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('batch' as const), batch: aBatch }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('checkpoint' as const),
      failAt: fc.option(fc.integer({ min: 0, max: 2 })),
      meanwhile: fc.array(aBatch, { maxLength: 3 }),
      thenCrash: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('crash' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('forget' as const), tagNo: fc.integer({ min: 1, max: 100 }) }),
  },
);

describe('any sequence of batches, checkpoints, failures, deletions and crashes', () => {
  it('leaves the states and stays of all committed batches, in memory, after a crash and in the tables', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anOperation, { minLength: 1, maxLength: 25 }), async (operations) => {
        const made = storeFolder();
        const run = new Run(made.store);
        try {
          for (const operation of operations) await run.take(operation);
          await run.end();
        } finally {
          await made.close();
        }
      }),
      { numRuns: 40, verbose: 1 },
    );
  });
});

type Operation = typeof anOperation extends fc.Arbitrary<infer T> ? T : never;
type BatchOf = typeof aBatch extends fc.Arbitrary<infer T> ? T : never;

class Run {
  readonly #model = ledgerModel();
  readonly #store: Store;
  #clock = 0;
  #control;
  #ledger: TagLedger;

  constructor(store: Store) {
    this.#store = store;
    this.#control = failing(store);
    this.#ledger = new TagLedger(this.#control.store);
  }

  async take(operation: Operation): Promise<void> {
    if (operation.kind === 'batch') await this.#batch(operation.batch);
    if (operation.kind === 'crash') this.#crash();
    if (operation.kind === 'forget') await this.#forget(operation.tagNo);
    if (operation.kind === 'checkpoint') await this.#checkpoint(operation);
    expect(this.#model.difference(this.#store, this.#ledger, false)).toEqual([]);
  }

  async end(): Promise<void> {
    await this.#ledger.checkpoint();
    expect(this.#model.difference(this.#store, this.#ledger, true)).toEqual([]);
    this.#crash();
    expect(this.#model.difference(this.#store, this.#ledger, true)).toEqual([]);
  }

  #crash(): void {
    this.#control = failing(this.#store);
    this.#ledger = new TagLedger(this.#control.store);
  }

  async #forget(tagNo: number): Promise<void> {
    this.#model.forget(tagNo);
    await commit(this.#store, this.#ledger, (tx) => this.#ledger.forget(tx, [tagNo]));
    await removeTraces(this.#store, [tagNo]);
  }

  async #batch({ reads, commits }: BatchOf): Promise<void> {
    const saved = this.#model.save();
    const touches = reads.map((one) => this.#model.touch({ ...one, at: ++this.#clock }));
    const written = this.#store.write((tx) => {
      const entry = this.#ledger.append(tx, touches);
      if (!commits) throw new Error('rolled back');
      return entry;
    });
    if (commits) this.#ledger.applied(await written);
    else {
      await expect(written).rejects.toThrow('rolled back');
      this.#model.restore(saved);
    }
  }

  async #checkpoint(operation: Extract<Operation, { kind: 'checkpoint' }>): Promise<void> {
    this.#control.failAt = operation.failAt;
    const running = this.#ledger.checkpoint().catch((error: unknown) => {
      expect(error).toBeInstanceOf(WriteFailed);
    });
    for (const batch of operation.meanwhile) await this.#batch(batch);
    await running;
    this.#control.failAt = null;
    if (operation.thenCrash) this.#crash();
  }
}

describe('a write through the ledger', () => {
  it('makes room in the journal, however many writes come at once', async () => {
    const { store } = folder();
    const ledger = new TagLedger(store);
    const model = ledgerModel();
    const writes = Array.from({ length: 1500 }, (_, nth) => {
      const touch = model.touch(read(1, nth + 1));
      return ledger.write((tx) => ledger.append(tx, [touch])).then((entry) => ledger.applied(entry));
    });
    await Promise.all(writes);
    expect(ledger.states.orgNo(1500)).toBe(1);
    await ledger.checkpoint();
    expect(model.difference(store, new TagLedger(store))).toEqual([]);
  });

  it('a tag registered and deleted in one commit stays deleted, in whatever order the live state is told', async () => {
    const { store } = folder();
    const ledger = new TagLedger(store);
    const registered = store.write((tx) => {
      const { touch } = registerTag(tx, { orgNo: 1, epc: 'AA000001', now: 1, newId: () => 'id' });
      return ledger.append(tx, touch ? [touch] : []);
    });
    const deleted = store.write((tx) => {
      tx.remove(tables.tags, 1);
      tx.remove(tables.tagByEpc, [1, 'AA000001']);
      return ledger.forget(tx, [1]);
    });
    const [first, second] = await Promise.all([registered, deleted]);
    ledger.applied(second);
    ledger.applied(first);
    expect(ledger.states.orgNo(1)).toBe(0);
  });
});
