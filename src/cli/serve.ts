import { basename } from 'node:path';
import { type App, startApp } from '../app/create-app.ts';
import type { Demo } from '../app/demo.ts';
import type { FirstStart } from '../app/first-start.ts';
import { version } from '../app/version.ts';
import { createLog, type Log } from '../log/log.ts';
import { type CommonOptions, configOf } from './context.ts';

/** How people call this program: from a checkout by npx, as one binary by its name. */
const command = basename(process.execPath).startsWith('node') ? 'npx tagkeep' : 'tagkeep';

/** A stop that takes longer is cut off: the readers keep what was not acknowledged. */
const STOP_MS = 4500;

/** `tagkeep serve`: runs until SIGTERM or SIGINT, then drains and ends. */
export async function serve(options: CommonOptions & { readonly demo?: boolean }): Promise<void> {
  const config = configOf(options);
  const log = createLog({ level: config.log.level });
  // From the beginning: a stop asked for while starting is an orderly one too.
  const stopAsked = stopSignal();
  const onStoreBroken = (): void => endBroken(log);
  const { config: configFile } = options;
  const app = await startApp({ config, configFile, log, onFirstStart: tellPassword, onStoreBroken });
  const demo = options.demo ? await startDemoOrStop(app, log) : null;
  log.info({ ...app.endpoints, version }, 'tagkeep is ready');
  tellPlaces(app, demo);
  const signal = await stopAsked;
  log.info({ signal }, 'stopping');
  const limit = setTimeout(() => giveUp(log), STOP_MS);
  await demo?.stop();
  await app.stop();
  // Still set, but no reason to stay: it ends a process that something forgotten would keep alive.
  limit.unref();
  log.info({}, 'stopped');
}

async function startDemoOrStop(app: App, log: Log): Promise<Demo> {
  try {
    // Real use has no virtual readers, nor what they take to load.
    const { startDemo } = await import('../app/demo.ts');
    return await startDemo(app, log);
  } catch (error) {
    await app.stop();
    throw error;
  }
}

function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => resolve(signal));
  });
}

function giveUp(log: Log): void {
  log.error({}, 'stopping took too long; what was not acknowledged stays with the readers');
  process.exit(1);
}

/** Whoever supervises the process starts it again; until then nobody is told that something was stored. */
function endBroken(log: Log): void {
  log.fatal({}, 'the disk failed in the middle of a commit and the store is closed; ending, start again');
  process.exit(1);
}

function tellPassword({ email, password }: FirstStart): void {
  say(['', 'First start: made the organisation, a site, the certificate authority and an admin.']);
  say([`  admin:    ${email}`, `  password: ${password}   (shown this once; keep it)`, '']);
}

function tellPlaces({ endpoints }: App, demo: Demo | null): void {
  say(['', `Tagkeep ${version} is running.`]);
  say([
    `  in a browser    ${endpoints.http}/   and   ${endpoints.https}/`,
    `  REST and docs   ${endpoints.http}/docs`,
  ]);
  say([`  readers         ${endpoints.mqtts} (mutual TLS)`]);
  if (demo) say([`  demo            ${demo.summary}`]);
  say(['', `Next: make a key with   ${command} key create my-key   then`, ...firstCalls(endpoints.http), '']);
}

function firstCalls(origin: string): readonly string[] {
  const call = (flags: string, path: string): string =>
    `  curl ${flags}-H "Authorization: Bearer KEY" ${origin}/api/v1${path}`;
  return [call('-s ', '/inventory/summary'), call('-N ', '/events/stream')];
}

function say(lines: readonly string[]): void {
  for (const line of lines) process.stdout.write(`${line}\n`);
}
