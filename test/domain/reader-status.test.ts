import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { brokerStatus, type ReaderSigns, readerStatus } from '../../src/domain/reader-status.ts';

const now = 1_000_000_000;
const noDataMs = 300_000;
const recent = now - noDataMs;
const old = recent - 1;
const rules = { noDataMs, now };

const healthy: ReaderSigns = {
  enabled: true,
  lastSeenAt: recent,
  lastEventAt: recent,
  connections: 2,
  radio: 'running',
  commandsSupported: true,
  lastCommandFailed: false,
};

const choices = {
  enabled: [true, false],
  lastSeenAt: [null, old, recent],
  lastEventAt: [null, old, recent],
  connections: [0, 1, 2],
  radio: [null, 'idle', 'armed', 'running'],
  commandsSupported: [true, false],
  lastCommandFailed: [true, false],
} as const;

function combinations(): readonly ReaderSigns[] {
  let all: readonly object[] = [{}];
  for (const [name, values] of Object.entries(choices))
    all = all.flatMap((one) => values.map((value) => ({ ...one, [name]: value })));
  // Each has every member of `choices`.
  return all as readonly ReaderSigns[];
}

/** The table of the decisions, row by row, first match. */
const table: readonly [string, (signs: ReaderSigns) => boolean][] = [
  ['disabled/stopped', (s) => !s.enabled],
  ['unknown/never-connected', (s) => s.lastSeenAt === null],
  ['offline/broker-disconnected', (s) => s.connections === 0],
  ['offline/radio-idle', (s) => s.radio === 'idle'],
  ['offline/no-data', (s) => s.lastSeenAt === old],
  ['degraded/', (s) => s.lastEventAt === recent && !s.commandsSupported],
  ['degraded/', (s) => s.lastEventAt === recent && s.lastCommandFailed],
  ['online/', () => true],
];

describe('reader status', () => {
  test('every combination of signs has the status of the first row it matches', () => {
    const seen = new Set<string>();
    for (const signs of combinations()) {
      const { status, offlineReason } = readerStatus(signs, rules);
      const [expected] = table.find(([, matches]) => matches(signs)) ?? [''];
      expect(`${status}/${offlineReason ?? ''}`, JSON.stringify(signs)).toBe(expected);
      seen.add(expected);
    }
    expect(seen.size).toBe(7);
  });

  test.each<[string, Partial<ReaderSigns>, string]>([
    [
      'a stopped reader is disabled even when it is not connected',
      { enabled: false, connections: 0 },
      'disabled',
    ],
    ['a reader never heard of is unknown, not offline', { lastSeenAt: null, connections: 0 }, 'unknown'],
    ['one connection of two is enough', { connections: 1 }, 'online'],
    ['a radio that is armed is not idle', { radio: 'armed' }, 'online'],
    ['a radio that says nothing is not idle', { radio: null }, 'online'],
    ['reads without an agent: degraded', { commandsSupported: false }, 'degraded'],
    [
      'no reads and no agent: online, nothing is wrong yet',
      { commandsSupported: false, lastEventAt: null },
      'online',
    ],
    ['after a start, before it is back: offline', { connections: 0 }, 'offline'],
    [
      'just back, its reads long ago, without agent: online',
      { lastEventAt: old, commandsSupported: false },
      'online',
    ],
  ])('%s', (_, change, expected) => {
    expect(readerStatus({ ...healthy, ...change }, rules).status).toBe(expected);
  });

  test('with noDataMs 0 no silence is too long', () => {
    const signs = { ...healthy, lastSeenAt: 1, lastEventAt: 1 };
    expect(readerStatus(signs, rules)).toEqual({ status: 'offline', offlineReason: 'no-data' });
    expect(readerStatus(signs, { noDataMs: 0, now })).toEqual({ status: 'online', offlineReason: null });
  });

  test('there is a reason exactly when the reader is neither online nor degraded', () => {
    const anySigns: fc.Arbitrary<ReaderSigns> = fc.record({
      enabled: fc.boolean(),
      lastSeenAt: fc.option(fc.nat(2 * now)),
      lastEventAt: fc.option(fc.nat(2 * now)),
      connections: fc.nat(3),
      radio: fc.constantFrom('running', 'armed', 'idle', null),
      commandsSupported: fc.boolean(),
      lastCommandFailed: fc.boolean(),
    });
    fc.assert(
      fc.property(anySigns, fc.nat(600_000), (signs, silence) => {
        const { status, offlineReason } = readerStatus(signs, { noDataMs: silence, now });
        expect(offlineReason === null).toBe(status === 'online' || status === 'degraded');
      }),
    );
  });

  test.each([
    [1, null, 'connected'],
    [2, now, 'connected'],
    [0, now, 'disconnected'],
    [0, null, 'never'],
  ])('%i connections, changed at %s: the broker status is %s', (connections, changedAt, expected) => {
    expect(brokerStatus(connections, changedAt)).toBe(expected);
  });
});
