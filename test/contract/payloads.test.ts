import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import {
  healthSchema,
  plainReadSchema,
  r700ReadSchema,
  zebraReadSchema,
} from '../../src/contract/payloads.ts';
import { decodeEvents, decodeStatus } from '../../src/ingest/decode.ts';

const hex = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'0123456789abcdefABCDEF'), maxLength: 66 }),
  fc.constantFrom('3034257BF7194E4000001A85', '3034257G', '1234567', '12345678', '1234567ﬀ', ''),
);
const base64 = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'AZaz09+/-_='), maxLength: 46 }),
  fc.uint8Array({ maxLength: 34 }).map((epc) => Buffer.from(epc).toString('base64url')),
);
const junk = fc.constantFrom(undefined, null, true, {}, [], '', 'x', 0, -0, 1.5, -1, 1e300);
const port = fc.oneof(junk, fc.integer({ min: -1, max: 6 }));
const count = fc.oneof(junk, fc.integer({ min: -1, max: 3 }), fc.constantFrom(1_000_000, 1_000_001));
const rssi = fc.oneof(junk, fc.integer({ min: -16_000, max: 100 }));
const time = fc.oneof(junk, fc.constantFrom('2026-03-02T09:15:37Z', '2026-02-30T09:15:37Z'));
const maybe = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 4, arbitrary: value }, { weight: 1, arbitrary: junk });

const body = fc.record(
  { epc: maybe(base64), epcHex: maybe(hex), antennaPort: port, peakRssiCdbm: rssi, lastSeenTime: time },
  { requiredKeys: [] },
);
const tag = fc.record(
  { idHex: maybe(hex), antenna: port, peakRssi: rssi, reads: count },
  { requiredKeys: ['idHex'] },
);
const families: [string, z.ZodType, fc.Arbitrary<unknown>][] = [
  // null stands for an event without the key, which is then no tag event at all
  [
    'R700 event',
    r700ReadSchema,
    fc.record({
      timestamp: time,
      tagInventoryEvent: fc.oneof(
        body,
        body,
        junk.map((any) => any ?? 0),
      ),
    }),
  ],
  [
    'Zebra tag data',
    zebraReadSchema,
    fc.record({
      type: fc.constant('INVENTORY'),
      timestamp: time,
      data: fc.oneof(
        tag,
        tag,
        junk.map((any) => (Array.isArray(any) ? 0 : (any ?? 0))),
      ),
    }),
  ],
  [
    'plain read',
    plainReadSchema,
    fc.record(
      { epc: maybe(hex).map((epc) => epc ?? 0), antennaPort: port, rssiCdbm: rssi, timestamp: time, count },
      { requiredKeys: ['epc'] },
    ),
  ],
];

describe.each(families)('%s', (_, schema, events) => {
  test('the schema takes exactly what the decoder takes', () => {
    fc.assert(
      fc.property(events, (event) => {
        const json = JSON.stringify(event);
        const { reads, rejectedCount } = decodeEvents(Buffer.from(json));
        const taken = schema.safeParse(JSON.parse(json)).success;
        expect([reads.length, rejectedCount]).toEqual(taken ? [1, 0] : [0, 1]);
      }),
      { numRuns: 1000 },
    );
  });
});

test('a health message without a figure to drop is what the health schema takes', () => {
  const figures = fc.record(
    {
      at: time,
      radio: fc.constantFrom('running', 'on'),
      temperatureC: fc.integer({ min: -100, max: 200 }),
      cpuPercent: maybe(fc.integer({ min: 0, max: 101 })),
      model: fc.string(),
      commands: maybe(fc.boolean()),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(figures, (sent) => {
      const said = Object.fromEntries(
        Object.entries(sent).filter(([, value]) => value !== null && value !== undefined),
      );
      const message = JSON.parse(JSON.stringify({ type: 'health', ...said }));
      const status = decodeStatus(Buffer.from(JSON.stringify(message)));
      const parsed = healthSchema.safeParse(message);
      if (status.kind !== 'health') throw new Error(`a health message became ${status.kind}`);
      expect(status.dropped.length === 0).toBe(parsed.success);
      if (parsed.success) expect(status.health).toEqual(parsed.data);
    }),
  );
});
