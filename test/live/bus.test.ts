import { describe, expect, test, vi } from 'vitest';
import type { LiveEvent } from '../../src/contract/events.ts';
import { createLiveBus, type LiveSink } from '../../src/live/bus.ts';
import { strictParser } from '../support/http-sse.ts';

function moved(epc: string, label?: string): LiveEvent {
  const data = { tagId: 't', epc, toZoneId: 'z', zoneName: 'Dock', at: '2026-03-01T12:00:00.000Z' };
  return { type: 'tag_moved', data: label === undefined ? data : { ...data, label } };
}

interface TestSink extends LiveSink {
  readonly batches: Buffer[];
  ends: number;
  takes: boolean;
}

function sink(callerId = 'key'): TestSink {
  const batches: Buffer[] = [];
  return {
    callerId,
    batches,
    ends: 0,
    takes: true,
    write(batch) {
      if (this.takes) batches.push(batch);
      return this.takes;
    },
    end() {
      this.ends++;
    },
  };
}

const names = (one: TestSink): string[] =>
  strictParser()
    .push(Buffer.concat(one.batches))
    .map(({ data }) => data.epc);

describe('the bus', () => {
  test('is listening exactly while an organisation has consumers', () => {
    const bus = createLiveBus();
    expect(bus.listening('a')).toBe(false);
    const leave = bus.subscribe('a', sink());
    const other = bus.subscribe('a', sink());
    expect([bus.listening('a'), bus.listening('b'), bus.counters.consumers]).toEqual([true, false, 2]);
    leave?.();
    leave?.();
    expect([bus.listening('a'), bus.counters.consumers]).toEqual([true, 1]);
    other?.();
    expect([bus.listening('a'), bus.counters.consumers]).toEqual([false, 0]);
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
    expect(bus.counters).toEqual({ consumers: 3, published: 3, delivered: 6, dropped: 0 });
  });

  test('a burst goes out in batches of bounded size, one per turn of the event loop, without waiting', async () => {
    const bus = createLiveBus({ flushMs: 60_000, batchMaxBytes: 1000 });
    const one = sink();
    const leave = bus.subscribe('a', one);
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
    leave?.();
  });

  test('what waits is bounded: the rest of a burst is dropped for all and counted', async () => {
    const bus = createLiveBus({ flushMs: 1, pendingMaxBytes: 1000 });
    const [one, two] = [sink(), sink()];
    for (const each of [one, two]) bus.subscribe('a', each);
    bus.publish(
      'a',
      Array.from({ length: 100 }, (_, n) => moved(String(n))),
    );
    await vi.waitFor(() => expect(one.batches).toHaveLength(1));
    const got = names(one).length;
    expect(got).toBeLessThan(12);
    expect(bus.counters).toMatchObject({ published: 100, delivered: 2 * got, dropped: 2 * (100 - got) });
    bus.publish('a', [moved('next')]);
    await vi.waitFor(() => expect(names(two).at(-1)).toBe('next'));
  });

  test('what a consumer does not take is dropped for it alone, and counted', async () => {
    const bus = createLiveBus({ flushMs: 1 });
    const [slow, quick] = [sink(), sink()];
    for (const each of [slow, quick]) bus.subscribe('a', each);
    for (const name of ['1', '2', '3']) {
      slow.takes = name !== '2';
      bus.publish('a', [moved(name)]);
      await vi.waitFor(() => expect(names(quick).at(-1)).toBe(name));
    }
    expect([names(slow), names(quick)]).toEqual([
      ['1', '3'],
      ['1', '2', '3'],
    ]);
    expect(bus.counters).toMatchObject({ published: 3, delivered: 5, dropped: 1 });
  });

  test('what waited for a consumer that left is forgotten', async () => {
    const bus = createLiveBus({ flushMs: 1 });
    const [first, second] = [sink(), sink()];
    const leave = bus.subscribe('a', first);
    bus.publish('a', [moved('1')]);
    leave?.();
    bus.subscribe('a', second);
    bus.publish('a', [moved('2')]);
    await vi.waitFor(() => expect(names(second)).toEqual(['2']));
    expect(first.batches).toEqual([]);
  });

  test('an organisation has so many consumers and no more; others are not touched', () => {
    const bus = createLiveBus({ maxConsumersPerOrg: 2 });
    const leave = bus.subscribe('a', sink());
    bus.subscribe('a', sink());
    expect(bus.subscribe('a', sink())).toBeNull();
    expect(bus.subscribe('b', sink())).not.toBeNull();
    leave?.();
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
