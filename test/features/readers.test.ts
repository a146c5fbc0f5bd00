import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { formatInstant } from '../../src/lib/instant.ts';
import { tables } from '../../src/store/tables.ts';
import { deviceOf, type House, NO_DATA_MS, noon, openHouse, placed, type Tenant } from '../support/house.ts';

let house: House;
let tenant: Tenant;

beforeEach(async () => {
  house = await openHouse();
  tenant = await house.tenant('Ours');
});
afterEach(() => house.close());

const unknown = '00000000-0000-4000-8000-000000000000';
const at = formatInstant(noon);

async function onlyReader() {
  const { status, body } = await tenant.call('GET', '/readers');
  expect([status, body.length]).toEqual([200, 1]);
  return body[0];
}

describe('POST /devices/claim', () => {
  test('201 with the claimed device; it then appears in /readers and /devices', async () => {
    const code = await house.provision('370-21-09-0042');
    const { status, body } = await tenant.call('POST', '/devices/claim', { code, readerName: 'Dock door 1' });
    expect(status).toBe(201);
    expect(body).toEqual({
      serial: '370-21-09-0042',
      model: 'R700',
      firmware: '10.1.0',
      readerId: expect.any(String),
      claimedAt: at,
      firstSeenAt: null,
    });
    expect((await tenant.call('GET', '/devices')).body).toEqual([body]);
    expect(await onlyReader()).toMatchObject({ id: body.readerId, name: 'Dock door 1', enabled: true });
  });

  test('the data of the reader is taken from then on', async () => {
    const code = await house.provision('R-1');
    expect(house.directory.reader('R-1')).toBeUndefined();
    await tenant.call('POST', '/devices/claim', { code, readerName: 'R' });
    expect(house.directory.reader('R-1')?.orgId).toBe(tenant.orgId);
  });

  test('the code is read in any case, with or without dashes', async () => {
    const [one, two] = [await house.provision('R-1'), await house.provision('R-2')];
    for (const code of [one.toLowerCase().replaceAll('-', ''), ` ${two} `])
      expect((await tenant.call('POST', '/devices/claim', { code, readerName: 'R' })).status).toBe(201);
  });

  test.each([
    ['unknown', 'TK-0000-0000-0000'],
    ['no code at all', 'hello'],
    ['blank', '   '],
  ])('404 for a code that is %s', async (_, code) => {
    const answer = await tenant.call('POST', '/devices/claim', { code, readerName: 'R' });
    expect(answer.status).toBe(404);
    expect(answer.body.type).toBe('/problems/claim-code-invalid');
  });

  test('404 for a code already used, by whomever and whoever asks', async () => {
    const code = await house.provision('R-1');
    const stranger = await house.tenant('Theirs');
    await stranger.call('POST', '/devices/claim', { code, readerName: 'R' });
    for (const { call } of [tenant, stranger])
      expect((await call('POST', '/devices/claim', { code, readerName: 'R' })).status).toBe(404);
    expect((await tenant.call('GET', '/readers')).body).toEqual([]);
  });

  test('of two claims at once one gets the reader', async () => {
    const code = await house.provision('R-1');
    const stranger = await house.tenant('Theirs');
    const answers = await Promise.all(
      [tenant, stranger].map(({ call }) => call('POST', '/devices/claim', { code, readerName: 'R' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 404]);
    expect(house.store.count(tables.readers)).toBe(1);
  });

  test('404 for a void code: the device got another one', async () => {
    const [old, current] = [await house.provision('R-1'), await house.provision('R-1')];
    expect((await tenant.call('POST', '/devices/claim', { code: old, readerName: 'R' })).status).toBe(404);
    expect((await tenant.call('POST', '/devices/claim', { code: current, readerName: 'R' })).status).toBe(
      201,
    );
  });

  test('409 for a reader that has been withdrawn', async () => {
    const code = await house.provision('R-1', { state: 'withdrawn' });
    const answer = await tenant.call('POST', '/devices/claim', { code, readerName: 'R' });
    expect(answer.status).toBe(409);
    expect(answer.body.type).toBe('/problems/device-withdrawn');
    expect(house.store.count(tables.readers)).toBe(0);
  });

  test.each([
    [{ readerName: 'R' }, 'code'],
    [{ code: 'TK-0000-0000-0000' }, 'readerName'],
    [{ code: 'TK-0000-0000-0000', readerName: ' ' }, 'readerName'],
    [{ code: 'TK-0000-0000-0000', readerName: 'x'.repeat(256) }, 'readerName'],
    [{ code: 7, readerName: 'R' }, 'code'],
    [{ code: '', readerName: 'R' }, 'code'],
  ])('400 for %j, naming %s', async (body, where) => {
    const answer = await tenant.call('POST', '/devices/claim', body);
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toMatchObject([{ path: where }]);
  });

  test('the audit log has the claim without the code', async () => {
    const code = await house.provision('R-1');
    const { body } = await tenant.call('POST', '/devices/claim', { code, readerName: 'Dock' });
    const [note] = tenant.audit();
    const after = { serial: 'R-1', name: 'Dock' };
    expect(note).toMatchObject({ action: 'claim', resource: `readers/${body.readerId}`, after });
    expect(JSON.stringify(tenant.audit())).not.toContain(code.replaceAll('-', ''));
  });
});

describe('GET /devices', () => {
  test('claimed devices only, firstSeenAt from the first contact', async () => {
    await house.provision('unclaimed');
    house.connect('R-1');
    house.now = noon + 1000;
    await tenant.reader('R-1');
    const { body } = await tenant.call('GET', '/devices');
    expect(body).toMatchObject([{ serial: 'R-1', firstSeenAt: at, claimedAt: formatInstant(noon + 1000) }]);
  });
});

describe('GET /readers', () => {
  test.each([
    ['revoked', { dataRevoked: true }],
    ['revoked', { connectRevoked: true }],
    ['withdrawn', { state: 'withdrawn' as const }],
  ])(
    'one that is %s counts as silent while it is connected, and says so: %j',
    async (outOfService, change) => {
      const { serial } = await tenant.reader('R-1');
      house.connect(serial, { radio: 'running' });
      expect((await onlyReader()).status).toBe('online');
      await house.store.write((tx) => {
        const device = tx.get(tables.devices, serial);
        if (device) tx.put(tables.devices, serial, { ...device, ...change });
      });
      expect(await onlyReader()).toMatchObject({ status: 'offline', offlineReason: 'no-data', outOfService });
    },
  );

  test('a clock set back to before the claim takes no sign of life from a reader', async () => {
    const { serial } = await tenant.reader('R-1');
    house.now -= 86_400_000;
    house.connect(serial);
    house.activity.disconnected(serial, `${serial}-connection`, house.now);
    expect(await onlyReader()).toMatchObject({ status: 'offline', offlineReason: 'broker-disconnected' });
  });

  test('a reader that never reported is unknown, and says just what is known', async () => {
    const { id, serial } = await tenant.reader('R-1');
    expect(await onlyReader()).toEqual({
      id,
      name: 'Reader R-1',
      serial,
      model: 'R700',
      firmware: '10.1.0',
      displayStatus: 'Offline',
      status: 'unknown',
      enabled: true,
      offlineReason: 'never-connected',
      brokerStatus: 'never',
      commandsSupported: false,
    });
  });

  test('a connected reader with its agent is online, with its health figures', async () => {
    await tenant.reader('R-1');
    const figures = { temperatureC: 41.5, cpuPercent: 0, memoryPercent: 38, powerMilliwatts: 9800 };
    house.connect('R-1', { ...figures, commands: true, firmware: '10.2.0', hostname: 'secret-host' });
    house.now = noon + 1000;
    house.activity.events('R-1', house.now, 'running');
    const later = formatInstant(house.now);
    const reader = await onlyReader();
    expect(reader).toMatchObject({ ...figures, healthAt: at, status: 'online', commandsSupported: true });
    expect(reader).toMatchObject({ brokerStatus: 'connected', brokerStatusAt: at });
    expect(reader).toMatchObject({ lastEventAt: later, lastSeenAt: later });
    expect(reader).toMatchObject({ model: 'R700', firmware: '10.2.0' });
    expect(Object.keys(reader)).not.toContain('offlineReason');
    expect(Object.keys(reader)).not.toContain('hostname');
  });

  test('health without figures has no time of figures', async () => {
    await tenant.reader('R-1');
    house.connect('R-1', { commands: true });
    expect(Object.keys(await onlyReader())).not.toContain('healthAt');
  });

  test('the status is right at the moment of asking', async () => {
    await tenant.reader('R-1');
    house.connect('R-1');
    expect(await onlyReader()).toMatchObject({ status: 'online', commandsSupported: false });
    house.activity.events('R-1', house.now, null);
    expect(await onlyReader()).toMatchObject({ status: 'degraded' });
    house.now = noon + NO_DATA_MS + 1;
    expect(await onlyReader()).toMatchObject({ status: 'offline', offlineReason: 'no-data' });
    house.activity.health('R-1', house.now, { type: 'health', radio: 'idle' });
    expect(await onlyReader()).toMatchObject({ status: 'offline', offlineReason: 'radio-idle' });
    house.activity.disconnected('R-1', 'R-1-connection', house.now);
    const gone = { status: 'offline', offlineReason: 'broker-disconnected', brokerStatus: 'disconnected' };
    expect(await onlyReader()).toMatchObject({ ...gone, brokerStatusAt: formatInstant(house.now) });
  });

  test('a stopped reader is disabled', async () => {
    const { id } = await tenant.reader('R-1');
    await house.store.write((tx) => {
      const record = tx.get(tables.readers, [tenant.orgId, id]);
      if (record) tx.put(tables.readers, [tenant.orgId, id], { ...record, enabled: false });
    });
    expect(await onlyReader()).toMatchObject({
      status: 'disabled',
      enabled: false,
      offlineReason: 'stopped',
    });
  });

  test('in the order of the claims', async () => {
    for (const serial of ['R-3', 'R-1', 'R-2']) await tenant.reader(serial);
    const { body } = await tenant.call('GET', '/readers');
    expect(body.map(({ serial }: { serial: string }) => serial)).toEqual(['R-3', 'R-1', 'R-2']);
  });

  test('when the device had another owner, its reads are not ours', async () => {
    const code = await house.provision('R-1');
    house.connect('R-1');
    house.activity.events('R-1', noon, null);
    house.now = noon + 1000;
    await tenant.call('POST', '/devices/claim', { code, readerName: 'R' });
    const reader = await onlyReader();
    expect(reader.status).toBe('online');
    expect(Object.keys(reader)).not.toContain('lastEventAt');
  });
});

describe('DELETE /readers/{id}', () => {
  test('204, then 404; gone from /readers and /devices, antennas too', async () => {
    const { id } = await tenant.reader('R-1');
    const answer = await tenant.call('DELETE', `/readers/${id}`);
    expect([answer.status, answer.body]).toEqual([204, null]);
    expect((await tenant.call('DELETE', `/readers/${id}`)).status).toBe(404);
    expect((await tenant.call('GET', `/readers/${id}/antennas`)).status).toBe(404);
    expect((await tenant.call('GET', '/readers')).body).toEqual([]);
    expect((await tenant.call('GET', '/devices')).body).toEqual([]);
  });

  test('releases the device; its code stays used', async () => {
    const code = await house.provision('R-1');
    const { body } = await tenant.call('POST', '/devices/claim', { code, readerName: 'R' });
    await tenant.call('DELETE', `/readers/${body.readerId}`);
    expect(deviceOf(house, 'R-1')?.state).toBe('released');
    expect((await tenant.call('POST', '/devices/claim', { code, readerName: 'R' })).status).toBe(404);
    expect(house.directory.reader('R-1')).toBeUndefined();
  });

  test('a released device with a new code is claimed as another reader', async () => {
    const { id } = await tenant.reader('R-1');
    await tenant.call('DELETE', `/readers/${id}`);
    const code = await house.provision('R-1', { state: 'released' });
    const { status, body } = await tenant.call('POST', '/devices/claim', { code, readerName: 'Again' });
    expect(status).toBe(201);
    expect(body.readerId).not.toBe(id);
  });

  test('tags it read stay', async () => {
    const { id } = await tenant.reader('R-1');
    const zone = await tenant.zone('Dock');
    const tag = await tenant.tag('3034000000000001', placed(zone.no, noon));
    await tenant.call('DELETE', `/readers/${id}`);
    expect((await tenant.call('GET', '/tags')).body).toMatchObject([{ id: tag.id, zoneName: 'Dock' }]);
  });

  test('404 for an unknown reader, and nothing in the audit log', async () => {
    expect((await tenant.call('DELETE', `/readers/${unknown}`)).status).toBe(404);
    expect(tenant.audit()).toEqual([]);
  });
});
