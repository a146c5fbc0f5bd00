import { monitorEventLoopDelay } from 'node:perf_hooks';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { alertId } from '../../src/store/alert-id.ts';
import type { AlertRecord, AssetRecord } from '../../src/store/records.ts';
import { type Tx, WriteFailed } from '../../src/store/store.ts';
import { type Key, type Table, tables } from '../../src/store/tables.ts';
import { putVisit } from '../../src/store/visits.ts';
import { createRetention, type RetentionOptions, type TrimCounts } from '../../src/sweep/retention.ts';
import { type StoreFolder, storeFolder } from '../support/store-folder.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 5, 1);
const none: TrimCounts = { visits: 0, alerts: 0, history: 0, timelines: 0 };
const keepMs = { visits: 90 * DAY, alerts: 30 * DAY, history: 60 * DAY, timelines: 10 * DAY };

let folder: StoreFolder;
let now = NOW;

beforeEach(() => {
  folder = storeFolder();
  now = NOW;
});
afterEach(() => folder.close());

const ago = (days: number): number => now - days * DAY;

function visit(tx: Tx, tagNo: number, { from, to }: { from: number; to: number }): void {
  putVisit(tx, tagNo, { antennaNo: 9, zoneNo: 1, firstAt: from, lastAt: to, reads: 3 });
}

function past(tx: Tx, tagNo: number, { from, to }: { from: number; to: number }): void {
  tx.put(tables.tagHistory, [tagNo, from, 1], { value: 'v', validTo: to });
}

interface AlertFacts {
  readonly opened: number;
  readonly resolved: number | null;
  /** Whether the problem goes on. */
  readonly goesOn?: boolean;
}

function alert(tx: Tx, orgId: string, { opened, resolved, goesOn = resolved === null }: AlertFacts): string {
  const no = tx.next('lastAlertNo');
  const id = alertId({ openedAt: opened, no }, crypto.randomUUID());
  const problem = `missing:${no}`;
  const record: AlertRecord = {
    ...{ id, no, problem, ruleKind: 'asset_missing', severity: 'warning', message: 'm' },
    ...{ state: resolved === null ? 'open' : 'resolved', subjectType: 'asset', subjectId: 's' },
    ...{ openedAt: opened, ackedAt: null, resolvedAt: resolved },
  };
  tx.put(tables.alerts, [orgId, id], record);
  if (goesOn) tx.put(tables.alertByProblem, [orgId, problem], id);
  return id;
}

function asset(
  tx: Tx,
  id: string,
  { retired, events }: { retired: boolean; events: readonly number[] },
): void {
  const record: AssetRecord = {
    ...{ id, no: 1, assetTagNumber: id, name: id, category: '', createdAt: 0 },
    ...{ custodian: null, checkedOutAt: null, expectedReturnAt: null },
    ...{ status: retired ? 'retired' : 'available', tagNo: null, tagLabel: null, linkedAt: null },
  };
  tx.put(tables.assets, ['a', id], record);
  for (const [no, at] of events.entries())
    tx.put(tables.assetEvents, [id, at, no], { kind: 'found', meta: {} });
}

function keysOf<K extends Key>(table: Table<K, unknown>): readonly K[] {
  return Array.from(folder.store.range(table), ({ key }) => key);
}

/** Runs until a round is over and answers what it removed. */
async function round(more: Partial<RetentionOptions> = {}): Promise<{ removed: TrimCounts; runs: number }> {
  let removed: TrimCounts | null = null;
  const sweep = createRetention({
    ...{ store: folder.store, now: () => now, keepMs, isSteady: () => true },
    onRound: (counts) => {
      removed = counts;
    },
    ...more,
  });
  for (let runs = 1; ; runs++) {
    await sweep.run();
    if (removed !== null) return { removed, runs };
    expect(runs, 'runs').toBeLessThan(5000);
  }
}

describe('what is older than it is to be kept', () => {
  test('zone stays go by their last read, of every tag', async () => {
    await folder.store.write((tx) => {
      for (const tagNo of [1, 2, 70_000]) {
        visit(tx, tagNo, { from: ago(200), to: ago(91) });
        visit(tx, tagNo, { from: ago(199), to: ago(89) });
        visit(tx, tagNo, { from: ago(1), to: ago(0) });
      }
    });
    expect((await round()).removed).toEqual({ ...none, visits: 3 });
    expect(keysOf(tables.visits).filter(([tagNo]) => tagNo === 70_000)).toEqual([
      [70_000, ago(199), 9],
      [70_000, ago(1), 9],
    ]);
  });

  test('former values go by the time they ended; what a tag holds now stays, however old', async () => {
    await folder.store.write((tx) => {
      past(tx, 1, { from: ago(900), to: ago(61) });
      past(tx, 1, { from: ago(800), to: ago(59) });
      tx.put(tables.tagData, 1, { at: ago(2000), values: { 1: 'now' } });
    });
    expect((await round()).removed).toEqual({ ...none, history: 1 });
    expect(keysOf(tables.tagHistory)).toEqual([[1, ago(800), 1]]);
    expect(folder.store.get(tables.tagData, 1)?.values).toEqual({ 1: 'now' });
  });

  test('alerts go by when they were resolved; open ones stay, and resolved ones whose problem goes on', async () => {
    const kept = await folder.store.write((tx) => {
      alert(tx, 'a', { opened: ago(500), resolved: ago(31) });
      alert(tx, 'b', { opened: ago(31), resolved: ago(30.5) });
      return [
        alert(tx, 'a', { opened: ago(500), resolved: ago(29) }),
        alert(tx, 'a', { opened: ago(500), resolved: null }),
        alert(tx, 'a', { opened: ago(500), resolved: ago(400), goesOn: true }),
        alert(tx, 'b', { opened: ago(2), resolved: ago(1) }),
      ];
    });
    expect((await round()).removed).toEqual({ ...none, alerts: 2 });
    expect(
      keysOf(tables.alerts)
        .map(([, id]) => id)
        .sort(),
    ).toEqual(kept.sort());
  });

  test('timelines go whole, once their asset was retired long enough ago; others stay, and so do the assets', async () => {
    await folder.store.write((tx) => {
      asset(tx, 'gone', { retired: true, events: [ago(3000), ago(12), ago(11)] });
      asset(tx, 'just-retired', { retired: true, events: [ago(3000), ago(9)] });
      asset(tx, 'living', { retired: false, events: [ago(3000), ago(2000)] });
      asset(tx, 'silent', { retired: true, events: [] });
    });
    expect((await round()).removed).toEqual({ ...none, timelines: 3 });
    expect(new Set(keysOf(tables.assetEvents).map(([id]) => id))).toEqual(
      new Set(['just-retired', 'living']),
    );
    expect(keysOf(tables.assets)).toHaveLength(4);
  });

  test('goes as the clock moves on, a round at a time', async () => {
    await folder.store.write((tx) => visit(tx, 1, { from: ago(80), to: ago(80) }));
    expect((await round()).removed).toEqual(none);
    now += 10 * DAY + 1;
    expect((await round()).removed).toEqual({ ...none, visits: 1 });
  });
});

const spans = fc.array(
  fc.record({
    tagNo: fc.integer({ min: 1, max: 4 }),
    from: fc.integer({ min: 0, max: 200 }),
    lasts: fc.integer({ min: 0, max: 60 }),
  }),
  { maxLength: 60 },
);

test('whatever lies in the tables: exactly what a plain filter says is left', async () => {
  const property = fc.asyncProperty(
    spans,
    spans,
    fc.integer({ min: 1, max: 200 }),
    async (stays, values, days) => {
      const base = NOW - 200 * DAY;
      const times = ({ from, lasts }: { from: number; lasts: number }) => ({
        from: base + from * DAY,
        to: base + (from + lasts) * DAY,
      });
      const unique = (all: typeof stays) => [
        ...new Map(all.map((one) => [`${one.tagNo},${one.from}`, one])).values(),
      ];
      await folder.store.write((tx) => {
        const both: readonly Table<readonly [number, number, number], unknown>[] = [
          tables.visits,
          tables.tagHistory,
        ];
        for (const table of both)
          for (const { key } of [...tx.range<readonly [number, number, number], unknown>(table)])
            tx.remove(table, key);
        for (const one of unique(stays)) visit(tx, one.tagNo, times(one));
        for (const one of unique(values)) past(tx, one.tagNo, times(one));
      });
      const keep = days * DAY;
      await round({ keepMs: { ...keepMs, visits: keep, history: keep } });
      const left = (all: typeof stays) =>
        unique(all)
          .filter((one) => times(one).to >= NOW - keep)
          .map((one) => `${one.tagNo},${times(one).from}`)
          .sort();
      const found = (keys: readonly (readonly [number, number, number])[]) =>
        keys.map(([tagNo, from]) => `${tagNo},${from}`).sort();
      expect(found(keysOf(tables.visits))).toEqual(left(stays));
      expect(found(keysOf(tables.tagHistory))).toEqual(left(values));
    },
  );
  await fc.assert(property, { numRuns: 25 });
});

describe('a run', () => {
  async function manyVisits(tags: number, each: number): Promise<void> {
    await folder.store.write((tx) => {
      for (let tagNo = 1; tagNo <= tags; tagNo++)
        for (let i = 0; i < each; i++) visit(tx, tagNo, { from: ago(400) + i, to: ago(i % 2 ? 300 : 1) });
    });
  }

  test('stops when its time is over and the next goes on; nothing is left out or taken twice', async () => {
    await manyVisits(3, 1000);
    const { removed, runs } = await round({ runMs: 0 });
    expect([removed.visits, keysOf(tables.visits).length]).toEqual([1500, 1500]);
    expect(runs).toBeGreaterThanOrEqual(12);
  });

  test('a timeline longer than a step is taken in several', async () => {
    const events = Array.from({ length: 700 }, (_, i) => ago(1000) + i);
    await folder.store.write((tx) => {
      asset(tx, 'long', { retired: true, events });
      asset(tx, 'next', { retired: true, events: [ago(1000)] });
    });
    expect((await round({ runMs: 0 })).removed.timelines).toBe(701);
    expect(keysOf(tables.assetEvents)).toEqual([]);
  });

  test('what begins after the limit is jumped over, a tag at a time', async () => {
    await folder.store.write((tx) => {
      for (let tagNo = 1; tagNo <= 5; tagNo++)
        for (let i = 0; i < 2000; i++) visit(tx, tagNo, { from: ago(5) + i, to: ago(4) });
    });
    // A run of no time is one step of 256 entries: 10,000 entries are 40 steps, the jumps make it one a tag.
    expect((await round({ runMs: 0 })).runs).toBeLessThanOrEqual(12);
  });

  test('the event loop is not held while ten thousand entries go', async () => {
    await manyVisits(200, 100);
    // As a yardstick for how busy this machine is: looking at all of them at one go.
    const started = performance.now();
    expect([...folder.store.range(tables.visits)].length).toBe(20_000);
    const atOneGo = performance.now() - started;
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    expect((await round()).removed.visits).toBe(10_000);
    delay.disable();
    expect(delay.max / 1e6).toBeLessThan(Math.max(20, atOneGo));
  });

  test('what changed between look and write is judged again', async () => {
    await folder.store.write((tx) => visit(tx, 1, { from: ago(400), to: ago(300) }));
    const { store } = folder;
    // Written after the look, before the removal: a write of the same turn that comes first.
    const raced = new Proxy(store, {
      get: (target, name) => {
        if (name !== 'write') {
          const member: unknown = Reflect.get(target, name, target);
          return typeof member === 'function' ? member.bind(target) : member;
        }
        return async (action: (tx: Tx) => unknown) => {
          await target.write((tx) => visit(tx, 1, { from: ago(400), to: ago(0) }));
          return target.write(action);
        };
      },
    });
    expect((await round({ store: raced })).removed).toEqual(none);
    expect(keysOf(tables.visits)).toHaveLength(1);
  });

  test('nothing goes while the clock is not trusted', async () => {
    await manyVisits(1, 10);
    let isSteady = false;
    let rounds = 0;
    const sweep = createRetention({
      ...{ store: folder.store, now: () => now, keepMs, isSteady: () => isSteady, runMs: 1000 },
      onRound: () => rounds++,
    });
    await sweep.run();
    expect([rounds, keysOf(tables.visits).length]).toEqual([0, 10]);
    isSteady = true;
    await sweep.run();
    expect([rounds, keysOf(tables.visits).length]).toEqual([1, 5]);
  });

  test('after a round it rests; on a disk that refuses it stops and the next run goes on there', async () => {
    await manyVisits(1, 10);
    let fails = true;
    let rounds = 0;
    const { store } = folder;
    const refusing = new Proxy(store, {
      get: (target, name) => {
        if (name === 'write' && fails) return () => Promise.reject(new WriteFailed(new Error('full')));
        const member: unknown = Reflect.get(target, name, target);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
    const sweep = createRetention({
      ...{ store: refusing, now: () => now, keepMs, isSteady: () => true, runMs: 1000 },
      onRound: () => rounds++,
    });
    await sweep.run();
    expect([rounds, keysOf(tables.visits).length]).toEqual([0, 10]);
    fails = false;
    await sweep.run();
    expect([rounds, keysOf(tables.visits).length]).toEqual([1, 5]);
    await sweep.run();
    expect(rounds).toBe(1);
  });
});
