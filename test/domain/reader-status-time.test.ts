import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  displayStatus,
  type ReaderSigns,
  readerStatus,
  tagsArrivingMs,
} from '../../src/domain/reader-status.ts';

const at = fc.integer({ min: 1, max: 2 ** 42 });
const silence = fc.integer({ min: 1, max: 90 * 86_400_000 });
const radio = fc.constantFrom<ReaderSigns['radio']>('running', 'armed', 'idle', null);
const noneIdle = fc.constantFrom<ReaderSigns['radio']>('running', 'armed', null);

const anySigns: fc.Arbitrary<ReaderSigns> = fc.record({
  enabled: fc.boolean(),
  lastSeenAt: fc.option(at),
  lastEventAt: fc.option(at),
  connections: fc.nat(3),
  radio,
  commandsSupported: fc.boolean(),
  lastCommandFailed: fc.boolean(),
});

/** Connected, wanted, and not known to be idle: what time decides about. */
const upSigns = fc
  .tuple(anySigns, fc.integer({ min: 1, max: 3 }), noneIdle)
  .map(([signs, connections, spoken]) => ({ ...signs, enabled: true, connections, radio: spoken }));

describe('the part of the status that time decides', () => {
  test('no-data begins exactly one millisecond after noDataMs of silence', () => {
    fc.assert(
      fc.property(upSigns, at, silence, (signs, lastSeenAt, noDataMs) => {
        const silent = { ...signs, lastSeenAt, lastEventAt: null };
        const statusAfter = (ms: number) => readerStatus(silent, { noDataMs, now: lastSeenAt + ms });
        expect(statusAfter(0).status).toBe('online');
        expect(statusAfter(noDataMs).status).toBe('online');
        expect(statusAfter(noDataMs + 1)).toEqual({ status: 'offline', offlineReason: 'no-data' });
      }),
    );
  });

  test('degraded ends exactly one millisecond after noDataMs without a read', () => {
    fc.assert(
      fc.property(upSigns, at, silence, (signs, lastEventAt, noDataMs) => {
        const statusAfter = (ms: number) => {
          const now = lastEventAt + ms;
          const shown = { ...signs, lastEventAt, lastSeenAt: now, commandsSupported: false };
          return readerStatus(shown, { noDataMs, now }).status;
        };
        expect([statusAfter(noDataMs), statusAfter(noDataMs + 1)]).toEqual(['degraded', 'online']);
      }),
    );
  });

  test('Online and Reading ends exactly one millisecond after tagsArrivingMs without a read', () => {
    fc.assert(
      fc.property(upSigns, at, silence, (signs, lastEventAt, noDataMs) => {
        const statusAfter = (ms: number) => {
          const now = lastEventAt + ms;
          const obeys = { commandsSupported: true, lastCommandFailed: false };
          return displayStatus({ ...signs, ...obeys, lastEventAt, lastSeenAt: now }, { noDataMs, now });
        };
        expect(statusAfter(tagsArrivingMs)).toBe('Online and Reading');
        expect(statusAfter(tagsArrivingMs + 1)).toBe('Online and Idle');
      }),
    );
  });

  test('time never moves a reader that is stopped, unknown, not connected or idle', () => {
    const fixed = anySigns.filter(
      (s) => !s.enabled || s.lastSeenAt === null || s.connections === 0 || s.radio === 'idle',
    );
    fc.assert(
      fc.property(fixed, fc.tuple(at, at), silence, (signs, [one, other], noDataMs) => {
        const first = readerStatus(signs, { noDataMs, now: one });
        expect(readerStatus(signs, { noDataMs, now: other })).toEqual(first);
      }),
    );
  });

  test('without new signs a reader only goes from reads to none to silence, never back', () => {
    const order = ['degraded', 'online', 'offline'];
    fc.assert(
      fc.property(upSigns, fc.tuple(at, at), silence, (signs, [one, other], noDataMs) => {
        fc.pre(signs.lastSeenAt !== null && (signs.lastEventAt ?? 0) <= signs.lastSeenAt);
        const [early, late] = [Math.min(one, other), Math.max(one, other)];
        const rank = (now: number) => order.indexOf(readerStatus(signs, { noDataMs, now }).status);
        expect(rank(early)).toBeGreaterThanOrEqual(0);
        expect(rank(late)).toBeGreaterThanOrEqual(rank(early));
      }),
    );
  });
});
