import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PlacedZone } from '../../src/domain/locate.ts';
import type { TagRead } from '../../src/domain/read.ts';
import { isSkewed, type Step, type StepRules, stepRead } from '../../src/ingest/step.ts';
import { newView, type ViewState } from '../../src/ingest/view.ts';

const T0 = 1_700_000_000_000;
const rules: StepRules = {
  sessionGapMs: 10_000,
  visitGapMs: 300_000,
  tagReadIntervalMs: 1000,
  locationPolicy: 'immediate',
  maxClockSkewMs: 5000,
};

interface Given {
  /** Reader's time after T0, ms; null = it gave none. */
  readonly ms: number | null;
  /** Service's time after T0, by default the reader's. */
  readonly now?: number;
  readonly antennaNo?: number;
  /** 0 = the port is unmapped or disabled. */
  readonly zone?: number;
}

const deleted = new Set<number>();

function zoneNo(no: number): PlacedZone {
  return { no, kind: 'storage', policy: null };
}

function take(before: ViewState, { ms, now = ms ?? 0, antennaNo = 9, zone = 1 }: Given): Step | null {
  const read: TagRead = {
    epc: '30340000',
    antennaPort: 1,
    rssiCdbm: -5000,
    readerAt: ms === null ? null : T0 + ms,
    count: 1,
  };
  return stepRead(before, {
    read,
    place: { antennaNo, zone: zone === 0 ? null : zoneNo(zone) },
    now: T0 + now,
    rules,
    zoneOf: (no) => (no === 0 || deleted.has(no) ? undefined : zoneNo(no)),
  });
}

function run(
  given: readonly Given[],
  from: ViewState = newView,
): { state: ViewState; steps: (Step | null)[] } {
  let state = from;
  const steps = given.map((one) => {
    const step = take(state, one);
    state = step?.state ?? state;
    return step;
  });
  return { state, steps };
}

const moves = (steps: readonly (Step | null)[]) =>
  steps.map((step) => (step?.move ? [step.move.from, step.move.to] : null));

describe('the time of a read', () => {
  it.each([
    { rule: 'is the reader’s when it is in the past', ms: -3_600_000, at: -3_600_000 },
    { rule: 'is the reader’s when it is at most the allowed skew ahead', ms: 5000, at: 5000 },
    { rule: 'is the time of arrival when it is further ahead, and counts as skewed', ms: 5001, at: 0 },
  ])('$rule', ({ ms, at }) => {
    expect(take(newView, { ms, now: 0 })?.state.lastSeenAt).toBe(T0 + at);
    expect(isSkewed(T0 + ms, T0, 5000)).toBe(ms !== at);
  });

  it('is the time of arrival when the reader gives none', () => {
    expect(take(newView, { ms: null, now: 0 })?.state.lastSeenAt).toBe(T0);
    expect(isSkewed(null, T0, 5000)).toBe(false);
  });

  it('of a reader far ahead never gets into what is known of the tag', () => {
    const { state } = run([{ ms: 86_400_000, now: 0 }]);
    expect([state.firstSeenAt, state.lastSeenAt, state.placement.seenAt]).toEqual([T0, T0, T0]);
  });

  it('ahead of a clock that was set back does not freeze the tag: the next read is the newest again', () => {
    const dayAhead = run([
      { ms: null, now: 86_400_000 },
      { ms: null, now: 86_401_000, antennaNo: 17, zone: 2 },
    ]).state;
    const { state, steps } = run(
      [
        { ms: 1000, now: 1010 },
        { ms: 2000, now: 2010, zone: 2 },
      ],
      dayAhead,
    );
    expect(moves(steps)).toEqual([
      [2, 1],
      [1, 2],
    ]);
    expect(steps.map((step) => step?.emit)).toEqual([true, true]);
    expect([state.lastSeenAt, state.placement.zone, state.placement.seenAt]).toEqual([
      T0 + 2000,
      2,
      T0 + 2000,
    ]);
  });
});

describe('a late read', () => {
  it('of another antenna never moves lastSeenAt back, nor the antenna, nor the tag', () => {
    const { state, steps } = run([{ ms: 60_000 }, { ms: 1000, now: 61_000, antennaNo: 17, zone: 2 }]);
    expect(moves(steps)).toEqual([[0, 1], null]);
    expect([state.lastSeenAt, state.antennaNo, state.placement.zone]).toEqual([T0 + 60_000, 9, 1]);
  });

  it('of the same antenna moves firstSeenAt just so, and counts for nothing else', () => {
    const { state, steps } = run([{ ms: 60_000 }, { ms: 1000, now: 61_000 }]);
    expect([state.firstSeenAt, state.lastSeenAt]).toEqual([T0 + 1000, T0 + 60_000]);
    expect(state.sightings.map(({ visit }) => visit.reads)).toEqual([1]);
    expect(steps[1]).toMatchObject({ emit: false, move: null });
  });

  it('of another antenna moves firstSeenAt to its own time: that is when the tag was first read', () => {
    expect(run([{ ms: 60_000 }, { ms: 1000, now: 61_000, antennaNo: 17 }]).state.firstSeenAt).toBe(T0 + 1000);
  });

  it('of another antenna is history: it makes no tag_read, though it is kept as a stay', () => {
    const { steps } = run([{ ms: 60_000 }, { ms: 1000, now: 61_000, antennaNo: 17, zone: 2 }]);
    expect([steps[1]?.emit, steps[1]?.sighting.visit.zoneNo]).toEqual([false, 2]);
  });

  it('of a reader whose clock is a little behind is live all the same: neither of two readers falls silent', () => {
    const seen = run([{ ms: 1000 }, { ms: 700, now: 1010, antennaNo: 17, zone: 2 }]);
    expect([seen.steps[1]?.emit, seen.state.placement.zone]).toEqual([true, 1]);
  });

  it('of the same antenna is a repeat', () => {
    expect(run([{ ms: 0 }, { ms: 60_000 }, { ms: 59_999, now: 61_000 }]).steps[2]).toBeNull();
  });
});

describe('location', () => {
  it('the first read at a mapped port places the tag, the first at another zone moves it', () => {
    const { state, steps } = run([{ ms: 0 }, { ms: 100, antennaNo: 17, zone: 2 }]);
    expect(moves(steps)).toEqual([
      [0, 1],
      [1, 2],
    ]);
    expect(state.placement).toMatchObject({ zone: 2, since: T0 + 100, seenAt: T0 + 100 });
  });

  it('an unmapped or disabled port places nothing, but counts for lastSeenAt', () => {
    const { state, steps } = run([{ ms: 0 }, { ms: 5000, antennaNo: 17, zone: 0 }]);
    expect(moves(steps)).toEqual([[0, 1], null]);
    expect([state.lastSeenAt, state.placement.zone, state.placement.seenAt]).toEqual([T0 + 5000, 1, T0]);
    const never = run([{ ms: 0, zone: 0 }]).state;
    expect([never.lastSeenAt, never.placement.zone]).toEqual([T0, 0]);
  });

  it('reads in the current zone keep since and move the presence on', () => {
    const { state } = run([{ ms: 0 }, { ms: 200_000 }, { ms: 400_000, antennaNo: 10 }]);
    expect(state.placement).toMatchObject({ zone: 1, since: T0, seenAt: T0 + 400_000 });
  });

  it('a tag whose zone was deleted has none: its next placement is a first one, in whatever zone', () => {
    const before = run([{ ms: 0 }]).state;
    deleted.add(1);
    try {
      expect(moves(run([{ ms: 100, antennaNo: 17, zone: 2 }], before).steps)).toEqual([[0, 2]]);
      expect(run([{ ms: 100, antennaNo: 17, zone: 0 }], before).state.placement.zone).toBe(1);
    } finally {
      deleted.delete(1);
    }
  });
});

describe('a zone stay', () => {
  it('that a read ends by beginning another is handed out, so that it can be kept', () => {
    const { steps } = run([{ ms: 0 }, { ms: 1000 }, { ms: 400_000 }, { ms: 401_000, zone: 2 }]);
    expect(steps.map((step) => step?.closed && [step.closed.firstAt - T0, step.closed.lastAt - T0])).toEqual([
      null,
      null,
      [0, 1000],
      [400_000, 400_000],
    ]);
  });
});

const given = fc.array(
  fc.record({
    ms: fc.option(fc.integer({ min: -100_000, max: 100_000 })),
    now: fc.integer({ min: 0, max: 50_000 }),
    antennaNo: fc.constantFrom(9, 10, 17),
    zone: fc.constantFrom(0, 1, 2),
  }),
  { minLength: 1, maxLength: 40 },
);

describe('whatever reads arrive in whatever order', () => {
  it('lastSeenAt and presence only move on, firstSeenAt only back, and none is ahead of the clock by more than the skew', () => {
    fc.assert(
      fc.property(given, (reads) => {
        let state = newView;
        for (const one of reads.toSorted((a, b) => a.now - b.now)) {
          const next = take(state, one)?.state ?? state;
          expect(next.lastSeenAt).not.toBeLessThan(state.lastSeenAt);
          expect(next.firstSeenAt).not.toBeGreaterThan(state.firstSeenAt);
          expect(next.lastSeenAt).toBeLessThanOrEqual(T0 + one.now + rules.maxClockSkewMs);
          expect(next.placement.seenAt).toBeLessThanOrEqual(next.lastSeenAt);
          if (next.placement.zone === state.placement.zone)
            expect(next.placement.seenAt).toBeGreaterThanOrEqual(state.placement.seenAt);
          state = next;
        }
      }),
    );
  });

  it('delivering the timed ones again changes nothing', () => {
    fc.assert(
      fc.property(given, fc.nat(), (reads, from) => {
        const timed = reads
          .map((one) => ({ ...one, ms: Math.min(one.ms ?? 0, one.now) }))
          .toSorted((a, b) => a.now - b.now);
        const { state } = run(timed);
        const suffix = timed.slice(from % timed.length).map((one) => ({ ...one, now: 60_000 }));
        expect(run(suffix, state).state).toBe(state);
      }),
    );
  });
});
