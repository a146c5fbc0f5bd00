import { describe, expect, test } from 'vitest';
import type { AssetEvent } from '../../src/contract/asset.ts';
import type { StrongestTag } from '../../src/contract/radio.ts';
import type { HubEvent } from '../../src/hub/live/batch.ts';
import { LivePlaces } from '../../src/hub/pages/assets/live-places.ts';
import { movesTogether } from '../../src/hub/pages/assets/moves.ts';
import { likeliest, signalOf } from '../../src/hub/pages/assets/signal.ts';

const at = (seconds: number) => new Date(Date.UTC(2026, 2, 1, 8, 0, seconds)).toISOString();
const read = (epc: string, seconds: number): HubEvent => ({
  type: 'tag_read',
  data: {
    ...{ epc, tagId: 't', readerId: 'r', antennaPort: 1, readCount: 1 },
    lastSeen: at(seconds),
    zoneName: 'Heard',
  },
});
const moved = (epc: string, seconds: number, zoneName: string): HubEvent => ({
  type: 'tag_moved',
  data: { epc, tagId: 't', toZoneId: `id of ${zoneName}`, zoneName, at: at(seconds) },
});

describe('live places', () => {
  test('only what is watched is kept, and it is forgotten with its last watcher', () => {
    const places = new LivePlaces();
    const stop = places.watch('A', () => undefined);
    places.take([moved('A', 1, 'Dock'), moved('B', 1, 'Dock')]);
    expect(places.get('A')).toMatchObject({ zoneName: 'Dock', since: at(1) });
    expect(places.get('B')).toBeUndefined();
    stop();
    expect(places.get('A')).toBeUndefined();
  });

  test('a read changes when it was seen, not where it is; reads in quick succession are one step', () => {
    const places = new LivePlaces();
    let told = 0;
    places.watch('A', () => {
      told += 1;
    });
    places.take([moved('A', 1, 'Dock')]);
    places.take([read('A', 2)]);
    places.take([read('A', 5)]);
    expect(told).toBe(1);
    places.take([read('A', 6), read('A', 7)]);
    expect(told).toBe(2);
    expect(places.get('A')).toEqual({
      zoneId: 'id of Dock',
      zoneName: 'Dock',
      since: at(1),
      lastSeenAt: at(6),
    });
  });
});

describe('the tag that is held to a reader', () => {
  const tag = (epc: string, rssiCdbm: number | null, isNew: boolean): StrongestTag => ({
    ...{ epc, tagId: epc, label: null, rssiCdbm, reads: 1, firstSeenAt: at(0), lastSeenAt: at(1) },
    ...{ targetType: null, isNew },
  });

  test('is the strongest new one, not the strongest', () => {
    expect(
      likeliest([tag('OLD', -3000, false), tag('FAR', -6500, true), tag('NEAR', -4000, true)], null),
    ).toBe('NEAR');
    expect(likeliest([tag('OLD', -3000, false)], null)).toBeNull();
    expect(likeliest([tag('A', null, true)], null)).toBe('A');
  });

  test('stays chosen when it is no longer new, when it is laid down, and when another is hardly stronger', () => {
    expect(likeliest([tag('A', -4000, false)], 'A')).toBe('A');
    expect(likeliest([], 'A')).toBe('A');
    expect(likeliest([tag('A', -4000, true), tag('B', -3800, true)], 'A')).toBe('A');
    expect(likeliest([tag('A', -4000, false), tag('B', -3500, true)], 'A')).toBe('B');
  });

  test('its strength has a word', () => {
    expect([-3000, -4500, -5999, -6001, null].map(signalOf)).toEqual([
      'strong',
      'strong',
      'good',
      'weak',
      'unknown',
    ]);
  });
});

describe('the history', () => {
  const entry = (kind: AssetEvent['kind'], seconds: number, zoneName: string): AssetEvent => ({
    ...{ id: zoneName, kind, occurredAt: at(seconds), meta: { zoneName } },
  });

  test('leaving and arriving at one moment is one move; at two they are two entries', () => {
    const enter = entry('zone_enter', 9, 'Dock');
    const exit = entry('zone_exit', 9, 'Shelf');
    const before = entry('zone_exit', 5, 'Yard');
    expect(movesTogether([enter, exit, before])).toEqual([
      { event: enter, from: 'Shelf' },
      { event: before },
    ]);
    expect(movesTogether([enter, before])).toEqual([{ event: enter }, { event: before }]);
  });
});
