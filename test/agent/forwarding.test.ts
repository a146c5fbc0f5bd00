import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TypedOptions } from '../../src/agent/options.ts';
import { until } from '../support/wait.ts';
import { ReaderBench } from './reader-bench.ts';

let bench: ReaderBench;
beforeEach(async () => {
  bench = await ReaderBench.open();
});
afterEach(() => bench.close());

const forwarding: TypedOptions = { forwardEvents: true, bufferMb: '1' };
const event = (n: number, more = ''): string =>
  `{"timestamp":"2026-03-02T09:15:37.${String(n).padStart(9, '0')}Z","eventType":"tagInventory","tagInventoryEvent":{"epcHex":"${String(n).padStart(24, '0')}"${more}}}`;
const streaming = () => until('the stream', () => bench.local.view().stream.consumers > 0);
const messages = (): readonly string[] =>
  bench.rig.published.filter(({ kind }) => kind === 'events').map(({ text }) => text);
/** The numbers of the events that came, each once, in the order in which they came first. */
const numbers = (): readonly number[] => [
  ...new Set(
    messages().flatMap((text) => [...text.matchAll(/"epcHex":"(\d{24})"/g)].map(([, hex]) => Number(hex))),
  ),
];
const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

describe('events that the agent forwards', () => {
  it('arrive in order at QoS 1, those that come together in one message of a line each', async () => {
    await bench.agent(forwarding);
    await streaming();
    for (const n of upTo(500)) bench.local.pushEvent(event(n));
    await until('all events', () => numbers().length === 500);
    expect(numbers()).toEqual(upTo(500));
    expect(bench.rig.published.every(({ qos, kind }) => kind !== 'events' || qos === 1)).toBe(true);
    expect(messages().length).toBeLessThan(50);
    for (const text of messages()) for (const line of text.trim().split('\n')) JSON.parse(line);
    expect(Math.max(...messages().map((text) => text.length))).toBeLessThan(64 * 1024);
  });

  it('are not taken without being asked to', async () => {
    await bench.agent();
    await until('health', () => bench.said('status').length > 0);
    expect(bench.local.view().stream.consumers).toBe(0);
  });

  it('go again until the broker has acknowledged them', async () => {
    await bench.agent(forwarding);
    await streaming();
    bench.rig.settleAtOnce = false;
    for (const n of upTo(3)) bench.local.pushEvent(event(n));
    await until('the events', () => numbers().length === 3);
    await bench.rig.broker.disconnect(bench.local.view().serial);
    bench.rig.settleAtOnce = true;
    await until('the events again', () =>
      bench.rig.published.some(({ kind, dup }) => kind === 'events' && dup),
    );
    expect(numbers()).toEqual(upTo(3));
  });

  it('wait on disk while the broker is away, over a restart of the agent too', async () => {
    const agent = bench.start({ ...forwarding, broker: 'mqtts://localhost:9' });
    await streaming();
    for (const n of upTo(200)) bench.local.pushEvent(event(n));
    const buffer = join(bench.dir, 'agent', 'buffer');
    await until('the events on disk', () => sizeOf(buffer) >= 200 * event(0).length);
    await agent.stop();
    await bench.agent(forwarding);
    await until('all events', () => numbers().length === 200);
    expect(numbers()).toEqual(upTo(200));
    await until('an empty buffer', () => sizeOf(buffer) === 0);
  });

  it('are given up oldest first when the buffer is full, which the log and an overflow event tell', async () => {
    bench.rig.refused.set(bench.local.view().serial, 'not now');
    bench.start({ ...forwarding, broker: bench.brokerUrl });
    await streaming();
    const padding = `,"tidHex":"${'A'.repeat(2000)}"`;
    for (const n of upTo(900)) {
      bench.local.pushEvent(event(n, padding));
      if (n % 50 === 0) await until('the stream to be taken', () => bench.local.view().stream.dropped === 0);
    }
    await until('a full buffer', () => bench.local.view().stream.sent >= 900);
    bench.rig.refused.clear();
    const told = await until('the overflow event', () =>
      messages().find((text) => text.includes('overflowEvent')),
    );
    const { overflowEvent } = JSON.parse(told);
    await until('the last event', () => numbers().at(-1) === 899);
    expect(overflowEvent.firstEventTimestamp).toBe('2026-03-02T09:15:37.000000000Z');
    expect(overflowEvent.eventsPurged + numbers().length).toBe(900);
    const line = `the buffer was full: ${overflowEvent.eventsPurged} events dropped, the oldest first`;
    expect(bench.lines).toContain(line);
  });

  it('go on after the reader was rebooted', async () => {
    await bench.agent(forwarding);
    await streaming();
    await bench.local.reboot({ rebootMs: 100 });
    await streaming();
    bench.local.pushEvent(event(0));
    await until('the event', () => numbers().length === 1);
    expect(numbers()).toEqual([0]);
  });
});

function sizeOf(dir: string): number {
  try {
    return readdirSync(dir).reduce((sum, name) => sum + statSync(join(dir, name)).size, 0);
  } catch {
    return 0;
  }
}
