import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:tls';
import { Aedes } from 'aedes';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { fleet, serialOf } from '../../scripts/bench/fleet.ts';
import { Load, type LoadRequest } from '../../scripts/bench/load.ts';
import { Clock, stamp, templatesOf } from '../../scripts/bench/message.ts';
import { Metrics } from '../../scripts/bench/metrics.ts';
import { parseIngestOptions } from '../../scripts/bench/options.ts';
import { percentile } from '../../scripts/bench/percentile.ts';
import { figure, markdown } from '../../scripts/bench/report.ts';
import { decodeEvents } from '../../src/ingest/decode.ts';
import { type BrokerPki, makeBrokerPki } from '../support/broker-certs.ts';

describe('the load generator against a bare Aedes', () => {
  let pki: BrokerPki;
  let server: Server;
  let port: number;
  const taken = new Map<string, string[]>();

  beforeAll(async () => {
    pki = makeBrokerPki();
    const aedes = await Aedes.createBroker();
    aedes.on('publish', (packet, client) => {
      if (!client) return;
      const payloads = taken.get(packet.topic) ?? [];
      taken.set(packet.topic, payloads);
      payloads.push(packet.payload.toString());
    });
    const { cert, key } = pki.server;
    server = createServer(
      { ca: pki.ca.cert, cert, key, requestCert: true, rejectUnauthorized: true },
      (socket) => aedes.handle(socket),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port; // listens on a port
  });
  afterAll(() => {
    server.close();
    pki.remove();
  });

  async function loadOf(readers: number, request: Partial<LoadRequest>, at = port) {
    taken.clear();
    const load = new Load();
    const senders = Array.from({ length: readers }, (_, reader) => {
      const { cert, key } = pki.client(serialOf(reader));
      return { host: '127.0.0.1', port: at, serial: serialOf(reader), ca: pki.ca.cert, cert, key };
    });
    try {
      await load.connect(senders);
      const result = await load.run({
        readsPerMessage: 1,
        window: 20,
        warmupMs: 20,
        measureMs: 100,
        knownTags: 10_000,
        ...request,
      });
      // Aedes acknowledges a moment before it tells.
      await vi.waitFor(() => expect([...taken.values()].flat().length).toBeGreaterThanOrEqual(result.total));
      return { result, payloads: [...taken.values()] };
    } finally {
      load.close();
    }
  }

  test('what it counts as acknowledged is what the broker took, per reader and in all', async () => {
    const { result, payloads } = await loadOf(2, {});
    expect(result.messages).toBeGreaterThan(0);
    expect(payloads.flat()).toHaveLength(result.total);
    expect(Math.min(...payloads.map(({ length }) => length))).toBe(result.least);
    expect(result.total).toBeGreaterThanOrEqual(result.messages);
  });

  test('no two reads of a reader have the same time, none is in the future, all can be read', async () => {
    const { payloads } = await loadOf(1, { readsPerMessage: 10 });
    const reads = payloads.flat().flatMap((payload) => decodeEvents(Buffer.from(payload)).reads);
    expect(reads).toHaveLength(payloads.flat().length * 10);
    const times = reads.map(({ readerAt }) => readerAt ?? Number.NaN);
    expect(times.every((at, i) => i === 0 || at > (times[i - 1] ?? 0))).toBe(true);
    expect(times.at(-1)).toBeLessThanOrEqual(Date.now() + 1);
  });

  test('a paced load sends what it was asked for', async () => {
    const { result } = await loadOf(2, { readsPerSecond: 1000, measureMs: 500 });
    expect(result.total).toBeGreaterThan(200);
    expect(result.total).toBeLessThan(1500);
  });

  test('a broker that goes away fails the run', async () => {
    const dead = createServer({
      ca: pki.ca.cert,
      cert: pki.server.cert,
      key: pki.server.key,
      requestCert: true,
    });
    // CONNACK, and the end at the first message.
    dead.on('secureConnection', (socket) => {
      socket.on('error', () => {});
      socket.once('data', () => {
        socket.write(Buffer.from([0x20, 2, 0, 0]));
        socket.once('data', () => socket.destroy());
      });
    });
    dead.listen(0, '127.0.0.1');
    await once(dead, 'listening');
    const at = (dead.address() as AddressInfo).port; // listens on a port
    await expect(loadOf(1, { measureMs: 20_000 }, at)).rejects.toThrow('closed the connection');
    dead.close();
  });
});

describe('messages', () => {
  test('one reader names each of its tags at two antennas, in messages of about 250 bytes', () => {
    const clock = new Clock();
    clock.sync(Date.UTC(2026, 2, 2));
    const seen = new Map<string, Set<number | null>>();
    for (const template of templatesOf(3, 1, 1_000_000)) {
      const out = Buffer.alloc(template.bytes.length);
      expect(stamp(out, 0, { template, id: 258, clock })).toBe(out.length);
      expect(out.readUInt16BE(template.idAt)).toBe(258);
      const payload = out.subarray(template.idAt + 2);
      expect(payload.length).toBeGreaterThan(235);
      expect(payload.length).toBeLessThan(265);
      for (const { epc, antennaPort } of decodeEvents(payload).reads) {
        seen.set(epc, (seen.get(epc) ?? new Set()).add(antennaPort));
      }
    }
    expect(seen.size).toBe(fleet.tagsPerReader);
    expect([...seen.values()].every((ports) => ports.size === 2)).toBe(true);
  });
});

describe('the report', () => {
  test('a figure that was not measured is said so, whichever way its bar goes', () => {
    const bar = { better: 'less', first: 100, next: 50, unit: 'ms' } as const;
    const rows = [
      { what: 'a', value: 70, bar },
      { what: 'b', value: Number.NaN, bar },
    ];
    const text = markdown({
      title: 't',
      command: 'c',
      date: new Date(0),
      facts: [],
      rows,
      details: [],
      notes: [],
    });
    expect(text).toContain('| a | 70 ms | ≤ 100 ms: met | ≤ 50 ms: **not met** |');
    expect(text).toContain('| b | not measured | ≤ 100 ms | ≤ 50 ms |');
  });

  test.each([
    [1234567.8, '1,234,568'],
    [12.34, '12.3'],
    [0.613, '0.61'],
    [Number.NaN, '-'],
  ])('%s is shown as %s', (value, text) => {
    expect(figure(value)).toBe(text);
  });

  test('a percentile is a value that was measured', () => {
    const values = Array.from({ length: 200 }, (_, i) => 200 - i);
    expect([percentile(values, 0.5), percentile(values, 0.99), percentile(values, 1)]).toEqual([
      100, 198, 200,
    ]);
    expect(percentile([], 0.5)).toBeNaN();
  });

  test('a metric that is not there is an error, not 0', () => {
    const metrics = new Metrics('# HELP a b\na_total 3\nb{quantile="0.5"} 1.5e-3\n');
    expect([metrics.get('a_total'), metrics.get('b')]).toEqual([3, 0.0015]);
    expect(() => metrics.get('c')).toThrow('/metrics has no c');
  });
});

describe('the command line', () => {
  test.each([[['--seconds', '21']], [['--seconds', 'x']], [['--only', 'redis']], [['--fast']]])(
    '%j is refused in one line',
    (args) => {
      expect(() => parseIngestOptions(args)).toThrow(/^[^\n]+$/);
    },
  );

  test('--only leaves one target, --quick is short', () => {
    expect(parseIngestOptions(['--only', 'aedes']).targets).toEqual(['aedes']);
    expect(parseIngestOptions(['--quick'])).toMatchObject({ seconds: 1, repeats: 1 });
    expect(parseIngestOptions([])).toMatchObject({ seconds: 5, repeats: 2, knownTags: 1_000_000 });
  });
});
