import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LiveEvent } from '../../src/contract/events.ts';
import { frameOf } from '../../src/live/frame.ts';
import { codePoint } from '../support/code-point.ts';
import { strictParser } from '../support/http-sse.ts';
import { read as readOf } from './sinks.ts';

const read = (readCount: number, label: string): LiveEvent => readOf('AA', { readCount, label });

describe('frames', () => {
  const naughty = [
    'a\r\nb',
    '\r',
    '\n\n',
    'data: x\n\nevent: y',
    '\0',
    '\u2028\u2029',
    '\ud800',
    '😀',
    '"\\',
    '__proto__',
    '',
  ];
  test.each(naughty)('the label %j stays inside its frame', (label) => {
    const [event, ...more] = strictParser().push(Buffer.from(frameOf(read(1, label))));
    expect(more).toEqual([]);
    expect(event).toEqual({ type: 'tag_read', data: read(1, label).data });
  });

  test('whatever strings labels and attributes hold, frames come through one by one, cut anywhere', () => {
    const text = fc.string({ unit: codePoint });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(text, fc.dictionary(text, text))),
        fc.integer({ min: 1, max: 50 }),
        (items, cut) => {
          const events = items.map(([label, attrs]): LiveEvent => {
            const event = read(1, label);
            return event.type === 'tag_read' ? { ...event, data: { ...event.data, attrs } } : event;
          });
          const bytes = Buffer.from(events.map(frameOf).join(''));
          const parser = strictParser();
          const got = [];
          for (let at = 0; at < bytes.length; at += cut)
            got.push(...parser.push(bytes.subarray(at, at + cut)));
          expect(got).toEqual(
            events.map(({ type, data }) => ({ type, data: JSON.parse(JSON.stringify(data)) })),
          );
        },
      ),
      { numRuns: 40 },
    );
  });
});
