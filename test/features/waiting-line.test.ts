import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Waiting, WaitingLine } from '../../src/features/webhooks/waiting-line.ts';

const event = (no: number, subject: string, nextAt = 0): Waiting => ({ no, subject, nextAt });

test('told of in any order, each subject comes out in order and one at a time, nothing twice and nothing left', () => {
  const subjects = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(
      subjects.chain((list) => {
        const events = list.map((subject, no) => event(no, subject));
        return fc.shuffledSubarray(events, { minLength: events.length });
      }),
      fc.array(fc.boolean(), { maxLength: 60 }),
      (events, successes) => {
        const line = new WaitingLine();
        for (const one of events) line.set(one);
        const out: Waiting[] = [];
        for (let now = 0; line.size > 0; now += 60_000) {
          const taken: Waiting[] = [];
          for (let next = line.take(now); next; next = line.take(now)) taken.push(next);
          expect(new Set(taken.map(({ subject }) => subject)).size).toBe(taken.length);
          expect(taken.length).toBeGreaterThan(0);
          for (const one of taken) {
            const succeeded = successes.pop() ?? true;
            if (succeeded) {
              out.push(one);
              line.remove(one.no);
            } else line.set({ ...one, nextAt: now + 5000 });
            line.done(one, succeeded, now);
          }
        }
        for (const subject of ['a', 'b', 'c']) {
          const numbers = out.filter((one) => one.subject === subject).map(({ no }) => no);
          expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
        }
        expect(out).toHaveLength(events.length);
      },
    ),
  );
});

test('what is on its way is not among what makes room', () => {
  const line = new WaitingLine();
  for (let no = 1; no <= 5; no++) line.set(event(no, `tag:${no}`));
  expect(line.take(0)?.no).toBe(1);
  expect(line.surplus(3, 10)).toEqual([2, 3]);
  expect(line.surplus(3, 1)).toEqual([2]);
  expect(line.surplus(5, 10)).toEqual([]);
});

test('a look through ten thousand subjects that all wait is not repeated before one is due', () => {
  const line = new WaitingLine();
  for (let no = 1; no <= 10_000; no++) line.set(event(no, `tag:${no}`, 1000));
  const began = performance.now();
  for (let now = 0; now < 1000; now++) expect(line.take(now)).toBeNull();
  expect(performance.now() - began).toBeLessThan(500);
  expect(line.take(1000)?.no).toBe(1);
});

test('another address, or being switched on, ends all pauses', () => {
  const line = new WaitingLine();
  line.set(event(1, 'tag:1', 3_600_000));
  for (let i = 0; i < 5; i++) line.done(event(1, 'tag:1'), false, 0);
  expect(line.take(1)).toBeNull();
  line.wake();
  expect(line.take(1)?.no).toBe(1);
});
