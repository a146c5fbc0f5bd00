import { createServer, connect as dial, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { healthSchema } from '../../src/contract/payloads.ts';
import { defaultPreset } from '../../src/contract/preset.ts';
import { clientIdOf } from '../../src/device/broker-link.ts';
import { call, credentials } from '../simulator/local-support.ts';
import { until } from '../support/wait.ts';
import { ReaderBench, SERIAL } from './reader-bench.ts';

let bench: ReaderBench;
beforeEach(async () => {
  bench = await ReaderBench.open();
});
afterEach(() => bench.close());

const ok = (id: string, status: string) => ({ id, ok: true, error: null, status });

describe('the agent, between a real broker and a reader over HTTPS', () => {
  it('starts and stops the reader and says so', async () => {
    await bench.agent();
    const start = await bench.send({ kind: 'start', preset: defaultPreset });
    expect(await bench.answer(start)).toEqual(ok(start, 'started'));
    expect(bench.running).toBe(defaultPreset);
    const stop = await bench.send({ kind: 'stop' });
    expect(await bench.answer(stop)).toEqual(ok(stop, 'stopped'));
    expect(bench.running).toBeNull();
  });

  it('has a connection of its own beside the reader: another client id, a session that stays, no will', async () => {
    const agent = await bench.agent();
    const own = await bench.rig.mqtt(bench.pki.client(SERIAL), {
      clientId: clientIdOf(SERIAL),
      clean: false,
    });
    expect(bench.rig.broker.connections(SERIAL)).toBe(2);
    await agent.stop();
    expect(own.connected).toBe(true);
    const start = await bench.send({ kind: 'start' });
    expect(bench.said('status').every(({ type }) => type === 'health')).toBe(true);
    await bench.agent();
    expect(await bench.answer(start)).toEqual(ok(start, 'started'));
  });

  it('finds the retained command of a reader that starts up, and doing it again is no failure', async () => {
    const start = await bench.send({ kind: 'start', preset: defaultPreset });
    const agent = await bench.agent();
    await bench.answer(start);
    await agent.stop();
    bench.rig.published.length = 0;
    await bench.agent();
    expect(await bench.answer(start)).toEqual(ok(start, 'started'));
  });

  it('sends health right after it has subscribed and after each command', async () => {
    await bench.agent();
    // One sent between the connection and the subscription does not say yet that commands are taken.
    const first = await until('health', () => bench.said('status').find((one) => one.commands === true));
    expect(healthSchema.parse(first)).toMatchObject({
      ...{ radio: 'idle', commands: true, model: 'R700', firmware: '10.0.0.240', serial: SERIAL },
      ...{
        temperatureC: 42,
        powerMilliwatts: 25_500,
        agentVersion: expect.stringMatching(/^\d+(\.\d+){3}$/),
      },
    });
    await bench.send({ kind: 'start' });
    await until('health of a radio that runs', () =>
      bench.said('status').some(({ radio, preset }) => radio === 'running' && preset === defaultPreset),
    );
  });

  it('answers what it does not know and survives what is no command', async () => {
    await bench.agent();
    await bench.rig.broker.publishCommand(SERIAL, ['no', 'object'], { retain: false });
    await bench.rig.broker.publishCommand(SERIAL, { id: 'x', kind: 'stop' }, { retain: false });
    const unknown = await bench.send({ kind: 'self-destruct' });
    expect(await bench.answer(unknown)).toMatchObject({
      ok: false,
      error: 'unknown command: kind is "self-destruct"',
    });
    const stop = await bench.send({ kind: 'stop' });
    expect(await bench.answer(stop)).toEqual(ok(stop, 'stopped'));
  });

  it('brings a reader that was rebooted without its preset back to what was asked for', async () => {
    await bench.agent({}, { healthEveryMs: 200 });
    await bench.answer(await bench.send({ kind: 'start' }));
    await bench.local.reboot({ rebootMs: 400, lose: 'running' });
    await until('the radio to be on again', () => bench.running === defaultPreset);
    await bench.local.reboot({ rebootMs: 400, lose: 'settings' });
    await until('the radio to be on again with new settings', () => bench.running === defaultPreset);
  });

  it('finds out that a reader has started anew though it was never seen away', async () => {
    const agent = await bench.agent({}, { healthEveryMs: 200 });
    await bench.answer(await bench.send({ kind: 'start' }));
    await agent.stop();
    await bench.local.reboot({ rebootMs: 1, lose: 'running' });
    expect(bench.running).toBeNull();
    await bench.agent({}, { healthEveryMs: 200 });
    await until('the radio to be on again', () => bench.running === defaultPreset);
  });

  it('does what it was told when the reader was away, and answers then', async () => {
    await bench.agent();
    const rebooted = bench.local.reboot({ rebootMs: 1500 });
    const start = await bench.send({ kind: 'start' });
    await rebooted;
    expect(await bench.answer(start)).toEqual(ok(start, 'started'));
  });

  it('says in words of the contract that the credentials are wrong', async () => {
    await bench.agent();
    bench.local.setFaults({ credentials: 'refused' });
    const start = await bench.send({ kind: 'start' });
    const error = 'permission denied (wrong reader REST credentials)';
    expect(await bench.answer(start)).toEqual({ id: start, ok: false, error, status: null });
  });

  it('keeps its answer while the broker is away, and delivers it when it is back', async () => {
    await bench.agent();
    bench.local.setFaults({ delayMs: 1500, delayCalls: ['/api/v1/profiles/stop'] });
    const stop = await bench.send({ kind: 'stop' });
    await until('the call', () => bench.local.view().calls['POST /profiles/stop'] !== 0);
    const { port } = bench.rig.broker;
    expect(port).toBeGreaterThan(0);
    bench.rig.settleAtOnce = false;
    await until('the answer', () => bench.said('command-response').length > 0);
    const [unsettled] = bench.rig.published.filter(({ kind }) => kind === 'command-response');
    expect(unsettled?.dup).toBe(false);
    bench.rig.broker.disconnect(SERIAL);
    bench.rig.settleAtOnce = true;
    const again = await until('the answer again', () =>
      bench.rig.published.filter(({ kind }) => kind === 'command-response').find(({ dup }) => dup),
    );
    expect(JSON.parse(again.text)).toEqual(ok(stop, 'stopped'));
  });

  it("takes the broker from the reader's own MQTT settings, once there is one", async () => {
    const agent = bench.start({});
    await until('a word about it', () => bench.lines.some((line) => line.includes('no broker is known')));
    const auth = `${credentials.user}:${credentials.password}`;
    const current = (await call(bench.local.url, '/api/v1/mqtt', { auth })).body as object;
    const broker = { active: true, brokerHostname: 'localhost', brokerPort: bench.rig.broker.port };
    const put = { method: 'PUT', auth, body: { ...current, ...broker } };
    expect((await call(bench.local.url, '/api/v1/mqtt', put)).status).toBe(204);
    await until('the agent to be ready', () => agent.ready);
  });

  it('sees through a connection that only looks open, and comes back', async () => {
    const sockets: Socket[] = [];
    let isDeaf = false;
    const proxy = createServer((near) => {
      const far = dial(bench.rig.broker.port, '127.0.0.1');
      sockets.push(near, far);
      for (const socket of [near, far]) socket.on('error', () => {});
      near.on('data', (bytes) => isDeaf || far.write(bytes));
      far.on('data', (bytes) => isDeaf || near.write(bytes));
      near.on('close', () => far.destroy());
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const address = proxy.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const agent = bench.start({ broker: `mqtts://localhost:${port}` }, { keepaliveSeconds: 1 });
    await until('the agent to be ready', () => agent.ready);
    isDeaf = true;
    await until('the loss to be seen', () => !agent.ready);
    isDeaf = false;
    await until('the agent to be back', () => agent.ready);
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
});
