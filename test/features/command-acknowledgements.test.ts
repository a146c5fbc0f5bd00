import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { formatInstant } from '../../src/lib/instant.ts';
import { tables } from '../../src/store/tables.ts';
import { CommandHouse, okOf } from '../support/command-house.ts';
import { deviceOf, type House, noon, type Tenant } from '../support/house.ts';

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

describe('an acknowledgement', () => {
  test('ok: the command is applied, and the reader takes commands, from now on', async () => {
    const { id, serial } = await tenant.reader();
    const { body } = await rig.change(id, false);
    expect(body.commandsSupported).toBe(false);
    house.now = noon + 700;
    await rig.answer(serial, okOf(body.lastCommand.id.toUpperCase()));
    const settledAt = formatInstant(noon + 700);
    const applied = { ...body.lastCommand, state: 'applied', settledAt };
    expect(await rig.reader(id)).toMatchObject({ commandsSupported: true, lastCommand: applied });
    expect(house.store.get(tables.readers, [tenant.orgId, id])?.commandsConfirmedAt).toBe(house.now);
  });

  test.each([
    ['preset not found', 'preset not found'],
    ['two\nlines\u0007', 'two\\u000alines\\u0007'],
    [null, 'no reason given'],
    [undefined, 'no reason given'],
    ['  ', 'no reason given'],
  ])('not ok with %j: the command failed with the error %j', async (error, expected) => {
    const { id, serial } = await tenant.reader();
    const command = (await rig.change(id, true)).body.lastCommand;
    await rig.answer(serial, { id: command.id, ok: false, error });
    const settled = { state: 'failed', settledAt: at, error: expected };
    expect((await rig.reader(id)).lastCommand).toEqual({ ...command, ...settled });
    expect((await rig.reader(id)).commandsSupported).toBe(true);
  });

  test('a long error is cut', async () => {
    const { id, serial } = await tenant.reader();
    const command = (await rig.change(id, true)).body.lastCommand;
    await rig.answer(serial, { id: command.id, ok: false, error: '😀'.repeat(2000) });
    const { error } = (await rig.reader(id)).lastCommand;
    expect(error.length).toBeLessThanOrEqual(500);
    expect(error).toMatch(/^(😀)+…$/u);
  });

  test('nobody answers: failed with timeout; a late ok still turns it to applied, a late failure does not', async () => {
    const { id, serial } = await tenant.reader();
    const command = (await rig.change(id, false)).body.lastCommand;
    await rig.timeOut();
    const timedOut = { ...command, state: 'failed', error: 'timeout', settledAt: formatInstant(house.now) };
    expect((await rig.reader(id)).lastCommand).toEqual(timedOut);
    await rig.answer(serial, { id: command.id, ok: false, error: 'too late' });
    expect((await rig.reader(id)).lastCommand).toEqual(timedOut);
    house.now += 1000;
    await rig.answer(serial, okOf(command.id));
    const applied = { ...command, state: 'applied', settledAt: formatInstant(house.now) };
    expect((await rig.reader(id)).lastCommand).toEqual(applied);
  });

  test('an agent that says it failed with "timeout" has settled it: that is no timeout of ours', async () => {
    const { id, serial } = await tenant.reader();
    const command = (await rig.change(id, false)).body.lastCommand;
    await rig.answer(serial, { id: command.id, ok: false, error: 'timeout' });
    await rig.answer(serial, okOf(command.id));
    expect((await rig.reader(id)).lastCommand).toMatchObject({ state: 'failed', error: 'timeout' });
  });

  test('of an unknown or settled id changes nothing', async () => {
    const { id, serial } = await tenant.reader();
    const command = (await rig.change(id, false)).body.lastCommand;
    await rig.answer(serial, okOf(unknown));
    expect(await rig.reader(id)).toMatchObject({ commandsSupported: false, lastCommand: command });
    await rig.answer(serial, okOf(command.id));
    const before = await rig.reader(id);
    house.now += 1000;
    await rig.answer(serial, { id: command.id, ok: false, error: 'no' });
    expect(await rig.reader(id)).toEqual(before);
    expect(rig.diagnostics.of(serial).rejected).toBe(0);
  });

  test('counts for the commands of that reader only', async () => {
    const [ours, other] = [await tenant.reader('R-1'), await tenant.reader('R-2')];
    const command = (await rig.change(ours.id, false)).body.lastCommand;
    await rig.answer('R-2', okOf(command.id));
    expect((await rig.reader(ours.id)).lastCommand).toEqual(command);
    expect((await rig.reader(other.id)).commandsSupported).toBe(false);
  });

  test.each([
    ['not JSON', Buffer.from('{'), /^not JSON: /],
    ['empty', Buffer.alloc(0), 'the message is empty'],
    ['not UTF-8', Buffer.from([0xff, 0xfe]), 'the message is not UTF-8 text'],
    ['too long', Buffer.alloc(20_000, 0x20), /^an acknowledgement of 20000 bytes/],
    ['nested deeply', Buffer.from('['.repeat(16_000)), /^not JSON: /],
    ['a list', Buffer.from('[]'), 'an acknowledgement is a list; an object is expected'],
    ['null', Buffer.from('null'), 'an acknowledgement is null; an object is expected'],
    ['without id', Buffer.from('{"ok":true}'), /^id is missing; /],
    ['with an id that is none', Buffer.from('{"id":"x\\n","ok":true}'), /^id is "x\\n"; the id/],
    ['without ok', Buffer.from(`{"id":"${unknown}"}`), 'ok is missing; true or false is allowed'],
    ['with ok as text', Buffer.from(`{"id":"${unknown}","ok":"yes"}`), /^ok is "yes"; /],
    ['with a status object', Buffer.from(`{"id":"${unknown}","ok":true,"status":{}}`), /^status is an obj/],
    ['with __proto__', Buffer.from('{"__proto__":{"id":"x","ok":true}}'), /^id is missing; /],
  ])('that is %s is counted with its reason', async (_, payload, reason) => {
    const { serial } = await tenant.reader();
    await rig.answer(serial, payload);
    const { rejected, badPayloads } = rig.diagnostics.of(serial);
    expect([rejected, badPayloads.length]).toEqual([1, 1]);
    expect(badPayloads[0]?.reason).toEqual(
      typeof reason === 'string' ? reason : expect.stringMatching(reason),
    );
  });

  test('unknown members and a byte order mark do no harm', async () => {
    const { id, serial } = await tenant.reader();
    const command = (await rig.change(id, false)).body.lastCommand;
    const text = `\ufeff{"id":"${command.id}","ok":true,"took":7,"constructor":1}`;
    await rig.answer(serial, Buffer.from(text));
    expect((await rig.reader(id)).lastCommand.state).toBe('applied');
  });

  test.each([
    ['withdrawn', { state: 'withdrawn' }],
    ['revoked in the service', { dataRevoked: true }],
  ] as const)('of a device that is %s is dropped and counted', async (_, more) => {
    const { id, serial } = await tenant.reader();
    const command = (await rig.change(id, false)).body.lastCommand;
    const device = deviceOf(house, serial);
    if (!device) throw new Error('no device');
    await house.store.write((tx) => tx.put(tables.devices, serial, { ...device, ...more }));
    await rig.answer(serial, okOf(command.id));
    await rig.answer('nobody', okOf(command.id));
    expect((await rig.list(id))[0]).toEqual(command);
    expect([rig.diagnostics.of(serial).dropped, rig.diagnostics.of('nobody').dropped]).toEqual([1, 1]);
  });

  test('is settled once it is on disk: while the disk is full it waits', async () => {
    const { id, serial } = await tenant.reader();
    const command = (await rig.change(id, false)).body.lastCommand;
    rig.blocked = 'the disk is full';
    let settled = false;
    const waiting = rig.answer(serial, okOf(command.id)).then(() => (settled = true));
    await rig.answer(serial, okOf(unknown));
    expect(settled).toBe(false);
    expect((await rig.list(id))[0].state).toBe('published');
    rig.blocked = null;
    await waiting;
    expect((await rig.list(id))[0].state).toBe('applied');
  });

  test('that waits for the disk when the service stops is not settled: the agent sends it again', async () => {
    const { id, serial } = await tenant.reader();
    const command = (await rig.change(id, false)).body.lastCommand;
    rig.blocked = 'the disk is full';
    let settled = false;
    rig.acknowledgements.take(serial, Buffer.from(JSON.stringify(okOf(command.id))), () => {
      settled = true;
    });
    await rig.acknowledgements.stop();
    expect(settled).toBe(false);
  });
});

describe('the status of a reader whose reads arrive', () => {
  test('is degraded until an agent confirmed, and while the last command failed', async () => {
    const { id, serial } = await tenant.reader();
    house.connect(serial);
    house.activity.events(serial, house.now, 'running');
    expect(await rig.reader(id)).toMatchObject({ status: 'degraded', commandsSupported: false });
    await rig.answer(serial, okOf((await rig.change(id, true)).body.lastCommand.id));
    expect(await rig.reader(id)).toMatchObject({ status: 'online', commandsSupported: true });
    const failing = (await rig.change(id, true)).body.lastCommand.id;
    await rig.answer(serial, { id: failing, ok: false, error: 'permission denied' });
    expect(await rig.reader(id)).toMatchObject({ status: 'degraded' });
    const slow = (await rig.change(id, true)).body.lastCommand.id;
    expect(await rig.reader(id)).toMatchObject({ status: 'online' });
    await rig.timeOut();
    expect(await rig.reader(id)).toMatchObject({ status: 'degraded', lastCommand: { error: 'timeout' } });
    await rig.answer(serial, okOf(slow));
    expect(await rig.reader(id)).toMatchObject({ status: 'online' });
  });

  test('is online with an agent that said it takes commands', async () => {
    const { id, serial } = await tenant.reader();
    house.connect(serial, { commands: true });
    house.activity.events(serial, house.now, 'running');
    expect(await rig.reader(id)).toMatchObject({ status: 'online', commandsSupported: true });
  });
});
