import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tagInventoryEvent } from '../../src/simulator/r700-event.ts';
import { sgtinOf } from '../../src/simulator/sgtin.ts';
import { createWorld, type SimulatedRead, type World, type WorldOptions } from '../../src/simulator/world.ts';

const warehouse: WorldOptions = {
  seed: 11,
  readers: [
    { serial: 'dock-1', ports: [1, 2] },
    { serial: 'shelf-2', ports: [1, 2, 4] },
  ],
  tags: 200,
  readsPerSecond: 1000,
};

const run = (world: World, steps: number, dtMs = 25): SimulatedRead[] =>
  Array.from({ length: steps }, () => world.step(dtMs)).flat();

/** Reads with the true zone of their tag: steps so short that no tag moves unnoticed. */
function readsWithTruth(options: WorldOptions, steps: number) {
  const world = createWorld(options);
  return Array.from({ length: steps }, () => {
    const reads = world.step(20);
    const zones = world.tagZones();
    return reads.map((read) => {
      const zone = world.antennas.findIndex(
        ({ serial, port }) => serial === read.serial && port === read.port,
      );
      return { ...read, zone, home: zones[read.tag] ?? -1 };
    });
  }).flat();
}

describe('the simulated warehouse', () => {
  it('makes the same event payloads byte for byte from the same seed, steps and clock', () => {
    const steps = fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 20 });
    const format = fc.constantFrom('minimal' as const, 'full' as const);
    fc.assert(
      fc.property(fc.integer(), steps, format, (seed, dts, format) => {
        const events = [1, 2].map((attempt) => {
          const world = createWorld({ ...warehouse, seed });
          // Asking for the truth must not disturb what comes after.
          return dts.flatMap((dtMs, at) => {
            if (attempt === 2) world.tagZones();
            return world
              .step(dtMs)
              .map((read) => tagInventoryEvent({ ...read, tickAt: 1e12 + at * 1000 }, { format }));
          });
        });
        expect(events[0]).toEqual(events[1]);
      }),
      { numRuns: 20 },
    );
  });

  it('makes other reads from another seed', () => {
    const [first, second] = [1, 2].map((seed) => run(createWorld({ ...warehouse, seed }), 4));
    expect(first).not.toEqual(second);
  });

  it('makes readsPerSecond reads in every second, whatever the steps', () => {
    const rates = fc.double({ min: 1, max: 5000, noNaN: true });
    const steps = fc.array(fc.integer({ min: 0, max: 200 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(rates, steps, (readsPerSecond, dts) => {
        const world = createWorld({ ...warehouse, readsPerSecond });
        const reads = dts.reduce((sum, dtMs) => sum + world.step(dtMs).length, 0);
        const due = (readsPerSecond * dts.reduce((sum, dtMs) => sum + dtMs, 0)) / 1000;
        expect(Math.abs(reads - due)).toBeLessThanOrEqual(1);
      }),
      { numRuns: 40 },
    );
  });

  it('gives reads of a step rising offsets inside it', () => {
    const offsets = createWorld(warehouse)
      .step(100)
      .map((read) => read.offsetMs);
    expect(offsets).toHaveLength(100);
    expect(offsets).toEqual([...offsets].sort((a, b) => a - b));
    expect(offsets.every((offset) => offset >= 0 && offset < 100)).toBe(true);
  });

  it('reads a tag at its own zone but for the share of cross-reads, which neighbours make', () => {
    const reads = readsWithTruth({ ...warehouse, crossReadShare: 0.08, dwellSeconds: 600 }, 1000);
    const crossed = reads.filter((read) => read.zone !== read.home);
    expect(reads.length).toBe(20_000);
    expect(crossed.length / reads.length).toBeGreaterThan(0.065);
    expect(crossed.length / reads.length).toBeLessThan(0.095);
    const neighbours = crossed.filter((read) => Math.abs(read.zone - read.home) === 1);
    expect(neighbours.length / crossed.length).toBeGreaterThan(0.98);
  });

  it('hears cross-reads weaker, and everything at a plausible strength and channel', () => {
    const reads = readsWithTruth({ ...warehouse, crossReadShare: 0.2, dwellSeconds: 600 }, 300);
    const mean = (crossed: boolean): number => {
      const values = reads
        .filter((read) => (read.zone !== read.home) === crossed)
        .map((read) => read.rssiCdbm);
      return values.reduce((sum, value) => sum + value, 0) / values.length;
    };
    expect(mean(true)).toBeLessThan(mean(false) - 1000);
    const plausible = ({ rssiCdbm, frequency }: SimulatedRead): boolean =>
      Number.isInteger(rssiCdbm / 50) &&
      rssiCdbm >= -8400 &&
      rssiCdbm <= -2500 &&
      [865_700, 866_300, 866_900, 867_500].includes(frequency);
    expect(reads.filter((read) => !plausible(read))).toEqual([]);
  });

  it('reads every tag in time, and misses the share of turns it is told', () => {
    const seen = new Set(run(createWorld({ ...warehouse, missShare: 0.3 }), 80).map((read) => read.epcHex));
    expect(seen.size).toBe(200);
    const oneRound = (missShare: number): number =>
      new Set(
        createWorld({ ...warehouse, tags: 1000, missShare })
          .step(1000)
          .map((read) => read.tag),
      ).size;
    expect(oneRound(0)).toBe(1000);
    // 1000 reads take 1429 turns of which 30 % miss: some tags are read twice, some not yet.
    expect(oneRound(0.3)).toBeGreaterThan(650);
    expect(oneRound(0.3)).toBeLessThan(900);
  });

  it('lets tags walk: nobody at once, nearly everybody after many dwell times, to every zone', () => {
    const world = createWorld({ ...warehouse, tags: 500, readsPerSecond: 1, dwellSeconds: 10 });
    const start = world.tagZones();
    world.step(1);
    const moved = (): number => world.tagZones().filter((zone, tag) => zone !== start[tag]).length;
    expect(moved()).toBe(0);
    world.step(200_000);
    expect(moved()).toBeGreaterThan(300);
    expect(new Set(world.tagZones())).toEqual(new Set([0, 1, 2, 3, 4]));
  });

  it('makes no cross-reads when there is one antenna only', () => {
    const world = createWorld({ ...warehouse, readers: [{ serial: 'R1', ports: [3] }], crossReadShare: 0.9 });
    expect(new Set(run(world, 10).map((read) => `${read.serial}:${read.port}`))).toEqual(new Set(['R1:3']));
  });

  it.each<[string, Partial<WorldOptions>]>([
    ['seed must be', { seed: 1.5 }],
    ['tags must be 1 to 1000000, not 0', { tags: 0 }],
    ['tags must be a whole number, not 1.5', { tags: 1.5 }],
    ['readsPerSecond must be 0.001 to 50000, not 50001', { readsPerSecond: 50_001 }],
    ['readsPerSecond must be 0.001 to 50000, not NaN', { readsPerSecond: Number.NaN }],
    ['crossReadShare must be', { crossReadShare: 1 }],
    ['missShare must be', { missShare: 1 }],
    ['dwellSeconds must be', { dwellSeconds: 0 }],
    ['number of readers must be', { readers: [] }],
    ['number of ports of reader A must be', { readers: [{ serial: 'A', ports: [] }] }],
    ['port of reader A must be 1 to 4, not 5', { readers: [{ serial: 'A', ports: [5] }] }],
    ['port 2 of reader A is given twice', { readers: [{ serial: 'A', ports: [2, 2] }] }],
    [
      'reader A is given twice',
      {
        readers: [
          { serial: 'A', ports: [1] },
          { serial: 'A', ports: [2] },
        ],
      },
    ],
  ])('refuses an option out of range: %s', (message, change) => {
    expect(() => createWorld({ ...warehouse, ...change })).toThrow(message);
  });
});

describe('the EPC of a simulated tag', () => {
  it('is an SGTIN-96 of 24 upper-case digits, its own for every tag', () => {
    fc.assert(
      fc.property(fc.integer(), fc.nat({ max: 999_000 }), (seed, from) => {
        const epcs = Array.from({ length: 50 }, (_, at) => sgtinOf(seed, from + at));
        expect(new Set(epcs).size).toBe(50);
        for (const epc of epcs) expect(epc).toMatch(/^3034257BF4[0-9A-F]{14}$/);
      }),
    );
  });
});
