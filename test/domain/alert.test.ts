import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { alertStates, heatOf, isOfflineDue, nextAlertState } from '../../src/domain/alert.ts';

describe('alert states', () => {
  test.each([
    ['open', 'acked', 'acked'],
    ['open', 'resolved', 'resolved'],
    ['acked', 'resolved', 'resolved'],
    ['acked', 'acked', 'acked'],
    ['resolved', 'resolved', 'resolved'],
    ['resolved', 'acked', null],
  ] as const)('%s, asked to be %s: %s', (state, target, next) => {
    expect(nextAlertState(state, target)).toBe(next);
  });

  test('no request opens an alert again', () => {
    for (const state of alertStates)
      for (const target of ['acked', 'resolved'] as const)
        expect(nextAlertState(state, target)).not.toBe('open');
  });
});

describe('heat', () => {
  test.each([
    [75, 'hot'],
    [74.9, null],
    [70.1, null],
    [70, 'cool'],
    [-10, 'cool'],
  ] as const)('%d °C with a limit of 75: %s', (temperatureC, heat) => {
    expect(heatOf(temperatureC, 75)).toBe(heat);
  });

  test('between the limit and 5 °C below it nothing changes, so that no alert flaps', () => {
    const limit = fc.integer({ min: -50, max: 200 });
    const below = fc.double({ min: 0.01, max: 4.99, noNaN: true });
    fc.assert(
      fc.property(limit, below, (hotCelsius, less) => heatOf(hotCelsius - less, hotCelsius) === null),
    );
  });
});

describe('when being offline is due for an alert', () => {
  const spell = { since: 10_000, lastSeenAt: 9000, offlineMs: 60_000, startedAt: 0 };

  test('after offlineMs for a reader that was heard of since the start', () => {
    expect(isOfflineDue(spell, 69_999)).toBe(false);
    expect(isOfflineDue(spell, 70_000)).toBe(true);
  });

  test.each([
    [60_000, 90_000],
    [10_000, 20_000],
    [0, 5000],
  ])('with %d ms, one not heard of since the start: after %d ms', (offlineMs, dueMs) => {
    const unheard = { since: 100_000, lastSeenAt: 50_000, offlineMs, startedAt: 100_000 };
    expect(isOfflineDue(unheard, 100_000 + dueMs - 1)).toBe(false);
    expect(isOfflineDue(unheard, 100_000 + dueMs)).toBe(true);
  });
});
