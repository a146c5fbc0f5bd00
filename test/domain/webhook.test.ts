import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isGivenUp,
  isMailDue,
  receiverRestMs,
  retryPauseMs,
  WEBHOOK_PAUSE_MAX_MS,
  type WebhookFilter,
  wantsEvent,
  webhookEventTypes,
} from '../../src/domain/webhook.ts';

const HOUR = 3_600_000;
const all: WebhookFilter = { types: webhookEventTypes, zoneIds: null, assetIds: null, severities: null };

describe('who wants an event', () => {
  test('without filters everything of the types that were asked for, and nothing else', () => {
    for (const type of webhookEventTypes) {
      expect(wantsEvent(all, { type, zoneIds: ['z'], assetId: 'a', severity: 'warning' })).toBe(true);
      expect(wantsEvent({ ...all, types: webhookEventTypes.filter((one) => one !== type) }, { type })).toBe(
        false,
      );
    }
  });

  test.each([
    ['a move from the zone', { type: 'tag_moved', zoneIds: ['z', 'y'] }, true],
    ['a move elsewhere', { type: 'tag_moved', zoneIds: ['x', 'y'] }, false],
    ['an asset that comes into the zone', { type: 'asset_zone_enter', zoneIds: ['z'], assetId: 'a' }, true],
    ['another asset in the zone', { type: 'asset_zone_enter', zoneIds: ['z'], assetId: 'b' }, false],
    ['the asset in no zone', { type: 'asset_check_out', assetId: 'a' }, true],
    ['an alert about the asset', { type: 'alert_opened', severity: 'critical', assetId: 'a' }, true],
    ['an alert about another asset', { type: 'alert_opened', severity: 'critical', assetId: 'b' }, false],
    ['an alert about a reader', { type: 'alert_opened', severity: 'critical' }, true],
    ['a warning', { type: 'alert_opened', severity: 'warning' }, false],
  ] as const)('with all filters set: %s', (_, traits, wanted) => {
    const filter: WebhookFilter = { ...all, zoneIds: ['z'], assetIds: ['a'], severities: ['critical'] };
    expect(wantsEvent(filter, traits)).toBe(wanted);
  });
});

describe('pauses', () => {
  test('5 s, doubled up to an hour, a fifth longer at most', () => {
    const pauses = [1, 2, 3, 4, 9, 10, 11, 12, 1000].map((attempts) => retryPauseMs(attempts, 0) / 1000);
    expect(pauses).toEqual([5, 10, 20, 40, 1280, 2560, 3600, 3600, 3600]);
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1e9 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (attempts, random) => {
          const pause = retryPauseMs(attempts, random);
          expect(pause).toBeGreaterThanOrEqual(retryPauseMs(attempts, 0));
          expect(pause).toBeLessThanOrEqual(
            Math.min(retryPauseMs(attempts, 0) * 1.2 + 1, WEBHOOK_PAUSE_MAX_MS),
          );
        },
      ),
    );
  });

  test('a receiver is left alone after three failures in a row, for a minute at most', () => {
    expect([0, 1, 2, 3, 4, 5, 6, 7, 500].map((failures) => receiverRestMs(failures) / 1000)).toEqual([
      ...[0, 0, 0, 5, 10, 20, 40, 60, 60],
    ]);
  });

  test('given up only when it waited for three days and was tried eight times', () => {
    expect(isGivenUp({ queuedAt: 0, attempts: 8 }, 72 * HOUR)).toBe(true);
    expect(isGivenUp({ queuedAt: 0, attempts: 1000 }, 72 * HOUR - 1)).toBe(false);
    expect(isGivenUp({ queuedAt: 0, attempts: 7 }, 8760 * HOUR)).toBe(false);
  });
});

describe('when an e-mail may go out', () => {
  const free = { sentAt: null, waitsSince: null, isUrgent: false };
  const [sentAt, waitsSince] = [1_000_000, 1_100_000];

  test('a minute after the last one, not sooner', () => {
    expect(isMailDue({ ...free, sentAt }, sentAt + 59_999)).toBe(false);
    expect(isMailDue({ ...free, sentAt }, sentAt + 60_000)).toBe(true);
    expect(isMailDue({ ...free, sentAt, isUrgent: true }, sentAt + 59_999)).toBe(false);
  });

  test('five seconds after the first of what waits, an alert at once', () => {
    expect(isMailDue({ ...free, waitsSince }, waitsSince + 4999)).toBe(false);
    expect(isMailDue({ ...free, waitsSince }, waitsSince + 5000)).toBe(true);
    expect(isMailDue({ ...free, waitsSince, isUrgent: true }, waitsSince)).toBe(true);
    expect(isMailDue(free, waitsSince)).toBe(true);
  });

  test('a clock that was set back holds up nothing', () => {
    expect(isMailDue({ sentAt, waitsSince, isUrgent: false }, sentAt - 1)).toBe(true);
  });
});
