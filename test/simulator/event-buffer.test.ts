import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEventBuffer } from '../../src/simulator/event-buffer.ts';

describe('the buffer of a reader', () => {
  it('behaves as a list that drops its oldest when full, and counts what it dropped', () => {
    const steps = fc.array(fc.oneof(fc.constant('take'), fc.constant('loss'), fc.constant('push')), {
      maxLength: 200,
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), steps, (capacity, steps) => {
        const buffer = createEventBuffer(capacity);
        const model: string[] = [];
        const dropped: string[] = [];
        let told = 0;
        for (const [at, step] of steps.entries()) {
          if (step === 'push') {
            buffer.push(String(at));
            model.push(String(at));
            if (model.length > capacity) dropped.push(model.shift() ?? '');
          } else if (step === 'take') {
            expect(buffer.take()).toBe(model.shift());
          } else {
            const lost = dropped.slice(told);
            told = dropped.length;
            const loss = { first: lost[0], last: lost.at(-1), purged: lost.length, remaining: model.length };
            expect(buffer.hasLoss()).toBe(lost.length > 0);
            expect(buffer.takeLoss()).toEqual(lost.length === 0 ? undefined : loss);
          }
          expect([buffer.size(), buffer.purged()]).toEqual([model.length, dropped.length]);
        }
      }),
    );
  });
});
