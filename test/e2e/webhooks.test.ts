import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  Appliance,
  type Endpoints,
  type ReaderInService,
  Rest,
  readerInService,
} from '../support/appliance.ts';
import { Publisher, plainRead } from '../support/publisher.ts';
import { until } from '../support/wait.ts';
import { isSigned, WebhookReceiver } from '../support/webhook-receiver.ts';

const EPC = '3034257BF7194E4000001A85';
const appliance = new Appliance();
const receiver = new WebhookReceiver();
let endpoints: Endpoints;
let rest: Rest;
let reader: ReaderInService;
let cookie: string;
let url: string;
let zoneIds: readonly [dock: string, hall: string];

/** REST with the administrator's session. */
async function admin<T>(method: string, path: string, body?: object): Promise<T> {
  const response = await fetch(`${endpoints.http}/api/v1${path}`, {
    method,
    headers: { cookie, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}

async function logIn(): Promise<string> {
  const email = 'manager@example.org';
  const { password } = await appliance.cliJson<{ password: string }>('user', 'add', email, '--role', 'admin');
  const response = await fetch(`${endpoints.http}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  return response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

/** A read that is acknowledged, and so on disk. */
async function readAt(port: number): Promise<void> {
  const publisher = await Publisher.connect({
    url: endpoints.mqtts,
    serial: reader.serial,
    identity: reader.dir,
  });
  await publisher.publish({ payload: plainRead(EPC, { port }) });
  await publisher.close();
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${endpoints.http}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
}

beforeAll(async () => {
  endpoints = await appliance.start();
  rest = new Rest(endpoints, await appliance.key());
  const zone = (name: string) => rest.ok<{ id: string }>('POST', '/zones', { name, kind: 'portal' });
  zoneIds = [(await zone('Dock')).id, (await zone('Hall')).id];
  const zones = { 1: zoneIds[0], 2: zoneIds[1] };
  reader = await readerInService(appliance, rest, { serial: '370-10-15-0036', zones });
  cookie = await logIn();
  url = await receiver.open();
});
afterAll(async () => {
  await appliance.dispose();
  await receiver.close();
});

describe('webhooks of a real appliance', () => {
  test('none configured, none sent: nothing waits, whatever happens', async () => {
    await readAt(1);
    await rest.ok('POST', '/assets', { name: 'Cart', assetTagNumber: 'C-1' });
    expect(await metric('tagkeep_webhook_waiting_events')).toBe(0);
    expect(await metric('tagkeep_webhook_delivered_total')).toBe(0);
  });

  test('kill -9 between the write and the delivery: what was acknowledged is told after the next start, in order', async () => {
    receiver.react = () => 503;
    const types = ['tag_moved', 'asset_created', 'asset_updated'];
    const { secret } = await admin<{ secret: string }>('POST', '/webhooks', { url, types });
    await readAt(2);
    await readAt(1);
    const { id } = await rest.ok<{ id: string }>('POST', '/assets', { name: 'Lift', assetTagNumber: 'L-1' });
    await rest.ok('PATCH', `/assets/${id}`, { name: 'Lift 1' });
    await until('events to wait', async () => (await metric('tagkeep_webhook_waiting_events')) === 4);
    expect(await appliance.stop('SIGKILL')).toBe('SIGKILL');
    receiver.react = () => 204;
    endpoints = await appliance.start();
    await until('all to be told', () => receiver.taken.length >= 4, 30_000);
    const told = (type: string) => receiver.taken.filter((one) => one.type.startsWith(type));
    const [dock, hall] = zoneIds;
    expect(told('tag_moved').map(({ data }) => [data.epc, data.fromZoneId, data.toZoneId])).toEqual([
      [EPC, dock, hall],
      [EPC, hall, dock],
    ]);
    expect(told('asset_').map(({ type, data }) => [type, data.assetId])).toEqual([
      ['asset_created', id],
      ['asset_updated', id],
    ]);
    expect(receiver.taken.every((one) => isSigned(one, secret))).toBe(true);
    await until('it to be counted', async () => (await metric('tagkeep_webhook_delivered_total')) === 4);
    expect(await metric('tagkeep_webhook_waiting_events')).toBe(0);
    expect(appliance.output).not.toContain(secret);
  }, 60_000);

  test('a stop waits for no receiver', async () => {
    receiver.react = () => () => undefined;
    await admin('POST', '/assets', { name: 'Box', assetTagNumber: 'B-1' });
    await until('a message on its way', () => receiver.inFlight > 0);
    const began = performance.now();
    expect(await appliance.stop()).toBe(0);
    expect(performance.now() - began).toBeLessThan(8000);
  });
});
