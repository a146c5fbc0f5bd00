import { afterEach, describe, expect, test, vi } from 'vitest';
import { createLiveBus } from '../../src/live/bus.ts';
import { eventFilter } from '../../src/live/filter.ts';
import { moved, names, read, session, sink } from './sinks.ts';

afterEach(() => vi.useRealTimers());

describe('the bus', () => {
  test('is listening while an organisation has consumers, and without lingering no longer', () => {
    const bus = createLiveBus({ lingerMs: 0 });
    expect(bus.listening('a')).toBe(false);
    const one = bus.subscribe('a', sink());
    const other = bus.subscribe('a', sink());
    expect([bus.listening('a'), bus.listening('b'), bus.counters.consumers]).toEqual([true, false, 2]);
    one?.leave();
    one?.leave();
    expect([bus.listening('a'), bus.counters.consumers]).toEqual([true, 1]);
    other?.leave();
    expect([bus.listening('a'), bus.counters.consumers]).toEqual([false, 0]);
  });

  test('goes on listening for a bounded time after the last consumer left, and not at all once it is closed', () => {
    vi.useFakeTimers();
    const bus = createLiveBus({ lingerMs: 60_000 });
    bus.subscribe('a', sink())?.leave();
    vi.advanceTimersByTime(59_999);
    expect([bus.listening('a'), bus.counters.consumers]).toEqual([true, 0]);
    const back = bus.subscribe('a', sink());
    vi.advanceTimersByTime(600_000);
    expect(bus.listening('a')).toBe(true);
    back?.leave();
    vi.advanceTimersByTime(60_000);
    expect(bus.listening('a')).toBe(false);
    const last = bus.subscribe('b', sink());
    bus.subscribe('a', sink())?.leave();
    bus.closeAll();
    expect([bus.listening('a'), bus.listening('b')]).toEqual([false, true]);
    last?.leave();
    expect([bus.listening('b'), vi.getTimerCount()]).toEqual([false, 0]);
  });

  test('collects events into one Buffer that all consumers of the organisation share, and no other sees', async () => {
    const bus = createLiveBus({ flushMs: 5 });
    const [one, two, foreign] = [sink(), sink(), sink()];
    for (const each of [one, two]) bus.subscribe('a', each);
    bus.subscribe('b', foreign);
    bus.publish('a', [moved('1'), moved('2')]);
    bus.publish('a', [moved('3')]);
    expect(one.batches).toHaveLength(0);
    await vi.waitFor(() => expect(one.batches).toHaveLength(1));
    expect(names(one)).toEqual(['1', '2', '3']);
    expect(two.batches[0]).toBe(one.batches[0]);
    expect(foreign.batches).toHaveLength(0);
    expect(bus.counters).toMatchObject({ consumers: 3, published: 3, delivered: 6, dropped: 0 });
  });

  test('a burst goes out in batches of bounded size, one per turn of the event loop, without waiting', async () => {
    const bus = createLiveBus({ flushMs: 60_000, batchMaxBytes: 1000 });
    const one = sink();
    const subscription = bus.subscribe('a', one);
    bus.publish(
      'a',
      Array.from({ length: 60 }, (_, n) => moved(String(n))),
    );
    for (let turns = 0; turns < 5; turns++) {
      expect(one.batches).toHaveLength(turns);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await vi.waitFor(() => expect(names(one).length).toBeGreaterThan(50));
    for (const batch of one.batches) expect(batch.length).toBeLessThan(1300);
    subscription?.leave();
  });

  test('the first event after a quiet while does not wait, the next ones do', async () => {
    const bus = createLiveBus({ flushMs: 60_000 });
    const one = sink();
    bus.subscribe('a', one);
    bus.publish('a', [moved('1')]);
    await vi.waitFor(() => expect(names(one)).toEqual(['1']));
    bus.publish('a', [moved('2')]);
    for (let turns = 0; turns < 5; turns++) await new Promise((resolve) => setImmediate(resolve));
    expect(names(one)).toEqual(['1']);
    bus.closeAll();
  });

  test('what waits is bounded: the rest of a burst is dropped for all, who are told where it is missing', async () => {
    const bus = createLiveBus({ flushMs: 1, pendingMaxBytes: 1000 });
    const [one, two] = [sink(), sink()];
    bus.subscribe('a', one);
    bus.subscribe('a', two, { filter: eventFilter({ types: ['tag_read'] }) });
    bus.publish(
      'a',
      Array.from({ length: 100 }, (_, n) => moved(String(n))),
    );
    bus.publish('a', [moved('lost, too')]);
    await vi.waitFor(() => expect(one.batches).toHaveLength(1));
    const got = names(one).length - 1;
    expect(got).toBeLessThan(12);
    expect([names(one).at(-1), names(two)]).toEqual(['resync', ['resync']]);
    expect(bus.counters).toMatchObject({ published: 101, dropped: 2 * (101 - got), resyncs: 2 });
    bus.publish('a', [read('next')]);
    await vi.waitFor(() => expect(names(two)).toEqual(['resync', 'next']));
  });

  test('what a consumer does not take is dropped for it alone and counted, and it is told once when it takes again', async () => {
    const bus = createLiveBus({ flushMs: 1 });
    const [slow, quick] = [sink(), sink()];
    for (const each of [slow, quick]) bus.subscribe('a', each);
    for (const name of ['1', '2', '3', '4', '5']) {
      slow.takes = name !== '2' && name !== '3';
      bus.publish('a', [moved(name)]);
      await vi.waitFor(() => expect(names(quick).at(-1)).toBe(name));
    }
    expect([names(slow), names(quick)]).toEqual([
      ['1', 'resync', '4', '5'],
      ['1', '2', '3', '4', '5'],
    ]);
    expect(bus.counters).toMatchObject({ published: 5, delivered: 8, dropped: 2, resyncs: 1 });
  });

  test('one that has read up is told of what it missed without waiting for the next event', async () => {
    const bus = createLiveBus({ flushMs: 1 });
    const slow = sink();
    const subscription = bus.subscribe('a', slow);
    slow.takes = false;
    bus.publish('a', [moved('1')]);
    await vi.waitFor(() => expect(bus.counters.dropped).toBe(1));
    expect(subscription?.position()).toBeNull();
    subscription?.drained();
    expect([names(slow), bus.counters.resyncs]).toEqual([[], 0]);
    slow.takes = true;
    subscription?.drained();
    subscription?.drained();
    expect([names(slow), bus.counters.resyncs]).toEqual([['resync'], 1]);
    expect(subscription?.position()).toMatch(/-1$/);
  });

  test('what waited for a consumer that left is forgotten', async () => {
    const bus = createLiveBus({ flushMs: 1, lingerMs: 0 });
    const [first, second] = [sink(), sink()];
    const subscription = bus.subscribe('a', first);
    bus.publish('a', [moved('1')]);
    subscription?.leave();
    bus.subscribe('a', second);
    bus.publish('a', [moved('2')]);
    await vi.waitFor(() => expect(names(second)).toEqual(['2']));
    expect(first.batches).toEqual([]);
  });

  test('an organisation has so many consumers and no more; others are not touched', () => {
    const bus = createLiveBus({ maxConsumersPerOrg: 2 });
    const subscription = bus.subscribe('a', sink());
    expect(bus.hasRoom('a')).toBe(true);
    bus.subscribe('a', sink());
    expect([bus.hasRoom('a'), bus.hasRoom('b')]).toEqual([false, true]);
    expect(bus.subscribe('a', sink())).toBeNull();
    expect(bus.subscribe('b', sink())).not.toBeNull();
    subscription?.leave();
    expect(bus.subscribe('a', sink())).not.toBeNull();
  });

  test("a revoked key's streams are ended, in every organisation, others go on; closing ends all and takes no more", () => {
    const bus = createLiveBus();
    const [mine, alsoMine, other] = [sink('k1'), sink('k1'), sink('k2')];
    bus.subscribe('a', mine);
    bus.subscribe('b', alsoMine);
    bus.subscribe('a', other);
    expect(bus.closeFor('k1')).toBe(2);
    expect([mine.ends, alsoMine.ends, other.ends]).toEqual([1, 1, 0]);
    bus.closeAll();
    expect(other.ends).toBe(1);
    expect(bus.subscribe('a', sink())).toBeNull();
  });

  test('with nobody listening nothing is built, kept or counted', () => {
    const bus = createLiveBus();
    const trap = {
      type: 'tag_moved',
      get data(): never {
        throw new Error('built');
      },
    } as const;
    bus.publish('a', [trap]);
    expect(bus.counters.published).toBe(0);
  });
});

describe('filters', () => {
  test('consumers with equal filters share one Buffer; each gets what its filter lets through, in order', async () => {
    const bus = createLiveBus({ flushMs: 5 });
    const all = sink();
    bus.subscribe('a', all);
    const wishes = [
      { types: ['tag_moved'] },
      { types: ['tag_moved'] },
      { epcs: ['AA', 'CC'] },
      { zoneIds: ['y'] },
    ];
    const sinks = wishes.map((wish) => {
      const one = sink();
      bus.subscribe('a', one, { filter: eventFilter(wish) });
      return one;
    });
    const both = moved('DD', { fromZoneId: 'y', toZoneId: 'y' });
    bus.publish('a', [read('AA'), moved('BB'), moved('CC', { fromZoneId: 'y' }), session('AA'), both]);
    await vi.waitFor(() => expect(names(all)).toEqual(['AA', 'BB', 'CC', 'AA', 'DD']));
    expect(sinks.map(names)).toEqual([
      ['BB', 'CC', 'DD'],
      ['BB', 'CC', 'DD'],
      ['AA', 'CC', 'AA'],
      ['CC', 'DD'],
    ]);
    expect(sinks[0]?.batches[0]).toBe(sinks[1]?.batches[0]);
    expect(bus.counters.delivered).toBe(5 + 3 + 3 + 3 + 2);
  });

  test('a filter that lets everything through is none', async () => {
    const bus = createLiveBus({ flushMs: 1 });
    const [one, two] = [sink(), sink()];
    const types = ['session_ended', 'tag_read', 'session_started', 'tag_moved'];
    bus.subscribe('a', one, { filter: eventFilter({ types }) });
    bus.subscribe('a', two);
    bus.publish('a', [moved('1')]);
    await vi.waitFor(() => expect(two.batches).toHaveLength(1));
    expect(one.batches[0]).toBe(two.batches[0]);
  });

  test('nothing is written to a consumer that nothing is for, and what it would not get is not dropped for it', async () => {
    const bus = createLiveBus({ flushMs: 1 });
    const [other, all] = [sink(), sink()];
    const subscription = bus.subscribe('a', other, { filter: eventFilter({ epcs: ['AA'] }) });
    bus.subscribe('a', all);
    other.takes = false;
    bus.publish('a', [moved('BB')]);
    await vi.waitFor(() => expect(all.batches).toHaveLength(1));
    expect([other.batches, bus.counters.dropped]).toEqual([[], 0]);
    subscription?.leave();
    other.takes = true;
    bus.publish('a', [moved('AA')]);
    await vi.waitFor(() => expect(names(all)).toEqual(['BB', 'AA']));
    expect(other.batches).toEqual([]);
  });
});
