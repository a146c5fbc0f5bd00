import { describe, expect, it } from 'vitest';
import {
  antennaEvent,
  hostnameOf,
  inventoryStatusEvent,
  overflowEvent,
  type TimedRead,
  tagInventoryEvent,
} from '../../src/simulator/r700-event.ts';

const tickAt = Date.parse('2026-03-02T09:15:37.400Z');
const read: TimedRead = {
  serial: 'R1',
  port: 3,
  tag: 0,
  epcHex: '3034257BF7194E4000001A85',
  rssiCdbm: -6150,
  frequency: 866_900,
  phaseAngle: 208.8,
  offsetMs: 12.5,
  tickAt,
};

describe('a tagInventory event', () => {
  it('is, in the minimal format, byte for byte what a reader with default settings sends: 201 bytes', () => {
    const event = tagInventoryEvent(read, { format: 'minimal' });
    expect(event).toBe(
      '{"timestamp":"2026-03-02T09:15:37.412500000Z","eventType":"tagInventory","tagInventoryEvent":' +
        '{"epc":"MDQle_cZTkAAABqF","antennaPort":3,"peakRssiCdbm":-6150,"frequency":866900,"transmitPowerCdbm":3000}}',
    );
    expect(Buffer.byteLength(event)).toBe(201);
  });

  it('has, in the full format, every optional field, the host name and the time the tag was seen', () => {
    const event: unknown = JSON.parse(
      tagInventoryEvent(read, { format: 'full', hostname: 'impinj-1a-2b-3c' }),
    );
    expect(event).toEqual({
      timestamp: '2026-03-02T09:15:37.412500000Z',
      hostname: 'impinj-1a-2b-3c',
      eventType: 'tagInventory',
      tagInventoryEvent: {
        epc: 'MDQle_cZTkAAABqF',
        epcHex: '3034257BF7194E4000001A85',
        tid: Buffer.from('E2801170F7194E4000001A85', 'hex').toString('base64url'),
        tidHex: 'E2801170F7194E4000001A85',
        pc: 'MAA=',
        antennaPort: 3,
        antennaName: 'antenna-3',
        peakRssiCdbm: -6150,
        frequency: 866_900,
        transmitPowerCdbm: 3000,
        lastSeenTime: '2026-03-02T09:15:37.398500Z',
        phaseAngle: 208.8,
      },
    });
  });

  it('comes without eventType when the firmware is old', () => {
    const event: unknown = JSON.parse(tagInventoryEvent(read, { format: 'minimal', eventType: false }));
    expect(Object.keys(Object(event))).toEqual(['timestamp', 'tagInventoryEvent']);
  });

  it('keeps nanoseconds and carries whole milliseconds over midnight', () => {
    const late = { ...read, tickAt: Date.parse('2026-12-31T23:59:59.999Z'), offsetMs: 1.0000015 };
    expect(tagInventoryEvent(late, { format: 'minimal' })).toContain('"2027-01-01T00:00:00.000000001Z"');
    const rounding = { ...read, offsetMs: 0.9999999 };
    expect(tagInventoryEvent(rounding, { format: 'minimal' })).toContain('"2026-03-02T09:15:37.400999999Z"');
  });
});

describe('the other events of a reader', () => {
  it('say the inventory status under the key that readers use', () => {
    expect(inventoryStatusEvent('running', tickAt)).toBe(
      '{"timestamp":"2026-03-02T09:15:37.400000000Z","eventType":"inventoryStatus","inventoryStatusEvent":{"inventoryStatus":"running"}}',
    );
  });

  it('tell which antenna came or went', () => {
    const events = [true, false].map((connected) => antennaEvent({ port: 2, connected }, tickAt));
    expect(events[0]).toContain('"antennaConnectedEvent":{"antennaPort":2}');
    expect(events[1]).toContain('"eventType":"antennaDisconnected"');
  });

  it('tell which events were purged', () => {
    const [first, last] = [12.5, 99].map((offsetMs) =>
      tagInventoryEvent({ ...read, offsetMs }, { format: 'minimal' }),
    );
    const loss = { first: first ?? '', last: last ?? '', purged: 7, remaining: 3 };
    expect(JSON.parse(overflowEvent(loss, tickAt + 1000))).toEqual({
      timestamp: '2026-03-02T09:15:38.400000000Z',
      eventType: 'overflow',
      overflowEvent: {
        firstEventTimestamp: '2026-03-02T09:15:37.412500000Z',
        lastEventTimestamp: '2026-03-02T09:15:37.499000000Z',
        eventsPurged: 7,
        eventsRemaining: 3,
      },
    });
  });

  it('carry the factory host name of the reader, its own for every serial', () => {
    expect(hostnameOf('R1')).toMatch(/^impinj-[0-9a-f]{2}-[0-9a-f]{2}-[0-9a-f]{2}$/);
    expect(hostnameOf('R1')).not.toBe(hostnameOf('R2'));
  });
});
