import { describe, expect, it } from 'vitest';
import {
  LocalReader,
  type LocalReaderOptions,
  type RunningInventory,
} from '../../src/simulator/local-reader.ts';
import { preset } from './local-support.ts';

const BASE = '/api/v1';
const PRESETS = '/profiles/inventory/presets';
const NOW = Date.parse('2026-03-02T09:15:37.412Z');

function boot(change: Partial<LocalReaderOptions> = {}) {
  const radio: (string | null | 'off')[] = [];
  const reader = new LocalReader({
    serial: 'R-1',
    now: () => NOW,
    onRadio: (running: RunningInventory | null) => radio.push(running === null ? 'off' : running.id),
    ...change,
  });
  reader.boot();
  const ask = (method: string, path: string, body?: unknown) =>
    reader.handle({ method, path: `${BASE}${path}`, ...(body === undefined ? {} : { body }) });
  const put = (id: string, value: unknown = preset()) => ask('PUT', `${PRESETS}/${id}`, value);
  const start = (id: string, body?: unknown) => ask('POST', `${PRESETS}/${id}/start`, body);
  return { reader, ask, put, start, radio };
}

describe('presets', () => {
  it('PUT makes with 201 and replaces with 204; GET answers what was put; the list begins with the built-in one', () => {
    const { ask, put } = boot();
    expect(ask('GET', PRESETS)).toEqual({ status: 200, body: ['default'] });
    expect(put('svc-default')).toEqual({ status: 201 });
    expect(put('svc-default', preset({ transmitPowerCdbm: 2000 }))).toEqual({ status: 204 });
    expect(ask('GET', `${PRESETS}/svc-default`)).toEqual({
      status: 200,
      body: preset({ transmitPowerCdbm: 2000 }),
    });
    expect(ask('GET', PRESETS)).toEqual({ status: 200, body: ['default', 'svc-default'] });
    expect(ask('GET', '/profiles')).toEqual({ status: 200, body: ['inventory'] });
  });

  it.each(['default', 'default2', 'impinj', 'impinj-fast'])('%s is the reader’s own: 403', (id) => {
    const { ask, put } = boot();
    expect(put(id).status).toBe(403);
    expect(ask('DELETE', `${PRESETS}/${id}`).status).toBe(403);
  });

  it.each(['__proto__', 'constructor', 'hasOwnProperty', 'a.b_c-9'])('%s is an ordinary preset id', (id) => {
    const { ask, put, start, reader } = boot();
    expect(ask('GET', `${PRESETS}/${id}`).status).toBe(404);
    expect(put(id).status).toBe(201);
    expect(start(id).status).toBe(204);
    expect(reader.running?.id).toBe(id);
    expect(boot({ state: JSON.parse(JSON.stringify(reader.state())) }).reader.running?.id).toBe(id);
  });

  it.each(['a%20b', 'ä', '%E0%A4%A', 'a'.repeat(129), 'a%2Fb', '%00'])('%s is no preset id', (id) => {
    const { ask, put, start } = boot();
    expect([400, 404]).toContain(put(id).status);
    expect(ask('GET', `${PRESETS}/${id}`).status).toBe(404);
    expect(start(id).status).toBe(404);
    expect(ask('GET', PRESETS)).toMatchObject({ body: ['default'] });
  });

  it('DELETE is 204, then 404', () => {
    const { ask, put } = boot();
    put('one');
    expect(ask('DELETE', `${PRESETS}/one`)).toEqual({ status: 204 });
    expect(ask('DELETE', `${PRESETS}/one`).status).toBe(404);
    expect(ask('GET', `${PRESETS}/one`).status).toBe(404);
  });

  it('the running one can be neither replaced nor deleted (409), another one can', () => {
    const { ask, put, start } = boot();
    put('one');
    put('two');
    start('one');
    expect(put('one', preset({ transmitPowerCdbm: 2000 })).status).toBe(409);
    expect(ask('DELETE', `${PRESETS}/one`).status).toBe(409);
    expect(ask('GET', `${PRESETS}/one`)).toMatchObject({ body: preset() });
    expect(put('two').status).toBe(204);
    ask('POST', '/profiles/stop');
    expect(put('one', preset({ transmitPowerCdbm: 2000 })).status).toBe(204);
  });

  it('a 101st is refused', () => {
    const { put } = boot();
    for (let at = 0; at < 100; at += 1) expect(put(`p${at}`).status).toBe(201);
    expect(put('p100').status).toBe(400);
    expect(put('p99').status).toBe(204);
  });

  const antenna = preset().antennaConfigs[0];
  it.each([
    ['no object', [], ''],
    ['no antennas', {}, 'antennaConfigs'],
    ['an empty list', { antennaConfigs: [] }, 'antennaConfigs'],
    ['an unknown key', { ...preset(), extra: 1 }, 'extra'],
    ['__proto__', JSON.parse(`{"__proto__":{},"antennaConfigs":[${JSON.stringify(antenna)}]}`), '__proto__'],
    ['an unknown key of an antenna', preset({ enabled: true }), 'antennaConfigs[0].enabled'],
    ['power off the step', preset({ transmitPowerCdbm: 3010 }), 'antennaConfigs[0].transmitPowerCdbm'],
    ['power too low', preset({ transmitPowerCdbm: 975 }), 'antennaConfigs[0].transmitPowerCdbm'],
    ['power over the region’s', preset({ transmitPowerCdbm: 3175 }), 'antennaConfigs[0].transmitPowerCdbm'],
    ['power as text', preset({ transmitPowerCdbm: '3000' }), 'antennaConfigs[0].transmitPowerCdbm'],
    ['no rfMode', preset({ rfMode: undefined }), 'antennaConfigs[0].rfMode'],
    ['an rfMode of another region', preset({ rfMode: 9999 }), 'antennaConfigs[0].rfMode'],
    ['session 4', preset({ inventorySession: 4 }), 'antennaConfigs[0].inventorySession'],
    ['a search mode', preset({ inventorySearchMode: 'x' }), 'antennaConfigs[0].inventorySearchMode'],
    ['population 0', preset({ estimatedTagPopulation: 0 }), 'antennaConfigs[0].estimatedTagPopulation'],
    ['port 5', preset({ antennaPort: 5 }), 'antennaConfigs[0].antennaPort'],
    ['a port twice', preset({ antennaPort: 1 }), 'antennaConfigs[1].antennaPort'],
    [
      'a reporting interval',
      { ...preset(), eventConfig: { tagInventory: { tagReporting: { reportingIntervalSeconds: 601 } } } },
      'eventConfig.tagInventory.tagReporting.reportingIntervalSeconds',
    ],
    [
      'an event property',
      { ...preset(), eventConfig: { tagInventory: { epc: true } } },
      'eventConfig.tagInventory.epc',
    ],
  ])('400 names the property at fault: %s', (_, value, property) => {
    const { ask, put } = boot();
    const sent = JSON.parse(JSON.stringify(value));
    const withProto = Object.hasOwn(Object(value), '__proto__') ? value : sent;
    const answer = put('one', withProto);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({
      message: expect.any(String),
      detail: expect.any(String),
      ...(property === '' ? {} : { invalidPropertyId: property }),
    });
    expect(ask('GET', `${PRESETS}/one`).status).toBe(404);
  });

  it('its own schema says what it takes: modes, steps and limits', () => {
    const { ask } = boot();
    expect(ask('GET', '/profiles/inventory/presets-schema')).toMatchObject({
      status: 200,
      body: {
        required: ['antennaConfigs'],
        properties: {
          antennaConfigs: {
            items: {
              properties: {
                rfMode: { enum: expect.arrayContaining([1002]) },
                transmitPowerCdbm: { minimum: 1000, maximum: 3150, multipleOf: 25 },
              },
            },
          },
        },
      },
    });
  });
});

describe('start and stop', () => {
  it.each([
    ['no body', undefined, 204],
    ['an empty object', {}, 204],
    ['anything else', { preset: 'one' }, 400],
  ])('a start with %s', (_, body, status) => {
    const { put, start, reader } = boot();
    put('one');
    expect(start('one', body).status).toBe(status);
    expect(reader.running?.id ?? null).toBe(status === 204 ? 'one' : null);
  });

  it('an unknown preset is 404', () => {
    const { start, radio } = boot();
    expect(start('none').status).toBe(404);
    expect(radio).toEqual([]);
  });

  it('while anything runs a start is 409, of the same preset too, and changes nothing', () => {
    const { ask, put, start, radio } = boot();
    put('one');
    put('two');
    start('one');
    expect(start('one').status).toBe(409);
    expect(start('two').status).toBe(409);
    expect(start('none').status).toBe(404);
    expect(ask('POST', '/profiles/inventory/start', preset()).status).toBe(409);
    expect(radio).toEqual(['one']);
  });

  it('stop is always 204', () => {
    const { ask, put, start, radio } = boot();
    expect(ask('POST', '/profiles/stop').status).toBe(204);
    put('one');
    start('one');
    expect(ask('POST', '/profiles/stop').status).toBe(204);
    expect(ask('POST', '/profiles/stop').status).toBe(204);
    expect(radio).toEqual(['one', 'off']);
  });

  it('a transient start takes a whole preset and has no id', () => {
    const { ask, radio } = boot();
    expect(ask('POST', '/profiles/inventory/start', { antennaConfigs: [] }).status).toBe(400);
    expect(ask('POST', '/profiles/inventory/start', preset()).status).toBe(204);
    expect(radio).toEqual([null]);
    expect(ask('GET', '/status')).toMatchObject({ body: { activePreset: { profile: 'inventory' } } });
  });

  it('the built-in preset can be started', () => {
    const { start, reader } = boot();
    expect(start('default').status).toBe(204);
    expect(reader.running?.preset.antennaConfigs).toHaveLength(4);
  });
});

describe('power', () => {
  it('a named preset starts again, a transient or a stopped one does not', () => {
    const next = (prepare: (one: ReturnType<typeof boot>) => void) => {
      const one = boot();
      one.put('one');
      prepare(one);
      one.reader.powerOff();
      expect(one.reader.running).toBeNull();
      return boot({ state: one.reader.state() }).radio;
    };
    expect(next(({ start }) => start('one'))).toEqual(['one']);
    expect(next(() => {})).toEqual([]);
    expect(next(({ ask }) => ask('POST', '/profiles/inventory/start', preset()))).toEqual([]);
    expect(
      next(({ ask, start }) => {
        start('one');
        ask('POST', '/profiles/stop');
      }),
    ).toEqual([]);
  });

  it('every setting is in the state, which is plain JSON', () => {
    const { ask, put, reader } = boot();
    put('one');
    ask('PUT', '/mqtt', { active: true, brokerHostname: 'b', clientId: 'R1', eventTopic: 't' });
    ask('PUT', '/system/cap/installation', { mode: 'Secure' });
    const state = JSON.parse(JSON.stringify(reader.state()));
    expect(state).toEqual(reader.state());
    const again = boot({ state });
    expect(again.ask('GET', '/mqtt')).toMatchObject({ body: { brokerHostname: 'b', clientId: 'R1' } });
    expect(again.ask('GET', '/system/cap/installation').body).toEqual({ mode: 'Secure' });
    expect(again.ask('GET', PRESETS).body).toEqual(['default', 'one']);
  });

  it('POST /system/reboot is 202 and asks whoever holds the power', () => {
    let asked = 0;
    const { ask } = boot({ onReboot: () => (asked += 1) });
    expect(ask('POST', '/system/reboot')).toEqual({ status: 202 });
    expect(asked).toBe(1);
  });
});

describe('status and system', () => {
  it('an idle reader has no active preset', () => {
    expect(boot().ask('GET', '/status')).toEqual({
      status: 200,
      body: {
        status: 'idle',
        time: '2026-03-02T09:15:37.412Z',
        serialNumber: 'R-1',
        mqttBrokerConnectionStatus: 'disconnected',
        mqttTlsAuthentication: 'none',
        kafkaClusterConnectionStatus: 'disconnected',
        interface: 'IoT',
      },
    });
  });

  it('tells whether its own MQTT client is connected', () => {
    const { ask } = boot({ mqttConnected: () => true });
    expect(ask('GET', '/status').body).toMatchObject({ mqttBrokerConnectionStatus: 'connected' });
  });

  it.each([
    ['', { serialNumber: 'R-1', productModel: 'R700' }],
    ['/image', { primaryFirmware: '10.0.0.240' }],
    ['/temperature', { systemTemperature: 42 }],
    ['/power', { powerSource: 'auto', allocatedPowerMilliwatts: 25_500 }],
    ['/time', { systemTime: '2026-03-02T09:15:37.412Z', upTime: 0 }],
    ['/hostname', { hostname: expect.stringMatching(/^impinj(-[0-9a-f]{2}){3}$/) }],
    ['/region', { operatingRegion: expect.stringContaining('ETSI') }],
    ['/rfid/interface', { rfidInterface: 'rest' }],
    ['/cap/installation', { mode: 'Open' }],
  ])('GET /system%s', (path, body) => {
    expect(boot().ask('GET', `/system${path}`)).toMatchObject({ status: 200, body });
  });

  it('model, firmware and temperature are what it is made with', () => {
    const { ask } = boot({ model: 'R720', firmware: '9.1.0.3', temperatureC: () => 78 });
    expect(ask('GET', '/system').body).toMatchObject({ productModel: 'R720' });
    expect(ask('GET', '/system/image').body).toMatchObject({ primaryFirmware: '9.1.0.3' });
    expect(ask('GET', '/system/temperature').body).toEqual({ systemTemperature: 78 });
  });

  it('with LLRP as its interface the radio stops and profiles are refused until it is back', () => {
    const { ask, put, start, radio } = boot();
    put('one');
    start('one');
    expect(ask('PUT', '/system/rfid/interface', { rfidInterface: 'llrp' }).status).toBe(204);
    expect(radio).toEqual(['one', 'off']);
    expect(start('one').status).toBe(400);
    expect(ask('GET', '/status')).toMatchObject({ status: 200, body: { status: 'idle' } });
    ask('PUT', '/system/rfid/interface', { rfidInterface: 'rest' });
    expect(start('one').status).toBe(204);
  });

  it.each([
    ['/system/rfid/interface', { rfidInterface: 'x' }],
    ['/system/rfid/interface', {}],
    ['/system/rfid/interface', undefined],
    ['/system/cap/installation', { mode: 'open' }],
    ['/system/cap/installation', { mode: 'Open', more: 1 }],
  ])('PUT %s takes no %j', (path, body) => {
    expect(boot().ask('PUT', path, body).status).toBe(400);
  });

  it.each([
    ['PUT', `${PRESETS}/one/start`],
    ['POST', '/profiles/inventory/stop'],
    ['GET', '/profiles/stop'],
    ['POST', PRESETS],
    ['PATCH', '/mqtt'],
    ['HEAD', '/status'],
    ['DELETE', '/status'],
    ['GET', '/statuses'],
    ['GET', '/status/'],
    ['GET', ''],
    ['GET', '/'],
    ['GET', '/system/cap/files/rw_dir/svc.json'],
  ])('a wrong verb or path is 404: %s %s', (method, path) => {
    const { ask, put } = boot();
    put('one');
    expect(ask(method, path, {}).status).toBe(404);
  });

  it('nothing is below another base', () => {
    expect(boot().reader.handle({ method: 'GET', path: '/status' }).status).toBe(404);
  });
});

describe('MQTT settings', () => {
  const whole = {
    active: true,
    brokerHostname: 'tagkeep.local',
    clientId: 'RR1',
    eventTopic: 'svc/v1/R-1/events',
  };

  it('from the factory it connects to nobody, with no keep-alive', () => {
    expect(boot().ask('GET', '/mqtt')).toMatchObject({
      status: 200,
      body: { active: false, brokerPort: 1883, keepAliveIntervalSeconds: 0, cleanSession: false },
    });
  });

  it('PUT replaces the whole: what is left out has its factory value', () => {
    const { ask } = boot();
    const put = (body: object) => ask('PUT', '/mqtt', body).status;
    expect(put({ ...whole, brokerPort: 8883, tlsEnabled: true })).toBe(204);
    expect(ask('GET', '/status').body).toMatchObject({ mqttTlsAuthentication: 'server' });
    expect(put(whole)).toBe(204);
    expect(ask('GET', '/mqtt').body).toMatchObject({ ...whole, brokerPort: 1883, tlsEnabled: false });
  });

  it.each([
    ['clientId', 'R-1'],
    ['clientId', 'R'.repeat(24)],
    ['clientId', ''],
    ['brokerHostname', ''],
    ['brokerPort', 0],
    ['eventTopic', 'a/#'],
    ['eventTopic', 'a/+/b'],
    ['eventBufferSize', 999],
    ['eventPendingDeliveryLimit', 9],
    ['eventQualityOfService', 3],
    ['keepAliveIntervalSeconds', 65_536],
    ['willMessage', 'x'.repeat(501)],
    ['maxMessageSize', 1],
    ['active', 'yes'],
  ])('400 names %s when it is %j', (property, value) => {
    const { ask } = boot();
    const answer = ask('PUT', '/mqtt', { ...whole, [property]: value });
    expect(answer).toMatchObject({ status: 400, body: { invalidPropertyId: property } });
    expect(ask('GET', '/mqtt').body).toMatchObject({ active: false });
  });

  it.each([[null], [[]], ['text'], [undefined], [{}]])('%j is no set of settings', (body) => {
    expect(boot().ask('PUT', '/mqtt', body).status).toBe(400);
  });
});
