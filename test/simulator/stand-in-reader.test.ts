import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadIdentity } from '../../src/device/identity.ts';
import {
  type StandInOptions,
  type StandInReader,
  startStandInReader,
} from '../../src/simulator/stand-in-reader.ts';
import { bundle, type Peer, startPeer } from '../support/store-process.ts';
import { call, credentials, folder, open, preset, type Sent, selfSigned } from './local-support.ts';
import { parsed, startTestBroker, type TestBroker, TestPki, until } from './support.ts';

const PRESET = '/api/v1/profiles/inventory/presets/svc-default';
const START = `${PRESET}/start`;
const STOP = '/api/v1/profiles/stop';
const STATUS = '/api/v1/status';
const post = { method: 'POST' } as const;

const pki = new TestPki();
const identityDir = pki.identityDir('R-1');
const { serial, ...identity } = loadIdentity(identityDir);
afterAll(() => pki.remove());

let home: ReturnType<typeof folder>;
let broker: TestBroker;
let reader: StandInReader | undefined;
beforeEach(async () => {
  home = folder();
  broker = await startTestBroker(pki);
  reader = undefined;
});
afterEach(async () => {
  await reader?.stop();
  await broker.close();
  home.remove();
});

async function start(change: Partial<StandInOptions> = {}) {
  const started = await startStandInReader({
    serial,
    identity,
    url: broker.url,
    dir: home.dir,
    ...credentials,
    tls: selfSigned,
    readsPerSecond: 500,
    rebootMs: 0,
    ...change,
  });
  reader = started;
  const ask = (path: string, sent?: Sent) => call(started.url, path, sent);
  const put = async (value: object) => {
    expect([201, 204]).toContain((await ask(PRESET, { method: 'PUT', body: value })).status);
  };
  return { reader: started, ask, put };
}

/** Every read as an event: no de-duplication on the reader. */
const everyRead = (ports: readonly number[], power = 3000) => ({
  antennaConfigs: preset({ transmitPowerCdbm: power }, ports).antennaConfigs,
});
const events = () =>
  broker.received.filter(({ topic }) => topic.endsWith('/events')).map(({ text }) => parsed(text));
const ofKind = (kind: string) => events().filter(({ eventType }) => eventType === kind);
const reads = () => ofKind('tagInventory').map(({ tagInventoryEvent }) => Object(tagInventoryEvent));
const radioWords = () =>
  ofKind('inventoryStatus').map(({ inventoryStatusEvent }) => Object(inventoryStatusEvent).inventoryStatus);

describe('a stand-in reader', () => {
  it('tells its antennas and is silent until it is started; reads end when it is stopped', async () => {
    const { reader: standIn, ask, put } = await start({ ports: [1, 2] });
    await until('its antennas', () => ofKind('antennaConnected').length === 2);
    await put(everyRead([1, 2]));
    expect(standIn.stats().reads).toBe(0);
    await ask(START, post);
    await until('reads', () => reads().length > 50);
    await ask(STOP, post);
    await until('its word', () => radioWords().length === 2);
    expect(radioWords()).toEqual(['running', 'idle']);
    expect(events().at(-1)?.eventType).toBe('inventoryStatus');
    expect(standIn.stats().reads).toBe(reads().length);
    expect((await ask(STATUS)).body).toMatchObject({ mqttBrokerConnectionStatus: 'connected' });
  });

  it('reads with the ports of the running preset only, at their power', async () => {
    const { ask, put } = await start();
    await put(everyRead([2, 4], 2150));
    await ask(START, post);
    await until('reads', () => reads().length > 100);
    expect(new Set(reads().map(({ antennaPort }) => antennaPort))).toEqual(new Set([2, 4]));
    expect(new Set(reads().map(({ transmitPowerCdbm }) => transmitPowerCdbm))).toEqual(new Set([2150]));
    await ask(STOP, post);
    await put(everyRead([1]));
    await ask(START, post);
    const before = reads().length;
    await until('reads of the new preset', () => reads().length > before + 20);
    expect(
      new Set(
        reads()
          .slice(before)
          .map(({ antennaPort }) => antennaPort),
      ),
    ).toEqual(new Set([1]));
  });

  it('reports a tag in view again only after the interval of the preset, in the shape it asks for', async () => {
    const { ask, put } = await start({ tags: 5 });
    await put(preset({}, [1]));
    await ask(START, post);
    await until('every tag twice', () => reads().length >= 10);
    const [first, ...others] = ofKind('tagInventory');
    expect(first).toMatchObject({
      hostname: expect.stringMatching(/^impinj-/),
      tagInventoryEvent: { epcHex: expect.any(String) },
    });
    const last = new Map<unknown, number>();
    for (const { timestamp, tagInventoryEvent } of [first, ...others].map(Object)) {
      const at = Date.parse(timestamp);
      expect(at - (last.get(tagInventoryEvent.epcHex) ?? 0)).toBeGreaterThanOrEqual(999);
      last.set(tagInventoryEvent.epcHex, at);
    }
  });

  it('after a reboot it is on the broker again and reads by itself', async () => {
    const { reader: standIn, ask, put } = await start();
    await put(everyRead([1]));
    await ask(START, post);
    await until('reads', () => reads().length > 10);
    await standIn.local.reboot();
    await until('its antennas anew', () => ofKind('antennaConnected').length === 8);
    const before = reads().length;
    await until('reads again', () => reads().length > before + 10);
    // A reader whose power goes has no last word.
    expect(radioWords()).toEqual(['running', 'running']);
  });

  it('the same events are on the data stream', async () => {
    const { reader: standIn, ask, put } = await start();
    await put(everyRead([1, 2]));
    const stream = await open(standIn.url, '/api/v1/data/stream');
    let text = '';
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    stream.on('error', () => {});
    await ask(START, post);
    await until('reads', () => reads().length > 20);
    await ask(STOP, post);
    await until('the end of both', () => radioWords().length === 2 && text.includes('"idle"'));
    const published = broker.received.filter(({ topic }) => topic.endsWith('/events')).map((one) => one.text);
    expect(text.split('\r\n').slice(0, -1)).toEqual(published.slice(4));
  });

  it('without its own MQTT client everything is on the data stream alone', async () => {
    const { reader: standIn, ask, put } = await start({ nativeMqtt: false });
    await put(everyRead([1]));
    const stream = await open(standIn.url, '/api/v1/data/stream');
    let text = '';
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    stream.on('error', () => {});
    await ask(START, post);
    await until('reads', () => text.split('tagInventoryEvent').length > 20);
    expect(broker.clients).toEqual([]);
    expect((await ask(STATUS)).body).toMatchObject({ mqttBrokerConnectionStatus: 'disconnected' });
  });

  it('says that it is idle when it is taken out of service while it runs', async () => {
    const { reader: standIn, ask, put } = await start();
    await put(everyRead([1]));
    await ask(START, post);
    await until('reads', () => reads().length > 5);
    await standIn.stop();
    expect(radioWords()).toEqual(['running', 'idle']);
    await expect(ask(STATUS)).rejects.toThrow();
  });

  it('leaves nothing running when its port is taken', async () => {
    const { reader: standIn } = await start();
    const other = folder();
    await expect(startStandInReader({ ...optionsOf(other.dir), port: standIn.port })).rejects.toThrow(
      'EADDRINUSE',
    );
    other.remove();
  });
});

function optionsOf(dir: string): StandInOptions {
  return { serial, identity, url: broker.url, dir, ...credentials, tls: selfSigned };
}

describe('a stand-in reader in a process of its own', () => {
  let peer: Peer | undefined;
  afterEach(() => peer?.kill());

  async function spawn(program: string): Promise<(path: string, sent?: Sent) => ReturnType<typeof call>> {
    const [certFile, keyFile] = [join(home.dir, 'own.crt'), join(home.dir, 'own.key')];
    writeFileSync(certFile, selfSigned.cert);
    writeFileSync(keyFile, selfSigned.key);
    const options = { ...credentials, identityDir, certFile, keyFile, dir: home.dir, url: broker.url };
    const started = startPeer(program, [JSON.stringify({ ...options, readsPerSecond: 200 })]);
    peer = started;
    await started.until((lines) => lines.length > 0);
    const { local } = parsed(started.lines[0] ?? '');
    return (path, sent) => call(String(local), path, sent);
  }

  it('killed with -9 it has every setting it acknowledged, and reads again by itself', async () => {
    const program = await bundle('stand-in-peer.ts');
    const first = await spawn(program);
    expect((await first(PRESET, { method: 'PUT', body: everyRead([3]) })).status).toBe(201);
    expect((await first(START, post)).status).toBe(204);
    await until('reads', () => reads().length > 10);
    await peer?.kill();
    const before = reads().length;
    const second = await spawn(program);
    expect((await second(PRESET)).body).toEqual(everyRead([3]));
    expect((await second(STATUS)).body).toMatchObject({ activePreset: { id: 'svc-default' } });
    await until('reads again', () => reads().length > before + 10);
    expect(new Set(reads().map(({ antennaPort }) => antennaPort))).toEqual(new Set([3]));
  });

  it('killed after a start took effect and before its answer, it runs when it is back', async () => {
    const program = await bundle('stand-in-peer.ts');
    const first = await spawn(program);
    await first(PRESET, { method: 'PUT', body: everyRead([1]) });
    await first('/stand-in/faults', {
      method: 'PUT',
      body: { delayMs: 60_000, delayWhen: 'after', delayCalls: [START] },
    });
    const lost = first(START, post).catch(() => 'lost');
    const flash = join(home.dir, 'settings.json');
    await until('it on disk', () => readFileSync(flash, 'utf8').includes('"running":"svc-default"'));
    await peer?.kill();
    expect(await lost).toBe('lost');
    const second = await spawn(program);
    expect((await second(START, post)).status).toBe(409);
    expect((await second(STATUS)).body).toMatchObject({ activePreset: { id: 'svc-default' } });
  });
});
