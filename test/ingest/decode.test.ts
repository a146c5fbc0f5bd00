import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { TagRead } from '../../src/domain/read.ts';
import { decodeEvents, decodeStatus } from '../../src/ingest/decode.ts';
import { parseInstant } from '../../src/lib/instant.ts';

interface EventsCase {
  readonly title: string;
  readonly payload: unknown;
  readonly reads: readonly (Omit<TagRead, 'readerAt'> & { readonly readerAt: string | null })[];
  readonly otherEvents: number;
  readonly radio: string | null;
  readonly reasons: readonly string[];
}

interface StatusCase {
  readonly title: string;
  readonly payload: unknown;
  readonly expect: unknown;
}

/** The cases of one payload family; the caller names their type, the corpus README describes it. */
function casesOf<Case>(family: string): readonly Case[] {
  const file = new URL(`../corpus/payloads/${family}.ndjson`, import.meta.url);
  return readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

function bytes(payload: unknown): Buffer {
  return Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload));
}

describe.each(['r700', 'zebra', 'plain'])('decodeEvents, %s', (family) => {
  test.each(casesOf<EventsCase>(family))('$title', ({ payload, reads, otherEvents, radio, reasons }) => {
    expect(decodeEvents(bytes(payload))).toEqual({
      reads: reads.map((read) => ({
        ...read,
        readerAt: read.readerAt === null ? null : parseInstant(read.readerAt),
      })),
      otherEvents,
      radio,
      rejections: reasons.map((reason) => ({ reason })),
      rejectedCount: reasons.length,
    });
  });
});

describe('decodeStatus', () => {
  test.each(casesOf<StatusCase>('status'))('$title', ({ payload, expect: expected }) => {
    expect(decodeStatus(bytes(payload))).toEqual(expected);
  });

  test('text that begins like JSON and is none is rejected with a reason', () => {
    expect(decodeStatus(Buffer.from('{"type":"health",'))).toMatchObject({
      kind: 'rejected',
      reason: expect.stringMatching(/^not JSON: /),
    });
  });

  test('bytes that are not UTF-8 are rejected', () => {
    expect(decodeStatus(Buffer.from([0xff, 0x41]))).toEqual({
      kind: 'rejected',
      reason: 'the message is not UTF-8 text',
    });
  });
});

describe('limits of one message', () => {
  const minimal = '{"epc":"3034257BF7194E4000001A85"}';

  test('the first 20 reasons are kept, all rejections counted', () => {
    const { rejections, rejectedCount } = decodeEvents(bytes(Array.from({ length: 50 }, (_, at) => at)));
    expect(rejections).toHaveLength(20);
    expect(rejections[19]?.reason).toBe('item 20: an event is 19; an object is expected');
    expect(rejectedCount).toBe(50);
  });

  test('thousands of reads in one message are taken', () => {
    expect(decodeEvents(bytes(`[${Array(7000).fill(minimal).join()}]`)).reads).toHaveLength(7000);
  });

  test('after 100 broken lines the rest of the message is rejected unread, as one', () => {
    const { reads, rejectedCount, rejections } = decodeEvents(
      bytes(`${minimal}\n${'{\n'.repeat(100)}${minimal}\n`),
    );
    expect([reads.length, rejectedCount]).toEqual([1, 101]);
    expect(rejections[0]?.reason).toMatch(/^line 2: not JSON: /);
  });

  test('a broken line leaves the lines around it alone', () => {
    const { reads, rejectedCount } = decodeEvents(bytes(`${minimal}\n{"epc":"3034\n${minimal}`));
    expect([reads.length, rejectedCount]).toEqual([2, 1]);
  });

  test.each([
    ['lists', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
    ['open lists', '['.repeat(100_000)],
    ['an open list in a read', `{"epc":${'['.repeat(100_000)}`],
  ])('100,000 levels of %s are rejected', (_, text) => {
    const { rejections, rejectedCount } = decodeEvents(bytes(text));
    expect([rejections[0]?.reason, rejectedCount]).toEqual(['nested more than 64 levels deep', 1]);
    expect(decodeStatus(bytes(text)).kind).toBe('rejected');
  });

  test('levels under an unknown key of a short message do no harm', () => {
    const { reads } = decodeEvents(bytes(`{"x":${'['.repeat(9000)}${']'.repeat(9000)},${minimal.slice(1)}`));
    expect(reads).toHaveLength(1);
  });

  test('a view into a larger buffer is read from its own bytes only', () => {
    const whole = new TextEncoder().encode(`xx${minimal}yy`);
    expect(decodeEvents(whole.subarray(2, -2)).reads).toHaveLength(1);
  });

  test('bytes that are not UTF-8 are rejected', () => {
    const { rejections } = decodeEvents(Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d]));
    expect(rejections).toEqual([{ reason: 'the message is not UTF-8 text' }]);
  });

  test('EPCs in base64 stay right when more tags come by than are kept', () => {
    const epcOf = (tag: number) => Buffer.from(`tag ${String(tag).padStart(8, '0')}`);
    const wrong: number[] = [];
    for (let tag = 0; tag < 40_000; tag++) {
      const epc = epcOf(tag % 20_000);
      const { reads } = decodeEvents(bytes({ tagInventoryEvent: { epc: epc.toString('base64url') } }));
      if (reads[0]?.epc !== epc.toString('hex').toUpperCase()) wrong.push(tag);
    }
    expect(wrong).toEqual([]);
  });
});
