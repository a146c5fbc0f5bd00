import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { neverSeen, type TagState } from '../../src/domain/tag-state.ts';
import { blockOf, TagStates } from '../../src/store/tag-states.ts';

const time = fc.oneof(fc.constant(Number.NaN), fc.double({ min: 0, max: 4e12, noNaN: true }));
const number = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const state: fc.Arbitrary<TagState> = fc.record({
  firstSeenAt: time,
  lastSeenAt: time,
  zoneSince: time,
  zoneSeenAt: time,
  zoneNo: number,
  antennaNo: number,
});
const entry = fc.record({
  tagNo: fc.integer({ min: 0, max: 300 }),
  orgNo: fc.integer({ min: 1, max: 2 ** 32 - 1 }),
  state,
});

function copyThroughBlocks(from: TagStates): TagStates {
  const to = new TagStates();
  for (let block = 0; block <= blockOf(from.size); block++) {
    // As the store hands bytes out: a view into a larger piece of memory, at an odd place.
    const memory = Buffer.alloc(5000);
    const bytes = from.encodeBlock(block);
    memory.set(bytes, 13);
    to.loadBlock(block, memory.subarray(13, 13 + bytes.length));
  }
  return to;
}

describe('tag states', () => {
  it('hold what was set last, as a plain map would, and come back from their blocks bit by bit', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 60 }), (entries) => {
        const states = new TagStates();
        const model = new Map<number, (typeof entries)[number]>();
        for (const one of entries) {
          states.set(one.tagNo, one.orgNo, one.state);
          model.set(one.tagNo, one);
        }
        for (const each of [states, copyThroughBlocks(states)]) {
          expect(each.size).toBe(Math.max(-1, ...model.keys()) + 1);
          const numbers = Array.from({ length: 330 }, (_, tagNo) => tagNo);
          const expected = numbers.map((tagNo) => model.get(tagNo) ?? { orgNo: 0, state: neverSeen });
          expect(numbers.map((tagNo) => each.get(tagNo))).toEqual(expected.map((one) => one.state));
          expect(numbers.map((tagNo) => each.orgNo(tagNo))).toEqual(expected.map(({ orgNo }) => orgNo));
          expect(numbers.map((tagNo) => each.lastSeenAt(tagNo))).toEqual(
            expected.map(({ state: of }) => of.lastSeenAt),
          );
        }
      }),
      { numRuns: 60 },
    );
  });

  it('grow to any tag number and keep what they held', () => {
    const states = new TagStates();
    const seen = { ...neverSeen, firstSeenAt: 1, lastSeenAt: 2 };
    for (const tagNo of [0, 3, 4, 5, 1000, 1_000_000]) states.set(tagNo, 7, seen);
    for (const tagNo of [0, 3, 4, 5, 1000, 1_000_000]) expect(states.get(tagNo)).toEqual(seen);
    expect(states.orgNo(999_999)).toBe(0);
    expect(states.size).toBe(1_000_001);
  });

  it('refuse a block of another size, naming it', () => {
    const states = new TagStates();
    expect(() => states.loadBlock(3, new Uint8Array(100))).toThrow('tag state block 3 has 100 bytes');
  });

  it('know no tag they were not told of', () => {
    const states = new TagStates();
    expect([states.size, states.orgNo(2), states.orgNo(9_999_999)]).toEqual([0, 0, 0]);
    expect(states.get(9_999_999)).toEqual(neverSeen);
  });
});
