import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AedesTargetOptions } from './aedes-target.ts';
import { type Child, cores, start } from './child.ts';
import { MOSQUITTO } from './machine.ts';
import type { Site } from './seed.ts';

/** A broker that runs. */
export interface Target {
  readonly pid: number;
  readonly port: number;
  /** Messages it says it has taken from its clients; absent where it does not say. */
  readonly seen?: () => Promise<number>;
  stop(): Promise<void>;
}

export interface TagkeepTarget extends Target {
  readonly origin: string;
  /** Where it says it can be reached. */
  readonly endpoints: Endpoints;
  /** From the start of the process until it serves. */
  readonly readyMs: number;
}

const START_MS = 60_000;
const distDir = join(import.meta.dirname, '..');

/** Starts `tagkeep serve` on free ports; with `profileDir` it leaves a CPU profile there when it stops. */
export async function startTagkeep(
  site: Site,
  profileDir: string | null,
  env: Readonly<Record<string, string>> = {},
): Promise<TagkeepTarget> {
  const endpointsFile = join(site.dataDir, 'run', 'endpoints.json');
  rmSync(endpointsFile, { force: true });
  const profile = profileDir === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileDir}`];
  const command = [
    process.execPath,
    ...profile,
    '--enable-source-maps',
    join(distDir, 'tagkeep.mjs'),
    'serve',
  ];
  const began = performance.now();
  const child = start(command, { core: cores.target, env: { ...environment(site), ...env } });
  const endpoints = await untilReady(child, endpointsFile);
  const readyMs = performance.now() - began;
  const port = Number(new URL(endpoints.mqtts).port);
  const { pid, http: origin } = endpoints;
  return { pid, port, origin, endpoints, readyMs, stop: () => child.stop() };
}

function environment({ dataDir, certsDir }: Site): NodeJS.ProcessEnv {
  return {
    NODE_ENV: 'production',
    TAGKEEP_DATA_DIR: dataDir,
    TAGKEEP_CERTS_DIR: certsDir,
    TAGKEEP_HTTP__PORT: '0',
    TAGKEEP_HTTPS__PORT: '0',
    TAGKEEP_HTTPS__HOST: '127.0.0.1',
    TAGKEEP_MQTTS__PORT: '0',
    TAGKEEP_MQTTS__HOST: '127.0.0.1',
    TAGKEEP_LOG__LEVEL: 'warn',
  };
}

/** What the appliance writes into `run/endpoints.json`. */
export interface Endpoints {
  readonly http: string;
  readonly https: string;
  readonly mqtts: string;
  readonly pid: number;
}

async function untilReady(child: Child, file: string): Promise<Endpoints> {
  for (const limit = performance.now() + START_MS; performance.now() < limit; await sleep(5)) {
    child.check();
    if (!existsSync(file)) continue;
    const endpoints = JSON.parse(readFileSync(file, 'utf8')) as Endpoints; // written by the appliance, whole or not at all
    if ((await fetch(`${endpoints.http}/readyz`)).ok) return endpoints;
  }
  throw new Error(`tagkeep was not ready within ${START_MS} ms`);
}

/** Starts a bare Aedes that counts what it gets. */
export async function startAedes(site: Site): Promise<Target> {
  const command = [process.execPath, join(import.meta.dirname, 'aedes-target.mjs')];
  const child = start(command, { core: cores.target, ipc: true, env: { NODE_ENV: 'production' } });
  const options: AedesTargetOptions = { ca: site.ca, ...site.server };
  const port = await child.ask<number>('listen', options);
  return { pid: child.pid, port, seen: () => child.ask<number>('published'), stop: () => child.stop() };
}

/** Starts Mosquitto with the same certificates, each name allowed on its own topics, nothing kept on disk. */
export async function startMosquitto(site: Site, root: string): Promise<Target> {
  const dir = join(root, 'mosquitto');
  mkdirSync(dir, { recursive: true });
  const port = await freePort();
  writeFileSync(site.certFile, site.server.cert);
  writeFileSync(site.keyFile, site.server.key, { mode: 0o600 });
  writeFileSync(join(dir, 'acl'), 'pattern readwrite svc/v1/%u/events\npattern read svc/v1/%u/commands\n', {
    mode: 0o600,
  });
  writeFileSync(join(dir, 'mosquitto.conf'), mosquittoConf(site, dir, port));
  const child = start([MOSQUITTO, '-c', join(dir, 'mosquitto.conf')], { core: cores.target });
  await untilListening(child, port);
  return { pid: child.pid, port, stop: () => child.stop() };
}

function mosquittoConf(site: Site, dir: string, port: number): string {
  return [
    // Without it, started by root, it becomes a user that may not read the keys.
    ...(process.getuid?.() === 0 ? ['user root'] : []),
    `listener ${port} 127.0.0.1`,
    `cafile ${site.caFile}`,
    `certfile ${site.certFile}`,
    `keyfile ${site.keyFile}`,
    'require_certificate true',
    'use_identity_as_username true',
    `acl_file ${join(dir, 'acl')}`,
    'persistence false',
    'set_tcp_nodelay true',
    'sys_interval 0',
    'log_type error',
    'log_type warning',
    '',
  ].join('\n');
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

async function untilListening(child: Child, port: number): Promise<void> {
  for (const limit = performance.now() + START_MS; performance.now() < limit; await sleep(20)) {
    child.check();
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('connect', () => resolve(true));
      socket.once('error', () => resolve(false));
      socket.once('close', () => resolve(false));
      socket.setTimeout(1000, () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (open) return;
  }
  throw new Error(`mosquitto did not listen within ${START_MS} ms`);
}
