import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Appliance, type ReaderInService, Rest, readerInService } from '../support/appliance.ts';
import { freePort, ReaderProcesses } from '../support/reader-processes.ts';
import { until } from '../support/wait.ts';

const PRESET = '/api/v1/profiles/inventory/presets/svc-default';
const START = `POST ${PRESET}/start`;
const PUT = `PUT ${PRESET}`;
const START_CALLS = ['/api/v1/profiles/inventory/presets/svc-default/start'];

interface Outcome {
  readonly id: string;
  readonly state: string;
  readonly kind?: string;
}

interface Reader {
  readonly id: string;
  readonly status: string;
  readonly displayStatus: string;
  readonly lastEventAt?: string;
  readonly lastCommand?: Outcome;
  readonly lastSettings?: Outcome;
}

let appliance: Appliance;
let rest: Rest;
let dock: ReaderInService & { readonly processes: ReaderProcesses };
let shelf: ReaderInService & { readonly processes: ReaderProcesses };

async function startAppliance(): Promise<void> {
  const endpoints = await appliance.start();
  rest = new Rest(endpoints, await appliance.key());
}

async function service(serial: string, zone: string, forwarded: boolean) {
  const { id } = await rest.ok<{ id: string }>('POST', '/zones', { name: zone });
  const reader = await readerInService(appliance, rest, { serial, zones: { 1: id, 2: id } });
  const url = appliance.endpoints().mqtts;
  const processes = await ReaderProcesses.start({ dir: reader.dir, url, forwarded, env: appliance.env });
  return { ...reader, processes };
}

const shown = async ({ readerId }: ReaderInService): Promise<Reader> => {
  const readers = await rest.get<readonly Reader[]>('/readers');
  const reader = readers.find(({ id }) => id === readerId);
  if (!reader) throw new Error('the reader is gone');
  return reader;
};

const change = async (enabled: boolean): Promise<Outcome | undefined> =>
  (await rest.ok<Reader>('PATCH', `/readers/${dock.readerId}`, { enabled })).lastCommand;

/** The end of every story: the reader does what was asked, and the service knows. */
async function ends(kind: 'start' | 'stop', id?: string): Promise<void> {
  const asked = await until(
    `the ${kind} to be applied`,
    async () => {
      const { lastCommand } = await shown(dock);
      return lastCommand?.state === 'applied' && lastCommand.kind === kind && lastCommand;
    },
    40_000,
  );
  if (id !== undefined) expect(asked.id).toBe(id);
  const radio = kind === 'start' ? 'svc-default' : null;
  await until(
    `the radio to be ${radio}`,
    async () => ((await dock.processes.view()).radio?.id ?? null) === radio,
  );
}

beforeAll(async () => {
  appliance = new Appliance({ env: { TAGKEEP_MQTTS__PORT: String(await freePort()) } });
  await startAppliance();
  dock = await service('370-10-15-0036', 'Dock', false);
  shelf = await service('370-10-15-0037', 'Shelf', true);
}, 60_000);
afterAll(async () => {
  await Promise.all([dock?.processes.end(), shelf?.processes.end()]);
  await appliance.dispose();
});

describe('the appliance, two readers and their agents, each a process of its own', () => {
  test('both come up by themselves and read; one publishes itself, the other through its agent', async () => {
    for (const reader of [dock, shelf])
      await until(
        `${reader.serial} to read`,
        async () => (await shown(reader)).displayStatus === 'Online and Reading',
        30_000,
      );
    await ends('start');
    const summary = await until('tags in both zones', async () => {
      const zones = await rest.get<readonly { zoneName: string; total: number }[]>('/inventory/summary');
      return zones.every(({ total }) => total > 0) && zones;
    });
    expect(summary.map(({ zoneName }) => zoneName).sort()).toEqual(['Dock', 'Shelf']);
  }, 60_000);

  test('one stopped through REST: its reads end, the command is applied, the other reads on', async () => {
    const asked = await change(false);
    await ends('stop', asked?.id);
    expect(await shown(dock)).toMatchObject({ status: 'disabled', displayStatus: 'Online and Idle' });
    // What was read before the stop may still be on its way; then the last event is the last.
    const last = await until('the last event', async () => {
      const before = (await shown(dock)).lastEventAt;
      const other = (await shown(shelf)).lastEventAt;
      await until('the other reader to read on', async () => (await shown(shelf)).lastEventAt !== other);
      return (await shown(dock)).lastEventAt === before && before;
    });
    const other = (await shown(shelf)).lastEventAt;
    await until('the other reader to read on', async () => (await shown(shelf)).lastEventAt !== other);
    expect((await shown(dock)).lastEventAt).toBe(last);
    const again = await change(true);
    await ends('start', again?.id);
    await until('reads again', async () => (await shown(dock)).lastEventAt !== last);
  }, 60_000);

  test.each([true, false])(
    'of commands given while the agent was away the last one counts: enabled %s',
    async (last) => {
      await dock.processes.killAgent();
      const wishes = [!last, last, !last, last];
      let asked: Outcome | undefined;
      for (const wish of wishes) asked = await change(wish);
      await rest.ok('PUT', `/readers/${dock.readerId}/antennas`, [
        { port: 1, inventorySession: last ? 0 : 3 },
      ]);
      dock.processes.startAgent();
      await ends(last ? 'start' : 'stop', asked?.id);
      await until(
        'the settings to be applied',
        async () => (await shown(dock)).lastSettings?.state === 'applied',
      );
      // What the broker kept besides has come by now: the agent has answered everything it was sent.
      await ends(last ? 'start' : 'stop', asked?.id);
      if (!last) await ends('start', (await change(true))?.id);
    },
    60_000,
  );

  test('antenna settings reach the radio at once', async () => {
    await rest.ok('PUT', `/readers/${dock.readerId}/antennas`, [
      { port: 2, transmitPowerCdbm: 2412 },
      { port: 4, enabled: false },
    ]);
    await until(
      'the settings to be applied',
      async () => (await shown(dock)).lastSettings?.state === 'applied',
    );
    const { radio } = await dock.processes.view();
    expect(radio?.preset.antennaConfigs).toMatchObject([
      { antennaPort: 1 },
      { antennaPort: 2, transmitPowerCdbm: 2400 },
      { antennaPort: 3 },
    ]);
  });
});

describe('killed in the middle of a command, everything ends as it was asked', () => {
  /** A start that has arrived at the reader and takes its time there, before or after it took effect. */
  async function startUnderWay(delayWhen: 'before' | 'after'): Promise<string | undefined> {
    await ends('stop', (await change(false))?.id);
    await dock.processes.faults({ delayMs: 3000, delayWhen, delayCalls: START_CALLS });
    const before = await dock.processes.view();
    const asked = await change(true);
    await dock.processes.arrival(START, before);
    return asked?.id;
  }

  test.each(['before', 'after'] as const)(
    'the agent, %s the start took effect',
    async (when) => {
      const id = await startUnderWay(when);
      await dock.processes.killAgent();
      await dock.processes.faults({});
      dock.processes.startAgent();
      await ends('start', id);
    },
    60_000,
  );

  test('the agent, between the stop and the new settings', async () => {
    await dock.processes.faults({ delayMs: 3000, delayWhen: 'before', delayCalls: [PRESET] });
    const before = await dock.processes.view();
    await rest.ok('PUT', `/readers/${dock.readerId}/antennas`, [{ port: 1, inventorySession: 1 }]);
    await dock.processes.arrival(PUT, before);
    await dock.processes.killAgent();
    await dock.processes.faults({});
    dock.processes.startAgent();
    await until(
      'the settings to be applied',
      async () => (await shown(dock)).lastSettings?.state === 'applied',
      40_000,
    );
    await ends('start');
    expect((await dock.processes.view()).radio?.preset.antennaConfigs[0]).toMatchObject({
      inventorySession: 1,
    });
  }, 60_000);

  test.each(['before', 'after'] as const)(
    'the service, %s the start took effect',
    async (when) => {
      const id = await startUnderWay(when);
      await appliance.stop('SIGKILL');
      await dock.processes.faults({});
      await startAppliance();
      await ends('start', id);
    },
    60_000,
  );

  test.each(['before', 'after'] as const)(
    'the reader, %s the start took effect',
    async (when) => {
      const id = await startUnderWay(when);
      await dock.processes.killStandIn();
      await dock.processes.startStandIn();
      await ends('start', id);
    },
    60_000,
  );

  test('a reader that reboots reads again by itself, and a stopped one stays stopped', async () => {
    await dock.processes.reboot();
    await ends('start');
    await ends('stop', (await change(false))?.id);
    await dock.processes.reboot();
    await until('the reader to be back', async () => (await dock.processes.view()).radio === null);
    await ends('stop');
  }, 60_000);
});
