import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CallCounts } from '../../src/simulator/local-calls.ts';
import { type LocalInterface, startLocalInterface } from '../../src/simulator/local-interface.ts';
import { call, credentials, folder, preset, type Sent, selfSigned } from './local-support.ts';
import { until } from './support.ts';

const STATUS = '/api/v1/status';
const START = '/api/v1/profiles/inventory/presets/svc-default/start';
const STOP = '/api/v1/profiles/stop';
const post = { method: 'POST' } as const;

let home: ReturnType<typeof folder>;
let local: LocalInterface;
const ask = (path: string, sent?: Sent) => call(local.url, path, sent);
const set = (body: unknown) => ask('/stand-in/faults', { method: 'PUT', body });

beforeEach(async () => {
  home = folder();
  local = await startLocalInterface({ dir: home.dir, serial: 'R-1', ...credentials, tls: selfSigned });
  await ask('/api/v1/profiles/inventory/presets/svc-default', { method: 'PUT', body: preset() });
});
afterEach(async () => {
  await local.stop();
  home.remove();
});

describe('faults on demand', () => {
  it('a call is answered as ordered, as often as ordered, and has no effect', async () => {
    const failNext = { path: START, status: 503, message: 'busy', times: 2 };
    expect((await set({ failNext })).status).toBe(204);
    for (const _ of [1, 2]) {
      expect(await ask(START, post)).toMatchObject({ status: 503, body: { message: 'busy' } });
      expect(local.view().radio).toBeNull();
    }
    expect((await ask(START, post)).status).toBe(204);
  });

  it.each([
    ['before', false],
    ['after', true],
  ] as const)('a connection breaks %s the call takes effect', async (when, effective) => {
    await set({ dropNext: { path: START, when } });
    await expect(ask(START, post)).rejects.toThrow();
    expect(local.view().radio !== null).toBe(effective);
    expect(local.view().startsAgain).toBe(effective ? 'svc-default' : null);
    expect((await ask(START, post)).status).toBe(effective ? 409 : 204);
  });

  it.each([
    ['before', false],
    ['after', true],
  ] as const)('an answer is slow, the wait %s the effect', async (delayWhen, effective) => {
    await set({ delayMs: 300, delayWhen, delayCalls: [START] });
    const startedAt = performance.now();
    const answer = ask(START, post);
    await until('the call', () => local.view().calls[`POST ${START}`] === 1);
    if (effective) await until('the effect', () => local.view().radio !== null);
    else expect(local.view().radio).toBeNull();
    expect((await answer).status).toBe(204);
    expect(performance.now() - startedAt).toBeGreaterThan(280);
  });

  it('a regular expression over verb and path picks the calls that are slow', async () => {
    await set({ delayMs: 60_000, delayCalls: '^POST .*/(start|stop)$' });
    expect((await ask(STATUS)).status).toBe(200);
    const slow = ask(STOP, post).catch(() => 'cut');
    await until('the slow call', () => local.view().calls[`POST ${STOP}`] === 1);
    await local.reboot({ rebootMs: 0 });
    expect(await slow).toBe('cut');
  });

  it('a fault is for one verb when it says so', async () => {
    await set({ failNext: { path: '/api/v1/mqtt', method: 'PUT', status: 500 } });
    expect((await ask('/api/v1/mqtt')).status).toBe(200);
    expect((await ask('/api/v1/mqtt', { method: 'PUT', body: {} })).status).toBe(500);
    expect((await ask('/api/v1/mqtt', { method: 'PUT', body: {} })).status).toBe(400);
  });

  it('the right credentials are refused on the interface, never at the desk that sets faults', async () => {
    await set({ credentials: 'refused' });
    expect((await ask(STATUS)).status).toBe(401);
    expect((await set({})).status).toBe(204);
    expect((await ask(STATUS)).status).toBe(200);
  });

  it('faults are replaced as a whole, and shown with what is left of them', async () => {
    await set({ failNext: { path: STOP, status: 500, times: 3 } });
    await ask(STOP, post);
    expect((await ask('/stand-in')).body).toMatchObject({
      faults: { failNext: { path: STOP }, left: { failNext: 2, dropNext: 0 } },
    });
    await set({ delayMs: 1 });
    expect((await ask(STOP, post)).status).toBe(204);
  });

  it.each([
    [[], ''],
    ['x', ''],
    [{ delay: 1 }, 'delay'],
    [{ delayMs: -1 }, 'delayMs'],
    [{ delayMs: 120_001 }, 'delayMs'],
    [{ delayWhen: 'never' }, 'delayWhen'],
    [{ delayCalls: '(' }, 'delayCalls'],
    [{ delayCalls: [] }, 'delayCalls'],
    [{ delayCalls: 1 }, 'delayCalls'],
    [{ failNext: { path: STOP } }, 'failNext.status'],
    [{ failNext: { path: STOP, status: 200 } }, 'failNext.status'],
    [{ failNext: { path: STOP, status: 500, times: 1001 } }, 'failNext.times'],
    [{ dropNext: { path: STOP } }, 'dropNext.when'],
    [{ dropNext: { path: STOP, when: 'soon' } }, 'dropNext.when'],
    [{ credentials: 'none' }, 'credentials'],
  ])('%j are no faults: 400, and those that are set stay', async (faults, property) => {
    await set({ failNext: { path: STOP, status: 500 } });
    const answer = await set(faults);
    expect(answer.status).toBe(400);
    if (property !== '') expect(answer.body).toMatchObject({ invalidPropertyId: property });
    expect((await ask(STOP, post)).status).toBe(500);
    // What cannot be set from outside cannot be set from inside.
    expect(() => local.setFaults(faults as object)).toThrow(RangeError);
  });
});

describe('the desk of a stand-in', () => {
  it('counts calls by verb and path, its own aside', async () => {
    await ask(STATUS);
    await ask(`${STATUS}?x=1`);
    await ask('/stand-in');
    const { calls } = local.view();
    expect(calls[`GET ${STATUS}`]).toBe(2);
    expect(Object.keys(calls).filter((key) => key.includes('/stand-in'))).toEqual([]);
  });

  it('counts at most 500 different calls, further ones together', () => {
    const counts = new CallCounts();
    for (const path of ['/a', '/b']) for (let at = 0; at < 300; at += 1) counts.add('GET', `${path}${at}`);
    counts.add('GET', '/a0');
    expect(Object.keys(counts.list())).toHaveLength(501);
    expect(counts.list()).toMatchObject({ 'GET /a0': 2, 'GET /b199': 1, others: 100 });
  });

  it.each([
    ['POST', '/stand-in'],
    ['PUT', '/stand-in/reboot'],
    ['GET', '/stand-in/faults'],
    ['GET', '/stand-in/more'],
  ])('%s %s is 404', async (method, path) => {
    expect((await ask(path, { method, ...(method === 'GET' ? {} : { body: {} }) })).status).toBe(404);
  });

  it.each([[{ rebootMs: -1 }], [{ lose: 'all' }], [{ when: 1 }], [[]]])(
    '%j is no reboot: 400',
    async (body) => {
      expect((await ask('/stand-in/reboot', { ...post, body })).status).toBe(400);
      expect(local.view().starts).toBe(1);
    },
  );
});
