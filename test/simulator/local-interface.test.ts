import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type LocalInterface,
  type LocalInterfaceOptions,
  type RunningInventory,
  startLocalInterface,
} from '../../src/simulator/local-interface.ts';
import { call, credentials, folder, preset, type Sent, selfSigned } from './local-support.ts';
import { until } from './support.ts';

const PRESETS = '/api/v1/profiles/inventory/presets';
const START = `${PRESETS}/svc-default/start`;
const STOP = '/api/v1/profiles/stop';
const FILES = '/api/v1/system/cap/files/rw_dir';

let home: ReturnType<typeof folder>;
let running: LocalInterface[];
let radio: (RunningInventory | null)[];

beforeEach(() => {
  home = folder();
  running = [];
  radio = [];
});
afterEach(async () => {
  await Promise.all(running.map((one) => one.stop()));
  home.remove();
});

async function start(change: Partial<LocalInterfaceOptions> = {}): Promise<LocalInterface> {
  const local = await startLocalInterface({
    dir: home.dir,
    serial: 'R-1',
    ...credentials,
    tls: selfSigned,
    onRadio: (now) => radio.push(now),
    rebootMs: 50,
    ...change,
  });
  running.push(local);
  return local;
}

/** A stand-in with its preset set, and a way to call it. */
async function withPreset(change: Partial<LocalInterfaceOptions> = {}) {
  const local = await start(change);
  const ask = (path: string, sent?: Sent) => call(local.url, path, sent);
  const put = await ask(`${PRESETS}/svc-default`, { method: 'PUT', body: preset() });
  expect(put.status).toBe(201);
  return { local, ask };
}

const settings = () => JSON.parse(readFileSync(join(home.dir, 'settings.json'), 'utf8'));
const post = { method: 'POST' } as const;

describe('the local interface of a stand-in reader', () => {
  it('answers the documented start, stop and status over HTTPS', async () => {
    const { ask } = await withPreset();
    expect((await ask(START, { ...post, body: {} })).status).toBe(204);
    expect((await ask('/api/v1/status')).body).toMatchObject({
      status: 'running',
      serialNumber: 'R-1',
      activePreset: { id: 'svc-default', profile: 'inventory' },
    });
    expect((await ask(START, post)).status).toBe(409);
    expect(await ask(STOP, post)).toMatchObject({ status: 204, text: '' });
    expect((await ask('/api/v1/status')).body).toMatchObject({ status: 'idle' });
    expect(radio.map((now) => now?.id ?? null)).toEqual(['svc-default', null]);
  });

  it.each([
    ['none', null],
    ['another password', 'root:wrong'],
    ['another user', 'admin:imp:inj'],
  ])('refuses credentials with 401 and a challenge: %s', async (_, auth) => {
    const { local, ask } = await withPreset();
    for (const path of ['/api/v1/status', '/stand-in', '/nowhere']) {
      const answer = await ask(path, { auth });
      expect(answer.status).toBe(401);
      expect(answer.headers['www-authenticate']).toContain('Basic');
    }
    expect((await ask(START, { ...post, auth })).status).toBe(401);
    expect(local.view().radio).toBeNull();
  });

  it.each([
    ['a body that is not JSON', '{', 400],
    ['a body over 128 kB', Buffer.alloc(128 * 1024 + 1, 0x20), 413],
  ])('refuses %s', async (_, body, status) => {
    const { ask } = await withPreset();
    const answer = await ask(`${PRESETS}/other`, { method: 'PUT', body }).catch(() => null);
    // A body that is still being sent when the refusal comes may end as a broken connection.
    if (answer !== null || status === 400) expect(answer?.status).toBe(status);
    expect((await ask(`${PRESETS}/other`)).status).toBe(404);
  });

  it('has every change on disk before it answers, for its owner alone', async () => {
    const { ask } = await withPreset();
    expect(settings().presets.map(({ id }: { id: string }) => id)).toEqual(['svc-default']);
    await ask(START, post);
    expect(settings().running).toBe('svc-default');
    await ask(STOP, post);
    expect(settings().running).toBeNull();
    expect(statSync(join(home.dir, 'settings.json')).mode & 0o777).toBe(0o600);
  });

  it('says 500 when a change cannot be saved', async () => {
    const { ask } = await withPreset();
    mkdirSync(join(home.dir, 'settings.json.new'));
    const answer = await ask(START, post);
    expect(answer.status).toBe(500);
    expect(answer.body).toMatchObject({ message: 'The settings could not be saved' });
  });

  it('does not start on a folder with damaged settings, and names the file', async () => {
    writeFileSync(join(home.dir, 'settings.json'), '{"version":1');
    await expect(start()).rejects.toThrow(join(home.dir, 'settings.json'));
  });
});

describe('the power of a stand-in reader', () => {
  it('another process on the same folder has the settings, and starts the named preset by itself', async () => {
    const first = await withPreset();
    await first.ask(START, post);
    // No goodbye: the folder is all that a killed process leaves.
    const second = await start();
    expect(second.view()).toMatchObject({ radio: { id: 'svc-default' }, startsAgain: 'svc-default' });
  });

  it('comes back from a reboot on its port with its settings and its named preset running', async () => {
    const { local, ask } = await withPreset();
    await ask(START, post);
    const { port } = local;
    expect((await ask('/api/v1/system/reboot', post)).status).toBe(202);
    await until('the radio off and on', () => radio.length === 3);
    expect(radio.map((now) => now?.id ?? null)).toEqual(['svc-default', null, 'svc-default']);
    expect(local.port).toBe(port);
    expect((await ask('/api/v1/status')).body).toMatchObject({ status: 'running' });
    expect(local.view().starts).toBe(2);
  });

  it('is unreachable while it reboots, and cuts the connections it has', async () => {
    const { local, ask } = await withPreset();
    local.setFaults({ delayMs: 60_000, delayCalls: ['/api/v1/status'] });
    const waiting = ask('/api/v1/status').then(
      () => 'answered',
      () => 'cut',
    );
    await until('the call', () => local.view().calls['GET /api/v1/status'] === 1);
    const back = local.reboot({ rebootMs: 300 });
    expect(await waiting).toBe('cut');
    await expect(ask(STOP, post)).rejects.toThrow();
    await back;
    expect((await ask(STOP, post)).status).toBe(204);
  });

  it('a transient inventory does not survive a reboot', async () => {
    const { local, ask } = await withPreset();
    expect((await ask('/api/v1/profiles/inventory/start', { ...post, body: preset() })).status).toBe(204);
    expect((await ask('/api/v1/status')).body).toMatchObject({ activePreset: { profile: 'inventory' } });
    await local.reboot();
    expect((await ask('/api/v1/status')).body).toMatchObject({ status: 'idle' });
  });

  it.each([
    ['running', ['svc-default']],
    ['settings', []],
  ] as const)('can lose what ran or its settings: %s', async (lose, presets) => {
    const { local, ask } = await withPreset();
    await ask(START, post);
    expect((await ask('/stand-in/reboot', { ...post, body: { lose, rebootMs: 0 } })).status).toBe(202);
    await until('the second start', () => local.view().starts === 2);
    expect(local.view()).toMatchObject({ radio: null, presets });
  });

  it('a disk that fails at a reboot is told, and costs no setting', async () => {
    const lines: string[] = [];
    const { local } = await withPreset({ log: (line) => lines.push(line) });
    writeFileSync(join(home.dir, 'settings.json'), 'damaged');
    await local.reboot();
    expect(lines.join()).toContain('settings.json');
    expect(local.view().presets).toEqual(['svc-default']);
  });

  it('a reader that is switched off while it reboots stays off', async () => {
    const { local, ask } = await withPreset();
    await ask(START, post);
    const back = local.reboot({ rebootMs: 600_000 });
    await local.stop();
    await back;
    expect(radio.at(-1)).toBeNull();
    await expect(ask('/api/v1/status')).rejects.toThrow();
  });

  it('a call that waited when the power went has no effect on the reader that comes back', async () => {
    const { local, ask } = await withPreset();
    local.setFaults({ delayMs: 200 });
    const lost = ask(START, post).catch(() => 'cut');
    await until('the call', () => local.view().calls[`POST ${START}`] === 1);
    await local.reboot({ rebootMs: 0 });
    expect(await lost).toBe('cut');
    local.setFaults({});
    await expect
      .poll(async () => (await ask('/api/v1/status')).body, { timeout: 3000 })
      .toMatchObject({ status: 'idle' });
    expect(local.view().startsAgain).toBeNull();
  });

  it('up time begins anew with each start', async () => {
    let now = Date.parse('2026-01-01T00:00:00Z');
    const { local, ask } = await withPreset({ now: () => now });
    now += 65_900;
    expect((await ask('/api/v1/system/time')).body).toEqual({
      systemTime: '2026-01-01T00:01:05.900Z',
      upTime: 65,
    });
    await local.reboot();
    expect((await ask('/api/v1/system/time')).body).toMatchObject({ upTime: 0 });
  });
});

describe('identity files written at the bench', () => {
  it.each([
    ['ca.crt', 0o644],
    ['client.crt', 0o644],
    ['client.key', 0o600],
    ['svc.json', 0o600],
  ])('%s is taken as it is, with its mode', async (name, mode) => {
    const { ask } = await withPreset();
    const body = Buffer.from([0, 255, 13, 10, 7]);
    expect((await ask(`${FILES}/${name}`, { method: 'PUT', body })).status).toBe(204);
    const file = join(home.dir, 'rw_dir', name);
    expect(readFileSync(file)).toEqual(body);
    expect(statSync(file).mode & 0o777).toBe(mode);
  });

  it.each(['other.txt', '..%2Fsettings.json', '__proto__', 'ca.crt%00', 'CA.CRT'])(
    'no other name is written: %s',
    async (name) => {
      const { ask } = await withPreset();
      expect((await ask(`${FILES}/${name}`, { method: 'PUT', body: 'x' })).status).toBe(404);
    },
  );

  it('a file over 64 kB is 413 and leaves the one that is there', async () => {
    const { ask } = await withPreset();
    const put = (size: number) =>
      ask(`${FILES}/ca.crt`, { method: 'PUT', body: Buffer.alloc(size, 0x41) }).catch(() => null);
    expect((await put(65_536))?.status).toBe(204);
    const refused = await put(65_537);
    if (refused !== null) expect(refused.status).toBe(413);
    expect(readFileSync(join(home.dir, 'rw_dir', 'ca.crt')).length).toBe(65_536);
  });
});
