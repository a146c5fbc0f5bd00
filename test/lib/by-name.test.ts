import { expect, test } from 'vitest';
import { byName } from '../../src/lib/by-name.ts';

test('by character codes, equal names in the order they were made', () => {
  const names = ['b', 'C', 'a', 'ä', 'b', 'A', 'Z1', 'Z10', 'Z2', ''];
  const made = names.map((name, no) => ({ name, no }));
  const shown = made.toReversed().toSorted(byName);
  expect(shown.map(({ name, no }) => `${name}${no}`)).toEqual([
    ...['9', 'A5', 'C1', 'Z16', 'Z107', 'Z28', 'a2', 'b0', 'b4', 'ä3'],
  ]);
});
