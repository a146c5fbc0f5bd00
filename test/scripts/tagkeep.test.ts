import { execFile, spawn, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);

const OFFLINE = { npm_config_registry: 'http://127.0.0.1:9', npm_config_update_notifier: 'false' };

let root = '';
let trees = 0;

beforeAll(() => {
  root = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'tagkeep-build-')));
});
afterAll(() => fs.rmSync(root, { recursive: true, force: true }));

const program = (word: string): string =>
  `const { words } = await import('./words.ts');\nconst text: string = '${word}';\nconsole.log([text, ...words, ...process.argv.slice(2)].join(' '));\n`;

/** A checkout with a program of two files, one of which is loaded when it runs, the real scripts and the real build tools. */
function checkout({ tools = true } = {}): string {
  trees += 1;
  const dir = join(root, String(trees));
  fs.cpSync(resolve('scripts'), join(dir, 'scripts'), { recursive: true });
  fs.mkdirSync(join(dir, 'src', 'app'), { recursive: true });
  fs.writeFileSync(join(dir, 'src', 'app', 'main.ts'), program('first'));
  fs.writeFileSync(
    join(dir, 'src', 'app', 'words.ts'),
    "export const words: readonly string[] = ['said'];\n",
  );
  const bin = { tagkeep: 'scripts/tagkeep.mjs' };
  fs.writeFileSync(
    join(dir, 'package.json'),
    JSON.stringify({ name: 'tagkeep', version: '0.0.0', type: 'module', bin }),
  );
  if (tools) fs.symlinkSync(resolve('node_modules'), join(dir, 'node_modules'));
  return dir;
}

function tagkeep(dir: string, ...args: string[]): { status: number | null; stdout: string; stderr: string } {
  // From elsewhere: what counts is where the script is, not where the command was typed.
  return spawnSync(process.execPath, [join(dir, 'scripts', 'tagkeep.mjs'), ...args], {
    cwd: root,
    encoding: 'utf8',
  });
}

const bundleOf = (dir: string): string => join(dir, 'dist', 'tagkeep.mjs');
/** The files of `dist`; the names of parts are hashes. */
const built = (dir: string): readonly string[] =>
  fs
    .readdirSync(join(dir, 'dist'))
    .map((name) => name.replace(/-[A-Z0-9]{8}\./, '-NAME.'))
    .sort();
const bundleTime = (dir: string): number => fs.statSync(bundleOf(dir)).mtimeMs;

describe('the tagkeep command in a checkout', () => {
  it('builds what is missing and runs it with the arguments as they were, printing nothing of its own', () => {
    const dir = checkout();
    expect(tagkeep(dir, '--json', 'a b')).toMatchObject({
      status: 0,
      stdout: 'first said --json a b\n',
      stderr: '',
    });
    expect(built(dir)).toEqual([
      'tagkeep-NAME.mjs',
      'tagkeep-NAME.mjs.map',
      'tagkeep.mjs',
      'tagkeep.mjs.map',
    ]);
  });

  it('keeps the parts of the build before for a day after it is replaced, and then no longer', () => {
    const dir = checkout();
    tagkeep(dir);
    const dist = join(dir, 'dist');
    const [part = ''] = fs.readdirSync(dist).filter((name) => name.startsWith('tagkeep-'));
    const age = (): void => fs.utimesSync(join(dist, part), new Date(0), new Date(0));
    const words = join(dir, 'src', 'app', 'words.ts');
    const rebuild = (word: string): void => {
      fs.writeFileSync(words, `export const words: readonly string[] = ['${word}'];\n`);
      expect(tagkeep(dir).stdout).toBe(`first ${word}\n`);
    };
    // However long ago it was made.
    age();
    rebuild('told');
    expect(fs.existsSync(join(dist, part))).toBe(true);
    age();
    rebuild('sung');
    expect(fs.existsSync(join(dist, part))).toBe(false);
  });

  it('builds again after a file of src was changed, added or removed, and not otherwise', () => {
    const dir = checkout();
    tagkeep(dir);
    const built = bundleTime(dir);
    expect(tagkeep(dir).stdout).toBe('first said\n');
    expect(bundleTime(dir)).toBe(built);
    fs.writeFileSync(join(dir, 'src', 'app', 'main.ts'), program('second'));
    expect(tagkeep(dir).stdout).toBe('second said\n');
    fs.rmSync(join(dir, 'src', 'app', 'words.ts'));
    expect(tagkeep(dir)).toMatchObject({ status: 1, stdout: '' });
  });

  it('says in one line why a build failed, and does not run the old bundle', () => {
    const dir = checkout();
    tagkeep(dir);
    fs.writeFileSync(join(dir, 'src', 'app', 'main.ts'), 'let x: = 1;\n');
    expect(tagkeep(dir)).toMatchObject({
      status: 1,
      stdout: '',
      stderr: 'tagkeep: build failed: src/app/main.ts:1:7: Unexpected "="\n',
    });
  });

  it('started several times at once never runs half a bundle', async () => {
    const dir = checkout();
    const script = join(dir, 'scripts', 'tagkeep.mjs');
    const runs = ['1', '2', '3', '4'].map((n) => run(process.execPath, [script, n]));
    const results = await Promise.all(runs);
    expect(results.map(({ stdout }) => stdout)).toEqual(['1', '2', '3', '4'].map((n) => `first said ${n}\n`));
    expect(built(dir)).toEqual([
      'tagkeep-NAME.mjs',
      'tagkeep-NAME.mjs.map',
      'tagkeep.mjs',
      'tagkeep.mjs.map',
    ]);
  });

  it('is what npx runs there, without a network', () => {
    const dir = checkout();
    const env = { ...process.env, ...OFFLINE, HOME: root, npm_config_cache: join(root, 'npm') };
    const { status, stdout } = spawnSync('npx', ['tagkeep', 'from', 'npx'], {
      cwd: dir,
      env,
      encoding: 'utf8',
    });
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'first said from npx\n' });
  });

  it('stops a server when SIGTERM reaches only the npx that started it', async () => {
    const dir = checkout();
    const server = `const timer = setInterval(() => {}, 1000);
      process.once('SIGTERM', () => { console.log('stopped'); clearInterval(timer); });
      console.log('started');\n`;
    fs.writeFileSync(join(dir, 'src', 'app', 'main.ts'), server);
    const env = { ...process.env, ...OFFLINE, HOME: root, npm_config_cache: join(root, 'npm') };
    const npx = spawn('npx', ['tagkeep', 'serve'], { cwd: dir, env, stdio: ['ignore', 'pipe', 'inherit'] });
    const said: string[] = [];
    for await (const line of createInterface({ input: npx.stdout })) {
      said.push(line);
      if (line === 'started') npx.kill('SIGTERM');
    }
    expect(said).toEqual(['started', 'stopped']);
  });

  it('names the file and line of the source in the stack of an error', () => {
    const dir = checkout();
    fs.writeFileSync(join(dir, 'src', 'app', 'main.ts'), "\n\nthrow new Error('broken' as string);\n");
    expect(tagkeep(dir).stderr).toContain('src/app/main.ts:3');
  });
});

describe('the tagkeep command without build tools', () => {
  it('runs the bundle it came with, with or without sources beside it', () => {
    const dir = checkout();
    tagkeep(dir);
    fs.rmSync(join(dir, 'node_modules'));
    fs.writeFileSync(join(dir, 'src', 'app', 'main.ts'), program('newer'));
    expect(tagkeep(dir)).toMatchObject({ status: 0, stdout: 'first said\n' });
    fs.rmSync(join(dir, 'src'), { recursive: true });
    expect(tagkeep(dir)).toMatchObject({ status: 0, stdout: 'first said\n' });
  });

  it('says what to do when there is no bundle', () => {
    expect(tagkeep(checkout({ tools: false }))).toMatchObject({
      status: 1,
      stderr: 'tagkeep: not built, and the build tools are not installed: run npm ci\n',
    });
  });
});

describe('the build script', () => {
  it('ends with 1 and one line when the build fails', () => {
    const dir = checkout();
    fs.rmSync(join(dir, 'src', 'app', 'words.ts'));
    const result = spawnSync(process.execPath, [join(dir, 'scripts', 'build.mjs')], {
      cwd: dir,
      encoding: 'utf8',
    });
    expect(result.status).toBe(1);
    expect(result.stderr).toMatch(/^build failed: src\/app\/main\.ts:1:\d+: Could not resolve [^\n]*\n$/);
  });
});
