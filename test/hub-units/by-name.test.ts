import { expect, test } from 'vitest';
import { byName } from '../../src/hub/ui/by-name.ts';

test('names are in the order people count in, whatever their case', () => {
  const zones = ['Aisle 10', 'dock', 'Aisle 9', 'Yard', 'aisle 1'].map((name) => ({ name }));
  expect(byName(zones, ({ name }) => name).map(({ name }) => name)).toEqual([
    ...['aisle 1', 'Aisle 9', 'Aisle 10', 'dock', 'Yard'],
  ]);
});
