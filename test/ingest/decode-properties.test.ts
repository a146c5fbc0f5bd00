import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TagRead } from '../../src/domain/read.ts';
import { decodeEvents, decodeStatus } from '../../src/ingest/decode.ts';

const decodeJson = (value: unknown) => decodeEvents(Buffer.from(JSON.stringify(value)));

const wholeBytes = fc
  .uint8Array({ minLength: 4, maxLength: 32 })
  .map((epc) => Buffer.from(epc).toString('hex').toUpperCase());
const readerAt = fc.integer({ min: 0, max: Date.UTC(2100, 0, 1) });
/** Reads that every family can carry: whole bytes of EPC, whole dBm, whole milliseconds. */
const tagRead: fc.Arbitrary<TagRead> = fc.record({
  epc: wholeBytes,
  antennaPort: fc.option(fc.integer({ min: 1, max: 4 })),
  rssiCdbm: fc.option(fc.integer({ min: -150, max: 0 }).map((dbm) => dbm * 100)),
  readerAt: fc.option(readerAt),
  count: fc.constant(1),
});
const count = fc.integer({ min: 1, max: 1_000_000 });
const isoOf = (ms: number | null) => (ms === null ? undefined : new Date(ms).toISOString());

const families: Record<string, (read: TagRead) => unknown> = {
  'R700 base64url': ({ epc, antennaPort, rssiCdbm, readerAt }) => ({
    timestamp: isoOf(readerAt),
    tagInventoryEvent: {
      epc: Buffer.from(epc, 'hex').toString('base64url'),
      antennaPort,
      peakRssiCdbm: rssiCdbm,
    },
  }),
  'R700 base64 with padding': ({ epc, antennaPort, rssiCdbm, readerAt }) => ({
    timestamp: isoOf(readerAt),
    tagInventoryEvent: {
      epc: Buffer.from(epc, 'hex').toString('base64'),
      antennaPort,
      peakRssiCdbm: rssiCdbm,
    },
  }),
  'R700 epcHex': ({ epc, antennaPort, rssiCdbm, readerAt }) => ({
    timestamp: '2001-01-01T00:00:00Z',
    tagInventoryEvent: {
      epcHex: epc,
      antennaPort,
      peakRssiCdbm: rssiCdbm,
      lastSeenTime: isoOf(readerAt ?? Date.UTC(2001, 0, 1)),
    },
  }),
  Zebra: ({ epc, antennaPort, rssiCdbm, readerAt, count: reads }) => ({
    type: 'INVENTORY',
    timestamp: isoOf(readerAt)?.replace('Z', '+0000'),
    data: {
      format: 'epc',
      idHex: epc.toLowerCase(),
      antenna: antennaPort,
      peakRssi: rssiCdbm === null ? null : rssiCdbm / 100,
      reads,
    },
  }),
  plain: ({ readerAt, ...read }) => ({ ...read, timestamp: isoOf(readerAt) }),
};

describe.each(Object.entries(families))('reads written as %s', (family, write) => {
  const counted = family.startsWith('R700')
    ? tagRead
    : fc.tuple(tagRead, count).map(([read, reads]) => ({ ...read, count: reads }));

  test('come back the same, alone, in a list, in an object and one per line', () => {
    fc.assert(
      fc.property(fc.array(counted, { minLength: 1, maxLength: 5 }), (reads) => {
        const expected = reads.map((read) =>
          family === 'R700 epcHex' ? { ...read, readerAt: read.readerAt ?? Date.UTC(2001, 0, 1) } : read,
        );
        const events = reads.map(write);
        expect(decodeJson(events[0]).reads).toEqual([expected[0]]);
        for (const message of [events, { events }]) expect(decodeJson(message).reads).toEqual(expected);
        const lines = events.map((event) => JSON.stringify(event)).join('\r\n');
        expect(decodeEvents(Buffer.from(lines)).reads).toEqual(expected);
      }),
    );
  });
});

describe('whatever arrives', () => {
  const key = fc.constantFrom(
    'tagInventoryEvent',
    'inventoryStatusEvent',
    'status',
    'events',
    'reads',
    'epc',
    'epcHex',
    'data',
    'idHex',
    'type',
    'antenna',
    'antennaPort',
    'count',
    'peakRssi',
    'rssiCdbm',
    'timestamp',
    'lastSeenTime',
    '__proto__',
    'constructor',
    'temperatureC',
    'at',
    'model',
  );
  const scalar = fc.oneof(
    fc.constantFrom(
      '3034257BF7194E4000001A85',
      'MDQle_cZTkAAABqF',
      'SIMPLE',
      'health',
      'running',
      '2026-03-02T09:15:37Z',
      1,
      4,
      5,
      -5500,
      null,
    ),
    fc.string(),
    fc.double(),
    fc.boolean(),
  );
  const likeEvents = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      scalar,
      fc.array(tie('any'), { maxLength: 4 }),
      fc.dictionary(key, tie('any'), { maxKeys: 5, noNullPrototype: true }),
    ),
  })).any;

  test('arbitrary bytes never throw and always have an outcome', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (payload) => {
        const { reads, otherEvents, rejectedCount } = decodeEvents(payload);
        expect(reads.length + otherEvents + rejectedCount).toBeGreaterThan(0);
        expect(decodeStatus(payload).kind).toMatch(/^(text|health|other|rejected)$/);
      }),
    );
  });

  test('arbitrary JSON never throws, and what comes out is within the limits', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), likeEvents), (value) => {
        const decoded = decodeJson(value ?? null);
        expect(decoded.rejections.length).toBe(Math.min(20, decoded.rejectedCount));
        for (const read of decoded.reads) {
          expect(read.epc).toMatch(/^[0-9A-F]{8,64}$/);
          expect([null, 1, 2, 3, 4]).toContain(read.antennaPort);
          expect(read.count).toSatisfy((n: number) => Number.isInteger(n) && n >= 1 && n <= 1_000_000);
          expect(read.rssiCdbm ?? 0).toSatisfy(
            (n: number) => Object.is(n, Math.trunc(n)) && n >= -15_000 && n <= 0 && !Object.is(n, -0),
          );
          expect(read.readerAt ?? 0).toBeGreaterThanOrEqual(0);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('every item of a list is a read, another event or a rejection', () => {
    const item = fc.oneof(scalar, fc.dictionary(key, scalar, { maxKeys: 5 }));
    fc.assert(
      fc.property(fc.array(item, { minLength: 1, maxLength: 40 }), (items) => {
        const { reads, otherEvents, rejectedCount } = decodeJson(items);
        expect(reads.length + otherEvents + rejectedCount).toBe(items.length);
      }),
    );
  });

  test('the outcome of a list is that of its items one by one', () => {
    const item = fc.dictionary(
      key.filter((name) => name !== 'events'),
      likeEvents,
      { maxKeys: 4 },
    );
    fc.assert(
      fc.property(fc.array(item, { minLength: 1, maxLength: 10 }), (items) => {
        const apart = items.map((one) => decodeJson([one]));
        const together = decodeJson(items);
        expect(together.reads).toEqual(apart.flatMap(({ reads }) => reads));
        expect(together.rejectedCount).toBe(apart.reduce((sum, { rejectedCount }) => sum + rejectedCount, 0));
        expect(together.otherEvents).toBe(apart.reduce((sum, { otherEvents }) => sum + otherEvents, 0));
      }),
    );
  });

  test('a cut-off message never throws', () => {
    const whole = Buffer.from(
      '\ufeff[{"timestamp":"2026-03-02T09:15:37Z","tagInventoryEvent":{"epc":"MDQle_cZTkAAABqF","antennaName":"Tür"}}]\n',
    );
    const cut = Array.from({ length: whole.length - 2 }, (_, end) => decodeEvents(whole.subarray(0, end)));
    expect(cut.every(({ reads, rejectedCount }) => reads.length === 0 && rejectedCount === 1)).toBe(true);
  });
});
