import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AntennaReads, antennaReadsExample, type CrossReads } from '../../src/contract/radio.ts';
import { dbm } from '../../src/hub/pages/radio/figures.ts';
import { MATRIX_ZONES, matrixOf } from '../../src/hub/pages/radio/matrix.ts';
import { adviceOf, inSpan, pairsOf, strengthOf } from '../../src/hub/pages/radio/strength.ts';

const heard = antennaReadsExample;
const silent: AntennaReads = { ...heard, port: 2, reads: 0, readsPerSecond: 0, tags: 0, rssiCdbm: null };
const running = { reader: { status: 'online', enabled: true } as const, crossReads: undefined };

function crossReads(own: number, other: number): CrossReads {
  return {
    ...{ from: '2026-03-02T09:10:00.000Z', to: '2026-03-02T09:15:00.000Z', reads: 100 },
    zones: [
      { zoneId: heard.zoneId ?? '', zoneName: 'Dock', tags: 20 },
      { zoneId: 'shelf', zoneName: 'Shelf', tags: 10 },
    ],
    pairs: [
      {
        ...{ zoneId: 'shelf', otherZoneId: heard.zoneId ?? '', tags: 8 },
        ...{ meanRssiCdbm: other, otherMeanRssiCdbm: own },
      },
    ],
  };
}

describe('advice', () => {
  test('a silent port among others is its cable; a silent reader, a stopped and an offline one are told apart', () => {
    expect(adviceOf(silent, { ...running, ports: [heard, silent] }).kind).toBe('silent');
    expect(adviceOf(silent, { ...running, ports: [silent] }).kind).toBe('all-silent');
    const reader = { status: 'offline', enabled: true } as const;
    expect(adviceOf(silent, { ...running, reader, ports: [silent] }).kind).toBe('offline');
    expect(
      adviceOf(silent, { ...running, reader: { ...reader, enabled: false }, ports: [silent] }).kind,
    ).toBe('stopped');
  });

  test('a port without a zone is only worth a word when it reads', () => {
    const unmapped = { zoneId: null, zoneName: null };
    expect(adviceOf({ ...heard, ...unmapped }, { ...running, ports: [] }).kind).toBe('unmapped');
    expect(adviceOf({ ...silent, ...unmapped }, { ...running, ports: [] }).kind).toBe('unused');
  });

  test('the zone that hears shared tags more weakly is told to lower its power, the other one is not', () => {
    const around = { ...running, ports: [heard] };
    expect(adviceOf(heard, { ...around, crossReads: crossReads(-6900, -5800) })).toEqual({
      ...{ kind: 'overhears', zoneName: 'Shelf', tags: 8 },
    });
    expect(adviceOf(heard, { ...around, crossReads: crossReads(-5800, -6900) }).kind).toBe('good');
    expect(adviceOf(heard, { ...around, crossReads: crossReads(-5900, -5800) }).kind).toBe('good');
  });

  test('strength is by the middle signal, and unknown where none is reported', () => {
    const at = (p50: number) => strengthOf({ reads: 1, rssiCdbm: { ...heard.rssiCdbm, p50 } as never });
    expect([at(-5500), at(-5501), at(-7000), at(-7001)]).toEqual(['strong', 'fair', 'fair', 'weak']);
    expect(strengthOf({ reads: 1, rssiCdbm: null })).toBe('unknown');
    expect(strengthOf(silent)).toBe('silent');
  });

  test('every signal has a place in the drawing', () => {
    fc.assert(fc.property(fc.integer(), (cdbm) => inSpan(cdbm) >= 0 && inSpan(cdbm) <= 1));
    expect(dbm(-6100, 'en')).toBe('−61 dBm');
  });
});

describe('the matrix', () => {
  test('a pair is seen alike from both of its zones', () => {
    const seen = pairsOf('shelf', crossReads(-6900, -5800))[0];
    expect(seen).toMatchObject({
      otherName: 'Dock',
      rssiCdbm: -5800,
      otherRssiCdbm: -6900,
      strongerBy: 1100,
    });
    expect(pairsOf(heard.zoneId ?? '', crossReads(-6900, -5800))[0]?.strongerBy).toBe(-1100);
  });

  test('it is symmetric, has no number on its diagonal, and never more zones than can be read', () => {
    const zones = fc.integer({ min: 1, max: 40 });
    const pair = fc.tuple(fc.nat(39), fc.nat(39), fc.integer({ min: 1, max: 99 }));
    fc.assert(
      fc.property(zones, fc.array(pair), (count, drawn) => {
        const { rows, left } = matrixOf(crossReadsOf(count, drawn));
        expect(rows.length).toBe(Math.min(count, MATRIX_ZONES));
        expect(rows.length + left).toBe(count);
        rows.forEach((row, a) => {
          expect(row.cells[a]).toBeNull();
          row.cells.forEach((cell, b) => {
            expect(cell?.tags).toBe(rows[b]?.cells[a]?.tags);
            expect(cell?.part ?? 0).toBeLessThanOrEqual(1);
          });
        });
      }),
    );
  });
});

function crossReadsOf(count: number, drawn: readonly (readonly [number, number, number])[]): CrossReads {
  const known = new Set<string>();
  const pairs = drawn.flatMap(([one, two, tags]) => {
    const [a, b] = [Math.min(one, two), Math.max(one, two)];
    if (a === b || b >= count || known.has(`${a} ${b}`)) return [];
    known.add(`${a} ${b}`);
    return [{ zoneId: `${a}`, otherZoneId: `${b}`, tags, meanRssiCdbm: null, otherMeanRssiCdbm: null }];
  });
  const zones = Array.from({ length: count }, (_, at) => ({ zoneId: `${at}`, zoneName: `${at}`, tags: 50 }));
  return { from: '', to: '', reads: 0, zones, pairs };
}
