import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type CommandEvent,
  type CommandStanding,
  commandEvents,
  commandStandings,
  commandStateOf,
  commandStates,
  commandStep,
  isAnswerable,
  isAnswerOverdue,
  isUnsettled,
} from '../../src/domain/command.ts';

/** Standing, event, the next standing; null = nothing changes. Every pair once. */
const table: readonly [CommandStanding, CommandEvent, CommandStanding | null][] = [
  ['pending', 'publish', 'published'],
  ['pending', 'ack-ok', 'applied'],
  ['pending', 'ack-failed', 'failed'],
  ['pending', 'timeout', 'timed-out'],
  ['pending', 'supersede', 'superseded'],
  ['published', 'publish', null],
  ['published', 'ack-ok', 'applied'],
  ['published', 'ack-failed', 'failed'],
  ['published', 'timeout', 'timed-out'],
  ['published', 'supersede', 'superseded'],
  ['applied', 'publish', null],
  ['applied', 'ack-ok', null],
  ['applied', 'ack-failed', null],
  ['applied', 'timeout', null],
  ['applied', 'supersede', null],
  ['failed', 'publish', null],
  ['failed', 'ack-ok', null],
  ['failed', 'ack-failed', null],
  ['failed', 'timeout', null],
  ['failed', 'supersede', null],
  ['superseded', 'publish', null],
  ['superseded', 'ack-ok', null],
  ['superseded', 'ack-failed', null],
  ['superseded', 'timeout', null],
  ['superseded', 'supersede', null],
  ['timed-out', 'publish', null],
  ['timed-out', 'ack-ok', 'applied'],
  ['timed-out', 'ack-failed', null],
  ['timed-out', 'timeout', null],
  ['timed-out', 'supersede', null],
];

describe('what happens to a command', () => {
  test.each(table)('%s, %s: %s', (standing, event, expected) => {
    expect(commandStep(standing, event)).toBe(expected);
  });

  test('the table has every standing by every event once', () => {
    const pairs = table.map(([standing, event]) => `${standing} ${event}`);
    const all = commandStandings.flatMap((standing) => commandEvents.map((event) => `${standing} ${event}`));
    expect(pairs.toSorted()).toEqual(all.toSorted());
  });

  test('outside it has the five states of the contract: nobody answering is a failure', () => {
    expect(commandStates.map(commandStateOf)).toEqual(commandStates);
    expect(commandStateOf('timed-out')).toBe('failed');
  });
});

/** What is to be known of a command in words, not as a table: the first thing that settles it counts. */
class Model {
  settledBy: CommandEvent | null = null;
  published = false;

  take(event: CommandEvent): void {
    if (event === 'publish') this.published ||= this.settledBy === null;
    else if (this.settledBy === null) this.settledBy = event;
    else if (this.settledBy === 'timeout' && event === 'ack-ok') this.settledBy = event;
  }

  get standing(): CommandStanding {
    if (this.settledBy === null) return this.published ? 'published' : 'pending';
    const outcomes = { 'ack-ok': 'applied', 'ack-failed': 'failed', timeout: 'timed-out' } as const;
    return this.settledBy === 'supersede' || this.settledBy === 'publish'
      ? 'superseded'
      : outcomes[this.settledBy];
  }
}

const anyEvents = fc.array(fc.constantFrom(...commandEvents), { maxLength: 20 });

describe('in whatever order publishing, answers, time and newer commands come', () => {
  test('what first settles a command stands, but for a timeout, which an answer "ok" still corrects', () => {
    fc.assert(
      fc.property(anyEvents, (events) => {
        const model = new Model();
        let standing: CommandStanding = 'pending';
        for (const event of events) {
          standing = commandStep(standing, event) ?? standing;
          model.take(event);
          expect(standing).toBe(model.standing);
        }
      }),
    );
  });

  test('of a line of commands at most the newest is unsettled', () => {
    const steps = fc.array(
      fc.record({ make: fc.boolean(), which: fc.nat(), event: fc.constantFrom(...commandEvents) }),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(steps, (all) => {
        const line: CommandStanding[] = [];
        const step = (at: number, event: CommandEvent) => {
          const standing = line[at];
          if (standing) line[at] = commandStep(standing, event) ?? standing;
        };
        for (const { make, which, event } of all) {
          if (make) {
            for (let at = 0; at < line.length; at++) step(at, 'supersede');
            line.push('pending');
          } else if (line.length > 0) step(which % line.length, event);
          expect(line.slice(0, -1).filter(isUnsettled)).toEqual([]);
        }
      }),
    );
  });

  test('a command can be answered as long as it is unsettled, and after a timeout', () => {
    expect(commandStandings.filter(isUnsettled)).toEqual(['pending', 'published']);
    expect(commandStandings.filter(isAnswerable)).toEqual(['pending', 'published', 'timed-out']);
  });
});

describe('waiting for the answer', () => {
  const T = 1_772_442_937_412;
  const timeoutMs = 30_000;
  test.each([
    ['not yet published, made a moment ago', null, T, T + 29_999, false],
    ['not yet published, made 30 s ago', null, T, T + 30_000, true],
    ['published later: its time begins then', T + 20_000, T, T + 49_999, false],
    ['published 30 s ago', T + 20_000, T, T + 50_000, true],
    ['made while the clock was a little ahead', null, T, T - 29_999, false],
    ['made before the clock was set back by an hour', null, T, T - 3_600_000, true],
  ])('%s', (...[, publishedAt, createdAt, now, expected]) => {
    expect(isAnswerOverdue({ publishedAt, createdAt, timeoutMs }, now)).toBe(expected);
  });
});
