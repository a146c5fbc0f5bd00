import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CommandOutbox } from '../../src/features/readers/command-outbox.ts';
import { formatInstant } from '../../src/lib/instant.ts';
import { createLog } from '../../src/log/log.ts';
import { OpenCommands } from '../../src/store/open-commands.ts';
import { tables } from '../../src/store/tables.ts';
import { CommandHouse, okOf } from '../support/command-house.ts';
import { deviceOf, type House, noon, type Tenant } from '../support/house.ts';
import { until } from '../support/wait.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const unknown = '00000000-0000-4000-8000-000000000000';
const at = formatInstant(noon);

let rig: CommandHouse;
let house: House;
let tenant: Tenant;

beforeEach(async () => {
  rig = await CommandHouse.open();
  ({ house, tenant } = rig);
});
afterEach(() => rig.close());

describe('PATCH /readers/{id}', () => {
  test('false stops the reader: the stop is published, the answer is the updated reader', async () => {
    const { id, serial } = await tenant.reader();
    const { status, body } = await rig.change(id, false);
    expect(status).toBe(200);
    expect(body).toMatchObject({ id, enabled: false, status: 'disabled', offlineReason: 'stopped' });
    const command = { id: expect.stringMatching(UUID), kind: 'stop', state: 'published', createdAt: at };
    expect(body.lastCommand).toEqual(command);
    expect(rig.sent).toEqual([
      { serial, payload: { kind: 'stop', id: body.lastCommand.id, no: expect.any(Number) } },
    ]);
    expect(await rig.reader(id)).toEqual(body);
  });

  test('a name alone renames it and sends no command; with enabled it does both, or neither', async () => {
    const { id } = await tenant.reader();
    const rename = (body: object) => tenant.call('PATCH', `/readers/${id}`, body);
    expect((await rename({ name: 'Gate 7' })).body).toMatchObject({ id, name: 'Gate 7', enabled: true });
    expect(rig.sent).toEqual([]);
    expect((await rename({ name: 'Gate 8', enabled: false })).body).toMatchObject({
      ...{ name: 'Gate 8', enabled: false, lastCommand: { kind: 'stop' } },
    });
    await tenant.call(
      'PUT',
      `/readers/${id}/antennas`,
      [1, 2, 3, 4].map((port) => ({ port, enabled: false })),
    );
    expect((await rename({ name: 'Gate 9', enabled: true })).status).toBe(409);
    expect((await rig.reader(id)).name).toBe('Gate 8');
    for (const [body, path] of [
      [{ name: ' ' }, 'name'],
      [{ name: 'x'.repeat(256) }, 'name'],
      [{}, ''],
    ] as const)
      expect((await rename(body)).body.errors).toMatchObject([{ path }]);
    expect(tenant.audit().filter(({ action }) => action === 'update')).toMatchObject([
      {
        resource: `readers/${id}`,
        before: { name: expect.stringMatching(/^Reader /) },
        after: { name: 'Gate 7' },
      },
      { before: { name: 'Gate 7' }, after: { name: 'Gate 8' } },
      { resource: `readers/${id}/antennas` },
    ]);
  });

  test('true starts it with the named default preset', async () => {
    const { id } = await tenant.reader();
    await rig.change(id, false);
    const { body } = await rig.change(id, true);
    expect(body).toMatchObject({ enabled: true, lastCommand: { kind: 'start', state: 'published' } });
    const payload = { kind: 'start', id: body.lastCommand.id, no: expect.any(Number), preset: 'svc-default' };
    expect(rig.sent.at(-1)?.payload).toEqual(payload);
  });

  test('the value that holds already sends the command again, as another command', async () => {
    const { id } = await tenant.reader();
    const answers = [await rig.change(id, true), await rig.change(id, true)];
    const ids = answers.map(({ body }) => body.lastCommand.id);
    expect(new Set(ids).size).toBe(2);
    expect(rig.sent.map(({ payload }) => payload.id)).toEqual(ids);
  });

  test('a newer command supersedes the older one while that is not settled', async () => {
    const { id, serial } = await tenant.reader();
    const first = (await rig.change(id, false)).body.lastCommand.id;
    house.now = noon + 1000;
    const second = (await rig.change(id, true)).body.lastCommand.id;
    await rig.answer(serial, okOf(second));
    await rig.change(id, false);
    const states = (await rig.list(id)).map((one: { state: string; settledAt?: string }) => [
      one.state,
      one.settledAt ?? null,
    ]);
    const later = formatInstant(noon + 1000);
    expect(states).toEqual([
      ['published', null],
      ['applied', later],
      ['superseded', later],
    ]);
    await rig.answer(serial, okOf(first));
    expect((await rig.list(id)).at(-1)).toMatchObject({ id: first, state: 'superseded' });
  });

  test('is in the audit log with the command, and when the value stays the same too', async () => {
    const { id } = await tenant.reader();
    const { body } = await rig.change(id, false);
    expect(tenant.audit().at(-1)).toMatchObject({
      ...{ action: 'stop', resource: `readers/${id}`, actor: { kind: 'key', id: tenant.keyId } },
      ...{ before: { enabled: true }, after: { enabled: false, command: body.lastCommand.id } },
    });
    const again = (await rig.change(id, false)).body.lastCommand.id;
    expect(tenant.audit().at(-1)).toMatchObject({ action: 'stop', before: {}, after: { command: again } });
  });

  test('404 for an unknown reader and for one of another organisation, and nothing is sent', async () => {
    const theirs = await (await house.tenant('Theirs')).reader();
    for (const id of [unknown, theirs.id, 'nonsense']) {
      expect((await rig.change(id, false)).status).toBe(404);
      expect((await tenant.call('GET', `/readers/${id}/commands`)).status).toBe(404);
    }
    expect(rig.sent).toEqual([]);
    expect(house.store.count(tables.commands)).toBe(0);
  });

  test.each([[{}], [{ enabled: 'false' }], [{ enabled: null }], [{ enabled: 0 }], [[]]])(
    '400 for %j, and nothing changes',
    async (body) => {
      const { id } = await tenant.reader();
      expect((await tenant.call('PATCH', `/readers/${id}`, body)).status).toBe(400);
      expect(await rig.list(id)).toEqual([]);
      expect(rig.sent).toEqual([]);
    },
  );
});

describe('a command on its way to the broker', () => {
  test('stays pending while the broker does not take it, and goes out once it does', async () => {
    const { id, serial } = await tenant.reader();
    rig.broker = () => Promise.reject(new Error('the broker is stopped'));
    expect((await rig.change(id, false)).body.lastCommand.state).toBe('pending');
    await rig.outbox.sendOpen();
    expect(rig.logged.filter((line) => line.includes('waits to be published'))).toHaveLength(1);
    rig.broker = async () => {};
    await rig.outbox.sendOpen();
    await rig.outbox.sendOpen();
    expect(rig.sent).toMatchObject([{ serial, payload: { kind: 'stop' } }]);
    expect((await rig.list(id))[0].state).toBe('published');
  });

  test('goes out after a start when a crash came between storing and publishing it', async () => {
    const { id, serial } = await tenant.reader();
    rig.broker = () => Promise.reject(new Error('crash'));
    await rig.change(id, false);
    const restarted = new OpenCommands(house.store);
    const next = new CommandOutbox({
      ...{ store: house.store, commands: restarted, now: () => house.now },
      log: createLog({ level: 'silent' }),
    });
    rig.broker = async () => {};
    await next.open(rig.publish);
    expect(rig.sent).toMatchObject([{ serial, payload: { kind: 'stop' } }]);
    expect((await rig.list(id))[0].state).toBe('published');
  });

  test('goes out again after a start while it is not settled, and only the newest of a reader', async () => {
    const readers = [await tenant.reader('R-1'), await tenant.reader('R-2')];
    for (const { id } of readers) for (const enabled of [false, true]) await rig.change(id, enabled);
    await rig.answer('R-1', okOf((await rig.list(readers[0]?.id ?? ''))[0].id));
    rig.sent.length = 0;
    await rig.outbox.open(rig.publish);
    expect(rig.sent).toMatchObject([{ serial: 'R-2', payload: { kind: 'start' } }]);
  });

  test('one that was superseded before it could go out never does', async () => {
    const { id } = await tenant.reader();
    rig.broker = () => Promise.reject(new Error('stopped'));
    await rig.change(id, false);
    await rig.change(id, true);
    rig.broker = async () => {};
    await rig.outbox.sendOpen();
    expect(rig.sent).toMatchObject([{ payload: { kind: 'start' } }]);
  });

  test('of many wishes at once the last one stored is the last one sent', async () => {
    const { id } = await tenant.reader();
    await Promise.all(Array.from({ length: 20 }, (_, n) => rig.change(id, n % 2 === 0)));
    const all = await rig.list(id);
    expect(all).toHaveLength(20);
    expect(rig.sent.at(-1)?.payload.id).toBe(all[0].id);
    expect((await rig.reader(id)).enabled).toBe(all[0].kind === 'start');
    expect(new Set(rig.sent.map(({ payload }) => payload.id)).size).toBe(rig.sent.length);
    expect(all.slice(1).filter(({ state }: { state: string }) => state !== 'superseded')).toEqual([]);
  });

  test('an answer that comes before the broker says it has the command counts', async () => {
    const { id, serial } = await tenant.reader();
    rig.broker = ({ payload }) => rig.answer(serial, okOf(payload.id));
    expect((await rig.change(id, false)).body.lastCommand.state).toBe('applied');
    expect(rig.commands.all()).toEqual([]);
  });

  test('an agent that does not read holds up neither the answer for long nor other readers', async () => {
    const [stuck, other] = [await tenant.reader('R-1'), await tenant.reader('R-2')];
    let release = () => {};
    rig.broker = ({ serial }) =>
      serial === 'R-1' ? new Promise((resolve) => (release = resolve)) : Promise.resolve();
    const answered = await rig.change(stuck.id, false);
    expect(answered.body.lastCommand.state).toBe('pending');
    expect((await rig.change(other.id, false)).body.lastCommand.state).toBe('published');
    release();
    await until('the command to go out', async () => (await rig.list(stuck.id))[0].state === 'published');
  });
});

describe('GET /readers/{id}/commands', () => {
  test('the last 50, newest first; older ones are gone', async () => {
    const { id } = await tenant.reader();
    const ids: string[] = [];
    for (let n = 0; n < 53; n++) ids.push((await rig.change(id, n % 2 === 0)).body.lastCommand.id);
    const shown = (await rig.list(id)).map((one: { id: string }) => one.id);
    expect(shown).toEqual(ids.toReversed().slice(0, 50));
    expect(house.store.count(tables.commands)).toBe(50);
  });

  test('none yet: an empty list', async () => {
    const { id } = await tenant.reader();
    expect(await rig.list(id)).toEqual([]);
  });

  test('shows no commands of other readers', async () => {
    const [one, other] = [await tenant.reader(), await tenant.reader()];
    await rig.change(one.id, false);
    expect(await rig.list(other.id)).toEqual([]);
    expect(await rig.reader(other.id)).not.toHaveProperty('lastCommand');
  });
});

describe('removing a reader', () => {
  test('removes its commands; an answer that still comes is dropped', async () => {
    const { id, serial } = await tenant.reader();
    const command = (await rig.change(id, false)).body.lastCommand;
    await tenant.call('DELETE', `/readers/${id}`);
    expect(house.store.count(tables.commands)).toBe(0);
    expect(rig.commands.all()).toEqual([]);
    await rig.answer(serial, okOf(command.id));
    expect(rig.diagnostics.of(serial).dropped).toBe(1);
  });

  test('whoever claims the device next does not inherit a stop: a start takes its place in the broker', async () => {
    const { id, serial } = await tenant.reader();
    await rig.change(id, false);
    await tenant.call('DELETE', `/readers/${id}`);
    const stranger = await house.tenant('Theirs');
    const device = deviceOf(house, serial);
    const code = await house.provision(serial, { ...device, state: 'registered', claimCode: null });
    const canonical = code.replaceAll('-', '');
    await house.store.write((tx) => {
      const free = tx.get(tables.devices, serial);
      if (free) tx.put(tables.devices, serial, { ...free, claimCode: canonical });
    });
    const claim = await stranger.call('POST', '/devices/claim', { code, readerName: 'Next' });
    await rig.outbox.sendOpen();
    expect(rig.sent.at(-1)).toMatchObject({ serial, payload: { kind: 'start', preset: 'svc-default' } });
    const path = `/readers/${claim.body.readerId}/commands`;
    expect((await stranger.call('GET', path)).body).toMatchObject([{ kind: 'start', state: 'published' }]);
  });

  test('a device that was never told anything is not started by its claim', async () => {
    const { id } = await tenant.reader();
    expect(await rig.list(id)).toEqual([]);
    await rig.outbox.sendOpen();
    expect(rig.sent).toEqual([]);
  });
});
