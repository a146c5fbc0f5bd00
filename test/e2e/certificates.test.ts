import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  Appliance,
  type Endpoints,
  type ReaderInService,
  Rest,
  readerInService,
} from '../support/appliance.ts';
import { setDevice } from '../support/change-store.ts';
import { Publisher, plainRead } from '../support/publisher.ts';
import { metric } from '../support/rest-pages.ts';

const appliance = new Appliance({ env: { TAGKEEP_LOG__LEVEL: 'warn' } });
let endpoints: Endpoints;
let rest: Rest;
let reader: ReaderInService;
let epcs = 0;

beforeAll(async () => {
  endpoints = await appliance.start();
  rest = new Rest(endpoints, await appliance.key());
  reader = await readerInService(appliance, rest, { serial: '370-10-15-0200' });
});
afterAll(() => appliance.dispose());

const connect = (serial: string, identity: string) =>
  Publisher.connect({ url: endpoints.mqtts, serial, identity });
const nextEpc = () => `E28011600000CE${(++epcs).toString().padStart(10, '0')}`;
const isStored = async (epc: string) => (await rest.get<unknown[]>(`/tags?q=${epc}`)).length === 1;
const dropped = () => metric(endpoints, 'tagkeep_ingest_dropped_total');

async function provisioned(serial: string): Promise<{ readonly dir: string; readonly claimCode: string }> {
  const dir = join(appliance.root, serial);
  const { claimCode } = await appliance.cliJson<{ claimCode: string }>(
    ...['reader', 'provision', serial, '--out', dir, '--key-type', 'ecdsa'],
  );
  return { dir, claimCode };
}

describe('whose data is taken', () => {
  test('an unclaimed reader may connect, its reads are acknowledged, counted and dropped; from the claim on they are taken', async () => {
    const serial = '370-10-15-0201';
    const { dir, claimCode } = await provisioned(serial);
    const publisher = await connect(serial, dir);
    const early = nextEpc();
    const before = await dropped();
    await publisher.publish({ payload: plainRead(early) });
    await publisher.publish({ payload: plainRead(early), qos: 2 });
    expect(await dropped()).toBe(before + 2);
    expect(await rest.send('POST', '/devices/claim', { code: claimCode, readerName: 'New' })).toMatchObject({
      status: 201,
      body: { serial, firstSeenAt: expect.stringMatching(/Z$/) },
    });
    const late = nextEpc();
    await publisher.publish({ payload: plainRead(late) });
    expect(await isStored(late)).toBe(true);
    expect(await isStored(early)).toBe(false);
    expect(await dropped()).toBe(before + 2);
    await publisher.close();
  });

  test('a device revoked in the service stays connected and may connect, but its reads are dropped and counted', async () => {
    const publisher = await connect(reader.serial, reader.dir);
    await setDevice(appliance.dataDir, reader.serial, { dataRevoked: true });
    const before = await dropped();
    const epc = nextEpc();
    await publisher.publish({ payload: plainRead(epc) });
    const again = await Publisher.connect({
      url: endpoints.mqtts,
      serial: reader.serial,
      identity: reader.dir,
      clientId: 'again',
    });
    await again.publish({ payload: plainRead(epc) });
    expect(await dropped()).toBe(before + 2);
    expect(await isStored(epc)).toBe(false);
    expect(publisher.closed).toBe(false);
    await setDevice(appliance.dataDir, reader.serial, { dataRevoked: false });
    await publisher.publish({ payload: plainRead(epc) });
    expect(await isStored(epc)).toBe(true);
    await Promise.all([publisher.close(), again.close()]);
  });
});
