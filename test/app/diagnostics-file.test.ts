import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { diagnosticsTask, readDiagnostics } from '../../src/app/diagnostics-file.ts';
import { Activity } from '../../src/ingest/activity.ts';
import { Diagnostics } from '../../src/ingest/diagnostics.ts';
import { tables } from '../../src/store/tables.ts';
import { device } from '../support/ingest-house.ts';
import { type StoreFolder, storeFolder } from '../support/store-folder.ts';

const START = Date.UTC(2026, 2, 2);

let folder: StoreFolder;
let diagnostics: Diagnostics;
let activity: Activity;
let now: number;
let save: () => Promise<void>;

beforeEach(async () => {
  folder = storeFolder();
  mkdirSync(join(folder.dir, 'run'));
  diagnostics = new Diagnostics();
  activity = new Activity(folder.store);
  now = START;
  await register('R1', 'R2');
  const { store, dir: dataDir } = folder;
  const task = diagnosticsTask({ dataDir, store, pipeline: { activity, diagnostics }, now: () => now });
  save = async () => {
    await task.run();
  };
});
afterEach(() => folder.close());

async function register(...serials: readonly string[]): Promise<void> {
  await folder.store.write((tx) => {
    for (const serial of serials) tx.put(tables.devices, serial, device(serial, {}));
  });
}

const saved = () => readDiagnostics(folder.dir);
const reject = (serial: string, at: number) =>
  diagnostics.reject(serial, { at, reasons: ['no JSON'], count: 1, payload: Buffer.from('\u0000{"\ud800') });

describe('the file of what only the running appliance knows', () => {
  it('holds every device with its connections and counters, for its owner alone', async () => {
    diagnostics.of('R1').reads = 600;
    reject('R1', START);
    activity.connected('R2', 'c1', START);
    await save();
    expect(saved()).toMatchObject({
      ...{ at: START, pid: process.pid },
      devices: [
        {
          serial: 'R1',
          connections: 0,
          reads: 600,
          rejected: 1,
          badPayloads: [{ at: START, reason: 'no JSON' }],
        },
        { serial: 'R2', connections: 1, reads: 0, clockAheadMs: null, badPayloads: [] },
      ],
    });
    expect(statSync(join(folder.dir, 'run', 'diagnostics.json')).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(folder.dir, 'run'))).toEqual(['diagnostics.json']);
  });

  it('is written again at once for a new trouble or connection, else only once a minute', async () => {
    await save();
    const written = async (afterMs: number): Promise<boolean> => {
      now += afterMs;
      await save();
      return saved()?.at === now;
    };
    diagnostics.of('R1').reads += 300;
    expect(await written(5000)).toBe(false);
    reject('R2', now);
    expect(await written(5000)).toBe(true);
    expect(saved()?.devices[0]?.readsPerSecond).toBe(30);
    activity.connected('R1', 'c1', now);
    expect(await written(5000)).toBe(true);
    activity.disconnected('R1', 'c1', now);
    activity.connected('R2', 'c2', now);
    expect(await written(5000)).toBe(true);
    expect(await written(59_000)).toBe(false);
    expect(await written(1000)).toBe(true);
    expect(await written(-3_600_000)).toBe(true);
  });

  it('holds the five newest bad payloads of the fifty devices that sent one last', async () => {
    const serials = Array.from({ length: 60 }, (_, i) => `S${String(i).padStart(2, '0')}`);
    await register(...serials);
    serials.forEach((serial, i) => {
      for (let n = 0; n < 10; n++) reject(serial, START + i * 100 + n);
    });
    await save();
    const withPayloads = (saved()?.devices ?? []).filter(({ badPayloads }) => badPayloads.length > 0);
    expect(withPayloads.map(({ serial }) => serial)).toEqual(serials.slice(10));
    expect(withPayloads[0]?.badPayloads.map(({ at }) => at - START)).toEqual([1005, 1006, 1007, 1008, 1009]);
  });

  it('is nothing when it is missing, half, or none of ours', () => {
    const file = join(folder.dir, 'run', 'diagnostics.json');
    expect(saved()).toBeNull();
    for (const text of ['', '{"at":1', '[]', '{"at":1,"pid":2,"devices":[{"serial":3}]}']) {
      writeFileSync(file, text);
      expect(saved(), text).toBeNull();
    }
  });

  it('that can not be written is a failure with a reason, and leaves nothing behind', async () => {
    rmSync(join(folder.dir, 'run'), { recursive: true });
    await expect(save()).rejects.toThrow('ENOENT');
    mkdirSync(join(folder.dir, 'run'));
    await save();
    expect(JSON.parse(readFileSync(join(folder.dir, 'run', 'diagnostics.json'), 'utf8')).at).toBe(START);
  });
});
