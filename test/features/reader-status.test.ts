import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type App, startApp } from '../../src/app/create-app.ts';
import { provision } from '../../src/app/provision.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { Reader } from '../../src/contract/reader.ts';
import { tagsArrivingMs } from '../../src/domain/reader-status.ts';
import { createLog } from '../../src/log/log.ts';
import { hashApiKey, makeApiKey, putApiKey } from '../../src/store/api-keys.ts';
import { tables } from '../../src/store/tables.ts';
import { Rest } from '../support/appliance.ts';
import { Publisher, plainRead } from '../support/publisher.ts';
import { until } from '../support/wait.ts';

const serial = '370-21-09-0042';
const NO_DATA_MS = 300_000;
const root = mkdtempSync(join(tmpdir(), 'tagkeep-status-'));
const dir = join(root, 'identity');
/** How far the service's clock is ahead of the real one, ms. */
let ahead = 0;
const now = (): number => Date.now() + ahead;

let app: App;
let rest: Rest;
let readerId = '';
let own: Publisher;

beforeAll(async () => {
  const env = {
    TAGKEEP_DATA_DIR: join(root, 'data'),
    TAGKEEP_CERTS_DIR: join(root, 'certs'),
    TAGKEEP_HTTP__PORT: '0',
    TAGKEEP_HTTPS__HOST: '127.0.0.1',
    TAGKEEP_HTTPS__PORT: '0',
    TAGKEEP_MQTTS__HOST: '127.0.0.1',
    TAGKEEP_MQTTS__PORT: '0',
    // The clock jumps; commands must not notice.
    TAGKEEP_COMMANDS__ACK_TIMEOUT_SECONDS: '86400',
  };
  const config = loadConfig({ env, cwd: root });
  app = await startApp({ config, log: createLog({ level: 'silent' }), now, checkResponses: true });
  const [org] = app.store.range(tables.orgs);
  const orgId = org?.key ?? '';
  const made = await provision(app, {
    ...{ serial, model: 'R700', firmware: '10.1.0', keyType: 'ecdsa', dir, orgId, now: now() },
    ...{ readerUser: 'root', readerPassword: 'impinj' },
  });
  rest = new Rest(app.endpoints, await apiKey(orgId));
  const claim = { code: made.claimCode, readerName: 'Dock door 1' };
  ({ readerId } = await rest.ok<{ readerId: string }>('POST', '/devices/claim', claim));
});
afterAll(async () => {
  await own?.close();
  await app?.stop();
  rmSync(root, { recursive: true, force: true });
});

async function apiKey(orgId: string): Promise<string> {
  const key = makeApiKey();
  const dates = { createdAt: now(), expiresAt: null, revokedAt: null, lastUsedAt: null };
  const record = { id: randomUUID(), orgId, name: 'status', hash: hashApiKey(key), ...dates };
  await app.store.write((tx) => putApiKey(tx, record));
  return key;
}

/** Resolves when GET /readers shows `expected`: status, reason (`-` for none), words of the hub. */
async function shows(...expected: readonly [status: string, reason: string, words: string]): Promise<Reader> {
  let last = '';
  try {
    return await until(expected.join(' | '), async () => {
      const [reader] = await rest.get<readonly Reader[]>('/readers');
      last = reader ? [reader.status, reader.offlineReason ?? '-', reader.displayStatus].join(' | ') : 'none';
      return last === expected.join(' | ') && reader;
    });
  } catch (error) {
    throw new Error(`GET /readers shows "${last}", not "${expected.join(' | ')}"`, { cause: error });
  }
}

const connect = async (): Promise<void> => {
  own = await Publisher.connect({ url: app.endpoints.mqtts, serial, identity: dir });
};
const says = (health: object): Promise<void> =>
  own.publish({ topic: 'status', payload: JSON.stringify({ type: 'health', ...health }) });
const reads = (): Promise<void> => own.publish({ payload: plainRead('303400000000000000000001') });
const change = (enabled: boolean): Promise<Reader> =>
  rest.ok<Reader>('PATCH', `/readers/${readerId}`, { enabled });
const ports = (enabled: boolean): Promise<unknown> => {
  const all = [1, 2, 3, 4].map((port) => ({ port, enabled }));
  return rest.ok('PUT', `/readers/${readerId}/antennas`, all);
};

/** What an agent does with a start: takes it and answers. */
async function start(error: string | null): Promise<void> {
  const { lastCommand } = await change(true);
  const answer = { id: lastCommand?.id, ok: error === null, error, status: error === null ? 'started' : '' };
  await own.publish({ topic: 'command-response', payload: JSON.stringify(answer) });
}

// One story: each step begins where the one before it ended.

test('never connected: unknown', async () => {
  const reader = await shows('unknown', 'never-connected', 'Offline');
  expect(reader).toMatchObject({ enabled: true, brokerStatus: 'never', commandsSupported: false });
});

test('connected, nothing said yet: online and idle', async () => {
  await connect();
  const reader = await shows('online', '-', 'Online and Idle');
  expect(reader.brokerStatus).toBe('connected');
});

test('its radio should run and is idle: offline for the interface, idle for the hub', async () => {
  await says({ radio: 'idle', temperatureC: 41.5 });
  expect(await shows('offline', 'radio-idle', 'Online and Idle')).toMatchObject({ temperatureC: 41.5 });
});

test('running and reading, but no agent: degraded', async () => {
  await says({ radio: 'running' });
  await reads();
  await shows('degraded', '-', 'Degraded');
});

test('the agent has answered: online and reading', async () => {
  await start(null);
  const reader = await shows('online', '-', 'Online and Reading');
  expect(reader).toMatchObject({ commandsSupported: true, lastCommand: { state: 'applied' } });
});

test('the last command failed: degraded until one is applied', async () => {
  await start('the reader says 500');
  expect(await shows('degraded', '-', 'Degraded')).toMatchObject({ commandsSupported: true });
  await start(null);
  await shows('online', '-', 'Online and Reading');
});

test('no read for a minute: idle; silent for noDataSeconds: offline until it is heard again', async () => {
  ahead += tagsArrivingMs + 1;
  await shows('online', '-', 'Online and Idle');
  ahead += NO_DATA_MS;
  expect(await shows('offline', 'no-data', 'Offline')).toMatchObject({ brokerStatus: 'connected' });
  await reads();
  await shows('online', '-', 'Online and Reading');
});

test('all ports off: stopped, although nobody stopped it; one port on ends that', async () => {
  await ports(false);
  expect(await shows('disabled', 'stopped', 'Online and Idle')).toMatchObject({ enabled: true });
  await rest.ok('PUT', `/readers/${readerId}/antennas`, [{ port: 2, enabled: true }]);
  expect((await rest.get<readonly Reader[]>('/readers'))[0]).toMatchObject({ status: 'online' });
  await ports(true);
  await start(null);
  await reads();
  await shows('online', '-', 'Online and Reading');
});

test('the connection ends: offline', async () => {
  await own.close();
  const reader = await shows('offline', 'broker-disconnected', 'Offline');
  expect(reader.brokerStatus).toBe('disconnected');
});

test('stopped through the interface: disabled, connected or not', async () => {
  expect(await change(false)).toMatchObject({ enabled: false, status: 'disabled', displayStatus: 'Offline' });
  await connect();
  expect(await shows('disabled', 'stopped', 'Online and Idle')).toMatchObject({ brokerStatus: 'connected' });
});

test('stopped, but nobody obeys and it goes on reading: the hub says Degraded', async () => {
  const { lastCommand } = await change(false);
  const answer = { id: lastCommand?.id, ok: false, error: 'permission denied', status: '' };
  await own.publish({ topic: 'command-response', payload: JSON.stringify(answer) });
  await reads();
  await shows('disabled', 'stopped', 'Degraded');
});
