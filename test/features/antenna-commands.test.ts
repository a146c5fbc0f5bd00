import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Reconciler } from '../../src/features/readers/reconcile.ts';
import { createLog } from '../../src/log/log.ts';
import { CommandHouse, okOf } from '../support/command-house.ts';
import type { Tenant } from '../support/house.ts';
import { until } from '../support/wait.ts';

let rig: CommandHouse;
let tenant: Tenant;
let id: string;
let serial: string;

beforeEach(async () => {
  rig = await CommandHouse.open();
  tenant = rig.tenant;
  ({ id, serial } = await tenant.reader());
});
afterEach(() => rig.close());

const ports = [1, 2, 3, 4];
const allOff = ports.map((port) => ({ port, enabled: false }));
const kinds = () => rig.sent.map(({ payload }) => payload.kind);
const last = () => {
  const sent = rig.sent.at(-1);
  if (!sent) throw new Error('nothing was sent');
  return sent.payload;
};
const listed = async () =>
  (await rig.list(id)).map(({ kind, state }: { kind: string; state: string }) => `${kind} ${state}`);

describe('antenna settings reach the reader (interface: antenna PUT rule 3)', () => {
  test('at once, as a whole preset, not retained', async () => {
    await rig.antennas(id, [
      { port: 2, transmitPowerCdbm: 2412, enabled: true },
      { port: 4, enabled: false },
    ]);
    expect(rig.sent).toHaveLength(1);
    expect(last()).toMatchObject({ kind: 'push-config', id: expect.any(String) });
    expect(rig.sent[0]?.payload).toMatchObject({
      preset: {
        antennaConfigs: [{ antennaPort: 1 }, { antennaPort: 2, transmitPowerCdbm: 2400 }, { antennaPort: 3 }],
      },
    });
    expect(rig.retained).toEqual([]);
  });

  test('the power is kept as sent, and the effective one shown', async () => {
    const { body } = await rig.antennas(id, [{ port: 1, transmitPowerCdbm: 2412 }]);
    expect(body[0]).toMatchObject({ transmitPowerCdbm: 2412, effectivePowerCdbm: 2400 });
  });

  test('`lastSettings` of the reader says what became of them, `lastCommand` stays the start or stop', async () => {
    await rig.change(id, true);
    await rig.antennas(id, [{ port: 1, inventorySession: 1 }]);
    expect(await rig.reader(id)).toMatchObject({
      lastSettings: { state: 'published' },
      lastCommand: { kind: 'start' },
    });
    await rig.answer(serial, { ...okOf(last().id), status: 'configured' });
    expect((await rig.reader(id)).lastSettings).toMatchObject({ id: last().id, state: 'applied' });
  });

  test("a refusal is shown in the reader's words, and the same settings again are tried again", async () => {
    await rig.antennas(id, [{ port: 1, transmitPowerCdbm: 3300 }]);
    await rig.answer(serial, {
      id: last().id,
      ok: false,
      error: 'transmitPowerCdbm: at most 3150',
      status: null,
    });
    expect((await rig.reader(id)).lastSettings).toMatchObject({
      state: 'failed',
      error: 'transmitPowerCdbm: at most 3150',
    });
    await rig.antennas(id, [{ port: 1, transmitPowerCdbm: 3300 }]);
    expect(kinds()).toEqual(['push-config', 'push-config']);
    expect(await listed()).toEqual(['push-config published', 'push-config failed']);
  });

  test('settings a start did not find on the reader go out again, without a change', async () => {
    await rig.change(id, true);
    await rig.antennas(id, []);
    expect(kinds()).toEqual(['start']);
    await rig.answer(serial, { id: last().id, ok: false, error: 'preset not found', status: null });
    await rig.antennas(id, []);
    expect(kinds()).toEqual(['start', 'push-config']);
    // And not once more: neither while they are on their way, nor when the reader has them.
    await rig.antennas(id, []);
    await rig.answer(serial, { ...okOf(last().id), status: 'configured' });
    await rig.antennas(id, []);
    expect(kinds()).toEqual(['start', 'push-config']);
    await rig.change(id, true);
    await rig.answer(serial, { id: last().id, ok: false, error: 'Preset not found: x', status: null });
    await rig.antennas(id, []);
    expect(kinds()).toEqual(['start', 'push-config', 'start', 'push-config']);
  });

  test('newer settings supersede older ones that are not settled, and no start or stop', async () => {
    await rig.change(id, true);
    await rig.antennas(id, [{ port: 1, inventorySession: 1 }]);
    await rig.antennas(id, [{ port: 1, inventorySession: 3 }]);
    expect(await listed()).toEqual(['push-config published', 'push-config superseded', 'start published']);
    await rig.change(id, false);
    expect((await listed())[1]).toBe('push-config published');
  });

  test('a change of zones alone is none for the reader, nor are settings it has', async () => {
    const zoneId = (await tenant.zone('Dock')).id;
    await rig.antennas(id, [{ port: 1, zoneId }]);
    await rig.antennas(id, [{ port: 1, zoneId, inventorySession: 2, enabled: true }]);
    expect(rig.sent).toEqual([]);
  });

  test('a refused PUT sends nothing', async () => {
    expect((await rig.antennas(id, [{ port: 1, inventorySession: 4 }])).status).toBe(400);
    expect((await rig.antennas(id, [{ port: 1, zoneId: id, inventorySession: 1 }])).status).toBe(400);
    expect(rig.sent).toEqual([]);
    expect(await rig.list(id)).toEqual([]);
  });

  test('what changes before they could go out goes out with them', async () => {
    rig.broker = () => Promise.reject(new Error('the broker is stopped'));
    await rig.antennas(id, [{ port: 1, inventorySession: 1 }]);
    await rig.antennas(id, [{ port: 2, inventorySession: 3 }]);
    rig.broker = async () => {};
    await rig.outbox.sendOpen();
    expect(rig.sent).toHaveLength(1);
    expect(last()).toMatchObject({
      preset: { antennaConfigs: [{ inventorySession: 1 }, { inventorySession: 3 }, {}, {}] },
    });
  });
});

describe('with every port off', () => {
  test('the radio is stopped, settings on their way are taken back, and the reader counts as stopped', async () => {
    await rig.antennas(id, [{ port: 1, inventorySession: 1 }]);
    await rig.antennas(id, allOff);
    expect(kinds()).toEqual(['push-config', 'stop']);
    expect(rig.retained).toEqual([last().id]);
    expect(await listed()).toEqual(['stop published', 'push-config superseded']);
    expect(await rig.reader(id)).toMatchObject({
      enabled: true,
      status: 'disabled',
      offlineReason: 'stopped',
    });
  });

  test('a start is refused with 409, and nothing is changed', async () => {
    await rig.antennas(id, allOff);
    const { status, body } = await rig.change(id, true);
    expect(status).toBe(409);
    expect(body).toMatchObject({ type: '/problems/no-antenna-enabled' });
    expect(kinds()).toEqual(['stop']);
  });

  test('the first port switched on sends the settings and starts the radio', async () => {
    await rig.antennas(id, allOff);
    rig.sent.length = 0;
    await rig.antennas(id, [{ port: 3, enabled: true }]);
    expect(kinds()).toEqual(['push-config', 'start']);
    expect(await listed()).toEqual(['start published', 'push-config published', 'stop superseded']);
  });

  test('a reader somebody stopped stays stopped', async () => {
    await rig.change(id, false);
    await rig.antennas(id, allOff);
    await rig.antennas(id, [{ port: 3, enabled: true }]);
    expect(kinds()).toEqual(['stop', 'push-config']);
    expect((await rig.reader(id)).enabled).toBe(false);
  });
});

describe("an agent that comes (back) finds the reader's desired state", () => {
  test('settings and a start, when it was never told anything', async () => {
    await rig.agentReturns(id);
    expect(kinds()).toEqual(['push-config', 'start']);
    await rig.agentReturns(id);
    expect(await rig.list(id)).toHaveLength(2);
  });

  test('a stop when every port was off before it first came', async () => {
    await rig.antennas(id, allOff);
    rig.sent.length = 0;
    await rig.agentReturns(id);
    expect(kinds()).toEqual([]);
    expect(await listed()).toEqual(['stop published']);
  });

  test('settings go out again under the same id until they are answered, also after the timeout', async () => {
    await rig.antennas(id, [{ port: 1, inventorySession: 1 }]);
    const first = last().id;
    await rig.timeOut();
    await rig.agentReturns(id);
    expect(rig.sent.filter(({ payload }) => payload.id === first)).toHaveLength(2);
    await rig.answer(serial, okOf(first));
    expect((await rig.reader(id)).lastSettings.state).toBe('applied');
    rig.sent.length = 0;
    await rig.agentReturns(id);
    expect(kinds()).toEqual([]);
  });

  test('settings that the reader refused are not repeated, a start that failed is tried anew', async () => {
    await rig.agentReturns(id);
    for (const { payload } of [...rig.sent])
      await rig.answer(serial, { id: payload.id, ok: false, error: 'permission denied', status: null });
    rig.sent.length = 0;
    await rig.agentReturns(id);
    expect(kinds()).toEqual([]);
    rig.house.now += 10_000;
    await rig.agentReturns(id);
    expect(kinds()).toEqual(['start']);
    await rig.answer(serial, okOf(last().id));
    expect((await rig.reader(id)).lastCommand).toMatchObject({ kind: 'start', state: 'applied' });
  });

  test('a start that merely timed out is not made anew: the broker still holds it', async () => {
    await rig.agentReturns(id);
    await rig.timeOut();
    const before = await rig.list(id);
    await rig.agentReturns(id);
    expect(await rig.list(id)).toEqual(before);
  });

  test('nothing for a reader that is gone', async () => {
    await tenant.call('DELETE', `/readers/${id}`);
    await rig.agentReturns(id);
    expect(rig.sent).toEqual([]);
  });

  test('a stop that this run has not seen in the broker, whose store may be behind after a power cut', async () => {
    await rig.change(id, false);
    await rig.answer(serial, okOf(last().id));
    const stopped = last();
    const restarted = rig.restarted();
    await restarted.open(rig.publish);
    expect(rig.sent).toHaveLength(1);
    await restarted.agentReturned({ orgId: tenant.orgId, readerId: id });
    expect(last()).toEqual(stopped);
    expect(rig.sent).toHaveLength(2);
    await restarted.agentReturned({ orgId: tenant.orgId, readerId: id });
    expect(rig.sent).toHaveLength(2);
  });

  test('however often it subscribes, one reconciliation is under way and one more waits', async () => {
    const calls: string[] = [];
    let release = (): void => {};
    const outbox = {
      agentReturned: ({ readerId }: { readonly readerId: string }) => {
        calls.push(readerId);
        return new Promise<void>((resolve) => (release = resolve));
      },
    };
    const { store } = rig.house;
    const reconciler = new Reconciler({
      ...{ store, outbox, writeBlocked: () => 'not now', now: () => rig.house.now, newId: () => '' },
      log: createLog({ level: 'silent' }),
    });
    const reader = { orgId: tenant.orgId, readerId: id };
    for (let times = 0; times < 1000; times++) reconciler.agentReturned(reader);
    await until('the first', () => calls.length === 1);
    release();
    await until('the second', () => calls.length === 2);
    release();
    reconciler.agentReturned({ ...reader, readerId: 'another' });
    await until('another', () => calls.length === 3);
    expect(calls).toEqual([id, id, 'another']);
  });
});
