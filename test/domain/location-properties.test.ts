import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  explainEvidence,
  type LocationRead,
  type Placement,
  stepLocation,
  unplaced,
} from '../../src/domain/location.ts';
import { maxZonesPerTag } from '../../src/domain/location-evidence.ts';
import { locationPolicies, zoneKinds } from '../../src/domain/zone.ts';

const anyRead = fc.record({
  zone: fc.integer({ min: 1, max: 20 }),
  kind: fc.constantFrom(...zoneKinds),
  policy: fc.constantFrom(...locationPolicies),
  at: fc.oneof(fc.integer({ min: 0, max: 100_000 }), fc.double()),
  rssiCdbm: fc.oneof(fc.constant(null), fc.integer({ min: -9000, max: -2000 }), fc.double()),
});

const saneRead = fc.record({
  zone: fc.integer({ min: 1, max: 3 }),
  kind: fc.constantFrom(...zoneKinds),
  policy: fc.constantFrom(...locationPolicies),
  at: fc.double({ min: 0, max: 200_000, noNaN: true }),
  rssiCdbm: fc.option(fc.integer({ min: -8000, max: -3000 })),
});

function placements(reads: readonly LocationRead[]): Placement[] {
  let placement = unplaced;
  return reads.map((read) => {
    placement = stepLocation(placement, read).placement;
    return placement;
  });
}

describe('whatever is read, in whatever order', () => {
  test('the tag is in a zone that was read, never goes back in time, and a move tells exactly what changed', () => {
    fc.assert(
      fc.property(fc.array(anyRead, { maxLength: 60 }), (reads) => {
        let before: Placement = unplaced;
        const zones = new Set<number>([0]);
        for (const read of reads) {
          zones.add(read.zone);
          const { placement, move } = stepLocation(before, read);
          expect(zones).toContain(placement.zone);
          if (before.zone > 0) expect(placement.seenAt).toBeGreaterThanOrEqual(before.seenAt);
          if (before.zone > 0) expect(placement.since).toBeGreaterThanOrEqual(before.since);
          if (placement.zone === before.zone) expect(move).toBeNull();
          else expect(move).toMatchObject({ from: before.zone, to: placement.zone, at: read.at });
          before = placement;
        }
      }),
    );
  });

  test('evidence stays bounded, finite and not negative, with the current zone among it; shares add up to 1', () => {
    fc.assert(
      fc.property(fc.array(anyRead, { maxLength: 80 }), fc.double(), (reads, now) => {
        for (const placement of placements(reads)) {
          const { evidence, zone } = placement;
          expect(evidence.length).toBeLessThanOrEqual(maxZonesPerTag);
          expect(new Set(evidence.map((one) => one.zone)).size).toBe(evidence.length);
          if (evidence.length > 0) expect(evidence.map((one) => one.zone)).toContain(zone);
          for (const { score } of evidence) expect(Number.isFinite(score) && score >= 0).toBe(true);
          if (zone === 0) continue;
          const sum = explainEvidence(placement, now).reduce((total, { score }) => total + score, 0);
          expect(sum).toBeCloseTo(1, 9);
        }
      }),
    );
  });

  test('a read no newer than the newest known of the tag never moves it', () => {
    fc.assert(
      fc.property(
        fc.array(saneRead, { minLength: 1, maxLength: 60 }),
        fc.array(saneRead, { maxLength: 60 }),
        (reads, late) => {
          const sorted = [...reads].sort((a, b) => a.at - b.at);
          const newest = sorted.at(-1)?.at ?? 0;
          let placement = placements(sorted).at(-1) ?? unplaced;
          const { zone, since } = placement;
          for (const read of late) {
            const step = stepLocation(placement, {
              ...read,
              at: Math.min(read.at, placement.seenAt, newest),
            });
            placement = step.placement;
            expect(step.move).toBeNull();
          }
          expect(placement).toMatchObject({ zone, since });
        },
      ),
    );
  });
});

describe('immediate', () => {
  const times = fc.uniqueArray(saneRead, { minLength: 1, maxLength: 40, selector: ({ at }) => at });

  test('the newest read wins, in whatever order reads arrive', () => {
    fc.assert(
      fc.property(times, (reads) => {
        const newest = reads.reduce((a, b) => (b.at > a.at ? b : a));
        const placed = placements(reads.map((read) => ({ ...read, policy: 'immediate' as const }))).at(-1);
        expect(placed).toMatchObject({ zone: newest.zone, seenAt: newest.at, evidence: [] });
      }),
    );
  });
});

describe('stable', () => {
  test('a tag read in one zone only stays there since its first read', () => {
    fc.assert(
      fc.property(fc.array(saneRead, { minLength: 1, maxLength: 40 }), (reads) => {
        const one = reads.map((read) => ({ ...read, zone: 4, policy: 'stable' as const }));
        const last = placements(one).at(-1);
        expect(last).toMatchObject({
          zone: 4,
          since: one[0]?.at,
          seenAt: Math.max(...one.map(({ at }) => at)),
        });
      }),
    );
  });

  test('a lone read elsewhere, of any strength and at any time, never moves a tag', () => {
    fc.assert(
      fc.property(fc.array(saneRead, { minLength: 1, maxLength: 20 }), anyRead, (reads, stray) => {
        const placed = placements(reads.map((read) => ({ ...read, zone: 1, policy: 'stable' as const }))).at(
          -1,
        );
        expect(stepLocation(placed ?? unplaced, { ...stray, zone: 2 }).move).toBeNull();
      }),
    );
  });
});
