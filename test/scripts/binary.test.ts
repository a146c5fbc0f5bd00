import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/wait.ts';

let root = '';
const running = new Set<ChildProcess>();

beforeAll(() => {
  root = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'tagkeep-binary-')));
});
afterAll(() => {
  // One whose test failed is still there.
  for (const child of running) child.kill('SIGKILL');
  fs.rmSync(root, { recursive: true, force: true });
});

/** The text of a bundled program, made by the real script. */
function bundled(entry: string): string {
  const script = `import { bundle } from ${JSON.stringify(resolve('scripts/binary/bundle.mjs'))};
    process.stdout.write(await bundle(process.cwd(), ${JSON.stringify(entry)}));`;
  const args = ['--input-type=module', '-e', script];
  return execFileSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 64e6 });
}

const asked = (program: string): string[] =>
  [...program.matchAll(/\brequire\("([^"]+)"\)/g)].map(([, name]) => name ?? '');

describe('the program inside a binary', () => {
  it('asks for nothing but what Node itself has', () => {
    for (const entry of ['src/app/main.ts', 'src/agent/main.ts']) {
      const names = asked(bundled(entry));
      expect(names.length).toBeGreaterThan(5);
      expect(names.filter((name) => !isBuiltin(name))).toEqual([]);
    }
  });

  it('brings the hub along, every file by the name it is asked for', () => {
    const dir = join(root, 'built');
    for (const name of ['index.html', 'files.json', 'assets/a.js', 'assets/a.js.br']) {
      fs.mkdirSync(join(dir, 'dist', 'hub', name, '..'), { recursive: true });
      fs.writeFileSync(join(dir, 'dist', 'hub', name), name);
    }
    const script = `import { pageFiles } from ${JSON.stringify(resolve('scripts/binary/bundle.mjs'))};
      process.stdout.write(JSON.stringify(pageFiles(${JSON.stringify(dir)})));`;
    const said = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    const places: Record<string, string> = JSON.parse(said);
    const hub = Object.entries(places).filter(([name]) => name.startsWith('hub/'));
    expect(hub.map(([name]) => name).sort()).toEqual([
      'hub/assets/a.js',
      'hub/assets/a.js.br',
      'hub/files.json',
      'hub/index.html',
    ]);
    for (const [name, place] of hub) expect(`hub/${fs.readFileSync(place, 'utf8')}`).toBe(name);
  });

  it('is refused when a source asks for files beside itself', () => {
    const dir = join(root, 'checkout');
    fs.mkdirSync(join(dir, 'src'), { recursive: true });
    fs.writeFileSync(join(dir, 'src', 'a.ts'), "import 'node:fs';\nconsole.log(import.meta.url);\n");
    const script = `import { bundle } from ${JSON.stringify(resolve('scripts/binary/bundle.mjs'))};
      await bundle(${JSON.stringify(dir)}, 'src/a.ts').catch((e) => console.log(e.errors[0].text));`;
    const said = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    expect(said).toContain('uses import.meta, and one binary has no files beside it');
  });

  it('is refused for another processor in one line, before anything is fetched', () => {
    const args = ['scripts/build-binary.mjs', '--arch', 'mips', '--cache', join(root, 'none')];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: 'build failed: --arch is "mips"; must be x64 or arm64\n',
    });
    expect(fs.existsSync(join(root, 'none'))).toBe(false);
  });
});

interface Box {
  readonly dir: string;
  readonly run: (...args: string[]) => { status: number | null; stdout: string; stderr: string };
  /** Starts `serve`; resolves with its HTTP origin and the milliseconds until it answered /readyz. */
  readonly serve: (...args: string[]) => Promise<{ http: string; ms: number; stop: () => Promise<number> }>;
}

/** An empty home of a user who has nothing installed: no PATH, no Node. */
function box(name: string, command: readonly string[]): Box {
  const dir = join(root, name);
  fs.mkdirSync(dir);
  const [program = '', ...first] = command;
  const ports = { TAGKEEP_HTTP__PORT: '0', TAGKEEP_HTTPS__PORT: '0', TAGKEEP_MQTTS__PORT: '0' };
  const options = { cwd: dir, env: { HOME: dir, TMPDIR: dir, ...ports } };
  const run: Box['run'] = (...args) =>
    spawnSync(program, [...first, ...args], { ...options, encoding: 'utf8' });
  const serve: Box['serve'] = async (...args) => {
    const started = performance.now();
    const child = spawn(program, [...first, 'serve', ...args], { ...options, stdio: 'ignore' });
    running.add(child);
    const ended = new Promise<number>((done) => child.once('close', (code) => done(code ?? -1)));
    const stop = (): Promise<number> => {
      child.kill('SIGTERM');
      return ended;
    };
    const http = await until('/readyz', () => ready(join(dir, 'data', 'run', 'endpoints.json')), 60_000);
    return { http, ms: performance.now() - started, stop };
  };
  return { dir, run, serve };
}

async function ready(file: string): Promise<string | null> {
  if (!fs.existsSync(file)) return null;
  const { http } = JSON.parse(fs.readFileSync(file, 'utf8'));
  const answer = await fetch(`${http}/readyz`).catch(() => null);
  return answer?.ok ? http : null;
}

async function listed(answer: Response): Promise<unknown[]> {
  const body: unknown = await answer.json();
  return Array.isArray(body) ? body : [];
}

const binary = (name: string): string => resolve('dist', 'binary', name);

// Minutes and a registry: `npm run test:binary`, which builds the binaries first.
describe.runIf(process.env.BINARY_TESTS)('the binary', () => {
  it('for this processor serves with nothing installed, and is ready in under a second', async () => {
    const home = box('own', [binary(`tagkeep-linux-${process.arch}`)]);
    // The first start also makes keys, which takes as long as finding primes does.
    const { ms: first, stop: stopFirst } = await home.serve();
    expect(await stopFirst()).toBe(0);
    expect(first).toBeLessThan(3000);
    const times: number[] = [];
    for (let start = 0; start < 3; start += 1) {
      const { ms, stop } = await home.serve();
      times.push(ms);
      expect(await stop()).toBe(0);
    }
    expect(Math.min(...times)).toBeLessThan(1000);
  });

  it('shows the documentation, makes keys and reader identities, and plays the demo', async () => {
    const home = box('demo', [binary(`tagkeep-linux-${process.arch}`)]);
    const { http, stop } = await home.serve('--demo');
    for (const path of [
      '/docs',
      '/docs/swagger-ui.css',
      '/docs/swagger-ui-bundle.js',
      '/docs/favicon-32x32.png',
    ])
      expect((await fetch(http + path)).status, path).toBe(200);
    const [key = ''] = home.run('key', 'create', 'k').stdout.split(' ');
    const tags = async (): Promise<unknown[]> =>
      fetch(`${http}/api/v1/tags?limit=1`, { headers: { authorization: `Bearer ${key}` } }).then(listed);
    await until('a tag that was read', async () => (await tags()).length === 1, 20_000);
    expect(home.run('reader', 'provision', '370-10-15-0036', '--out', './id')).toMatchObject({ status: 0 });
    expect(fs.readdirSync(join(home.dir, 'id')).sort()).toEqual([
      'ca.crt',
      'client.crt',
      'client.key',
      'svc.json',
    ]);
    expect(await stop()).toBe(0);
  });

  it('keeps its native code where only its user may write, and puts a spoiled copy right', () => {
    const home = box('cache', [binary(`tagkeep-linux-${process.arch}`)]);
    expect(home.run('--version').status).toBe(0);
    const folder = join(home.dir, '.cache', 'tagkeep', 'native');
    expect(fs.statSync(folder).mode & 0o777).toBe(0o700);
    const [file = ''] = fs.readdirSync(folder).map((name) => join(folder, name));
    fs.chmodSync(file, 0o700);
    fs.truncateSync(file, 100);
    expect(home.run('--version').status).toBe(0);
    expect(fs.statSync(file).size).toBeGreaterThan(100_000);
    fs.chmodSync(folder, 0o777);
    // It takes the next folder instead.
    expect(home.run('--version').status).toBe(0);
  });

  it('for 64-bit ARM serves, and the agent alone runs', async () => {
    const emulated = ['/usr/bin/qemu-aarch64', '-L', '/usr/aarch64-linux-gnu'];
    const whole = box('arm-whole', [...emulated, binary('tagkeep-linux-arm64')]);
    expect(whole.run('--version').stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    const home = box('arm', [...emulated, binary('tagkeep-linux-arm64')]);
    const { http, stop } = await home.serve('--demo');
    const metric = async (): Promise<string> => (await fetch(`${http}/metrics`)).text();
    await until(
      'reads of virtual readers',
      async () => /^tagkeep_ingest_reads_total [1-9]/m.test(await metric()),
      60_000,
    );
    // Emulated it may take longer than a stop is given.
    await stop();
    const agent = box('agent', [...emulated, binary('tagkeep-agent-linux-arm64')]);
    expect(agent.run('--version').stdout).toMatch(/^\d+\.\d+\.\d+\.\d+\n$/);
    expect(agent.run('--nonsense')).toMatchObject({ status: 2, stdout: '' });
  }, 240_000);
});
