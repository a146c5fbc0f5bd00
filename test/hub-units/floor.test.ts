import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { floorInputSchema } from '../../src/contract/floor.ts';
import { dayIn } from '../../src/hub/pages/floor/day.ts';
import {
  type Drawing,
  draftOf,
  moved,
  POINTS_MAX,
  redone,
  stepped,
  UNDO_MAX,
  undone,
  withCorner,
  without,
  withZone,
} from '../../src/hub/pages/floor/draft.ts';
import { gridOf, middleOf, movedBy, type Point } from '../../src/hub/pages/floor/geometry.ts';
import { staysByEvents, staysOf, whereAt, within } from '../../src/hub/pages/floor/track.ts';
import { placed, SCALE_MAX, type View, whole, zoomed } from '../../src/hub/pages/floor/view.ts';
import { dateIn } from '../../src/hub/time/wall-clock.ts';

const zoneId = '2f6d9a10-7c3b-4c5d-9e8f-0a1b2c3d4e5f';
const readerId = '5f0c7f0e-3f57-4a77-9f0b-1c2d3e4f5a6b';
const empty: Drawing = { zones: [], antennas: [] };
const delta = fc.tuple(
  fc.double({ min: -2, max: 2, noNaN: true }),
  fc.double({ min: -2, max: 2, noNaN: true }),
);

const change = fc.oneof(
  delta.map((by) => (old: Drawing) => moved(old, { kind: 'zone', zoneId }, by)),
  fc.tuple(fc.nat(70), delta).map(
    ([index, by]) =>
      (old: Drawing) =>
        moved(old, { kind: 'point', zoneId, index }, by),
  ),
  delta.map((by) => (old: Drawing) => moved(old, { kind: 'antenna', readerId, port: 1 }, by)),
  fc.nat(70).map((index) => (old: Drawing) => withCorner(old, zoneId, index)),
  fc.nat(70).map((index) => (old: Drawing) => without(old, { kind: 'point', zoneId, index })),
);

describe('the drawing', () => {
  test('whatever is done to it, the appliance takes it', () => {
    const first: Drawing = { ...withZone(empty, zoneId), antennas: [{ readerId, port: 1, x: 0.5, y: 0.5 }] };
    fc.assert(
      fc.property(fc.array(change, { maxLength: 80 }), (changes) => {
        const drawing = changes.reduce((old, run) => run(old), first);
        expect(floorInputSchema.safeParse(drawing).success).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  test('a zone keeps its shape when it is moved against the edge', () => {
    fc.assert(
      fc.property(delta, (by) => {
        const points = movedBy(
          [
            [0.2, 0.2],
            [0.6, 0.2],
            [0.6, 0.5],
          ],
          by,
        );
        const [a = [0, 0], b = [0, 0], c = [0, 0]] = points;
        expect(b[0] - a[0]).toBeCloseTo(0.4, 3);
        expect(c[1] - b[1]).toBeCloseTo(0.3, 3);
      }),
    );
  });

  test('a zone keeps three corners and gets no more than it may have', () => {
    let drawing = withZone(empty, zoneId);
    for (let at = 0; at < POINTS_MAX + 5; at += 1) drawing = withCorner(drawing, zoneId, 0);
    expect(drawing.zones[0]?.points.length).toBe(POINTS_MAX);
    for (let at = 0; at < POINTS_MAX + 5; at += 1)
      drawing = without(drawing, { kind: 'point', zoneId, index: 0 });
    expect(drawing.zones[0]?.points.length).toBe(3);
  });

  test('what is undone and redone is what was; a drag is one step; the steps kept are bounded', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 12 }), (changes) => {
        const first = withZone(empty, zoneId);
        const end = changes.reduce((draft, run) => stepped(draft, run(draft.now)), draftOf(first));
        const back = end.past.reduce((draft) => undone(draft), end);
        expect(back.now).toEqual(first);
        expect(end.past.reduce((draft) => redone(draft), back).now).toEqual(end.now);
      }),
    );
    const move = (old: Drawing) => moved(old, { kind: 'zone', zoneId }, [0.01, 0]);
    let draft = draftOf(withZone(empty, zoneId));
    for (let at = 0; at < 5; at += 1) draft = stepped(draft, move(draft.now), at > 0);
    expect(draft.past.length).toBe(1);
    for (let at = 0; at < UNDO_MAX * 2; at += 1) draft = stepped(draft, { ...draft.now });
    expect(draft.past.length).toBe(UNDO_MAX);
  });

  test('zones that nobody has drawn lie side by side on the plan', () => {
    for (let count = 1; count < 40; count += 1) {
      const zones = gridOf(Array.from({ length: count }, (_, at) => `zone ${at}`));
      const middles = new Set(
        zones.map(({ points }) =>
          middleOf(points)
            .map((one) => one.toFixed(3))
            .join(),
        ),
      );
      expect(middles.size).toBe(count);
      expect(zones.every(({ points }) => points.flat().every((one) => one >= 0 && one <= 1))).toBe(true);
    }
  });
});

describe('the view', () => {
  const point = fc.tuple(
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.double({ min: 0, max: 1, noNaN: true }),
  );
  const frame = { width: 1000, height: 600 };

  test('zooming keeps what is under the pointer where it is, unless the edge is in the way', () => {
    const inner = fc.tuple(
      fc.double({ min: 0.4, max: 0.6, noNaN: true }),
      fc.double({ min: 0.4, max: 0.6, noNaN: true }),
    );
    fc.assert(
      fc.property(inner, fc.double({ min: 1, max: 3, noNaN: true }), (focus, factor) => {
        const view: View = { scale: 2, centre: [0.5, 0.5] };
        const on = (one: View, [x, y]: Point) => {
          const box = placed(one, frame, 0.6);
          return [box.left + x * box.width, box.top + y * box.height];
        };
        const [before, after] = [on(view, focus), on(zoomed(view, factor, focus), focus)];
        expect(after[0]).toBeCloseTo(before[0] ?? 0, 6);
        expect(after[1]).toBeCloseTo(before[1] ?? 0, 6);
      }),
    );
  });

  test('it never leaves the plan and ends at its limits', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.double({ min: 0.1, max: 9, noNaN: true }), point)), (steps) => {
        const { scale, centre } = steps.reduce((view, [factor, focus]) => zoomed(view, factor, focus), whole);
        expect(scale).toBeGreaterThanOrEqual(1);
        expect(scale).toBeLessThanOrEqual(SCALE_MAX);
        for (const one of centre) {
          expect(one - 0.5 / scale).toBeGreaterThanOrEqual(-1e-9);
          expect(one + 0.5 / scale).toBeLessThanOrEqual(1 + 1e-9);
        }
      }),
    );
  });
});

describe('a day played back', () => {
  const visit = (name: string, times: readonly [string, string], reads = 10) => ({
    ...{ zoneId: name, zoneName: name, reads },
    firstSeenAt: `2026-03-02T${times[0]}:00.000Z`,
    lastSeenAt: `2026-03-02T${times[1]}:00.000Z`,
  });
  const at = (time: string) => Date.parse(`2026-03-02T${time}:00.000Z`);

  test('a tag is where it is heard, then where it was heard last, and nowhere before', () => {
    const stays = staysOf([visit('shelf', ['10:00', '11:00']), visit('dock', ['09:00', '09:30'])]);
    expect(whereAt(stays, at('08:59'))).toBeNull();
    expect(whereAt(stays, at('09:10'))).toMatchObject({ zoneId: 'dock', isThere: true });
    expect(whereAt(stays, at('09:40'))).toMatchObject({ zoneId: 'dock', isThere: false });
    expect(whereAt(stays, at('11:00'))).toMatchObject({ zoneId: 'shelf', isThere: true });
  });

  test('of zones that hear it together the one that reads it more often has it, and the other is named', () => {
    const stays = staysOf([visit('dock', ['09:00', '10:00'], 500), visit('shelf', ['09:10', '10:00'], 5)]);
    expect(whereAt(stays, at('09:30'))).toMatchObject({ zoneId: 'dock', also: ['shelf'] });
  });

  test('visits at several antennas of a zone are one stay; those without a zone are none', () => {
    const { zoneId: _, ...unmapped } = visit('x', ['12:00', '12:01']);
    const stays = staysOf([unmapped, visit('dock', ['09:20', '09:40']), visit('dock', ['09:00', '09:30'])]);
    expect(stays).toMatchObject([{ zoneId: 'dock', from: at('09:00'), to: at('09:40'), reads: 20 }]);
  });

  test('an asset is where its timeline says, until it enters or leaves the next', () => {
    const event = (kind: 'zone_enter' | 'zone_exit' | 'check_out', zone: string, time: string) => ({
      ...{ id: time, kind, meta: {}, zoneId: zone, zoneName: zone, occurredAt: `2026-03-02T${time}:00.000Z` },
    });
    const events = [
      event('zone_enter', 'shelf', '10:00'),
      event('zone_exit', 'dock', '09:30'),
      event('check_out', 'dock', '09:10'),
      event('zone_enter', 'dock', '09:00'),
    ];
    const stays = staysByEvents(events, at('12:00'));
    expect(stays.map(({ zoneId: zone, from, to }) => [zone, from, to])).toEqual([
      ['dock', at('09:00'), at('09:30')],
      ['shelf', at('10:00'), at('12:00')],
    ]);
    expect(within(stays, { from: at('09:45'), to: at('23:00') })).toHaveLength(1);
  });

  test('a day is from midnight to midnight of the site, also when clocks change', () => {
    const hours = (date: string) => {
      const day = dayIn(date, 'Europe/Berlin');
      return day && (day.to - day.from) / 3_600_000;
    };
    expect(dayIn('2026-03-02', 'Europe/Berlin')?.from).toBe(Date.parse('2026-03-01T23:00:00Z'));
    expect([hours('2026-03-02'), hours('2026-03-29'), hours('2026-10-25')]).toEqual([24, 23, 25]);
    expect(dayIn('2026-02', 'UTC')).toBeNull();
    expect(dayIn('2026-99-99', 'UTC')).toBeNull();
    fc.assert(
      fc.property(
        fc.date({ min: new Date('2000-01-01'), max: new Date('2060-01-01'), noInvalidDate: true }),
        (date) => {
          for (const timeZone of ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu']) {
            const day = dayIn(dateIn(date.getTime(), timeZone), timeZone);
            expect(day && day.from <= date.getTime() && date.getTime() < day.to).toBe(true);
          }
        },
      ),
    );
  });
});
