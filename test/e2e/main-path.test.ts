import { execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  Appliance,
  type Endpoints,
  type ReaderInService,
  Rest,
  readerInService,
} from '../support/appliance.ts';
import { until } from '../support/wait.ts';

const run = promisify(execFile);
const EPC = '3034257BF7194E4000001A85';

const appliance = new Appliance();
let endpoints: Endpoints;
let rest: Rest;
let dock: ReaderInService;
let other: ReaderInService;
let zoneId: string;
let stream: { readonly text: () => string; readonly stop: () => void };

beforeAll(async () => {
  endpoints = await appliance.start();
  const key = await appliance.key();
  rest = new Rest(endpoints, key);
  zoneId = (await rest.ok<{ id: string }>('POST', '/zones', { name: 'Dock door', kind: 'portal' })).id;
  dock = await readerInService(appliance, rest, { serial: '370-10-15-0036', zones: { 1: zoneId } });
  other = await readerInService(appliance, rest, { serial: '370-10-15-0037' });
  stream = curlStream(`${endpoints.http}/api/v1/events/stream`, key);
  await until('hello on the stream', () => stream.text().includes('event: hello\ndata: {}\n\n'));
});

afterAll(async () => {
  stream?.stop();
  await appliance.dispose();
});

/** Debian's curl, reading the stream as an integrator would. */
function curlStream(url: string, key: string) {
  let text = '';
  const child = spawn('curl', ['-sN', '-H', `Authorization: Bearer ${key}`, url]);
  child.stdout.on('data', (chunk) => (text += chunk));
  return { text: () => text, stop: () => void child.kill() };
}

/** Debian's mosquitto_pub with the identity files of a reader. */
function publish(reader: ReaderInService, topic: string, message: string) {
  const { hostname, port } = new URL(endpoints.mqtts);
  const identity = ['--cafile', 'ca.crt', '--cert', 'client.crt', '--key', 'client.key'].map((part) =>
    part.startsWith('--') ? part : join(reader.dir, part),
  );
  const args = ['-h', hostname, '-p', port, ...identity, '-q', '1', '-t', topic, '-m', message];
  return run('mosquitto_pub', args);
}

function r700(epcBase64: string): string {
  const timestamp = new Date().toISOString().replace('Z', '087177Z');
  const tagInventoryEvent = { epc: epcBase64, antennaPort: 1, peakRssiCdbm: -6150, frequency: 866900 };
  return JSON.stringify({ timestamp, eventType: 'tagInventory', tagInventoryEvent });
}

const base64url = (epc: string): string => Buffer.from(epc, 'hex').toString('base64url');

test('a read that mosquitto_pub published with the identity files is on the stream, in the tags and in the inventory', async () => {
  await publish(dock, `svc/v1/${dock.serial}/events`, r700(base64url(EPC)));
  const read = await until(
    'the tag_read event',
    () => /event: tag_read\ndata: (.*)\n\n/.exec(stream.text())?.[1],
  );
  expect(JSON.parse(read)).toMatchObject({
    epc: EPC,
    readerId: dock.readerId,
    antennaPort: 1,
    zoneId,
    zoneName: 'Dock door',
    rssiCdbm: -6150,
    readCount: 1,
  });
  const moved = await until(
    'the tag_moved event',
    () => /event: tag_moved\ndata: (.*)\n\n/.exec(stream.text())?.[1],
  );
  expect(JSON.parse(moved)).toMatchObject({ epc: EPC, toZoneId: zoneId, zoneName: 'Dock door' });
  expect(JSON.parse(moved)).not.toHaveProperty('fromZoneId');
  expect(await rest.get('/tags')).toMatchObject([
    { epc: EPC, zoneName: 'Dock door', targetType: null, attributes: {} },
  ]);
  expect(await rest.get('/inventory/summary')).toEqual([
    { zoneId, zoneName: 'Dock door', kind: 'portal', total: 1, correlated: 0 },
  ]);
  expect(await rest.get(`/zones/${zoneId}/inventory`)).toMatchObject([
    { epc: EPC, label: null, targetType: null },
  ]);
});

test('a publish to the topic of another serial appears nowhere and the client stays connected', async () => {
  const foreign = 'E28011700000020A5C1F0001';
  const own = 'E28011700000020A5C1F0002';
  // One connection for both: the second line only arrives when the first did not cost the connection.
  const { hostname, port } = new URL(endpoints.mqtts);
  const client = spawn('node', ['test/support/two-publishes.mjs', `mqtts://${hostname}:${port}`, dock.dir], {
    env: {
      ...process.env,
      FIRST_TOPIC: `svc/v1/${other.serial}/events`,
      SECOND_TOPIC: `svc/v1/${dock.serial}/events`,
    },
  });
  client.stdin.end(JSON.stringify([r700(base64url(foreign)), r700(base64url(own))]));
  const acknowledged = await new Promise<string>((resolve) => {
    let out = '';
    client.stdout.on('data', (chunk) => (out += chunk));
    client.once('exit', () => resolve(out));
  });
  expect(acknowledged.trim()).toBe('acknowledged acknowledged connections 1');
  await until('the own read', () => stream.text().includes(own));
  expect(stream.text()).not.toContain(foreign);
  expect(await rest.get(`/tags?q=${foreign}`)).toEqual([]);
  expect(await rest.get(`/tags?q=${own.toLowerCase()}`)).toMatchObject([{ epc: own }]);
});

test('a publish by mosquitto_pub to another serial is acknowledged and dropped', async () => {
  const foreign = 'E28011700000020A5C1F0003';
  await publish(dock, `svc/v1/${other.serial}/events`, r700(base64url(foreign)));
  expect(await rest.get(`/tags?q=${foreign}`)).toEqual([]);
});

test('the reader list shows the reader with its status, derived at the moment of asking', async () => {
  const readers = await rest.get<{ serial: string }[]>('/readers');
  const reader = readers.find(({ serial }) => serial === dock.serial);
  expect(reader).toMatchObject({
    id: dock.readerId,
    enabled: true,
    commandsSupported: false,
    status: 'offline',
  });
  expect(reader).toMatchObject({ offlineReason: 'broker-disconnected', brokerStatus: 'disconnected' });
});
