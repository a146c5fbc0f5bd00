import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { eventFilter, filterKey, passes } from '../../src/live/filter.ts';
import { FilterGroups } from '../../src/live/filter-groups.ts';
import { liveEvents, wishes } from './arbitraries.ts';
import { moved, read, session } from './sinks.ts';

describe('a filter', () => {
  const inY = { zoneId: 'y', zoneName: 'Y' };
  test.each([
    [{ types: ['tag_read'] }, read('AA'), true],
    [{ types: ['tag_read'] }, moved('AA'), false],
    [{ types: ['tag_read'] }, session('AA'), false],
    [{ epcs: ['AA', 'BB'] }, session('BB'), true],
    [{ epcs: ['AA'] }, read('AAA'), false],
    [{ zoneIds: ['y'] }, read('AA', inY), true],
    [{ zoneIds: ['x'] }, read('AA', inY), false],
    [{ zoneIds: ['y'] }, read('AA'), false],
    [{ zoneIds: ['z'] }, moved('AA'), true],
    [{ zoneIds: ['y'] }, moved('AA', { fromZoneId: 'y' }), true],
    [{ zoneIds: ['x'] }, moved('AA', { fromZoneId: 'y' }), false],
    [{ zoneIds: ['z'] }, session('AA'), false],
    [{ zoneIds: ['z'], epcs: ['AA'], types: ['tag_moved'] }, moved('AA'), true],
    [{ zoneIds: ['z'], epcs: ['BB'], types: ['tag_moved'] }, moved('AA'), false],
    [{ types: [] }, read('AA'), false],
  ])('%j: %j passes: %s', (wish, event, isThrough) => {
    const filter = eventFilter(wish);
    expect(filter && passes(filter, event)).toBe(isThrough);
  });

  test('of nothing is none', () => {
    expect([eventFilter({}), eventFilter({ types: undefined, epcs: undefined })]).toEqual([null, null]);
  });

  test('has the same key as another exactly when both let the same through', () => {
    const key = (wish: object) => filterKey(eventFilter(wish) ?? { types: null, zoneIds: null, epcs: null });
    expect(key({ epcs: ['AA', 'BB'] })).toBe(key({ epcs: ['BB', 'AA', 'AA'] }));
    const all = [
      {},
      { epcs: ['AA'] },
      { zoneIds: ['AA'] },
      { types: ['AA'] },
      { epcs: ['AA', 'BB'] },
      { epcs: [] },
    ];
    expect(new Set(all.map(key)).size).toBe(all.length);
  });
});

describe('groups of filters', () => {
  test('give each member exactly what its filter lets through, whatever joins and leaves', () => {
    const steps = fc.array(fc.record({ wish: wishes, leaves: fc.boolean() }), { maxLength: 12 });
    fc.assert(
      fc.property(steps, fc.array(liveEvents, { maxLength: 30 }), (members, events) => {
        const groups = new FilterGroups<object>();
        const frames = events.map((_, n) => `${n}\n`);
        const filtered = members.flatMap((member) => {
          const filter = eventFilter(member.wish);
          return filter ? [{ ...member, filter }] : [];
        });
        for (const member of filtered) groups.add(member.filter, member);
        for (const member of filtered) if (member.leaves) groups.remove(member.filter, member);
        const got = new Map<object, string>();
        for (const { members: group, bytes } of groups.split({ events, frames }))
          for (const member of group) got.set(member, bytes.toString());
        for (const member of filtered) {
          const passing = frames.filter((_, n) => events[n] && passes(member.filter, events[n]));
          const expected = member.leaves ? '' : passing.join('');
          expect(got.get(member) ?? '').toBe(expected);
        }
        expect(
          groups.split({ events: [null], frames: ['all'] }).flatMap(({ members: group }) => [...group])
            .length,
        ).toBe(filtered.filter(({ leaves }) => !leaves).length);
      }),
    );
  });
});
