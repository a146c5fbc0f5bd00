import { expect, test } from 'vitest';
import { QuietLog } from '../../src/broker/quiet-log.ts';

test('a kind of warning is logged 20 times a minute, then what was left out is told in one line', () => {
  const lines: string[] = [];
  const add = (details: object, message: string): void => {
    lines.push(`${message} ${JSON.stringify(details)}`);
  };
  let now = 0;
  const log = new QuietLog({ info: add, warn: add, error: add }, () => now);
  for (let i = 0; i < 50; i++) log.warn({ i }, 'one kind');
  log.warn({}, 'another kind');
  expect(lines.length).toBe(21);
  now = 60_000;
  log.warn({ i: 50 }, 'one kind');
  expect(lines.slice(21)).toEqual([
    'one kind: more of the same left out {"omitted":30}',
    'one kind {"i":50}',
  ]);
});
