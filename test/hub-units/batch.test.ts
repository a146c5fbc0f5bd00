import { describe, expect, test } from 'vitest';
import { BATCH_MAX, Collector, type HubEvent } from '../../src/hub/live/batch.ts';

const moved = (no: number): HubEvent => ({
  type: 'tag_moved',
  data: {
    tagId: String(no),
    epc: 'ABCD0001',
    toZoneId: 'z',
    zoneName: 'Dock',
    at: '2026-01-01T00:00:00.000Z',
  },
});

describe('events between two frames', () => {
  test('are told once, in their order', () => {
    const collector = new Collector();
    expect(collector.take()).toBeNull();
    for (let no = 0; no < 500; no++) collector.add(moved(no));
    const batch = collector.take();
    expect(batch?.events.map(({ data }) => data.tagId)).toEqual(
      Array.from({ length: 500 }, (_, no) => String(no)),
    );
    expect(batch?.gap).toBe(false);
    expect(collector.take()).toBeNull();
  });

  test('over the limit are left out, which is told as a gap, once', () => {
    const collector = new Collector();
    for (let no = 0; no < BATCH_MAX + 7; no++) collector.add(moved(no));
    const batch = collector.take();
    expect(batch?.events).toHaveLength(BATCH_MAX);
    expect(batch?.gap).toBe(true);
    collector.add(moved(1));
    expect(collector.take()?.gap).toBe(false);
  });

  test('that were missed are told also when none came', () => {
    const collector = new Collector();
    collector.miss();
    expect(collector.take()).toEqual({ events: [], gap: true });
  });
});
