import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { decodeEvents, decodeStatus } from '../../src/ingest/decode.ts';

const folder = join(import.meta.dirname, '../corpus/json-parsing');
const files = readdirSync(folder).map((name) => ({ name, payload: readFileSync(join(folder, name)) }));
const naughty: readonly string[] = JSON.parse(
  readFileSync(new URL('../corpus/blns.json', import.meta.url), 'utf8'),
);
const named = (prefix: string) => files.filter(({ name }) => name.startsWith(prefix));

const notJson = /not JSON|not UTF-8|is empty|levels deep/;

describe('public JSON parsing corpus', () => {
  test('the corpus is there', () => {
    expect([named('y_').length, named('n_').length, named('i_').length]).toEqual([95, 188, 35]);
  });

  test.each(named('y_'))('$name is read as JSON', ({ payload }) => {
    const { rejections, otherEvents, rejectedCount } = decodeEvents(payload);
    expect(rejections.filter(({ reason }) => notJson.test(reason))).toEqual([]);
    expect(otherEvents + rejectedCount).toBeGreaterThan(0);
    expect(decodeStatus(payload).kind).toMatch(/^(text|other)$/);
  });

  test.each(named('n_'))('$name is rejected as an event', ({ payload }) => {
    const { reads, rejectedCount } = decodeEvents(payload);
    expect(reads).toEqual([]);
    expect(rejectedCount).toBeGreaterThan(0);
    expect(decodeStatus(payload).kind).toMatch(/^(text|rejected)$/);
  });

  test.each(named('i_'))('$name is either, without harm', ({ payload }) => {
    expect(decodeEvents(payload).reads).toEqual([]);
    expect(decodeStatus(payload).kind).toMatch(/^(text|other|rejected)$/);
  });
});

describe('naughty strings', () => {
  const inEveryText = (text: string) => [
    {
      timestamp: text,
      hostname: text,
      eventType: text,
      tagInventoryEvent: { epcHex: '3034257BF7194E4000001A85', antennaName: text, lastSeenTime: text },
    },
    { type: text, timestamp: text, data: { idHex: '3034257bf7194e4000001a85', format: text } },
    { epc: '3034257BF7194E4000001A85', timestamp: text, [text]: text },
    { inventoryStatusEvent: { inventoryStatus: text } },
  ];

  test('beside an EPC they cost no read', () => {
    const lost = naughty.filter(
      (text) => decodeEvents(Buffer.from(JSON.stringify(inEveryText(text)))).reads.length !== 3,
    );
    // A key of one of these names is not beside the EPC: it says what the event is.
    expect(lost.filter((text) => !['epc', 'data', 'reads'].includes(text))).toEqual([]);
  });

  test('in the place of an EPC they are rejected in one printable line, or are hexadecimal', () => {
    const shapes = (text: string) => [
      { tagInventoryEvent: { epcHex: text } },
      { tagInventoryEvent: { epc: text } },
      { type: 'SIMPLE', data: { idHex: text } },
      { epc: text },
    ];
    for (const text of naughty) {
      const { reads, rejections, rejectedCount } = decodeEvents(Buffer.from(JSON.stringify(shapes(text))));
      expect(reads.length + rejectedCount).toBe(4);
      for (const { epc } of reads) expect(epc).toMatch(/^[0-9A-F]{8,64}$/);
      for (const { reason } of rejections) expect(reason).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
    }
  });

  test('as a status they are text, or JSON that is no health', () => {
    for (const text of naughty)
      expect(decodeStatus(Buffer.from(text)).kind).toMatch(/^(text|other|rejected)$/);
  });

  test('as health texts they are kept whole or dropped by name', () => {
    for (const text of naughty) {
      const status = decodeStatus(Buffer.from(JSON.stringify({ type: 'health', model: text })));
      if (status.kind !== 'health') throw new Error(`a health message became ${status.kind}`);
      expect(status.health.model ?? status.dropped.join()).toSatisfy(
        (shown: string) => shown === text || shown.startsWith('model is "'),
      );
    }
  });
});
