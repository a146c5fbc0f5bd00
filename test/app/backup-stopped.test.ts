import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { makeBackup } from '../../src/app/backup.ts';
import type { Config } from '../../src/config/options.ts';
import { BackupHouse, idOf } from '../support/backup-house.ts';
import { until } from '../support/wait.ts';

const STOPPED = 'tagkeep: stopped; nothing was left behind\n';

const house = new BackupHouse();
let appliance: Config;
const children: ChildProcess[] = [];
beforeAll(async () => {
  appliance = await house.appliance();
}, 60_000);
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  if (existsSync(keyAside())) renameSync(keyAside(), serverKey());
});
afterAll(() => house.dispose());

const serverKey = (): string => join(appliance.certsDir, 'server.key');
const keyAside = (): string => join(appliance.certsDir, 'server.key.aside');
const runFolder = (): readonly string[] => readdirSync(join(appliance.dataDir, 'run'));

function folder(): string {
  const dir = house.fresh();
  mkdirSync(dir);
  return dir;
}

/** Whoever opens it waits for somebody at the other end. */
function makePipe(file: string): string {
  execFileSync('mkfifo', ['-m', '600', file]);
  return file;
}

/** In the place of a file that is packed after the store: a backup stops there for as long as the test wants. */
function pipeForServerKey(): string {
  renameSync(serverKey(), keyAside());
  return makePipe(serverKey());
}

/** Lets whoever waits at the pipe, now or later, find its end, until `over` is settled. */
async function letOn<T>(pipe: string, over: Promise<T>): Promise<T> {
  let isOver = false;
  const noted = over.finally(() => {
    isOver = true;
  });
  await until('the end', async () => {
    // Refused while nobody reads.
    const end = await open(pipe, constants.O_WRONLY | constants.O_NONBLOCK).catch(() => null);
    await end?.close();
    return isOver;
  });
  return noted;
}

/** The store has been written to the file that is being made. */
const isMidway = (dir: string): Promise<unknown> =>
  until('half a backup', () =>
    readdirSync(dir).some((name) => name.endsWith('.tmp') && statSync(join(dir, name)).size > 20_000),
  );

function command(args: readonly string[], env: Record<string, string> = {}) {
  const { dataDir, certsDir } = appliance;
  const folders = { TAGKEEP_DATA_DIR: dataDir, TAGKEEP_CERTS_DIR: certsDir };
  const child = spawn(process.execPath, ['dist/tagkeep.mjs', ...args], {
    env: { PATH: process.env.PATH, ...folders, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  const ended = Promise.all([once(child, 'exit'), text(child.stderr)]);
  return { child, outcome: ended.then(([[code, signal], said]) => [code ?? signal, said]) };
}

describe('a backup that is stopped midway', () => {
  it('ends with the reason and leaves nothing', async () => {
    const [dir, stop, pipe] = [folder(), new AbortController(), pipeForServerKey()];
    const backup = house.backup(appliance, { target: dir, passphrase: null, signal: stop.signal });
    const refused = expect(backup).rejects.toThrow(/^stopped by the test$/);
    await isMidway(dir);
    stop.abort(new Error('stopped by the test'));
    await letOn(pipe, refused);
    expect([readdirSync(dir), runFolder()]).toEqual([[], []]);
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'by %s leaves nothing in any folder',
    async (signal) => {
      const [dir, workDir, pipe] = [folder(), folder(), pipeForServerKey()];
      const { child, outcome } = command(['backup', dir, '--plain', '--work-dir', workDir]);
      await isMidway(dir);
      child.kill(signal);
      expect(await letOn(pipe, outcome)).toEqual([1, STOPPED]);
      expect([readdirSync(dir), readdirSync(workDir), runFolder()]).toEqual([[], [], []]);
    },
    60_000,
  );

  it.each(['its own folder', '--work-dir'])(
    'by kill -9 leaves a copy of the store in %s and half a file, which go with the next one',
    async (where) => {
      const [dir, workDir] = [folder(), folder()];
      const isElsewhere = where === '--work-dir';
      pipeForServerKey();
      const target = join(dir, 'box.tar');
      const { child, outcome } = command([
        ...['backup', target, '--plain'],
        ...(isElsewhere ? ['--work-dir', workDir] : []),
      ]);
      await isMidway(dir);
      child.kill('SIGKILL');
      expect(await outcome).toEqual(['SIGKILL', '']);
      const left = isElsewhere ? workDir : join(appliance.dataDir, 'run', 'backup');
      expect([readdirSync(dir).length, readdirSync(left).length]).toEqual([1, 1]);
      rmSync(serverKey());
      renameSync(keyAside(), serverKey());
      await makeBackup(house.options(appliance, { target, ...(isElsewhere && { workDir }) }));
      expect([readdirSync(dir), readdirSync(workDir), runFolder()]).toEqual([['box.tar'], [], []]);
    },
    60_000,
  );
});

describe('a verify that is stopped midway', () => {
  const begun = async (): Promise<{ run: ReturnType<typeof command>; workDir: string; pipe: string }> => {
    const [file, workDir] = [await house.backup(appliance, { passphrase: null }), folder()];
    const pipe = makePipe(house.fresh());
    const run = command(['verify', file, '--work-dir', workDir], { TAGKEEP_PKI__PASSPHRASE_FILE: pipe });
    await until('the unpacked backup', () =>
      readdirSync(workDir).some((name) => existsSync(join(workDir, name, 'certs', 'server.crt'))),
    );
    return { run, workDir, pipe };
  };

  it('by a terminal that goes away leaves nothing', async () => {
    const { run, workDir, pipe } = await begun();
    run.child.kill('SIGHUP');
    expect(await letOn(pipe, run.outcome)).toEqual([1, STOPPED]);
    expect(readdirSync(workDir)).toEqual([]);
  }, 60_000);

  it('by kill -9 leaves what was unpacked, which goes with the next one', async () => {
    const { run, workDir } = await begun();
    run.child.kill('SIGKILL');
    await run.outcome;
    const left = readdirSync(workDir);
    expect(left).toEqual([expect.stringMatching(/^tagkeep-verify-[0-9a-f]{8}-\d+-\d+-.{6}$/)]);
    const file = await house.backup(appliance, { passphrase: null });
    const next = command(['verify', file, '--work-dir', workDir]);
    expect(await next.outcome).toEqual([0, '']);
    expect(readdirSync(workDir)).toEqual([]);
  }, 60_000);
});

describe('a backup of an appliance with a file that can be seen but not opened', () => {
  it('is refused in one line that names it', async () => {
    renameSync(serverKey(), keyAside());
    const socket = createServer().listen(serverKey());
    await once(socket, 'listening');
    const dir = folder();
    try {
      await expect(house.backup(appliance, { target: dir })).rejects.toThrow(
        /server\.key can't be read: ENXIO/,
      );
      expect([readdirSync(dir), runFolder()]).toEqual([[], []]);
    } finally {
      await new Promise((resolve) => socket.close(resolve));
    }
  });
});

it('half a file of another appliance is left alone: it may be at work', async () => {
  const [dir, workDir] = [folder(), folder()];
  const other = '.box.tkb.tagkeep-00000000-0123456789abcdef.tmp';
  const own = `.box.tkb.tagkeep-${idOf(appliance.certsDir)}-0123456789abcdef.tmp`;
  for (const name of [other, own]) writeFileSync(join(dir, name), '');
  await house.backup(appliance, { target: join(dir, 'box.tkb'), workDir });
  expect(readdirSync(dir).sort()).toEqual([other, 'box.tkb']);
});
