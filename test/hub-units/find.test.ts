import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Asset } from '../../src/contract/asset.ts';
import type { Tag } from '../../src/contract/tag.ts';
import { type TagLocation, tagLocationExample } from '../../src/contract/tag-location.ts';
import type { Visit } from '../../src/contract/visit.ts';
import { askedFor, clearAnswer, resultsOf } from '../../src/hub/pages/find/results.ts';
import { surenessOf } from '../../src/hub/pages/find/sureness.ts';
import { trailOf } from '../../src/hub/pages/find/trail.ts';
import { duration } from '../../src/hub/time/duration.ts';

const tag = (epc: string, label: string | null = null, attributes: Record<string, string> = {}): Tag => ({
  id: epc,
  epc,
  label,
  targetType: null,
  attributes,
  zoneName: null,
  firstSeenAt: null,
  lastSeenAt: null,
});
const asset = (assetTagNumber: string, name: string, epc?: string): Asset => ({
  id: assetTagNumber,
  assetTagNumber,
  name,
  category: '',
  status: 'available',
  ...(epc && { epc }),
});
const keys = (q: string, tags: readonly Tag[], assets: readonly Asset[] = []) =>
  resultsOf(q, tags, assets).map(({ key }) => key);

describe('what is asked for', () => {
  test('an EPC written apart is one word, any other text stays as it is', () => {
    expect(askedFor(' 3034 257b f468 d480 ')).toBe('3034257bf468d480');
    expect(askedFor('30:34:25:7B:F4:68:D4:80')).toBe('3034257BF468D480');
    expect(askedFor('Pallet jack 7')).toBe('Pallet jack 7');
    expect(askedFor('12 34')).toBe('12 34');
  });
});

describe('results', () => {
  test('come with the exact EPC first, then names, values, beginnings and the rest', () => {
    const tags = [tag('AA01'), tag('BB', 'x aa'), tag('CC', null, { no: 'aa' }), tag('DD', 'AA'), tag('AA')];
    expect(keys('aa', tags)).toEqual(['epc:AA', 'epc:DD', 'epc:CC', 'epc:AA01', 'epc:BB']);
  });

  test('an asset number stands as high as an EPC, and an asset and its tag are one', () => {
    const found = resultsOf('PJ-1', [tag('AA', 'old PJ-1')], [asset('PJ-10', 'b'), asset('PJ-1', 'a', 'AA')]);
    expect(found.map(({ key }) => key)).toEqual(['asset:PJ-1', 'asset:PJ-10']);
    expect(found[0]?.tag?.epc).toBe('AA');
  });

  test('every tag and asset is in them once', () => {
    const words = fc.constantFrom('A', 'AB', 'ABC', 'B');
    fc.assert(
      fc.property(words, fc.uniqueArray(words), fc.uniqueArray(words), (q, epcs, numbers) => {
        const assets = numbers.map((no) => asset(no, no, no === 'B' ? undefined : no));
        const linked = new Set(assets.flatMap(({ epc }) => epc ?? []));
        const alone = epcs.filter((epc) => !linked.has(epc));
        const found = keys(
          q,
          epcs.map((epc) => tag(epc)),
          assets,
        );
        const all = [...alone.map((epc) => `epc:${epc}`), ...numbers.map((no) => `asset:${no}`)];
        expect(found.toSorted()).toEqual(all.toSorted());
      }),
    );
  });

  test('one is the answer when it is the only one, or the only one named in whole', () => {
    const answer = (q: string, tags: readonly Tag[]) => clearAnswer(resultsOf(q, tags, []))?.key ?? null;
    expect(answer('a', [])).toBe(null);
    expect(answer('al', [tag('E2', 'Pallet')])).toBe('epc:E2');
    expect(answer('pallet', [tag('E2', 'Pallet 1'), tag('E3', 'Pallet')])).toBe('epc:E3');
    expect(answer('pallet', [tag('E2', 'Pallet'), tag('E3', 'Pallet')])).toBe(null);
    expect(answer('pal', [tag('E2', 'Pallet'), tag('E3', 'Old pallet')])).toBe(null);
  });
});

describe('how sure a place is', () => {
  const where = (own: number, other: number, more: Partial<TagLocation> = {}) => {
    const [first] = tagLocationExample.candidates;
    const candidates = first
      ? [
          { ...first, score: own },
          { ...first, zoneId: 'other', zoneName: 'Shelf', score: other },
        ]
      : [];
    return surenessOf({ ...tagLocationExample, candidates, ...more }).level;
  };

  test('goes by the share of the reads that speak for it', () => {
    expect(where(0.95, 0.05)).toBe('certain');
    expect(where(0.7, 0.3)).toBe('likely');
    expect(where(0.5, 0.5)).toBe('split');
    // A tag stays where it is for a while, though another zone hears it better.
    expect(where(0.3, 0.7)).toBe('split');
  });

  test('nothing is called certain that is not seen, not weighed, or nowhere', () => {
    expect(where(1, 0, { present: false })).toBe('absent');
    expect(where(1, 0, { policy: 'immediate' })).toBe('last-word');
    expect(where(1, 0, { zoneId: null, present: false })).toBe('nowhere');
  });
});

describe('the trail of a tag', () => {
  const visit = (zone: string | undefined, from: number, to: number): Visit => ({
    ...(zone && { zoneId: zone, zoneName: zone }),
    readerId: 'r',
    readerName: `Reader of ${zone}`,
    antennaPort: 1,
    firstSeenAt: `2026-03-02T09:${String(from).padStart(2, '0')}:00.000Z`,
    lastSeenAt: `2026-03-02T09:${String(to).padStart(2, '0')}:00.000Z`,
    reads: 2,
  });

  test('stays that follow each other in one zone are one stop', () => {
    const stops = trailOf([visit('b', 30, 40), visit('b', 20, 35), visit('a', 0, 10), visit('b', 0, 5)]);
    expect(stops.map(({ zoneName, reads }) => [zoneName, reads])).toEqual([
      ['b', 4],
      ['a', 2],
      ['b', 2],
    ]);
    expect(stops[0]?.from).toBe('2026-03-02T09:20:00.000Z');
    expect(stops[0]?.to).toBe('2026-03-02T09:40:00.000Z');
    expect(stops[0]?.readers).toEqual(['Reader of b']);
  });

  test('what no zone watched is a stop of its own', () => {
    expect(trailOf([visit('a', 2, 3), visit(undefined, 1, 2)]).map(({ zoneName }) => zoneName)).toEqual([
      'a',
      null,
    ]);
  });
});

test('a duration is told in its largest unit', () => {
  expect(duration(27 * 60_000, 'en')).toBe('27 mins');
  expect(duration(3 * 86_400_000, 'de')).toBe('3 Tage');
  expect(duration(400, 'en')).toBe('0 secs');
});
