import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadIdentity } from '../../src/device/identity.ts';
import { type Simulation, type SimulationOptions, startSimulation } from '../../src/simulator/simulation.ts';
import { call, credentials, folder, selfSigned } from './local-support.ts';
import { parsed, startTestBroker, type TestBroker, TestPki, until } from './support.ts';

const START_DEFAULT = '/api/v1/profiles/inventory/presets/default/start';

const pki = new TestPki();
const identities = ['A-1', 'B-2'].map((serial) => loadIdentity(pki.identityDir(serial)));

let broker: TestBroker;
let simulations: Simulation[];

beforeEach(async () => {
  broker = await startTestBroker(pki);
  simulations = [];
});
afterEach(async () => {
  await Promise.all(simulations.map((simulation) => simulation.stop()));
  await broker.close();
});
afterAll(() => pki.remove());

async function start(change: Partial<SimulationOptions> = {}): Promise<Simulation> {
  const readers = identities.map((identity) => ({ serial: identity.serial, identity, ports: [1, 2] }));
  const simulation = await startSimulation({
    readers,
    url: broker.url,
    seed: 1,
    tags: 50,
    readsPerSecond: 500,
    now: Date.now,
    ...change,
  });
  simulations.push(simulation);
  return simulation;
}

const events = (serial: string) =>
  broker.received.filter(({ topic }) => topic === `svc/v1/${serial}/events`).map(({ text }) => parsed(text));
const kinds = (serial: string): unknown[] => events(serial).map((event) => event.eventType);
const isRead = (event: Record<string, unknown>): boolean => event.eventType === 'tagInventory';

describe('a simulation with a reader that obeys its local interface', () => {
  it('that reader reads when it is told to, beside one that always does', async () => {
    const home = folder();
    const local = { dir: home.dir, ...credentials, tls: selfSigned };
    const readers = identities.map((identity, at) => ({
      serial: identity.serial,
      identity,
      ports: [1, 2],
      ...(at === 0 ? { local } : {}),
    }));
    const simulation = await start({ readers });
    expect([...simulation.locals.keys()]).toEqual(['A-1']);
    await until('reads of the other', () => events('B-2').filter(isRead).length > 50);
    expect(events('A-1').filter(isRead)).toEqual([]);
    const url = simulation.locals.get('A-1')?.url ?? '';
    expect((await call(url, START_DEFAULT, { method: 'POST' })).status).toBe(204);
    await until('reads of both', () => events('A-1').filter(isRead).length > 50);
    await simulation.stop();
    const read = broker.received.filter(({ text }) => text.includes('tagInventory')).length;
    expect(simulation.stats().reads).toBe(read);
    home.remove();
  });

  it('starts no reader when one of them cannot start', async () => {
    const home = folder();
    const local = { dir: home.dir, ...credentials, tls: { cert: 'none', key: 'none' } };
    const readers = identities.map((identity) => ({ serial: identity.serial, identity, local }));
    await expect(start({ readers })).rejects.toThrow();
    expect(broker.clients).toEqual([]);
    home.remove();
  });
});

describe('a simulation', () => {
  it('lets every reader say its antennas and that it runs, publish its own reads, and say at last that it is idle', async () => {
    const simulation = await start();
    await until('reads of both', () =>
      ['A-1', 'B-2'].every((serial) => events(serial).filter(isRead).length > 50),
    );
    await simulation.stop();
    await simulation.done;
    for (const serial of ['A-1', 'B-2']) {
      expect(kinds(serial).slice(0, 3)).toEqual(['antennaConnected', 'antennaConnected', 'inventoryStatus']);
      expect(new Set(kinds(serial).slice(3, -1))).toEqual(new Set(['tagInventory']));
      expect(events(serial).at(-1)?.inventoryStatusEvent).toEqual({ inventoryStatus: 'idle' });
    }
    const { reads, total, readers } = simulation.stats();
    expect(broker.received.filter(({ text }) => text.includes('tagInventory')).length).toBe(reads);
    expect(total).toEqual({ sent: reads + 8, acknowledged: reads + 8, inFlight: 0, buffered: 0, purged: 0 });
    expect(readers.map(({ serial, connected }) => [serial, connected])).toEqual([
      ['A-1', false],
      ['B-2', false],
    ]);
    expect(
      new Set(broker.received.map(({ topic, commonName }) => topic.split('/')[2] === commonName)),
    ).toEqual(new Set([true]));
  });

  it('stamps its reads with the given clock, in order, in the past', async () => {
    const offset = Date.parse('2027-06-01T00:00:00Z') - Date.now();
    await start({ now: () => Date.now() + offset, format: 'full' });
    await until('reads', () => events('A-1').filter(isRead).length > 50);
    const reads = events('A-1').filter(isRead);
    const times = reads.map((event) => String(event.timestamp));
    expect(times).toEqual([...times].sort());
    for (const time of times) {
      expect(time).toMatch(/^2027-06-01T00:0\d:\d\d\.\d{9}Z$/);
      expect(Date.parse(time)).toBeLessThanOrEqual(Date.now() + offset);
    }
    expect(new Set(events('A-1').map((event) => event.hostname)).size).toBe(1);
  });

  it('makes the same reads from the same seed and clock: tags, antennas, strengths and times', async () => {
    // A clock that runs by itself, a fixed step each time it is asked, is the same for both runs.
    const steppedClock = (): (() => number) => {
      let at = 1_772_443_000_000;
      return () => {
        at += 10;
        return at;
      };
    };
    const texts = [];
    for (const attempt of [1, 2]) {
      const simulation = await start({ now: steppedClock(), readers: oneReader() });
      await until(`reads of run ${attempt}`, () => events('A-1').filter(isRead).length >= 40);
      await simulation.stop();
      const reads = broker.received.map(({ text }) => text).filter((text) => text.includes('tagInventory'));
      texts.push(reads.slice(0, 40));
      broker.received.length = 0;
    }
    expect(texts[0]).toEqual(texts[1]);
  });

  it('keeps its rate over time: late timers cost no reads', async () => {
    const startedAt = Date.now();
    const simulation = await start({ readsPerSecond: 2000 });
    await until('two seconds of reads', () => simulation.stats().reads >= 3000);
    const seconds = (Date.now() - startedAt - simulation.stats().skippedMs) / 1000;
    expect(simulation.stats().reads / seconds).toBeGreaterThan(1800);
    expect(simulation.stats().reads / seconds).toBeLessThan(2100);
  });

  it('takes readers off the network now and then; nothing they read is lost', async () => {
    const simulation = await start({ outageEverySeconds: 0.4, outageSeconds: 0.2 });
    await until('three outages', () => simulation.stats().outages >= 3);
    await until('everybody back', () => simulation.stats().readers.every(({ connected }) => connected));
    await simulation.stop();
    const { reads, total } = simulation.stats();
    expect(total).toMatchObject({ inFlight: 0, buffered: 0, purged: 0 });
    expect(
      new Set(
        ['A-1', 'B-2'].flatMap((serial) =>
          events(serial)
            .filter(isRead)
            .map((e) => JSON.stringify(e)),
        ),
      ).size,
    ).toBe(reads);
    const wills = broker.received.filter(({ text }) => text === 'connection lost');
    expect(wills.length).toBeGreaterThanOrEqual(3);
  });

  it('stops by itself after its duration', async () => {
    const simulation = await start({ durationSeconds: 0.3 });
    await simulation.done;
    expect(simulation.stats().total).toMatchObject({ inFlight: 0, buffered: 0 });
    expect(simulation.stats().readers.map(({ connected }) => connected)).toEqual([false, false]);
  });

  it('keeps within its buffers and goes on when there is no broker', async () => {
    const lines: string[] = [];
    const simulation = await start({
      url: 'mqtts://127.0.0.1:1',
      readsPerSecond: 50_000,
      bufferSize: 500,
      log: (line) => lines.push(line),
    });
    await until('purges', () => simulation.stats().total.purged > 5000);
    expect(simulation.stats().total.buffered).toBe(1000);
    await simulation.stop();
    expect(lines.filter((line) => line.includes('nobody listens there'))).toHaveLength(2);
  });

  it.each<[string, Partial<SimulationOptions>]>([
    ['tags must be', { tags: 0 }],
    ['outageEverySeconds must be', { outageEverySeconds: 0 }],
    ['outageSeconds must be', { outageEverySeconds: 1, outageSeconds: 1 }],
    ['outageSeconds has no meaning without outageEverySeconds', { outageSeconds: 1 }],
    ['durationSeconds must be', { durationSeconds: -1 }],
    ['bufferSize must be', { bufferSize: 0 }],
    ["the broker's url must be", { url: 'https://localhost' }],
  ])('does not start with an option out of range: %s', async (message, change) => {
    await expect(start(change)).rejects.toThrow(message);
  });
});

function oneReader(): SimulationOptions['readers'] {
  return identities.slice(0, 1).map((identity) => ({ serial: identity.serial, identity, ports: [1, 2] }));
}
