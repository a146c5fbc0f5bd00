import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import mqtt, { type MqttClient } from 'mqtt';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStore } from '../../src/store/store.ts';
import { tables } from '../../src/store/tables.ts';
import {
  Appliance,
  type Endpoints,
  type ReaderInService,
  Rest,
  readerInService,
} from '../support/appliance.ts';
import { refusalOf, tagkeep } from '../support/command.ts';
import { Publisher, plainRead } from '../support/publisher.ts';
import { until } from '../support/wait.ts';

interface Command {
  readonly id: string;
  readonly kind: string;
  readonly state: string;
  readonly error?: string;
}

interface Reader {
  readonly id: string;
  readonly status: string;
  readonly enabled: boolean;
  readonly commandsSupported: boolean;
  readonly lastCommand?: Command;
  readonly lastSettings?: Omit<Command, 'kind'>;
}

interface Received {
  readonly payload: { readonly kind: string; readonly id: string; readonly preset?: string };
  readonly retain: boolean;
  readonly qos: number;
}

/** The program beside a reader's own client: it reads the commands and answers them. */
class Agent {
  /** Starts and stops. */
  readonly received: Received[] = [];
  readonly settings: Received[] = [];
  readonly #client: MqttClient;
  readonly #serial: string;

  private constructor(client: MqttClient, serial: string) {
    this.#client = client;
    this.#serial = serial;
    client.on('error', () => {});
    client.on('message', (_, payload, { retain, qos }) => {
      const command = JSON.parse(payload.toString());
      (command.kind === 'push-config' ? this.settings : this.received).push({
        payload: command,
        retain,
        qos,
      });
    });
  }

  static async connect({ serial, dir }: ReaderInService): Promise<Agent> {
    const file = (name: string): Buffer => readFileSync(join(dir, name));
    const identity = { ca: file('ca.crt'), cert: file('client.crt'), key: file('client.key') };
    const client = await mqtt.connectAsync(endpoints.mqtts, {
      ...{ ...identity, clientId: `${serial}-agent`, reconnectPeriod: 0 },
    });
    const agent = new Agent(client, serial);
    await client.subscribeAsync(`svc/v1/${serial}/commands`, { qos: 1 });
    return agent;
  }

  next(kind: string, count = 1): Promise<Received> {
    return until(`command ${count}, a ${kind}`, () => {
      const last = this.received.at(-1);
      return this.received.length >= count && last?.payload.kind === kind && last;
    });
  }

  /** Resolves when the service has settled the answer. */
  async answer(id: string, error: string | null = null): Promise<void> {
    const message = { id, ok: error === null, error, status: error === null ? 'started' : '' };
    await this.#client.publishAsync(`svc/v1/${this.#serial}/command-response`, JSON.stringify(message), {
      qos: 1,
    });
  }

  async close(): Promise<void> {
    await this.#client.endAsync(true);
  }
}

const appliance = new Appliance({ env: { TAGKEEP_COMMANDS__ACK_TIMEOUT_SECONDS: '3' } });
let endpoints: Endpoints;
let rest: Rest;
let dock: ReaderInService;

const change = (enabled: boolean) => rest.ok<Reader>('PATCH', `/readers/${dock.readerId}`, { enabled });
const commands = () => rest.get<readonly Command[]>(`/readers/${dock.readerId}/commands`);
const reader = async (): Promise<Reader | undefined> =>
  (await rest.get<readonly Reader[]>('/readers')).find(({ id }) => id === dock.readerId);

async function lastCommandThatIs(state: string): Promise<Command> {
  return until(`the last command to be ${state}`, async () => {
    const last = (await reader())?.lastCommand;
    return last?.state === state && last;
  });
}

async function restart(): Promise<void> {
  await appliance.stop();
  await start();
}

async function start(): Promise<void> {
  endpoints = await appliance.start();
  rest = new Rest(endpoints, await appliance.key());
}

beforeAll(async () => {
  await start();
  dock = await readerInService(appliance, rest, { serial: '370-10-15-0036' });
});
afterAll(() => appliance.dispose());

describe('starting and stopping a reader', () => {
  test('the connected agent gets the stop; once it answers, the command is applied and the reader disabled', async () => {
    const agent = await Agent.connect(dock);
    const { lastCommand } = await change(false);
    const { payload, retain, qos } = await agent.next('stop');
    expect({ payload, retain, qos }).toEqual({
      payload: { kind: 'stop', id: lastCommand?.id, no: expect.any(Number) },
      ...{ retain: false, qos: 1 },
    });
    await agent.answer(payload.id);
    expect(await reader()).toMatchObject({
      ...{ status: 'disabled', enabled: false, commandsSupported: true },
      lastCommand: { id: payload.id, kind: 'stop', state: 'applied' },
    });
    await agent.close();
  });

  test('a reader that is not connected finds the newest command when it is back, over a restart too; a late answer counts', async () => {
    const stopped = (await change(false)).lastCommand?.id;
    const { lastCommand } = await change(true);
    expect(await lastCommandThatIs('failed')).toMatchObject({ id: lastCommand?.id, error: 'timeout' });
    expect((await commands())[1]).toMatchObject({ id: stopped, state: 'superseded' });
    await restart();
    expect((await reader())?.commandsSupported).toBe(true);
    const agent = await Agent.connect(dock);
    await agent.next('start');
    // What the broker kept comes, and once more what the service has seen in no broker since its start.
    expect(agent.received).toContainEqual({
      payload: { kind: 'start', id: lastCommand?.id, no: expect.any(Number), preset: 'svc-default' },
      ...{ retain: true, qos: 1 },
    });
    expect(new Set(agent.received.map(({ payload }) => payload.id)).size).toBe(1);
    await agent.answer(String(lastCommand?.id));
    expect((await reader())?.lastCommand).toMatchObject({ id: lastCommand?.id, state: 'applied' });
    expect((await reader())?.lastCommand).not.toHaveProperty('error');
    await agent.close();
  });

  test('what was published before a kill -9 is answered after it', async () => {
    const { lastCommand } = await change(false);
    await appliance.stop('SIGKILL');
    await start();
    const agent = await Agent.connect(dock);
    const { payload } = await agent.next('stop');
    expect(payload.id).toBe(lastCommand?.id);
    await agent.answer(payload.id);
    expect((await reader())?.lastCommand).toMatchObject({ id: payload.id, state: 'applied' });
    await agent.close();
  });

  test('a failure shows its reason and makes a reader whose reads arrive degraded', async () => {
    const agent = await Agent.connect(dock);
    await agent.next('stop');
    const { lastCommand } = await change(true);
    const { payload } = await agent.next('start', 2);
    expect(payload.id).toBe(lastCommand?.id);
    const publisher = await Publisher.connect({
      url: endpoints.mqtts,
      serial: dock.serial,
      identity: dock.dir,
    });
    await publisher.publish({ payload: plainRead('3034257BF468D480000003E8') });
    await agent.answer(payload.id, 'preset not found');
    expect(await reader()).toMatchObject({
      ...{ status: 'degraded', lastCommand: { state: 'failed', error: 'preset not found' } },
    });
    await publisher.close();
    await agent.close();
  });

  test('an agent that comes gets the settings it has not answered, not retained, after every return', async () => {
    const first = await Agent.connect(dock);
    const { payload } = await until('the settings', () => first.settings[0]);
    expect(payload).toMatchObject({
      kind: 'push-config',
      preset: { antennaConfigs: [{ antennaPort: 1 }, {}, {}, {}] },
    });
    await first.close();
    const second = await Agent.connect(dock);
    const again = await until('the settings again', () => second.settings[0]);
    expect(again).toEqual({ payload, retain: false, qos: 1 });
    await second.answer(payload.id);
    expect((await reader())?.lastSettings).toMatchObject({ id: payload.id, state: 'applied' });
    await second.close();
  });

  test('what is no acknowledgement harms nobody', async () => {
    const publisher = await Publisher.connect({
      url: endpoints.mqtts,
      serial: dock.serial,
      identity: dock.dir,
    });
    const before = await commands();
    const settled = before.find(({ state }) => state === 'failed');
    for (const payload of ['', '{', '[]', '{"id":7,"ok":1}', JSON.stringify({ id: settled?.id, ok: true })])
      await publisher.publish({ payload, topic: 'command-response' });
    expect(await commands()).toEqual(before);
    await publisher.close();
  });
});

describe('a device out of its organisation', () => {
  const run = (...args: string[]) => tagkeep(args, { env: appliance.env });
  const claim = (code: string) => rest.send('POST', '/devices/claim', { code, readerName: 'Again' });
  const serial = '370-10-15-0036';

  test('reader code is refused while it is claimed, release frees it, and its next reader starts it', async () => {
    await change(false);
    expect(refusalOf(await run('reader', 'code', serial))).toMatch(/370-10-15-0036 is claimed; .*release/);
    const released = await appliance.cliJson('reader', 'release', serial);
    const free = { state: 'released', readerId: null, dataRevoked: false, connectRevoked: false };
    expect(released).toEqual({ serial, model: 'R700', firmware: '', ...free });
    expect(refusalOf(await run('reader', 'release', serial))).toMatch(/is no reader of/);
    expect(await reader()).toBeUndefined();
    const { claimCode } = await appliance.cliJson<{ claimCode: string }>('reader', 'code', serial);
    const again = await appliance.cliJson<{ claimCode: string }>('reader', 'code', serial);
    expect((await claim(claimCode)).status).toBe(404);
    const claimed = await claim(again.claimCode);
    expect(claimed).toMatchObject({ status: 201, body: { serial } });
    dock = { ...dock, readerId: (claimed.body as { readerId: string }).readerId };
    const agent = await Agent.connect(dock);
    const { payload } = await agent.next('start');
    await agent.answer(payload.id);
    expect(await reader()).toMatchObject({
      enabled: true,
      lastCommand: { id: payload.id, state: 'applied' },
    });
    await agent.close();
  });

  test('a withdrawn one: its data and answers are dropped, its code is refused with 409', async () => {
    const fresh = await appliance.cliJson<{ claimCode: string }>(
      ...[
        'reader',
        'provision',
        '370-10-15-0037',
        '--out',
        join(appliance.root, 'fresh'),
        '--key-type',
        'ecdsa',
      ],
    );
    expect(await appliance.cliJson('reader', 'withdraw', '370-10-15-0037')).toMatchObject({
      state: 'withdrawn',
    });
    expect(await claim(fresh.claimCode)).toMatchObject({
      ...{ status: 409, body: { type: '/problems/device-withdrawn' } },
    });
    expect(refusalOf(await run('reader', 'code', '370-10-15-0037'))).toMatch(/is withdrawn; .*provision/);

    const { lastCommand } = await change(true);
    await appliance.cliJson('reader', 'withdraw', serial);
    expect((await run('reader', 'withdraw', serial)).code).toBe(0);
    const publisher = await Publisher.connect({ url: endpoints.mqtts, serial, identity: dock.dir });
    await publisher.publish({ payload: plainRead('AAAA0000BBBB0001') });
    const ok = JSON.stringify({ id: lastCommand?.id, ok: true });
    await publisher.publish({ payload: ok, topic: 'command-response' });
    await publisher.close();
    expect(await rest.get('/tags?q=AAAA0000')).toEqual([]);
    expect(await lastCommandThatIs('failed')).toMatchObject({ id: lastCommand?.id, error: 'timeout' });
    expect(await rest.get('/devices')).toEqual([]);
  });

  test('a serial nobody knows is named', async () => {
    for (const command of ['withdraw', 'release', 'code'])
      expect(refusalOf(await run('reader', command, 'nobody'))).toMatch(/there is no device nobody/);
  });

  test('all of it is in the audit log, without codes', async () => {
    await appliance.stop();
    const store = openStore(appliance.dataDir);
    const audit = Array.from(store.range(tables.audit), ({ value }) => value);
    const codes = Array.from(store.range(tables.deviceByClaimCode), ({ key }) => key);
    await store.close();
    const byCli = audit.filter(({ actor }) => actor.kind === 'cli').map(({ action }) => action);
    const own = byCli.filter((action) => ['release', 'renew-code', 'withdraw'].includes(action));
    expect(own).toEqual(['release', 'renew-code', 'renew-code', 'withdraw', 'withdraw']);
    expect(codes.length).toBeGreaterThan(3);
    for (const code of codes) expect(JSON.stringify(audit)).not.toContain(code);
  });
});
