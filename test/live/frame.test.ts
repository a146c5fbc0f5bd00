import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LiveEvent, TagReadEvent } from '../../src/contract/events.ts';
import { frameOf } from '../../src/live/frame.ts';
import { codePoint } from '../support/code-point.ts';

// A list of strings, from the repository's own corpus.
const naughty = JSON.parse(readFileSync('test/corpus/blns.json', 'utf8')) as readonly string[];

const text = fc.oneof(
  fc.string({ unit: codePoint }),
  fc.constantFrom(...naughty),
  fc.constantFrom('Pallet 17', 'a"b', '\\', 'x\ny', '\r', '\u2028', '\ud800', '\0', '__proto__', ''),
);
const orAbsent = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const value = fc.oneof(text, fc.boolean(), fc.double({ noNaN: true, noDefaultInfinity: true }));
const attributes = fc.array(fc.tuple(text, value)).map((entries) => Object.fromEntries(entries));

// In the order of their declaration, as they are made.
const tagRead: fc.Arbitrary<TagReadEvent> = fc
  .tuple(
    fc.tuple(text, text, orAbsent(text), orAbsent(attributes), text),
    fc.tuple(orAbsent(text), orAbsent(text), orAbsent(fc.integer()), fc.nat(4), fc.nat()),
  )
  .map(([[epc, tagId, label, attrs, readerId], [zoneId, zoneName, rssiCdbm, antennaPort, readCount]]) => {
    const place = { readerId, antennaPort, zoneId, zoneName, rssiCdbm };
    // What is absent is undefined, as ingest makes it.
    return {
      epc,
      tagId,
      label,
      attrs,
      ...place,
      lastSeen: '2026-03-01T12:00:00.000Z',
      readCount,
    } as TagReadEvent;
  });

const moved = fc.record({ epc: text, label: orAbsent(text), zoneName: text, at: text });
const event = fc.oneof(
  { weight: 4, arbitrary: tagRead.map((data) => ({ type: 'tag_read', data }) as LiveEvent) },
  { weight: 1, arbitrary: moved.map((data) => ({ type: 'tag_moved', data }) as unknown as LiveEvent) },
);

describe('a frame', () => {
  test('carries just what JSON.stringify makes of the event, whatever its strings hold', () => {
    fc.assert(
      fc.property(event, (one) => {
        expect(frameOf(one)).toBe(`event: ${one.type}\ndata: ${JSON.stringify(one.data)}\n\n`);
      }),
      { numRuns: 1000 },
    );
  });

  test('is the same again for other events with the same attributes', () => {
    fc.assert(
      fc.property(tagRead, attributes, fc.nat(), (data, attrs, readCount) => {
        for (const one of [
          { ...data, attrs },
          { ...data, attrs, readCount },
        ]) {
          const frame = frameOf({ type: 'tag_read', data: one });
          expect(frame).toBe(`event: tag_read\ndata: ${JSON.stringify(one)}\n\n`);
        }
      }),
    );
  });
});
