import { describe, expect, test } from 'vitest';
import {
  explainEvidence,
  type LocationRead,
  type Placement,
  stepLocation,
  unplaced,
} from '../../src/domain/location.ts';
import { maxZonesPerTag } from '../../src/domain/location-evidence.ts';
import { locationRules } from '../../src/domain/location-rules.ts';

const second = 1000;
const shelf = { kind: 'storage', policy: 'stable', rssiCdbm: -6500 } as const;
const door = { kind: 'portal', policy: 'stable', rssiCdbm: -6500 } as const;
const atOnce = { kind: 'storage', policy: 'immediate', rssiCdbm: -6500 } as const;

type Setting = Omit<LocationRead, 'zone' | 'at'>;

/** `count` reads at a zone, one a second from `from` seconds on. */
function reads(setting: Setting, zone: number, [from, count]: readonly [number, number]): LocationRead[] {
  return Array.from({ length: count }, (_, i) => ({ ...setting, zone, at: (from + i) * second }));
}

function run(all: readonly LocationRead[], start: Placement = unplaced) {
  let placement = start;
  const moves = all.flatMap((read) => {
    const step = stepLocation(placement, read);
    placement = step.placement;
    return step.move === null ? [] : [step.move];
  });
  return { placement, moves };
}

const restarted = (placement: Placement): Placement => ({ ...placement, evidence: [] });
const onShelf = run(reads(shelf, 1, [0, 30])).placement;

describe('immediate', () => {
  test('the first read places the tag and says so', () => {
    const { placement, move } = stepLocation(unplaced, { ...atOnce, zone: 7, at: 5.25 });
    expect(placement).toEqual({ zone: 7, since: 5.25, seenAt: 5.25, evidence: [] });
    expect(move).toEqual({ from: 0, to: 7, at: 5.25, reason: 'first placement' });
  });

  test('a newer read at an antenna of another zone moves the tag at once', () => {
    const { moves } = run([...reads(atOnce, 1, [0, 2]), ...reads(atOnce, 2, [2, 1])]);
    expect(moves.at(-1)).toEqual({ from: 1, to: 2, at: 2000, reason: 'newer read' });
  });

  test.each([
    ['an older read', 500],
    ['a read of the same time', 1000],
  ])('%s at another zone changes nothing', (_, at) => {
    const { placement } = run(reads(atOnce, 1, [1, 1]));
    expect(stepLocation(placement, { ...atOnce, zone: 2, at })).toEqual({ placement, move: null });
  });

  test('an older read in the same zone does not take seenAt back', () => {
    const { placement } = run([...reads(atOnce, 1, [5, 1]), ...reads(atOnce, 1, [2, 1])]);
    expect(placement).toEqual({ zone: 1, since: 5000, seenAt: 5000, evidence: [] });
  });
});

describe('stable', () => {
  test('the first read places the tag at once', () => {
    expect(run(reads(shelf, 3, [0, 1])).moves).toEqual([
      { from: 0, to: 3, at: 0, reason: 'first placement' },
    ]);
  });

  test('a stray read does not move a tag, however strong', () => {
    const stray = { ...shelf, zone: 2, at: 31 * second, rssiCdbm: 0 };
    expect(run([stray], onShelf).moves).toEqual([]);
  });

  test('a wrong first placement is corrected within seconds', () => {
    const { moves } = run([...reads(shelf, 1, [0, 1]), ...reads(shelf, 2, [1, 5])]);
    expect(moves.at(-1)).toMatchObject({ from: 1, to: 2, at: 5000 });
    expect(moves.at(-1)?.reason).toMatch(
      /^evidence 5\.\d times that of the zone it was in, 5 reads in a row$/,
    );
  });

  test('a read in the current zone breaks the row', () => {
    const alternating = Array.from({ length: 200 }, (_, i) => ({
      ...shelf,
      zone: i % 4 === 0 ? 1 : 2,
      at: i * second,
    }));
    expect(run(alternating).moves).toHaveLength(1);
  });

  test.each([
    ['storage', 105],
    ['staging', 25],
    ['other', 25],
    ['portal', 4],
    ['checkpoint', 4],
  ] as const)(
    'a tag carried off a %s zone that falls silent has moved within %i s',
    (kind, withinSeconds) => {
      const start = run(reads({ ...shelf, kind }, 1, [0, 300])).placement;
      const { moves } = run(reads({ ...shelf, kind }, 2, [300, 200]), start);
      expect(moves).toHaveLength(1);
      expect(moves[0]?.at).toBeLessThanOrEqual((300 + withinSeconds) * second);
    },
  );

  test('a move because of silence says how long', () => {
    const weak = { ...shelf, rssiCdbm: -7800 };
    expect(run(reads(weak, 2, [30, 120]), onShelf).moves).toEqual([
      {
        from: 1,
        to: 2,
        at: 130_000,
        reason: 'no read in the zone it was in while 101 in a row here over 100 s',
      },
    ]);
  });

  test('the kind of the zone the tag is in decides, not that of the zone it is read at', () => {
    expect(run(reads(door, 2, [30, 10]), onShelf).moves).toEqual([]);
    const inDoor = run(reads(door, 2, [0, 30])).placement;
    expect(run(reads(shelf, 1, [30, 4]), inDoor).moves).toHaveLength(1);
  });

  test('an unknown RSSI counts like a read of middling strength', () => {
    const unknown = { ...shelf, rssiCdbm: null };
    expect(run([...reads(unknown, 1, [0, 1]), ...reads(unknown, 2, [1, 5])])).toEqual(
      run([...reads(shelf, 1, [0, 1]), ...reads(shelf, 2, [1, 5])]),
    );
  });

  test('late reads add evidence and move nothing', () => {
    const { placement, moves } = run(reads(shelf, 2, [5, 20]), onShelf);
    expect(moves).toEqual([]);
    expect(placement.zone).toBe(1);
    expect(placement.seenAt).toBe(onShelf.seenAt);
    expect(explainEvidence(placement, 30 * second).map(({ zone, reads: count }) => [zone, count])).toEqual([
      [1, 30],
      [2, 20],
    ]);
  });

  test('reads hours late change nothing', () => {
    const late = { ...shelf, zone: 2, at: -3_600_000 };
    expect(stepLocation(onShelf, late)).toEqual({ placement: onShelf, move: null });
  });

  test.each([
    ['at once', 0],
    ['a minute later', 60],
    ['hours later', 20_000],
  ])(
    'after a restart, stray reads %s do not move a tag; its own zone then has the word again',
    (_, later) => {
      const strays = run(reads(shelf, 2, [30 + later, 4]), restarted(onShelf));
      expect(strays.moves).toEqual([]);
      expect(run(reads(shelf, 1, [34 + later, 5]), strays.placement).placement.zone).toBe(1);
    },
  );

  test('after a restart, a tag really carried elsewhere moves after some twenty reads', () => {
    const { moves } = run(reads(shelf, 2, [60, 30]), restarted(onShelf));
    expect(moves).toHaveLength(1);
    expect(moves[0]?.at).toBeLessThanOrEqual(84 * second);
  });

  test('after hours unseen, a few stray reads do not move a tag, steady reads do', () => {
    expect(run(reads(shelf, 2, [40_000, 5]), onShelf).moves).toEqual([]);
    expect(run(reads(shelf, 2, [40_000, 30]), onShelf).moves).toHaveLength(1);
  });

  test('a tag read only every ten minutes still gets where it is', () => {
    const rare = Array.from({ length: 10 }, (_, i) => ({ ...shelf, zone: 2, at: (i + 1) * 600 * second }));
    expect(run(rare, onShelf).placement.zone).toBe(2);
  });
});

test('at most eight zones are remembered: the weakest is forgotten, never the current one', () => {
  const faint = run(reads({ ...shelf, rssiCdbm: -9000 }, 1, [0, 1])).placement;
  const passing = Array.from({ length: 11 }, (_, i) => ({
    ...shelf,
    rssiCdbm: -6500 + 100 * i,
    zone: 2 + i,
    at: i + 1,
  }));
  const { placement, moves } = run(passing, faint);
  expect(moves).toEqual([]);
  expect(placement.evidence).toHaveLength(maxZonesPerTag);
  expect(placement.evidence.map(({ zone }) => zone).sort((a, b) => a - b)).toEqual([
    1, 6, 7, 8, 9, 10, 11, 12,
  ]);
});

describe('policies and kinds that differ from zone to zone', () => {
  test('an immediate zone does not take a tag off a stable one by a stray read', () => {
    expect(run(reads(atOnce, 2, [30, 1]), onShelf).moves).toEqual([]);
  });

  test('a stable zone does not take a tag from an immediate one by a stray read', () => {
    const start = run(reads(atOnce, 1, [0, 3])).placement;
    expect(run(reads(shelf, 2, [3, 1]), start).moves).toEqual([]);
  });

  test('between immediate zones a tag moves at once whatever stable zone it has been in before', () => {
    const left = run(reads(atOnce, 2, [30, 200]), onShelf).placement;
    expect(left.zone).toBe(2);
    expect(run(reads({ ...atOnce, kind: 'portal' }, 3, [230, 1]), left).moves).toHaveLength(1);
  });

  test('after a restart, what the caller knows of the zone the tag is in governs', () => {
    const leaving = { kind: 'storage', policy: 'stable' } as const;
    const stray = reads({ ...atOnce, kind: 'portal' }, 2, [30, 1]);
    expect(run(stray, restarted(onShelf)).moves).toHaveLength(1);
    expect(
      run(
        stray.map((read) => ({ ...read, leaving })),
        restarted(onShelf),
      ).moves,
    ).toEqual([]);
  });
});

describe('explainEvidence', () => {
  test('a tag never placed has none', () => {
    expect(explainEvidence(unplaced, 0)).toEqual([]);
  });

  test('where nothing is remembered the current zone has it all', () => {
    expect(explainEvidence(restarted(onShelf), 0)).toEqual([
      { zone: 1, score: 1, lastReadAt: 29_000, reads: 0 },
    ]);
    expect(explainEvidence(onShelf, 1e12)).toEqual([{ zone: 1, score: 1, lastReadAt: 29_000, reads: 30 }]);
  });

  test('scores are shares of all evidence, the strongest zone first', () => {
    const { placement } = run([...reads(shelf, 1, [0, 1]), ...reads(shelf, 2, [0.001, 3])]);
    const shares = explainEvidence(placement, 3 * second);
    expect(shares.map(({ zone }) => zone)).toEqual([2, 1]);
    expect(shares[0]?.score).toBeCloseTo(0.75, 2);
    expect(shares.reduce((sum, { score }) => sum + score, 0)).toBeCloseTo(1, 12);
  });
});

test('doors are quicker than staging, staging quicker than shelves, in every respect', () => {
  const { portal, staging, storage } = locationRules;
  for (const key of ['memoryMs', 'ratio', 'inARow', 'awayMs'] as const) {
    expect(portal[key]).toBeLessThan(staging[key]);
    expect(staging[key]).toBeLessThan(storage[key]);
  }
});
