import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPrng, hashText, unitAt } from '../../src/lib/prng.ts';

const draws = (seed: number, count: number): number[] => {
  const prng = createPrng(seed);
  return Array.from({ length: count }, () => prng.unit());
};

describe('the seeded generator', () => {
  it('gives the same sequence for the same seed, and is mulberry32', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        expect(draws(seed, 20)).toEqual(draws(seed, 20));
      }),
    );
    expect(draws(1, 3)).toEqual([0.6270739405881613, 0.002735721180215478, 0.5274470399599522]);
  });

  it('gives other sequences for other seeds', () => {
    expect(new Set([0, 1, 2, 3, -1].map((seed) => draws(seed, 1)[0])).size).toBe(5);
  });

  it('is uniform in [0, 1): every tenth gets its share', () => {
    const tenths = new Array<number>(10).fill(0);
    for (const value of draws(7, 20_000))
      tenths[Math.floor(value * 10)] = (tenths[Math.floor(value * 10)] ?? 0) + 1;
    for (const count of tenths) expect(Math.abs(count - 2000)).toBeLessThan(200);
  });

  it('stays below the bound', () => {
    const bounds = fc.tuple(fc.integer(), fc.integer({ min: 1, max: 2 ** 31 }));
    fc.assert(
      fc.property(bounds, ([seed, bound]) => {
        const value = createPrng(seed).below(bound);
        expect(Number.isInteger(value) && value >= 0 && value < bound).toBe(true);
      }),
    );
  });

  it('has normal numbers with mean 0 and deviation 1', () => {
    const prng = createPrng(3);
    const values = Array.from({ length: 20_000 }, () => prng.normal());
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
    expect(Math.abs(mean)).toBeLessThan(0.05);
    expect(Math.abs(deviation - 1)).toBeLessThan(0.05);
  });
});

describe('the stateless generator', () => {
  it('is a function of its three numbers, and uniform along each of them', () => {
    const means = [
      (at: number) => unitAt(at, 1, 1),
      (at: number) => unitAt(1, at, 1),
      (at: number) => unitAt(1, 1, at),
    ].map(
      (draw) => Array.from({ length: 20_000 }, (_, at) => draw(at)).reduce((sum, v) => sum + v, 0) / 20_000,
    );
    for (const mean of means) expect(Math.abs(mean - 0.5)).toBeLessThan(0.02);
    fc.assert(
      fc.property(fc.integer(), fc.nat(), fc.nat(), (seed, index, turn) => {
        const value = unitAt(seed, index, turn);
        expect(value >= 0 && value < 1 && value === unitAt(seed, index, turn)).toBe(true);
      }),
    );
  });
});

describe('the hash of a text', () => {
  it('differs for texts that differ in one character, and is 32 bits', () => {
    const hashes = Array.from({ length: 10_000 }, (_, at) => hashText(`reader-${at}`));
    expect(new Set(hashes).size).toBeGreaterThan(9990);
    expect(hashes.every((hash) => Number.isInteger(hash) && hash >= 0 && hash < 2 ** 32)).toBe(true);
  });
});
