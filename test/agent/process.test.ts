import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../support/wait.ts';
import { ReaderBench, SERIAL, writeIdentity } from './reader-bench.ts';

const FLAGS = ['--jitless', '--max-semi-space-size=1', '--max-old-space-size=48'];
const RESIDENT_MAX_KB = 80 * 1024;
const folder = mkdtempSync(join(tmpdir(), 'tagkeep-agent-program-'));
const program = join(folder, 'agent.mjs');
let bench: ReaderBench;
let children: ChildProcess[];

beforeAll(async () => {
  await build({
    ...{ entryPoints: ['src/agent/main.ts'], outfile: program, bundle: true, minify: true },
    ...{ format: 'esm', platform: 'node', target: 'node20', logLevel: 'silent' },
    banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(async () => {
  children = [];
  bench = await ReaderBench.open();
});
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  await bench.close();
});

interface Run {
  readonly child: ChildProcess;
  readonly exit: Promise<number | null>;
  errors: string;
}

function run(...args: readonly string[]): Run {
  const child = spawn(process.execPath, [...FLAGS, program, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  children.push(child);
  const result: Run = { child, exit: once(child, 'exit').then(([code]) => code), errors: '' };
  child.stderr?.on('data', (bytes) => {
    // What Node 20 says of --jitless is none of the agent's.
    result.errors += String(bytes).replace(/^Warning: disabling flag .*\n/m, '');
  });
  return result;
}

function agent(): Run {
  return run('--dir', bench.dir, '--reader', bench.local.url, '--broker', bench.brokerUrl);
}

const subscribed = (count: number) =>
  until(
    'the subscription',
    () => bench.rig.happened.filter((line) => line.startsWith('subscribed')).length >= count,
  );

describe('the agent as a program of its own', () => {
  it('runs until it is asked to end, then leaves the broker and ends with 0', async () => {
    const running = agent();
    await subscribed(1);
    const start = await bench.send({ kind: 'start' });
    await bench.answer(start);
    running.child.kill('SIGTERM');
    expect(await running.exit).toBe(0);
    await until('the end of the connection', () => bench.rig.broker.connections(SERIAL) === 0);
    expect(bench.running).toBe('svc-default');
    expect(running.errors).toContain(`start ${start}: done`);
  });

  it('ends with 1 and a line for each fault when the identity cannot be used', async () => {
    rmSync(join(bench.dir, 'ca.crt'));
    chmodSync(join(bench.dir, 'svc.json'), 0o644);
    const running = agent();
    expect(await running.exit).toBe(1);
    expect(running.errors.trim().split('\n')).toEqual([
      `tagkeep agent: ${join(bench.dir, 'ca.crt')}: is missing`,
      expect.stringContaining(`run: chmod 600 ${join(bench.dir, 'svc.json')}`),
    ]);
  });

  it.each([[['--bogus']], [['--broker', 'here']], [['--buffer-mb', '0']], [['extra']]])(
    'ends with 2 and one line when it is used wrongly: %s',
    async (args) => {
      const running = run(...args);
      expect(await running.exit).toBe(2);
      expect(running.errors.trim().split('\n')).toHaveLength(1);
    },
  );

  it('brings about what was asked for when it was killed in the middle of a command', async () => {
    agent();
    await subscribed(1);
    bench.local.setFaults({ delayMs: 2000, delayCalls: 'POST .*/start$' });
    const start = await bench.send({ kind: 'start', preset: 'svc-default' });
    const calls = (): number =>
      Object.entries(bench.local.view().calls).reduce(
        (sum, [call, n]) => sum + (call.endsWith('/start') ? n : 0),
        0,
      );
    await until('the call', () => calls() > 0);
    children[0]?.kill('SIGKILL');
    bench.local.setFaults({});
    agent();
    expect(await bench.answer(start)).toEqual({ id: start, ok: true, error: null, status: 'started' });
    expect(bench.running).toBe('svc-default');
  });

  it('takes up an identity that is renewed while it runs', async () => {
    const running = agent();
    await subscribed(1);
    const before = bench.rig.peers.at(-1)?.certificateSerial;
    writeIdentity(bench.dir, bench.pki);
    await subscribed(2);
    expect(bench.rig.peers.at(-1)?.certificateSerial).not.toBe(before);
    expect(running.errors).toContain('the identity files have changed');
    const stop = await bench.send({ kind: 'stop' });
    expect(await bench.answer(stop)).toMatchObject({ ok: true });
  });

  it('stays within 80 MB', async () => {
    const { child } = agent();
    await subscribed(1);
    for (let n = 0; n < 20; n++) await bench.answer(await bench.send({ kind: n % 2 ? 'stop' : 'start' }));
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
    const residentKb = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]);
    expect(residentKb).toBeGreaterThan(0);
    expect(residentKb).toBeLessThan(RESIDENT_MAX_KB);
  });
});
