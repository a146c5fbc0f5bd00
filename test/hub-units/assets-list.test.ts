import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Asset } from '../../src/contract/asset.ts';
import { assetsPath, filterOf, searchOf, views } from '../../src/hub/pages/assets/filter.ts';
import { labelIds, labelsHref, MOST_LABELS } from '../../src/hub/pages/assets/label-address.ts';
import { runAll } from '../../src/hub/pages/assets/run-all.ts';
import { inOrder, isOverdue, wordsOf } from '../../src/hub/pages/assets/state.ts';

const asset = (part: Partial<Asset>): Asset => ({
  ...{ id: 'a', assetTagNumber: 'A-1', name: 'Jack', category: '', status: 'available' },
  ...part,
});

describe('the filter in the address', () => {
  test('comes back as it was put there', () => {
    fc.assert(
      fc.property(fc.constantFrom(...views), fc.string(), (view, q) => {
        expect(filterOf(searchOf({ view, q }))).toEqual({ view, q: q.trim() });
      }),
    );
  });

  test('a view that is none is all of them', () => {
    expect(filterOf('?view=nonsense&q=x')).toEqual({ view: 'all', q: 'x' });
  });

  test('is asked of REST in its words', () => {
    expect(assetsPath({ view: 'overdue', q: ' a b ' }, 10)).toBe('/assets?limit=10&overdue=true&q=a+b');
    expect(assetsPath({ view: 'missing', q: '' }, 10)).toBe('/assets?limit=10&status=missing');
    expect(assetsPath({ view: 'all', q: '' }, 10)).toBe('/assets?limit=10');
  });
});

describe('the order of the list', () => {
  const late = asset({ name: 'B 10', expectedReturnAt: '2026-03-01T00:00:00.000Z' });
  const later = asset({ name: 'B 9', expectedReturnAt: '2026-03-02T00:00:00.000Z' });
  const open = asset({ name: 'A' });

  test('is as people count, what is due first, and as it came while part of it is not there', () => {
    expect(inOrder([late, later, open], 'all', true)).toEqual([open, later, late]);
    expect(inOrder([open, later, late], 'overdue', true)).toEqual([late, later, open]);
    expect(inOrder([open, later, late], 'overdue', false)).toEqual([open, later, late]);
  });
});

test('only what is checked out and due before now is overdue', () => {
  const due = '2026-03-01T00:00:00.000Z';
  const now = Date.parse(due);
  expect(isOverdue(asset({ status: 'checked_out', expectedReturnAt: due }), now + 1)).toBe(true);
  expect(isOverdue(asset({ status: 'checked_out', expectedReturnAt: due }), now)).toBe(false);
  expect(isOverdue(asset({ status: 'checked_out' }), now)).toBe(false);
  expect(isOverdue(asset({ status: 'missing', expectedReturnAt: due }), now + 1)).toBe(false);
});

test('suggestions are different words without blanks, in order', () => {
  const people = ['Zoe', ' Åsa ', 'Zoe', '  ', undefined].map((custodian) =>
    asset(custodian === undefined ? {} : { custodian }),
  );
  expect(wordsOf(people, 'custodian')).toEqual(['Åsa', 'Zoe']);
});

describe('the address of labels', () => {
  test('has each id once, and no more than can be printed', () => {
    const ids = Array.from({ length: MOST_LABELS + 5 }, () => crypto.randomUUID());
    const [first = ''] = ids;
    const href = labelsHref([...ids, first].map((id) => ({ id })));
    expect(labelIds(href.slice(href.indexOf('?')))).toEqual(ids.slice(0, MOST_LABELS));
    expect(labelIds('?ids=../x,1')).toEqual([]);
    expect(labelIds('')).toEqual([]);
  });
});

describe('an action on many', () => {
  test('what fails does not stop the others, and all are counted', async () => {
    const steps: number[] = [];
    const run = (item: number) =>
      item % 3 === 0 ? Promise.reject(new Error(`no ${item}`)) : Promise.resolve();
    const outcome = await runAll([1, 2, 3, 4, 5, 6, 7], run, (through) => steps.push(through));
    expect(outcome.done.toSorted()).toEqual([1, 2, 4, 5, 7]);
    expect(outcome.failed.map(({ item }) => item).toSorted()).toEqual([3, 6]);
    expect(steps).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  test('never more than four at once', async () => {
    let now = 0;
    let most = 0;
    await runAll(Array.from({ length: 20 }), async () => {
      now += 1;
      most = Math.max(most, now);
      await Promise.resolve();
      now -= 1;
    });
    expect(most).toBe(4);
  });
});
