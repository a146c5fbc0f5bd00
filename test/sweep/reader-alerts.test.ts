import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { alertRoutes } from '../../src/features/alerts/alert-routes.ts';
import { Activity } from '../../src/ingest/activity.ts';
import type { AlertRecord } from '../../src/store/records.ts';
import { tables } from '../../src/store/tables.ts';
import { createReaderAlerts } from '../../src/sweep/reader-alerts.ts';
import { type House, NO_DATA_MS, openHouse, type Tenant } from '../support/house.ts';

const OFFLINE_MS = 60_000;
const SECOND = 1000;

let house: House;
let tenant: Tenant;
let alerts: { run(): Promise<void> };
let dock: { readonly id: string; readonly serial: string };

beforeEach(async () => {
  house = await openHouse({ more: (parts) => alertRoutes(parts) });
  tenant = await house.tenant('Ours');
  dock = await tenant.reader('370-21-09-0042');
  alerts = sweepOf(house.activity);
  house.now += SECOND;
});
afterEach(() => house.close());

/** The sweep of a run of the service that starts now. */
function sweepOf(activity: Activity, options: { readonly offlineMs?: number } = {}) {
  return createReaderAlerts({
    ...{ store: house.store, activity, now: () => house.now, newId: randomUUID },
    ...{ noDataMs: NO_DATA_MS, offlineMs: OFFLINE_MS, hotCelsius: 75, startedAt: house.now, ...options },
  });
}

/** Second by second, as the service runs it. */
async function pass(seconds: number, sweep = alerts): Promise<void> {
  for (let i = 0; i < seconds; i++) {
    house.now += SECOND;
    await sweep.run();
  }
}

function all(): readonly AlertRecord[] {
  return Array.from(house.store.range(tables.alerts), ({ value }) => value).sort((a, b) => a.no - b.no);
}

const states = (): readonly string[] => all().map(({ state }) => state);
const connect = (serial = dock.serial): void => house.connect(serial);
const disconnect = (serial = dock.serial): void =>
  house.activity.disconnected(serial, `${serial}-connection`, house.now);
const hot = (temperatureC: number): void =>
  house.activity.health(dock.serial, house.now, { type: 'health', temperatureC });

describe('a reader offline', () => {
  test('for 60 seconds raises a critical alert that says what, why, since when and what to do', async () => {
    connect();
    const lastSeen = new Date(house.now).toISOString();
    await pass(10);
    disconnect();
    await pass(60);
    expect(all()).toEqual([]);
    await pass(1);
    expect(all()).toMatchObject([
      {
        ruleKind: 'reader_offline',
        severity: 'critical',
        state: 'open',
        subjectType: 'reader',
        subjectId: dock.id,
        openedAt: house.now,
      },
    ]);
    expect(all()[0]?.message).toBe(
      `Reader "Reader ${dock.serial}" (${dock.serial}) is offline: its connection to the service is closed. Last heard of at ${lastSeen}. Check its power, its network and the broker address it was given.`,
    );
  });

  test('with every port off is stopped: its alert ends, and comes back with the first port', async () => {
    connect();
    disconnect();
    await pass(61);
    expect(states()).toEqual(['open']);
    const ports = (enabled: boolean) => [1, 2, 3, 4].map((port) => ({ port, enabled }));
    await tenant.call('PUT', `/readers/${dock.id}/antennas`, ports(false));
    await pass(120);
    expect(states()).toEqual(['resolved']);
    await tenant.call('PUT', `/readers/${dock.id}/antennas`, ports(true));
    await pass(61);
    expect(states()).toEqual(['resolved', 'open']);
  });

  test('has one alert however long it lasts, resolved by itself when the reader is back', async () => {
    connect();
    disconnect();
    await pass(200);
    expect(states()).toEqual(['open']);
    connect();
    await pass(1);
    expect(states()).toEqual(['resolved']);
    expect(all()[0]?.resolvedAt).toBe(house.now);
    disconnect();
    await pass(62);
    expect(states()).toEqual(['resolved', 'open']);
  });

  test('again and again, but never for 60 seconds, raises nothing', async () => {
    for (let i = 0; i < 20; i++) {
      connect();
      await pass(1);
      disconnect();
      await pass(59);
    }
    expect(all()).toEqual([]);
  });

  test('because it is connected but silent raises an alert with that reason', async () => {
    connect();
    await pass(NO_DATA_MS / SECOND + 62);
    expect(states()).toEqual(['open']);
    expect(all()[0]?.message).toContain('it is connected but sends nothing');
  });

  test('because its radio is idle raises an alert with that reason', async () => {
    connect();
    house.activity.heard(dock.serial, house.now, 'idle');
    await pass(62);
    expect(states()).toEqual(['open']);
    expect(all()[0]?.message).toContain('its radio is idle although it should run');
  });

  test('that never connected raises nothing', async () => {
    await pass(200);
    expect(all()).toEqual([]);
  });

  test('is counted for each organisation by itself', async () => {
    const other = await house.tenant('Theirs');
    const theirs = await other.reader('R-2');
    for (const serial of [dock.serial, theirs.serial]) {
      connect(serial);
      disconnect(serial);
    }
    await pass(62);
    const subjects = async (of: Tenant) =>
      (await of.call('GET', '/alerts')).body.map((alert: { subjectId: string }) => alert.subjectId);
    expect([await subjects(tenant), await subjects(other)]).toEqual([[dock.id], [theirs.id]]);
  });

  test('and its clock set back by an hour: the alert comes after another 60 seconds', async () => {
    connect();
    disconnect();
    await pass(30);
    house.now -= 3_600_000;
    await pass(62);
    expect(states()).toEqual(['open']);
  });
});

describe('a start of the service', () => {
  const restart = async (): Promise<void> => {
    await house.activity.save();
    house.now += 10 * SECOND;
    alerts = sweepOf(new Activity(house.store));
  };

  test('gives readers time to come back: no alert before 90 seconds', async () => {
    connect();
    disconnect();
    await restart();
    await pass(90);
    expect(all()).toEqual([]);
    await pass(1);
    expect(states()).toEqual(['open']);
  });

  test('leaves an open alert as it is while the reader is not back', async () => {
    connect();
    disconnect();
    await pass(62);
    await restart();
    await pass(200);
    expect(states()).toEqual(['open']);
  });

  test('resolves an alert from before once the reader is back', async () => {
    connect();
    disconnect();
    await pass(62);
    await house.activity.save();
    const activity = new Activity(house.store);
    const sweep = sweepOf(activity);
    activity.connected(dock.serial, 'again', house.now);
    await pass(1, sweep);
    expect(states()).toEqual(['resolved']);
  });

  test('does not raise again what a person resolved before it', async () => {
    connect();
    disconnect();
    await pass(62);
    await tenant.call('PATCH', `/alerts/${all()[0]?.id}`, { state: 'resolved' });
    await restart();
    await pass(200);
    expect(states()).toEqual(['resolved']);
  });

  test('with readerOfflineSeconds 0 still gives readers 5 seconds', async () => {
    connect();
    disconnect();
    await house.activity.save();
    const sweep = sweepOf(new Activity(house.store), { offlineMs: 0 });
    await pass(5, sweep);
    expect(all()).toEqual([]);
    await pass(1, sweep);
    expect(states()).toEqual(['open']);
  });
});

describe('an alert resolved by hand while its problem goes on', () => {
  test('is not raised again before the problem ended and came back', async () => {
    connect();
    disconnect();
    await pass(62);
    const { status } = await tenant.call('PATCH', `/alerts/${all()[0]?.id}`, { state: 'resolved' });
    expect(status).toBe(204);
    await pass(200);
    expect(states()).toEqual(['resolved']);
    const resolvedAt = all()[0]?.resolvedAt;
    connect();
    await pass(1);
    expect(all()[0]?.resolvedAt).toBe(resolvedAt);
    disconnect();
    await pass(62);
    expect(states()).toEqual(['resolved', 'open']);
  });
});

describe('a reader running hot', () => {
  test('raises a warning at 75 °C, resolved at 70 °C and not above', async () => {
    connect();
    hot(74.9);
    await pass(1);
    expect(all()).toEqual([]);
    hot(75);
    await pass(1);
    expect(all()).toMatchObject([{ ruleKind: 'reader_offline', severity: 'warning', state: 'open' }]);
    expect(all()[0]?.message).toContain('is running hot: 75 °C at');
    for (const figure of [70.1, 80, 71]) {
      hot(figure);
      await pass(1);
      expect(states()).toEqual(['open']);
    }
    hot(70);
    await pass(1);
    expect(states()).toEqual(['resolved']);
  });

  test('and then offline keeps its warning beside the critical one: old figures decide nothing', async () => {
    connect();
    hot(80);
    await pass(1);
    hot(60);
    disconnect();
    await pass(62);
    expect(all().map(({ severity, state }) => [severity, state])).toEqual([
      ['warning', 'open'],
      ['critical', 'open'],
    ]);
    connect();
    await pass(1);
    expect(states()).toEqual(['resolved', 'resolved']);
  });

  test('as it was longer ago than readers may be silent raises nothing', async () => {
    connect();
    hot(80);
    house.now += NO_DATA_MS;
    house.activity.heard(dock.serial, house.now);
    await pass(1);
    expect(all()).toEqual([]);
  });
});

describe('the alerts of a reader', () => {
  const enable = (enabled: boolean) =>
    house.store.write((tx) => {
      const reader = tx.get(tables.readers, [tenant.orgId, dock.id]);
      if (reader) tx.put(tables.readers, [tenant.orgId, dock.id], { ...reader, enabled });
    });

  test('are resolved when somebody stops it, and come back 60 seconds after it is started again', async () => {
    connect();
    hot(80);
    await pass(1);
    disconnect();
    await pass(62);
    await enable(false);
    await pass(1);
    expect(states()).toEqual(['resolved', 'resolved']);
    await pass(200);
    await enable(true);
    await pass(60);
    expect(states()).toEqual(['resolved', 'resolved']);
    await pass(1);
    expect(states()).toEqual(['resolved', 'resolved', 'open']);
  });

  test('go with it when it is removed, but for the resolved ones, and none is raised after', async () => {
    connect();
    disconnect();
    await pass(62);
    connect();
    await pass(1);
    disconnect();
    await pass(62);
    expect(states()).toEqual(['resolved', 'open']);
    await tenant.call('DELETE', `/readers/${dock.id}`);
    expect(states()).toEqual(['resolved']);
    expect([...house.store.range(tables.alertByProblem)]).toEqual([]);
    await pass(200);
    expect(states()).toEqual(['resolved']);
  });
});

test('a power cut that takes hundreds of readers raises one alert for each, and all end with it', async () => {
  const serials = Array.from({ length: 450 }, (_, i) => `R-${i}`);
  await house.store.write((tx) => {
    for (const [i, serial] of serials.entries()) {
      const reader = { id: randomUUID(), no: 100 + i, serial, name: serial, enabled: true, createdAt: 0 };
      tx.put(tables.readers, [tenant.orgId, reader.id], reader);
    }
  });
  for (const serial of serials) connect(serial);
  for (const serial of serials) disconnect(serial);
  await pass(70);
  expect(new Set(all().map(({ subjectId }) => subjectId)).size).toBe(450);
  expect(states()).toEqual(serials.map(() => 'open'));
  for (const serial of serials) connect(serial);
  await pass(1);
  expect(states()).toEqual(serials.map(() => 'resolved'));
});

describe('what is written', () => {
  test('is one transaction and one audit entry for each change, and nothing without a change', async () => {
    connect();
    disconnect();
    await pass(61);
    const raised = tenant.audit();
    expect(raised.slice(-1)).toMatchObject([
      { actor: { kind: 'system', id: '' }, action: 'raise', resource: `alerts/${all()[0]?.id}` },
    ]);
    await pass(100);
    expect(tenant.audit()).toHaveLength(raised.length);
    connect();
    await pass(100);
    expect(tenant.audit().slice(raised.length)).toMatchObject([
      { actor: { kind: 'system' }, action: 'resolve', after: { state: 'resolved' } },
    ]);
  });
});
