import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  Appliance,
  type Endpoints,
  type ReaderInService,
  Rest,
  readerInService,
} from '../support/appliance.ts';
import { Publisher } from '../support/publisher.ts';
import { until } from '../support/wait.ts';

const appliance = new Appliance({ env: { TAGKEEP_ALERTS__READER_OFFLINE_SECONDS: '1' } });
let endpoints: Endpoints;
let rest: Rest;
let dock: ReaderInService;

interface Alert {
  readonly id: string;
  readonly severity: string;
  readonly state: string;
  readonly subjectId: string;
}

const alerts = () => rest.get<readonly Alert[]>('/alerts');
const connect = () => Publisher.connect({ url: endpoints.mqtts, serial: dock.serial, identity: dock.dir });

async function alertThat(what: string, is: (alert: Alert) => boolean): Promise<Alert> {
  return until(`an alert that is ${what}`, async () => (await alerts()).find(is));
}

beforeAll(async () => {
  endpoints = await appliance.start();
  rest = new Rest(endpoints, await appliance.key());
  dock = await readerInService(appliance, rest, { serial: '370-10-15-0036' });
});
afterAll(() => appliance.dispose());

test('a reader that leaves raises one alert, which stays over a restart and resolves itself when it is back', async () => {
  await (await connect()).close();
  const { id, subjectId, severity } = await alertThat('open', ({ state }) => state === 'open');
  expect([subjectId, severity]).toEqual([dock.readerId, 'critical']);
  await appliance.stop();
  endpoints = await appliance.start();
  rest = new Rest(endpoints, await appliance.key());
  expect(await alerts()).toMatchObject([{ id, state: 'open' }]);
  const reader = await connect();
  await alertThat('resolved', (alert) => alert.id === id && alert.state === 'resolved');
  await reader.close();
});

test('a reader that runs hot raises a warning, which resolves itself once it has cooled down', async () => {
  const reader = await connect();
  const health = (temperatureC: number) =>
    reader.publish({ payload: JSON.stringify({ type: 'health', temperatureC }), topic: 'status' });
  await health(80);
  const { id, subjectId } = await alertThat('a warning', ({ severity }) => severity === 'warning');
  expect(subjectId).toBe(dock.readerId);
  await health(70);
  await alertThat('resolved', (alert) => alert.id === id && alert.state === 'resolved');
  await reader.close();
});
