import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type PresenceRead,
  type PresenceRules,
  type PresenceStep,
  type Sighting,
  sessionOver,
  stepPresence,
} from '../../src/domain/presence.ts';

const rules: PresenceRules = { sessionGapMs: 10_000, visitGapMs: 300_000, tagReadIntervalMs: 1000 };
const T0 = 1_700_000_000_000;

/** A read `ms` after the beginning, arriving at once, strong and single unless it says otherwise. */
function read(ms: number, other: Partial<PresenceRead> = {}): PresenceRead {
  const at = T0 + ms;
  return { antennaNo: 9, zoneNo: 1, at, timed: true, arrivedAt: at, rssiCdbm: -5000, count: 1, ...other };
}

/** Steps through reads; the answer of each, and the last sighting. */
function run(reads: readonly PresenceRead[], from?: Sighting) {
  let sighting = from;
  const steps: PresenceStep[] = [];
  for (const one of reads) {
    const step = stepPresence(sighting, one, rules);
    steps.push(step);
    if (step.kind !== 'repeat') sighting = step.sighting;
  }
  return {
    sighting,
    kinds: steps.map(({ kind }) => kind),
    emits: steps.map((step) => step.kind !== 'repeat' && step.emit),
  };
}

function last(reads: readonly PresenceRead[], from?: Sighting): Sighting {
  const { sighting } = run(reads, from);
  if (!sighting) throw new Error('no sighting');
  return sighting;
}

describe('a stretch of presence', () => {
  it.each([
    ['starts with the first read', [0], ['started']],
    ['goes on with a read within the gap', [0, 9999], ['started', 'continued']],
    ['goes on with a read exactly the gap later', [0, 10_000], ['started', 'continued']],
    ['ends after a longer gap; the next read starts another', [0, 10_001], ['started', 'started']],
    [
      'goes by the gap between reads, not by its length',
      [0, 8000, 16_000, 24_000],
      ['started', 'continued', 'continued', 'continued'],
    ],
  ])('%s', (_, times, kinds) => {
    expect(run(times.map((ms) => read(ms))).kinds).toEqual(kinds);
  });

  it('counts its reads, each for as many as its message says, and starts over with the next stretch', () => {
    expect(last([read(0, { count: 3 }), read(10), read(20, { count: 5 })]).readCount).toBe(9);
    expect(last([read(0, { count: 3 }), read(20_000, { count: 2 })]).readCount).toBe(2);
  });

  it('that the sweep ended does not go on, however small the gap by the reader’s clock', () => {
    const ended = { ...last([read(0)]), inSession: false };
    const { kinds, sighting } = run([read(5)], ended);
    expect([kinds, sighting?.readCount, sighting?.startedAt]).toEqual([['started'], 1, T0 + 5]);
  });

  it('is over when nothing arrived for longer than the gap by the service’s clock, and only once', () => {
    const sighting = last([read(0, { arrivedAt: T0 + 500 })]);
    expect(sessionOver(sighting, T0 + 10_500, 10_000)).toBe(false);
    expect(sessionOver(sighting, T0 + 10_501, 10_000)).toBe(true);
    expect(sessionOver({ ...sighting, inSession: false }, T0 + 99_999, 10_000)).toBe(false);
  });
});

describe('signal strength', () => {
  it('is smoothed, a quarter of each new read, and starts over with each stretch', () => {
    const reads = [read(0, { rssiCdbm: -6000 }), read(10, { rssiCdbm: -4000 })];
    expect(last(reads).rssiCdbm).toBe(-5500);
    expect(last([...reads, read(30_000, { rssiCdbm: -7000 })]).rssiCdbm).toBe(-7000);
  });

  it('is unknown until a read says it, and is kept by reads that do not', () => {
    expect(last([read(0, { rssiCdbm: null })]).rssiCdbm).toBeNull();
    expect(last([read(0, { rssiCdbm: null }), read(10, { rssiCdbm: -6000 })]).rssiCdbm).toBe(-6000);
    expect(last([read(0, { rssiCdbm: -6000 }), read(10, { rssiCdbm: null })]).rssiCdbm).toBe(-6000);
  });
});

describe('tag_read', () => {
  it.each([
    ['at the start', [0], [true]],
    ['not again before the interval', [0, 999], [true, false]],
    ['again at the interval', [0, 1000], [true, true]],
    ['counted from the last one that went out', [0, 900, 1800, 1999, 2900], [true, false, true, false, true]],
    ['at once with a new stretch', [0, 11_000], [true, true]],
  ])('goes out %s', (_, times, emits) => {
    expect(run(times.map((ms) => read(ms))).emits).toEqual(emits);
  });

  it('of a replayed buffer goes out no faster than the interval by the service’s clock', () => {
    const arrivedAt = T0 + 3_600_000;
    const buffered = Array.from({ length: 50 }, (_, i) => read(i * 1000, { arrivedAt: arrivedAt + i * 10 }));
    expect(run(buffered).emits.filter(Boolean)).toHaveLength(1);
    const stretches = Array.from({ length: 50 }, (_, i) =>
      read(i * 60_000, { arrivedAt: arrivedAt + i * 10 }),
    );
    expect(run(stretches).emits.filter(Boolean)).toHaveLength(1);
  });

  it('goes out at once when the sweep had ended the stretch before, whatever went out last', () => {
    const ended = { ...last([read(0)]), inSession: false };
    expect(run([read(20)], ended).emits).toEqual([true]);
  });
});

describe('a repeat', () => {
  it.each([
    ['the same time again', read(100), 'repeat'],
    ['an earlier time', read(99), 'repeat'],
    ['a microsecond later', read(100.001), 'continued'],
    ['an arrival time equal to the last', read(100, { timed: false }), 'continued'],
    ['an arrival time before the last', read(99, { timed: false }), 'repeat'],
  ])('%s', (_, next, kind) => {
    expect(run([read(0), read(100), next]).kinds.at(-1)).toBe(kind);
  });

  it('is told after a restart too, from the zone stay alone', () => {
    const before = last([read(0), read(100)]);
    const restarted: Sighting = {
      ...before,
      readCount: 0,
      rssiCdbm: null,
      emittedAt: Number.NEGATIVE_INFINITY,
      emittedArrivalAt: Number.NEGATIVE_INFINITY,
      inSession: false,
    };
    expect(run([read(0), read(100), read(101)], restarted).kinds).toEqual(['repeat', 'repeat', 'started']);
  });
});

describe('a zone stay', () => {
  const span = (sighting: Sighting) => [
    sighting.visit.firstAt - T0,
    sighting.visit.lastAt - T0,
    sighting.visit.reads,
  ];

  it('grows with each read, over several stretches of presence', () => {
    expect(span(last([read(0), read(50_000), read(100_000, { count: 4 })]))).toEqual([0, 100_000, 6]);
  });

  it('begins anew after a gap longer than the presence window', () => {
    expect(span(last([read(0), read(300_000)]))).toEqual([0, 300_000, 2]);
    expect(span(last([read(0), read(300_001)]))).toEqual([300_001, 300_001, 1]);
  });

  it('begins anew when the port was mapped to another zone, while the stretch of presence goes on', () => {
    const { kinds, sighting } = run([read(0), read(10), read(20, { zoneNo: 2 })]);
    expect(kinds).toEqual(['started', 'continued', 'continued']);
    expect([sighting?.readCount, sighting?.visit]).toEqual([
      3,
      { antennaNo: 9, zoneNo: 2, firstAt: T0 + 20, lastAt: T0 + 20, reads: 1 },
    ]);
  });
});

const someReads = fc.array(
  fc.record({
    ms: fc.integer({ min: 0, max: 60_000 }),
    late: fc.integer({ min: 0, max: 5000 }),
    zoneNo: fc.constantFrom(0, 1),
    rssiCdbm: fc.option(fc.integer({ min: -9000, max: -2000 })),
    count: fc.integer({ min: 1, max: 20 }),
  }),
  { minLength: 1, maxLength: 40 },
);

const arriving = (reads: typeof someReads extends fc.Arbitrary<infer T> ? T : never) => {
  let arrivedAt = T0;
  return reads.map(({ ms, late, ...rest }) => {
    arrivedAt = Math.max(arrivedAt + 1, T0 + ms + late);
    return read(ms, { ...rest, arrivedAt });
  });
};

describe('whatever reads arrive in whatever order', () => {
  it('readCount is the sum of the counts of the stretch’s reads that are no repeats, and the stay’s reads likewise', () => {
    fc.assert(
      fc.property(someReads, (drawn) => {
        let sighting: Sighting | undefined;
        let stretch = 0;
        let stay = 0;
        for (const one of arriving(drawn)) {
          const step = stepPresence(sighting, one, rules);
          if (step.kind === 'repeat') continue;
          stretch = step.kind === 'started' ? one.count : stretch + one.count;
          const grows = step.sighting.visit.firstAt === sighting?.visit.firstAt;
          stay = grows ? stay + one.count : one.count;
          sighting = step.sighting;
          expect([sighting.readCount, sighting.visit.reads]).toEqual([stretch, stay]);
        }
      }),
    );
  });

  it('delivering any of them again, in any order, changes nothing', () => {
    fc.assert(
      fc.property(someReads, fc.array(fc.nat()), (drawn, picks) => {
        const reads = arriving(drawn);
        const before = last(reads);
        const again = picks
          .map((pick) => reads[pick % reads.length] ?? reads[0])
          .filter((one) => one !== undefined);
        const redelivered = again.map((one) => ({ ...one, arrivedAt: one.arrivedAt + 100_000 }));
        const { kinds, sighting } = run(redelivered, before);
        expect(kinds.every((kind) => kind === 'repeat')).toBe(true);
        expect(sighting).toBe(before);
      }),
    );
  });

  it('time never goes back: the stay’s last read only grows, and lies within the stay', () => {
    fc.assert(
      fc.property(someReads, (drawn) => {
        let sighting: Sighting | undefined;
        for (const one of arriving(drawn)) {
          const step = stepPresence(sighting, one, rules);
          if (step.kind === 'repeat') continue;
          const { visit, startedAt } = step.sighting;
          expect(visit.lastAt).toBeGreaterThan(sighting?.visit.lastAt ?? 0);
          expect(visit.firstAt).toBeLessThanOrEqual(visit.lastAt);
          expect(startedAt).toBeLessThanOrEqual(visit.lastAt);
          sighting = step.sighting;
        }
      }),
    );
  });

  it('two tag_read are never closer than the interval by the service’s clock within one stretch', () => {
    fc.assert(
      fc.property(someReads, (drawn) => {
        let sighting: Sighting | undefined;
        let emitted = Number.NEGATIVE_INFINITY;
        for (const one of arriving(drawn)) {
          const step = stepPresence(sighting, one, rules);
          if (step.kind === 'repeat') continue;
          if (step.emit) {
            expect(one.arrivedAt - emitted).toBeGreaterThanOrEqual(rules.tagReadIntervalMs);
            emitted = one.arrivedAt;
          }
          sighting = step.sighting;
        }
      }),
    );
  });
});
