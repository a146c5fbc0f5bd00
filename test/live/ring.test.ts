import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { eventFilter, passes } from '../../src/live/filter.ts';
import { frameOf } from '../../src/live/frame.ts';
import { Ring } from '../../src/live/ring.ts';
import { liveEvents, wishes } from './arbitraries.ts';
import { moved } from './sinks.ts';

const everything = { filter: null, maxEvents: Number.MAX_SAFE_INTEGER, maxBytes: Number.MAX_SAFE_INTEGER };

function batch(...events: Parameters<typeof frameOf>[0][]): [Buffer, typeof events] {
  return [Buffer.from(events.map(frameOf).join('')), events];
}

describe('the ring', () => {
  test('reaches back to its first event, and nothing is before the first of all', () => {
    const ring = new Ring({ maxEvents: 10, maxBytes: 10_000 });
    expect([ring.last, ring.reaches(0), ring.reaches(1)]).toEqual([0, true, false]);
    ring.push(...batch(moved('1'), moved('2')));
    expect([ring.last, ring.reaches(0), ring.reaches(2), ring.reaches(3)]).toEqual([2, true, true, false]);
    expect(ring.read(3, everything)).toBeNull();
    expect(ring.read(2, everything)).toMatchObject({ last: 2, count: 0 });
  });

  test('keeps so many events and so many bytes, whichever is less', () => {
    const byCount = new Ring({ maxEvents: 3, maxBytes: 1_000_000 });
    for (const name of ['1', '2', '3', '4', '5']) byCount.push(...batch(moved(name)));
    expect([byCount.reaches(1), byCount.reaches(2)]).toEqual([false, true]);
    const one = batch(moved('1'));
    const byBytes = new Ring({ maxEvents: 1000, maxBytes: one[0].length * 2 });
    for (let n = 0; n < 5; n++) byBytes.push(...one);
    expect([byBytes.reaches(2), byBytes.reaches(3)]).toEqual([false, true]);
    byBytes.push(...batch(moved('1', { label: 'x'.repeat(1000) })));
    expect([byBytes.last, byBytes.reaches(5), byBytes.reaches(6)]).toEqual([6, false, true]);
  });

  test('what it handed out stays as it is when the past goes on', () => {
    const [bytes, events] = batch(moved('1'), moved('2'));
    const ring = new Ring({ maxEvents: 100, maxBytes: bytes.length * 2 });
    ring.push(bytes, events);
    const got = ring.read(0, everything)?.bytes;
    for (let n = 0; n < 5; n++) ring.push(...batch(moved('x'), moved('y')));
    expect(got?.equals(bytes)).toBe(true);
  });

  test('uses its bytes round and round: of batches that differ in length it keeps at least half of them', () => {
    const lengths = fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 30, maxLength: 60 });
    fc.assert(
      fc.property(lengths, (labels) => {
        const ring = new Ring({ maxEvents: 1000, maxBytes: 2000 });
        const frames = labels.map((length) => moved('1', { label: 'x'.repeat(length) }));
        for (const event of frames) ring.push(...batch(event));
        let after = ring.last;
        while (after > 0 && ring.reaches(after - 1)) after--;
        const kept = ring.read(after, everything)?.bytes.toString();
        expect(kept).toBe(frames.slice(after).map(frameOf).join(''));
        expect(kept?.length).toBeGreaterThan(1000);
      }),
    );
  });

  test('read in pieces of any size it gives exactly what passes the filter, in order', () => {
    const batches = fc.array(fc.array(liveEvents, { minLength: 1, maxLength: 5 }), { maxLength: 10 });
    const size = fc.integer({ min: 1, max: 1000 });
    const pieces = fc.record({ maxEvents: size, maxBytes: size });
    const limits = fc.record({
      maxEvents: fc.integer({ min: 1, max: 50 }),
      maxBytes: fc.constantFrom(700, 3000, 10_000),
    });
    fc.assert(
      fc.property(batches, wishes, fc.tuple(pieces, limits), (pushed, wish, [piece, kept]) => {
        const ring = new Ring(kept);
        for (const events of pushed) ring.push(...batch(...events));
        const filter = eventFilter(wish);
        const all = pushed.flat();
        expect(ring.last).toBe(all.length);
        for (let after = all.length; ring.reaches(after) && after >= 0; after--) {
          const wanted = all.slice(after).filter((event) => !filter || passes(filter, event));
          expect(readAll(ring, after, { filter, ...piece })).toBe(wanted.map(frameOf).join(''));
        }
      }),
    );
  });
});

function readAll(ring: Ring, after: number, reading: Parameters<Ring['read']>[1]): string {
  let text = '';
  let count = 0;
  for (let at = after; at < ring.last; ) {
    const part = ring.read(at, reading);
    if (!part || part.last === at) throw new Error(`stuck at ${at}`);
    text += part.bytes.toString();
    count += part.count;
    at = part.last;
  }
  expect(text.split('\n\n').length - 1).toBe(count);
  return text;
}
