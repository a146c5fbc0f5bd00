import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type DataFolder,
  openDataFolder,
  prepareDataFolder,
  readServing,
} from '../../src/app/data-folder.ts';
import { isRunning, ownIdentity } from '../../src/app/process-identity.ts';

const ENDPOINTS = {
  http: 'http://127.0.0.1:1',
  https: 'https://localhost:2',
  mqtts: 'mqtts://localhost:3',
  pid: 4,
};
const NOBODY = 65_534;

let root = '';
let opener = '';
let folders = 0;
const opened: DataFolder[] = [];
const children: ChildProcess[] = [];

beforeAll(async () => {
  root = fs.mkdtempSync(join(tmpdir(), 'tagkeep-folder-'));
  fs.chmodSync(root, 0o755);
  opener = join(root, 'opener.mjs');
  // A process that takes the folder named by its argument, says how that went, and holds it until its stdin ends.
  const contents = `import { openDataFolder } from './src/app/data-folder.ts';
    try { openDataFolder(process.argv[2]); console.log('taken'); process.stdin.resume(); }
    catch (error) { console.log(error.message); }`;
  const stdin = { contents, resolveDir: process.cwd(), loader: 'ts' } as const;
  await build({ stdin, outfile: opener, bundle: true, format: 'esm', platform: 'node', target: 'node20' });
});

afterEach(async () => {
  for (const folder of opened.splice(0)) folder.close();
  for (const child of children.splice(0)) await stop(child, 'SIGKILL');
});
afterAll(() => fs.rmSync(root, { recursive: true, force: true }));

function freshPath(): string {
  folders += 1;
  return join(root, `d${folders}`);
}

function open(dir: string): DataFolder {
  const folder = openDataFolder(dir);
  opened.push(folder);
  return folder;
}

async function openElsewhere(dir: string, uid?: number): Promise<{ child: ChildProcess; said: string }> {
  const child = spawn(process.execPath, [opener, dir], { stdio: ['pipe', 'pipe', 'inherit'], uid });
  children.push(child);
  const [said] = await once(createInterface({ input: child.stdout }), 'line');
  return { child, said };
}

async function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
}

const lockOf = (dir: string): string => join(dir, 'run', 'serve.pid');
const endpointsOf = (dir: string): string => join(dir, 'run', 'endpoints.json');
const modeOf = (path: string): number => fs.statSync(path).mode & 0o777;

function leaveLock(dir: string, record: string): void {
  fs.mkdirSync(join(dir, 'run'), { recursive: true });
  fs.writeFileSync(lockOf(dir), record);
}

describe('the folder', () => {
  it('is made with all above it, for its owner alone', () => {
    const dir = join(freshPath(), 'deep', 'data');
    expect(open(dir)).toMatchObject({ dir, isPrivate: true });
    expect([modeOf(dir), modeOf(join(dir, 'run')), modeOf(lockOf(dir))]).toEqual([0o700, 0o700, 0o600]);
  });

  it('that others could look into is closed to them', () => {
    const dir = freshPath();
    fs.mkdirSync(dir);
    fs.chmodSync(dir, 0o755);
    open(dir);
    expect(modeOf(dir)).toBe(0o700);
  });

  it('holds nothing but the lock after opening, and nothing after closing', () => {
    const dir = freshPath();
    const folder = open(dir);
    expect(fs.readdirSync(join(dir, 'run'))).toEqual(['serve.pid']);
    folder.close();
    expect(fs.readdirSync(dir)).toEqual(['run']);
    expect(fs.readdirSync(join(dir, 'run'))).toEqual([]);
  });

  it('that cannot be written is refused in one line naming folder and user', async () => {
    const dir = freshPath();
    fs.mkdirSync(dir);
    fs.chmodSync(dir, 0o555);
    const isRoot = process.getuid?.() === 0;
    const { said } = await openElsewhere(dir, isRoot ? NOBODY : undefined);
    const user = isRoot ? NOBODY : process.getuid?.();
    expect(said).toMatch(new RegExp(`^data folder ${dir} is not writable by user ${user}: EACCES`));
  });

  it.runIf(process.getuid?.() === 0)(
    'of another user is refused to root, whose files that user could not open',
    () => {
      const dir = freshPath();
      fs.mkdirSync(dir);
      fs.chownSync(dir, NOBODY, NOBODY);
      expect(() => openDataFolder(dir)).toThrow(`data folder ${dir} belongs to user ${NOBODY}, not to root`);
      expect(fs.readdirSync(dir)).toEqual([]);
    },
  );

  it('that is a file, or lies below one, is refused', () => {
    const file = freshPath();
    fs.writeFileSync(file, '');
    expect(() => openDataFolder(file)).toThrow(`data folder ${file} is not a folder`);
    expect(() => openDataFolder(join(file, 'x'))).toThrow(`data folder ${join(file, 'x')} is not a folder`);
  });

  it('that is shared, like the temporary folder or the root, is refused and keeps its mode', () => {
    const dir = freshPath();
    fs.mkdirSync(dir);
    fs.chmodSync(dir, 0o1777);
    expect(() => openDataFolder(dir)).toThrow(`data folder ${dir} is shared`);
    expect(modeOf(dir)).toBe(0o777);
    expect(() => openDataFolder('/')).toThrow('data folder / is shared');
  });

  it('can be prepared by a command while another process serves it', async () => {
    const dir = freshPath();
    await openElsewhere(dir);
    expect(prepareDataFolder(dir)).toBe(true);
  });
});

describe('the lock', () => {
  it('refuses a second serve in one line with the pid of the first', async () => {
    const dir = freshPath();
    const { child, said } = await openElsewhere(dir);
    expect(said).toBe('taken');
    expect(() => openDataFolder(dir)).toThrow(
      new RegExp(`^another tagkeep \\(pid ${child.pid}\\) is serving ${dir}$`),
    );
    expect(readServing(dir)).toEqual({ pid: child.pid });
  });

  it('refuses a second serve in the same process', () => {
    const dir = freshPath();
    open(dir);
    expect(() => openDataFolder(dir)).toThrow(`another tagkeep (pid ${process.pid}) is serving ${dir}`);
  });

  it('of a process killed with kill -9 is taken over, and its endpoints are removed', async () => {
    const dir = freshPath();
    const { child } = await openElsewhere(dir);
    fs.writeFileSync(endpointsOf(dir), JSON.stringify(ENDPOINTS));
    await stop(child, 'SIGKILL');
    expect(fs.existsSync(lockOf(dir))).toBe(true);
    expect(readServing(dir)).toBeNull();
    open(dir);
    expect(readServing(dir)).toEqual({ pid: process.pid });
    expect(fs.existsSync(endpointsOf(dir))).toBe(false);
    expect(fs.readdirSync(join(dir, 'run'))).toEqual(['serve.pid']);
  });

  it('of another process that had the same pid, as in a restarted container, is taken over', () => {
    const dir = freshPath();
    const own = ownIdentity();
    leaveLock(dir, JSON.stringify({ ...own, startTicks: (own.startTicks ?? 0) - 1 }));
    expect(open(dir).dir).toBe(dir);
  });

  it('of the same pid and start time, but before a reboot, is taken over', () => {
    const dir = freshPath();
    leaveLock(dir, JSON.stringify({ ...ownIdentity(), bootId: 'another boot' }));
    expect(open(dir).dir).toBe(dir);
  });

  it.each(['', '{', 'null', '[]', '"x"', '{"pid":0}', '{"pid":-1}', '{"pid":"1"}', '12345\n'])(
    'that cannot be read is taken over: %j',
    (record) => {
      const dir = freshPath();
      leaveLock(dir, record);
      expect(readServing(dir)).toBeNull();
      expect(open(dir).dir).toBe(dir);
    },
  );

  it('left in the middle of a take-over by a killed process is taken over', async () => {
    const dir = freshPath();
    const { child } = await openElsewhere(dir);
    await stop(child, 'SIGKILL');
    const dead = fs.readFileSync(lockOf(dir), 'utf8');
    const { createHash } = await import('node:crypto');
    const guard = `${lockOf(dir)}.${createHash('sha256').update(dead).digest('hex').slice(0, 16)}`;
    fs.writeFileSync(guard, dead);
    open(dir);
    expect(fs.readdirSync(join(dir, 'run'))).toEqual(['serve.pid']);
  });

  it('goes to exactly one of several processes that find a stale one at the same time', async () => {
    const dir = freshPath();
    leaveLock(dir, JSON.stringify({ ...ownIdentity(), startTicks: 1 }));
    const results = await Promise.all(Array.from({ length: 6 }, () => openElsewhere(dir)));
    const winners = results.filter(({ said }) => said === 'taken');
    expect(winners).toHaveLength(1);
    expect(readServing(dir)).toEqual({ pid: winners[0]?.child.pid });
    for (const { said } of results) expect(said).toMatch(/^taken$|^another tagkeep \(pid \d+\) is serving /);
  });

  it('is given back by close, once, and never takes away the lock of the next holder', () => {
    const dir = freshPath();
    const first = open(dir);
    first.close();
    expect(readServing(dir)).toBeNull();
    open(dir);
    first.close();
    expect(readServing(dir)).toEqual({ pid: process.pid });
  });

  it('of no folder at all is held by nobody', () => {
    expect(readServing(freshPath())).toBeNull();
  });
});

describe('endpoints.json', () => {
  it('is written whole, for its owner alone, replaced by the next write and removed by close', async () => {
    const dir = freshPath();
    const folder = open(dir);
    await folder.writeEndpoints({ ...ENDPOINTS, pid: 1 });
    await folder.writeEndpoints(ENDPOINTS);
    expect(JSON.parse(fs.readFileSync(endpointsOf(dir), 'utf8'))).toEqual(ENDPOINTS);
    expect(modeOf(endpointsOf(dir))).toBe(0o600);
    expect(fs.readdirSync(join(dir, 'run')).sort()).toEqual(['endpoints.json', 'serve.pid']);
    folder.close();
    expect(fs.existsSync(endpointsOf(dir))).toBe(false);
  });
});

describe('a process', () => {
  it('runs while it is the one that started at that time', () => {
    const own = ownIdentity();
    expect(isRunning(own)).toBe(true);
    expect(isRunning({ ...own, startTicks: (own.startTicks ?? 0) + 1 })).toBe(false);
    expect(isRunning({ ...own, pid: 2 ** 22 + 1 })).toBe(false);
  });

  it.runIf(process.platform === 'linux')('that is dead but not yet waited for runs no more', async () => {
    // `sleep` never waits for the child it inherits from the shell it replaces.
    const child = spawn('sh', ['-c', 'sleep 0.01 & echo $!; exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    const [line] = await once(createInterface({ input: child.stdout }), 'line');
    const stat = (): string[] =>
      fs.readFileSync(`/proc/${line}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    await expect.poll(() => stat()[0], { interval: 10, timeout: 10_000 }).toBe('Z');
    const identity = { ...ownIdentity(), pid: Number(line), startTicks: Number(stat()[19]) };
    expect(isRunning(identity)).toBe(false);
  });
});
