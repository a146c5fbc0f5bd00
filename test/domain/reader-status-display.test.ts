import { describe, expect, test } from 'vitest';
import {
  displayStatus,
  displayStatuses,
  isRadioWanted,
  type ReaderSigns,
  readerStatus,
  tagsArrivingMs,
} from '../../src/domain/reader-status.ts';

const now = 1_000_000_000;
const noDataMs = 300_000;
const rules = { noDataMs, now };
const old = now - noDataMs - 1;
const recent = now - noDataMs;
const arriving = now - tagsArrivingMs;

const choices = {
  enabled: [true, false],
  lastSeenAt: [null, old, recent, now],
  lastEventAt: [null, old, recent, arriving - 1, arriving, now],
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

const tagsArrive = ({ lastEventAt }: ReaderSigns): boolean => lastEventAt !== null && lastEventAt >= arriving;
const obeys = (s: ReaderSigns): boolean => s.commandsSupported && !s.lastCommandFailed;

/** The contract's "Hub display statuses" row by row, first match. */
const table: readonly [string, (signs: ReaderSigns) => boolean][] = [
  ['Offline', (s) => s.connections === 0 || s.lastSeenAt === null],
  ['Degraded', (s) => !s.enabled && s.radio !== 'idle' && tagsArrive(s) && !obeys(s)],
  ['Online and Idle', (s) => !s.enabled],
  ['Online and Idle', (s) => s.radio === 'idle'],
  ['Offline', (s) => s.lastSeenAt === old],
  ['Degraded', (s) => s.lastEventAt !== null && s.lastEventAt >= recent && !obeys(s)],
  ['Online and Reading', tagsArrive],
  ['Online and Idle', () => true],
];

const healthy: ReaderSigns = {
  enabled: true,
  lastSeenAt: now,
  lastEventAt: now,
  connections: 2,
  radio: 'running',
  commandsSupported: true,
  lastCommandFailed: false,
};

describe('display status of a reader', () => {
  test('every combination of signs has the words of the first row it matches', () => {
    const seen = new Set<string>();
    for (const signs of combinations()) {
      const row = table.findIndex(([, matches]) => matches(signs));
      expect(displayStatus(signs, rules), JSON.stringify(signs)).toBe(table[row]?.[0]);
      seen.add(String(row));
    }
    expect(seen.size).toBe(table.length);
  });

  test('the words agree with the status: Degraded says the same, online is never Offline, unknown always', () => {
    for (const signs of combinations()) {
      const { status } = readerStatus(signs, rules);
      const words = displayStatus(signs, rules);
      const possible: Readonly<Record<typeof status, readonly string[]>> = {
        online: ['Online and Reading', 'Online and Idle'],
        degraded: ['Degraded'],
        offline: ['Offline', 'Online and Idle'],
        disabled: ['Offline', 'Online and Idle', 'Degraded'],
        unknown: ['Offline'],
      };
      expect(possible[status], JSON.stringify(signs)).toContain(words);
    }
  });

  test('they are the contract’s four', () => {
    expect(displayStatuses).toEqual(['Online and Reading', 'Online and Idle', 'Degraded', 'Offline']);
  });

  test.each<[string, Partial<ReaderSigns>, string]>([
    ['tags arrive and commands work', {}, 'Online and Reading'],
    ['the radio is on, nothing in view', { lastEventAt: null }, 'Online and Idle'],
    ['tags arrive, the agent is missing', { commandsSupported: false }, 'Degraded'],
    ['tags arrive, the last command failed', { lastCommandFailed: true }, 'Degraded'],
    ['the radio should be on and is not', { radio: 'idle' }, 'Online and Idle'],
    ['stopped and connected', { enabled: false, radio: 'idle' }, 'Online and Idle'],
    ['stopped a moment ago, reads still on their way', { enabled: false }, 'Online and Idle'],
    ['stopped, but it goes on: no agent', { enabled: false, commandsSupported: false }, 'Degraded'],
    ['stopped and not connected', { enabled: false, connections: 0 }, 'Offline'],
    ['not connected', { connections: 0 }, 'Offline'],
    ['connected but silent', { lastSeenAt: old, lastEventAt: old }, 'Offline'],
    ['never heard of', { lastSeenAt: null, lastEventAt: null, connections: 0 }, 'Offline'],
  ])('%s', (_, change, expected) => {
    expect(displayStatus({ ...healthy, ...change }, rules)).toBe(expected);
  });
});

describe('whether the radio of a reader is wanted', () => {
  const on = { enabled: true };
  const off = { enabled: false };
  test.each([
    [true, [on, on, on, on], true],
    [true, [off, off, off, on], true],
    [true, [off, off, off, off], false],
    [false, [on, on, on, on], false],
    [false, [off, off, off, off], false],
    [true, undefined, true],
    [false, undefined, false],
  ])('enabled %s with ports %j: %s', (enabled, antennas, expected) => {
    expect(isRadioWanted(enabled, antennas)).toBe(expected);
  });
});
