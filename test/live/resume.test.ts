import { describe, expect, test, vi } from 'vitest';
import { createLiveBus, type LiveBus, type LiveBusOptions } from '../../src/live/bus.ts';
import type { Subscription, Wish } from '../../src/live/channel.ts';
import { positionFrame } from '../../src/live/entry.ts';
import { eventFilter } from '../../src/live/filter.ts';
import { moved, names, read, sink, type TestSink } from './sinks.ts';

interface Client {
  readonly sink: TestSink;
  readonly subscription: Subscription;
}

function connect(bus: LiveBus, wish: Wish = {}, orgId = 'a'): Client {
  const one = sink();
  const subscription = bus.subscribe(orgId, one, wish);
  if (!subscription) throw new Error('the bus is full');
  const position = subscription.position();
  if (position) one.batches.push(Buffer.from(positionFrame(position)));
  return { sink: one, subscription };
}

/** A bus with one consumer that stays, and one that left after the event 1. */
async function left(options: LiveBusOptions = {}) {
  const bus = createLiveBus({ flushMs: 1, ...options });
  const [stays, leaves] = [connect(bus), connect(bus)];
  bus.publish('a', [moved('1')]);
  await vi.waitFor(() => expect(names(leaves.sink)).toEqual(['1']));
  leaves.subscription.leave();
  const lastEventId = leaves.sink.lastEventId();
  const publish = async (...epcs: string[]): Promise<void> => {
    for (const epc of epcs) {
      bus.publish('a', [moved(epc)]);
      await vi.waitFor(() => expect(names(stays.sink).at(-1)).toBe(epc));
    }
  };
  return { bus, stays, lastEventId, publish };
}

describe('a consumer that comes back with the id of the last event it got', () => {
  test('gets exactly what it missed, in order, and then what comes', async () => {
    const { bus, lastEventId, publish } = await left();
    await publish('2', '3');
    const back = connect(bus, { lastEventId });
    expect([back.subscription.start, back.subscription.position()]).toEqual(['resumed', null]);
    expect(back.sink.batches).toEqual([]);
    await publish('4');
    await vi.waitFor(() => expect(names(back.sink)).toEqual(['2', '3', '4']));
    expect(back.subscription.position()).toBe(back.sink.lastEventId());
    expect(bus.counters).toMatchObject({ resumed: 1, replayed: 2, dropped: 0, resyncs: 0 });
  });

  test('gets of them what its filter lets through', async () => {
    const { bus, lastEventId, publish } = await left();
    await publish('2', '3', '4');
    const back = connect(bus, { lastEventId, filter: eventFilter({ epcs: ['3', '5'] }) });
    await publish('5');
    await vi.waitFor(() => expect(names(back.sink)).toEqual(['3', '5']));
  });

  test('that missed nothing gets nothing', async () => {
    const { bus, lastEventId, publish } = await left();
    const back = connect(bus, { lastEventId });
    expect(back.subscription.start).toBe('resumed');
    await publish('2');
    expect(names(back.sink)).toEqual(['2']);
    expect(bus.counters.replayed).toBe(0);
  });

  test('finds its gap when it was the only one, as long as the stream lingers', async () => {
    const bus = createLiveBus({ flushMs: 1 });
    const only = connect(bus);
    only.subscription.leave();
    bus.publish('a', [moved('1')]);
    const back = connect(bus, { lastEventId: only.sink.lastEventId() });
    await vi.waitFor(() => expect(names(back.sink)).toEqual(['1']));
    const brief = createLiveBus({ lingerMs: 0 });
    const first = connect(brief);
    first.subscription.leave();
    expect(connect(brief, { lastEventId: first.sink.lastEventId() }).subscription.start).toBe('resync');
  });

  test('at its own pace: what it does not take stays in the past, and others are not held up', async () => {
    const { bus, lastEventId, publish } = await left();
    await publish('2', '3');
    const back = connect(bus, { lastEventId });
    back.sink.takes = false;
    await publish('4', '5');
    expect([back.sink.batches, bus.counters.dropped]).toEqual([[], 0]);
    back.sink.takes = true;
    await vi.waitFor(() => expect(names(back.sink)).toEqual(['2', '3', '4', '5']));
  });

  test('but does not read is told that it missed events once they are gone from the past', async () => {
    const { bus, lastEventId, publish } = await left({ past: { maxEvents: 3, maxBytes: 100_000 } });
    await publish('2', '3');
    const back = connect(bus, { lastEventId });
    back.sink.takes = false;
    await publish('4', '5', '6');
    await vi.waitFor(() => expect(bus.counters.dropped).toBeGreaterThan(0));
    back.sink.takes = true;
    await publish('7');
    await vi.waitFor(() => expect(names(back.sink)).toEqual(['resync', '7']));
  });

  test('and leaves while it is told gets no more', async () => {
    const { bus, lastEventId, publish } = await left();
    await publish('2');
    const back = connect(bus, { lastEventId });
    back.subscription.leave();
    await publish('3');
    expect(back.sink.batches).toEqual([]);
    expect(bus.counters.consumers).toBe(1);
  });

  test('a hundred at once all get everything', async () => {
    const { bus, lastEventId, publish } = await left();
    await publish('2', '3');
    const all = Array.from({ length: 100 }, () => connect(bus, { lastEventId }));
    await publish('4');
    await vi.waitFor(() => {
      for (const back of all) expect(names(back.sink)).toEqual(['2', '3', '4']);
    });
  });
});

describe('a consumer whose id cannot be gone on from has to catch up', () => {
  test('as the event is too long ago', async () => {
    const { bus, lastEventId, publish } = await left({ past: { maxEvents: 3, maxBytes: 100_000 } });
    await publish('2', '3', '4', '5');
    const back = connect(bus, { lastEventId });
    expect([back.subscription.start, bus.counters.resyncs]).toEqual(['resync', 1]);
    await publish('6');
    expect(names(back.sink)).toEqual(['6']);
  });

  test('as it is of an earlier run, of another organisation, from the future, or none', async () => {
    const { bus, stays, lastEventId, publish } = await left();
    const stranger = connect(bus, {}, 'b');
    bus.publish('b', [moved('theirs')]);
    await vi.waitFor(() => expect(names(stranger.sink)).toEqual(['theirs']));
    const epoch = String(lastEventId).split('-')[0];
    const earlier = createLiveBus();
    const ids = [
      ...[connect(earlier).sink.lastEventId(), stranger.sink.lastEventId()],
      ...[
        `${epoch}-2`,
        `${epoch}--1`,
        `${epoch}-01`,
        `${epoch}-1.5`,
        `${epoch}-1e0`,
        `${epoch}-9007199254740993`,
      ],
      ...[`${epoch}`, '1', '', '-1', ' ', '\u0000', `${String(lastEventId)} `, 'x'.repeat(5000)],
    ];
    for (const id of ids)
      expect([id, connect(bus, { lastEventId: id }).subscription.start]).toEqual([id, 'resync']);
    expect(connect(bus, { lastEventId }).subscription.start).toBe('resumed');
    await publish('2');
    expect(names(stays.sink)).toEqual(['1', '2']);
    expect(names(stranger.sink)).toEqual(['theirs']);
    for (const each of [bus, earlier]) each.closeAll();
  });
});

describe('positions', () => {
  test('a filtered consumer can go on from its position though nothing was let through to it', async () => {
    const bus = createLiveBus({ flushMs: 1 });
    const all = connect(bus);
    const picky = connect(bus, { filter: eventFilter({ types: ['tag_read'] }) });
    const before = picky.subscription.position();
    bus.publish('a', [moved('1')]);
    await vi.waitFor(() => expect(names(all.sink)).toEqual(['1']));
    expect(picky.sink.lastEventId()).toBe(before);
    expect(picky.subscription.position()).toBe(all.sink.lastEventId());
    picky.subscription.leave();
    bus.publish('a', [read('2')]);
    const filter = eventFilter({ types: ['tag_read'] });
    const back = connect(bus, { filter, lastEventId: before });
    await vi.waitFor(() => expect(names(back.sink)).toEqual(['2']));
  });

  test('every event has an id of its own that goes up', async () => {
    const bus = createLiveBus({ flushMs: 1 });
    const one = connect(bus);
    bus.publish('a', [moved('1'), moved('2')]);
    await vi.waitFor(() => expect(names(one.sink)).toEqual(['1', '2']));
    const text = Buffer.concat(one.sink.batches).toString();
    const ids = [...text.matchAll(/^id: ([0-9a-f]{8})-(\d+)\nevent: tag_moved\ndata: /gm)];
    expect(ids.map(([, , no]) => no)).toEqual(['1', '2']);
    expect(new Set(ids.map(([, epoch]) => epoch)).size).toBe(1);
  });
});
