import { describe, expect, test } from 'vitest';
import { epcOf } from '../../scripts/bench/fleet.ts';
import { resultIn } from '../../scripts/faults/slow-http-test.ts';
import { chartOf, part, type Sample, spread, tableOf } from '../../scripts/faults/soak-chart.ts';
import { SoakLedger } from '../../scripts/faults/soak-ledger.ts';
import { StreamTally } from '../../scripts/faults/stopped-consumers-stream.ts';

describe('the record of what was acknowledged', () => {
  const listed = (tag: number, firstAt: number, lastAt: number) => ({
    ...{ id: String(tag), epc: epcOf(tag), zoneName: null },
    ...{ firstSeenAt: new Date(firstAt).toISOString(), lastSeenAt: new Date(lastAt).toISOString() },
  });

  test('finds a tag that is gone, one that fell back, one that began late and one listed twice', () => {
    const ledger = new SoakLedger(5);
    const reads = [0, 1, 2, 3].map((tag) => ledger.next(tag));
    for (const read of reads) ledger.took(read);
    const at = reads.map((read) => read.at);
    const tags = [
      listed(1, at[1] ?? 0, (at[1] ?? 0) - 1),
      listed(2, (at[2] ?? 0) + 1, (at[2] ?? 0) + 1),
      listed(3, at[3] ?? 0, at[3] ?? 0),
      listed(3, at[3] ?? 0, at[3] ?? 0),
    ];
    expect(ledger.faultsIn(tags)).toEqual([
      '1 tags are listed twice',
      expect.stringContaining('was acknowledged and is gone'),
      expect.stringContaining('before what was acknowledged'),
      expect.stringContaining('first seen after what was acknowledged'),
    ]);
  });

  test('has nothing against tags that were read again or never acknowledged', () => {
    const ledger = new SoakLedger(2);
    const first = ledger.next(0);
    const second = ledger.next(0);
    ledger.took(first);
    ledger.next(1);
    expect(second.at).toBeGreaterThan(first.at);
    expect(ledger.faultsIn([listed(0, first.at, second.at)])).toEqual([]);
    expect(ledger.acknowledged).toBe(1);
  });
});

describe('what a consumer heard', () => {
  const heard = (text: string) => {
    const tally = new StreamTally();
    for (const line of text.split('\n')) tally.take(line);
    return tally.heard();
  };
  const event = (no: number): string => `id: abc-${no}\nevent: tag_read\ndata: {}\n\n`;
  const hello = 'event: hello\ndata: {}\n\n: \nid: abc-4\n\n';

  test('events in a row after the position the stream began at have no gap', () => {
    expect(heard(hello + event(5) + event(6))).toMatchObject({ reads: 2, events: 2, gapsInSilence: 0 });
  });

  test('a gap without resync is one in silence, and with it is not', () => {
    expect(heard(hello + event(5) + event(9))).toMatchObject({ gapsInSilence: 1, resyncs: 0 });
    const told = heard(`${hello}${event(5)}event: resync\ndata: {}\n\n${event(9)}${event(10)}`);
    expect(told).toMatchObject({ gapsInSilence: 0, resyncs: 1, sinceResync: 2, reads: 3 });
  });
});

describe('what a soak prints', () => {
  test('a list is thinned evenly, its ends stay', () => {
    expect(spread([1, 2, 3], 5)).toEqual([1, 2, 3]);
    expect(
      spread(
        Array.from({ length: 101 }, (_, nth) => nth),
        5,
      ),
    ).toEqual([0, 25, 50, 75, 100]);
  });

  test('sixths are of one size and leave nothing out', () => {
    const all = Array.from({ length: 12 }, (_, nth) => nth);
    expect(part(all, 2, 6)).toEqual([2, 3]);
    expect([1, 2, 3, 4, 5, 6].flatMap((nth) => part(all, nth, 6))).toEqual(all);
  });

  test('the table has twelve rows and the chart the highest value at its top', () => {
    const sample = (nth: number): Sample => ({
      ...{ seconds: nth * 10, megabytes: nth, heapMb: 1, externalMb: 1, storeMb: 1 },
      ...{ descriptors: 30, loopP99Ms: 1, reads: nth },
    });
    const samples = Array.from({ length: 360 }, (_, nth) => sample(nth));
    expect(tableOf(samples)).toHaveLength(13);
    const [title, top, ...rest] = chartOf(
      'memory',
      samples.map(({ megabytes }) => megabytes),
    );
    expect(title).toBe('memory');
    expect(top).toMatch(/^ {3}359 \| +#+$/);
    expect(rest.at(-1)).toMatch(/^ {5}0 \+-{60}$/);
  });
});

describe('what slowhttptest says', () => {
  test('the last status counts, whatever its colours', () => {
    const status = (closed: number) =>
      `\u001b[1;32mpending:             \u001b[1;32m2\n\u001b[1;32mconnected:           \u001b[1;32m183\n` +
      `\u001b[1;32merror:               \u001b[1;32m0\n\u001b[1;32mclosed:              \u001b[1;32m${closed}\n`;
    expect(resultIn(status(0) + status(17))).toEqual({ connected: 183, failed: 0, closed: 17 });
  });

  test('an attack whose last connection was closed ends without another status', () => {
    const output = 'connected:           100\nerror:               0\nclosed:              3\n';
    const end = 'Test ended on 12th second\nExit status:\u001b[1;36m No open connections left\n';
    expect(resultIn(output + end)).toEqual({ connected: 0, failed: 0, closed: 103 });
  });

  test('without a status there is no result', () => {
    expect(resultIn('slowhttptest: no such option')).toBeNull();
  });
});
