import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import type { LiveEvent } from '../../src/contract/events.ts';
import { createLiveBus, type LiveBus } from '../../src/live/bus.ts';
import type { Subscription } from '../../src/live/channel.ts';
import { positionFrame, resyncFrame } from '../../src/live/entry.ts';
import { type EventFilter, eventFilter, passes } from '../../src/live/filter.ts';
import { strictParser } from '../support/http-sse.ts';
import { liveEvents, wishes } from './arbitraries.ts';
import { read, sink, type TestSink } from './sinks.ts';

const orgs = ['a', 'b'];
const ORG_OF_CLIENT = ['a', 'a', 'b'];

const client = fc.nat({ max: ORG_OF_CLIENT.length - 1 });
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('publish' as const),
      org: fc.constantFrom(...orgs),
      events: fc.array(liveEvents, { minLength: 1, maxLength: 12 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('turn', 'flush') }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('stop reading', 'read'), client }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('come' as const),
      client,
      /** So many of the last messages were under way when its connection broke. */
      lost: fc.oneof(fc.constant(0), fc.nat({ max: 10 })),
      with: fc.constantFrom(
        'its id' as const,
        'its id' as const,
        'no id' as const,
        'the id of another' as const,
      ),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** One client over all its connections. */
interface Client {
  readonly org: string;
  readonly filter: EventFilter | null;
  /** What it was told: numbers of events, `resync`, or `new` where it began without an id. */
  readonly told: (number | 'resync' | 'new')[];
  sink: TestSink | null;
  subscription: Subscription | null;
  lastEventId: string | null;
}

class World {
  readonly bus: LiveBus;
  /** By organisation; the number of an event in its `tagId` is its place here. */
  readonly published = new Map<string, LiveEvent[]>(orgs.map((org) => [org, []]));
  readonly clients: Client[];
  readonly #watchers = new Map<string, TestSink>();

  constructor(filters: readonly (EventFilter | null)[], maxEvents: number) {
    const past = { maxEvents, maxBytes: 1_000_000 };
    this.bus = createLiveBus({ flushMs: 1, batchMaxBytes: 600, pendingMaxBytes: 3000, past });
    this.clients = ORG_OF_CLIENT.map((org, n) => {
      const nobody = { sink: null, subscription: null, lastEventId: null };
      return { org, filter: filters[n] ?? null, told: [], ...nobody };
    });
    for (const org of orgs) {
      const watcher = sink();
      this.#watchers.set(org, watcher);
      this.bus.subscribe(org, watcher);
    }
    for (const client of this.clients) this.#come(client, null);
  }

  async take(one: Step): Promise<void> {
    if (one.do === 'publish') return this.publish(one.org, one.events);
    if (!('client' in one)) return one.do === 'flush' ? this.#flushed() : this.#turn();
    const client = this.clients[one.client];
    if (!client) return;
    if (one.do === 'come') {
      leave(client, one.lost);
      const ids = {
        'its id': client.lastEventId,
        'no id': null,
        'the id of another': this.#foreignId(client),
      };
      this.#come(client, ids[one.with]);
    } else if (client.sink) {
      client.sink.takes = one.do === 'read';
      if (one.do === 'read') client.subscription?.drained();
    }
  }

  async #turn(): Promise<void> {
    for (const { sink: one, subscription } of this.clients) {
      const position = subscription?.position() ?? null;
      if (position !== null) one?.batches.push(Buffer.from(positionFrame(position)));
    }
    await new Promise((resolve) => setImmediate(resolve));
  }

  #foreignId({ org }: Client): string | null {
    const stranger = this.clients.find((other) => other.org !== org);
    return stranger?.sink?.lastEventId() ?? stranger?.lastEventId ?? null;
  }

  /** Until nothing waits; whether the last event went out or was dropped. */
  async #flushed(): Promise<void> {
    for (const org of orgs)
      await vi.waitFor(
        () => {
          const last = this.#watchers.get(org)?.events().at(-1);
          const count = this.published.get(org)?.length ?? 0;
          expect(count === 0 || last?.type === 'resync' || last?.data.tagId === `${org}${count - 1}`).toBe(
            true,
          );
        },
        { interval: 1 },
      );
  }

  publish(org: string, events: readonly LiveEvent[]): void {
    const all = this.published.get(org) ?? [];
    const numbered = events.map((event, nth) => {
      const data = { ...event.data, tagId: `${org}${all.length + nth}` };
      // The type goes with the data it came with.
      return { ...event, data } as LiveEvent;
    });
    all.push(...numbered);
    this.bus.publish(org, numbered);
  }

  /** Until everything published has gone out, and who reads has got it. */
  async settle(): Promise<void> {
    for (const org of orgs) {
      const last = (): string | undefined => this.#watchers.get(org)?.events().at(-1)?.data.tagId;
      await vi.waitFor(
        () => {
          if (last() === `${org}${(this.published.get(org)?.length ?? 0) - 1}`) return;
          this.publish(org, [read('AA')]);
          throw new Error('not yet');
        },
        { interval: 5 },
      );
    }
    for (const client of this.clients) {
      if (!client.subscription || !client.sink) continue;
      client.sink.takes = true;
      client.subscription.drained();
      await vi.waitFor(() => expect(client.subscription?.position()).not.toBeNull(), { interval: 2 });
    }
  }

  #come(client: Client, lastEventId: string | null): void {
    const { org, filter } = client;
    client.sink = sink();
    client.subscription = this.bus.subscribe(org, client.sink, { filter, lastEventId });
    if (client.subscription?.start === 'live') client.told.push('new');
    if (client.subscription?.start === 'resync') client.sink.batches.push(Buffer.from(resyncFrame));
    const position = client.subscription?.position() ?? null;
    if (position !== null) client.sink.batches.push(Buffer.from(positionFrame(position)));
  }
}

function leave(client: Client, lost: number): void {
  client.subscription?.leave();
  if (!client.sink) return;
  const frames = Buffer.concat(client.sink.batches)
    .toString()
    .split(/(?<=\n\n)/);
  const parser = strictParser();
  for (const { type, data } of parser.push(Buffer.from(frames.slice(0, frames.length - lost).join('')))) {
    if (type === 'resync') client.told.push('resync');
    else {
      expect(data.tagId.slice(0, 1)).toBe(client.org);
      client.told.push(Number(data.tagId.slice(1)));
    }
  }
  client.lastEventId = parser.lastEventId() ?? client.lastEventId;
  client.sink = null;
  client.subscription = null;
}

/** What it was told, in order and once, leaves nothing out but where it was told so or began anew. */
function expectNoSilentGap({ told, org, filter }: Client, published: readonly LiveEvent[]): void {
  const wanted = published.flatMap((event, no) => (!filter || passes(filter, event) ? [no] : []));
  let at = -1;
  let mayHaveMissed = true;
  for (const one of told) {
    if (typeof one !== 'number') {
      mayHaveMissed = true;
      continue;
    }
    const place = wanted.indexOf(one);
    expect(place, `${org}${one} passes the filter and comes once, in order`).toBeGreaterThan(at);
    if (!mayHaveMissed) expect(place, `nothing is missing before ${org}${one}`).toBe(at + 1);
    at = place;
    mayHaveMissed = false;
  }
  if (told.length > 0 && !mayHaveMissed) expect(at, `${org} ends with the last`).toBe(wanted.length - 1);
}

test('whatever is published, dropped, left and come back to: what a client misses it is told of, and nothing else comes', async () => {
  const filters = fc.tuple(wishes, wishes, wishes);
  const steps = fc.array(step, { maxLength: 50, size: 'max' });
  await fc.assert(
    fc.asyncProperty(filters, steps, fc.integer({ min: 1, max: 100 }), async (parts, taken, maxEvents) => {
      const world = new World(parts.map(eventFilter), maxEvents);
      for (const one of taken) await world.take(one);
      await world.settle();
      for (const one of world.clients) {
        leave(one, 0);
        expectNoSilentGap(one, world.published.get(one.org) ?? []);
      }
      world.bus.closeAll();
    }),
    { numRuns: 150 },
  );
}, 60_000);
