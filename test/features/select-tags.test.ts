import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { neverSeen } from '../../src/domain/tag-state.ts';
import {
  countTags,
  recentFloor,
  selectAmong,
  selectDownTo,
  selectTags,
  tagAt,
} from '../../src/features/tags/select-tags.ts';
import { type Ranked, ranksBelow } from '../../src/lib/top.ts';
import { TagStates } from '../../src/store/tag-states.ts';

/** However slow the machine is. */
const forMs = 60_000;
const NEVER = Number.NEGATIVE_INFINITY;

interface Seen {
  readonly orgNo: number;
  readonly key: number;
}

function statesOf(tags: readonly Seen[]): TagStates {
  const states = new TagStates();
  for (const [no, { orgNo, key }] of tags.entries()) {
    const times = key === NEVER ? {} : { firstSeenAt: key, lastSeenAt: key };
    states.set(no, orgNo, { ...neverSeen, ...times });
  }
  return states;
}

/** All of an organisation's tags after a place, as sorting everything puts them. */
function sorted(tags: readonly Seen[], orgNo: number, after: Ranked | undefined): readonly Ranked[] {
  return tags
    .flatMap(({ orgNo: own, key }, no) => (own === orgNo ? [{ key, no }] : []))
    .filter((place) => !after || ranksBelow(place, after))
    .toSorted((a, b) => (ranksBelow(a, b) ? 1 : -1));
}

const tags = fc.array(
  fc.record({ orgNo: fc.integer({ min: 0, max: 2 }), key: fc.constantFrom(NEVER, 1, 1.5, 2, 2000) }),
  { maxLength: 400 },
);
const after = fc.option(fc.record({ key: fc.constantFrom(NEVER, 1, 2, 3), no: fc.nat(400) }), {
  nil: undefined,
});

describe('tags chosen from their states', () => {
  test('are those that sorting all of them would put first', () => {
    fc.assert(
      fc.property(tags, after, fc.integer({ min: 1, max: 50 }), (seen, place, limit) => {
        const states = statesOf(seen);
        const all = sorted(seen, 1, place);
        const selection = { orgNo: 1, after: place, limit };
        expect(selectTags(states, selection)).toEqual(all.slice(0, limit));
        const nos = [...seen.keys()].filter((no) => no % 3 !== 0);
        const some = all.filter(({ no }) => no % 3 !== 0).slice(0, limit);
        expect(selectAmong(states, nos, selection)).toEqual(some);
      }),
    );
  });

  test('among those that match: the first of them, or null where the place leaves too few', () => {
    fc.assert(
      fc.property(tags, after, fc.nat(1999), (seen, place, some) => {
        const [limit, at] = [1 + (some % 5), Math.floor(some / 5)];
        const states = statesOf(seen);
        const matches = (no: number) => no % 2 === 0;
        const hits = sorted(seen, 1, place).filter(({ no }) => matches(no));
        const floor = { key: seen[at]?.key ?? 1, no: at };
        const found = selectDownTo(states, { orgNo: 1, after: place, limit }, { floor, matches });
        const above = hits.filter((one) => !ranksBelow(one, floor));
        expect(found).toEqual(above.length >= limit ? above.slice(0, limit) : null);
      }),
    );
  });

  test('the place down to which there are enough that match is found whatever pattern their numbers follow', () => {
    // A reader's tags are often so many numbers apart: here 32, and those seen last hold no match.
    const seen = Array.from({ length: 100_000 }, (_, no) => ({ orgNo: 1, key: no % 32 === 1 ? 9 : 5 }));
    const states = statesOf(seen);
    const matches = (no: number) => no % 8 === 0;
    const floor = recentFloor(states, { orgNo: 1, after: undefined, limit: 500 }, { matches, forMs });
    if (!floor) throw new Error('no place');
    expect(floor.key).toBe(5);
    const found = selectDownTo(states, { orgNo: 1, after: undefined, limit: 500 }, { floor, matches });
    expect(found?.map(({ no }) => no)).toEqual(Array.from({ length: 500 }, (_, i) => 99_992 - 8 * i));
  });

  test('the tag at a rank is the one that sorting all of them would put there', async () => {
    const ranks = fc.asyncProperty(tags, fc.nat(450), async (seen, rank) => {
      const all = sorted(seen, 1, undefined);
      expect(countTags(statesOf(seen), 1)).toBe(all.length);
      expect(await tagAt(statesOf(seen), 1, rank)).toEqual(all[Math.min(rank, all.length - 1)] ?? null);
    });
    await fc.assert(ranks);
    const many = Array.from({ length: 100_000 }, (_, no) => ({
      ...{ orgNo: 1 + (no % 7 === 0 ? 1 : 0), key: no % 5 === 0 ? NEVER : (no * 7919) % 3000 },
    }));
    const all = sorted(many, 1, undefined);
    const states = statesOf(many);
    for (const rank of [0, 1, 500, 20_000, 60_000, all.length - 1, all.length, 4e9])
      expect(await tagAt(states, 1, rank)).toEqual(all[Math.min(rank, all.length - 1)]);
  });

  const deletions = [1, 2, 3].flatMap((pause) => [
    { pause, which: 'the last ones', stays: (key: number) => key >= 2000 },
    { pause, which: 'every other one', stays: (_key: number, no: number) => no % 2 === 0 },
  ]);

  test.each(deletions)(
    'beyond the last tag it is the last, though $which are deleted in pause $pause',
    async ({ pause, stays }) => {
      const many = Array.from({ length: 100_000 }, (_, no) => ({ orgNo: 1, key: (no * 7919) % 3000 }));
      const states = statesOf(many);
      const rest = many.map(({ key }, no) => ({ orgNo: stays(key, no) ? 1 : 0, key }));
      const place = tagAt(states, 1, 999_999_998);
      for (let nth = 1; nth <= pause; nth++) await new Promise((resolve) => setImmediate(resolve));
      for (const [no, { orgNo }] of rest.entries()) if (orgNo === 0) states.set(no, 0, neverSeen);
      expect(await place).toEqual(sorted(rest, 1, undefined).at(-1));
    },
  );

  test('there is none when all are deleted meanwhile', async () => {
    const states = statesOf(Array.from({ length: 1000 }, () => ({ orgNo: 1, key: 5 })));
    const place = tagAt(states, 1, 500);
    for (let no = 0; no < 1000; no++) states.set(no, 0, neverSeen);
    expect(await place).toBeNull();
  });

  test('there is no such place where hardly any match', () => {
    const states = statesOf(Array.from({ length: 100_000 }, () => ({ orgNo: 1, key: 5 })));
    const rare = (no: number) => no % 1000 === 0;
    expect(
      recentFloor(states, { orgNo: 1, after: undefined, limit: 500 }, { matches: rare, forMs }),
    ).toBeNull();
  });

  test('there is none either where telling takes long: going on would take that many times over', () => {
    const states = statesOf(Array.from({ length: 100_000 }, () => ({ orgNo: 1, key: 5 })));
    let asked = 0;
    const slowly = () => {
      asked++;
      for (const from = performance.now(); performance.now() - from < 0.2; );
      return true;
    };
    const selection = { orgNo: 1, after: undefined, limit: 500 };
    expect(recentFloor(states, selection, { matches: slowly })).toBeNull();
    expect(asked).toBeLessThan(10);
    expect(recentFloor(states, selection, { matches: slowly, forMs })).not.toBeNull();
  });
});
