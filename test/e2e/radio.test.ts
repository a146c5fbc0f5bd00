import { execFile } from 'node:child_process';
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
let reader: ReaderInService;
const zones: string[] = [];

beforeAll(async () => {
  endpoints = await appliance.start();
  rest = new Rest(endpoints, await appliance.key());
  for (const name of ['Aisle', 'Bay'])
    zones.push((await rest.ok<{ id: string }>('POST', '/zones', { name })).id);
  const [aisle = '', bay = ''] = zones;
  reader = await readerInService(appliance, rest, { serial: '370-10-15-0036', zones: { 1: aisle, 2: bay } });
});
afterAll(() => appliance.dispose());

/** Debian's mosquitto_pub with the identity files of the reader. */
function publish(reads: readonly object[]) {
  const { hostname, port } = new URL(endpoints.mqtts);
  const file = (name: string) => join(reader.dir, name);
  return run('mosquitto_pub', [
    ...['-h', hostname, '-p', port, '-q', '1', '-t', `svc/v1/${reader.serial}/events`],
    ...['--cafile', file('ca.crt'), '--cert', file('client.crt'), '--key', file('client.key')],
    ...['-m', JSON.stringify(reads)],
  ]);
}

test('a tag held to a reader is found by its antenna, with the move it made and the zones that heard it', async () => {
  const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
  await publish([
    { epc: EPC, antennaPort: 2, rssiCdbm: -6900, timestamp: ago(200) },
    { epc: EPC, antennaPort: 1, rssiCdbm: -4100, timestamp: ago(100) },
  ]);
  const [strongest] = await until('the tag to be heard', async () => {
    const found = await rest.get<object[]>(`/radio/strongest?readerId=${reader.readerId}&port=1&seconds=60`);
    return found.length > 0 && found;
  });
  expect(strongest).toMatchObject({ epc: EPC, label: null, rssiCdbm: -4100, reads: 1, isNew: true });
  const antennas = await rest.get<{ port: number; reads: number; tags: number }[]>('/radio/antennas');
  expect(antennas.map(({ port, reads, tags }) => [port, reads, tags])).toEqual([
    ...[1, 2].map((port) => [port, 1, 1]),
    ...[3, 4].map((port) => [port, 0, 0]),
  ]);
  const [aisle, bay] = zones;
  expect(await rest.get('/radio/cross-reads')).toMatchObject({
    pairs: [{ zoneId: aisle, otherZoneId: bay, tags: 1, meanRssiCdbm: -4100, otherMeanRssiCdbm: -6900 }],
  });
  const stable = await rest.ok('POST', '/radio/what-if', { policy: 'stable' });
  expect(stable).toMatchObject({ reads: 2, tags: 1, moves: 1, movesWith: 0, avoided: 1 });
});

test('the first point of the inventory is taken when the appliance starts', async () => {
  await appliance.stop();
  const again = new Rest(await appliance.start(), await appliance.key());
  const { zones: shown } = await until('the first sample', async () => {
    const path = '/inventory/history?minutes=1';
    const answer = await again.get<{ zones: { zoneName: string; counts: (number | null)[] }[] }>(path);
    return answer.zones.every(({ counts }) => counts[0] !== null) && answer;
  });
  expect(shown.map(({ zoneName, counts }) => [zoneName, counts])).toEqual([
    ['Aisle', [1]],
    ['Bay', [0]],
  ]);
}, 30_000);
