import { execFile, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { inFolder, readHubFiles } from '../../src/http/hub-files.ts';

const run = promisify(execFile);
const root = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'tagkeep-build-hub-')));
let trees = 0;
afterAll(() => fs.rmSync(root, { recursive: true, force: true }));

const page = (more = ''): string =>
  `<!doctype html><html lang="en"><head><meta name="csp-nonce" content="__CSP_NONCE__"><title>t</title>${more}</head>` +
  '<body><script type="module" src="./main.ts"></script></body></html>\n';

const main = (word: string): string =>
  `import { Component } from 'react';\nconsole.log('${word}', Component, process.env.NODE_ENV);\n`;

const viteConfig = `import { fileURLToPath } from 'node:url';
export default {
  root: fileURLToPath(new URL('../../src/hub', import.meta.url)),
  base: '/hub/',
  html: { cspNonce: '__CSP_NONCE__' },
};
`;

/** A checkout with a hub of one script, the real build scripts and the real tools. */
function checkout({ tools = true } = {}): string {
  trees += 1;
  const dir = join(root, String(trees));
  fs.mkdirSync(join(dir, 'scripts', 'hub'), { recursive: true });
  for (const name of ['build.mjs', 'build-hub.mjs', 'tagkeep.mjs', 'licences.mjs', 'hub/pack.mjs'])
    fs.cpSync(resolve('scripts', name), join(dir, 'scripts', name));
  fs.writeFileSync(join(dir, 'scripts', 'hub', 'vite.config.mjs'), viteConfig);
  for (const [file, text] of [
    ['hub/index.html', page()],
    ['hub/main.ts', main('first')],
    ['contract/zone.ts', 'export interface Zone {}\n'],
    ['app/main.ts', "console.log('served');\n"],
  ] as const) {
    fs.mkdirSync(join(dir, 'src', file, '..'), { recursive: true });
    fs.writeFileSync(join(dir, 'src', file), text);
  }
  fs.writeFileSync(join(dir, 'package.json'), JSON.stringify({ type: 'module', version: '0.0.0' }));
  if (tools) fs.symlinkSync(resolve('node_modules'), join(dir, 'node_modules'));
  return dir;
}

// What the test runner says of itself is none of the build's business.
const env = { PATH: process.env.PATH, NODE_ENV: 'test' };

const build = (dir: string, ...args: string[]) =>
  spawnSync(process.execPath, [join(dir, 'scripts', 'build-hub.mjs'), ...args], { encoding: 'utf8', env });

const built = (dir: string) => readHubFiles(inFolder(join(dir, 'dist', 'hub')));
const listTime = (dir: string): number => fs.statSync(join(dir, 'dist', 'hub', 'files.json')).mtimeMs;

function scriptOf(dir: string): string {
  const files = [...(built(dir)?.files ?? [])];
  const [, script] = files.find(([name]) => name.endsWith('.js')) ?? [];
  return script?.bodies.get('identity')?.toString() ?? '';
}

describe('the build of the hub', () => {
  it('makes a folder that can be served, for production whatever NODE_ENV says, and leaves nothing beside it', () => {
    const dir = checkout();
    expect(build(dir)).toMatchObject({ status: 0, stdout: '', stderr: '' });
    expect(fs.readdirSync(join(dir, 'dist'))).toEqual(['hub']);
    expect(built(dir)?.index).toMatch(/src="\/hub\/assets\/index-[\w-]{8}\.js"/);
    expect(scriptOf(dir)).toContain('first');
    expect(scriptOf(dir)).toContain('production');
    const { packages } = JSON.parse(fs.readFileSync(join(dir, 'dist', 'hub', 'files.json'), 'utf8'));
    expect(packages).toEqual(['node_modules/react']);
  });

  it('is made again after a change of hub or contract, and not otherwise', () => {
    const dir = checkout();
    build(dir);
    for (const file of ['hub/main.ts', 'contract/zone.ts']) {
      const before = listTime(dir);
      expect(build(dir, '--if-stale').status).toBe(0);
      expect(listTime(dir)).toBe(before);
      fs.writeFileSync(join(dir, 'src', file), main(`changed ${file}`));
      expect(build(dir, '--if-stale').status).toBe(0);
      expect(listTime(dir)).toBeGreaterThan(before);
    }
    expect(scriptOf(dir)).toContain('changed hub/main.ts');
  });

  it('is made once by several at the same time, over what killed ones have left', async () => {
    const dir = checkout();
    const dist = join(dir, 'dist');
    fs.mkdirSync(join(dist, 'hub.new-dead'), { recursive: true });
    // A process number that nobody has.
    fs.writeFileSync(join(dist, '.hub-build'), String(2 ** 22 + 1));
    const script = join(dir, 'scripts', 'build-hub.mjs');
    const counted = { env: { ...env, NODE_OPTIONS: `--import=${join(dir, 'count.mjs')}` } };
    fs.writeFileSync(join(dir, 'count.mjs'), countingRenames(join(dir, 'renames')));
    const one = () => run(process.execPath, [script, '--if-stale'], counted);
    await Promise.all([one(), one(), one()]);
    expect(fs.readdirSync(dist)).toEqual(['hub']);
    expect(built(dir)).not.toBe(null);
    expect(fs.readFileSync(join(dir, 'renames'), 'utf8')).toBe('hub\n');
  });

  it.each([
    ['an inline script', '<script>go()</script>', 'index.html has <script> without a nonce'],
    ['a handler', '<meta name="a" onload="go()">', 'index.html has the attribute onload='],
  ])('refuses %s in one line and keeps what was there', (_, wrong, reason) => {
    const dir = checkout();
    build(dir);
    fs.writeFileSync(join(dir, 'scripts', 'hub', 'vite.config.mjs'), viteConfig.replace('html:', 'unused:'));
    fs.writeFileSync(join(dir, 'src', 'hub', 'index.html'), page(wrong));
    const { status, stderr } = build(dir);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^hub build failed: [^\n]*\n$/);
    expect(stderr).toContain(reason);
    expect(scriptOf(dir)).toContain('first');
    expect(fs.readdirSync(join(dir, 'dist'))).toEqual(['hub']);
  });

  it('says in one line what is wrong with a source', () => {
    const dir = checkout();
    fs.writeFileSync(join(dir, 'src', 'hub', 'main.ts'), "import './none.ts';\n");
    const { status, stderr } = build(dir);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^hub build failed: [^\n]*none\.ts[^\n]*\n$/);
  });
});

/** A module for --import that writes down what is moved to a place of the final name. */
function countingRenames(file: string): string {
  return `import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const { renameSync } = fs;
fs.renameSync = (from, to) => {
  renameSync(from, to);
  if (to.endsWith('/hub')) fs.appendFileSync(${JSON.stringify(file)}, 'hub\\n');
};
syncBuiltinESMExports();
`;
}

describe('the tagkeep command', () => {
  const tagkeep = (dir: string, ...args: string[]) =>
    spawnSync(process.execPath, [join(dir, 'scripts', 'tagkeep.mjs'), ...args], { encoding: 'utf8', env });

  it('builds the hub before it serves, and not for other commands', () => {
    const dir = checkout();
    expect(tagkeep(dir, 'key', 'list')).toMatchObject({ status: 0, stdout: 'served\n', stderr: '' });
    expect(fs.existsSync(join(dir, 'dist', 'hub'))).toBe(false);
    expect(tagkeep(dir, 'serve')).toMatchObject({ status: 0, stdout: 'served\n', stderr: '' });
    expect(scriptOf(dir)).toContain('first');
    const before = fs.statSync(join(dir, 'dist', 'tagkeep.mjs')).mtimeMs;
    fs.writeFileSync(join(dir, 'src', 'hub', 'main.ts'), main('second'));
    tagkeep(dir, 'serve');
    expect(scriptOf(dir)).toContain('second');
    // The hub is no part of the service's bundle.
    expect(fs.statSync(join(dir, 'dist', 'tagkeep.mjs')).mtimeMs).toBe(before);
  });

  it('does not serve with a hub that cannot be built', () => {
    const dir = checkout();
    fs.writeFileSync(join(dir, 'src', 'hub', 'main.ts'), "import './none.ts';\n");
    const { status, stdout, stderr } = tagkeep(dir, 'serve');
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^tagkeep: hub build failed: [^\n]*none\.ts[^\n]*\n$/);
  });

  it('serves with the hub that it came with where there are no tools to build it', () => {
    const dir = checkout();
    tagkeep(dir, 'serve');
    fs.rmSync(join(dir, 'node_modules'));
    for (const name of ['build-hub.mjs', 'hub']) fs.rmSync(join(dir, 'scripts', name), { recursive: true });
    fs.rmSync(join(dir, 'src'), { recursive: true });
    expect(tagkeep(dir, 'serve')).toMatchObject({ status: 0, stdout: 'served\n', stderr: '' });
    expect(scriptOf(dir)).toContain('first');
  });
});
