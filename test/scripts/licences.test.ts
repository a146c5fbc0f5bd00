import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const root = fs.mkdtempSync(join(tmpdir(), 'tagkeep-licences-'));
afterAll(() => fs.rmSync(root, { recursive: true, force: true }));

const licences = (...args: string[]) =>
  spawnSync(process.execPath, ['scripts/licences.mjs', ...args], { encoding: 'utf8', maxBuffer: 64e6 });

/** A checkout with one package, installed under that licence. */
function checkout(licence: string): string {
  const dir = fs.mkdtempSync(join(root, 'checkout-'));
  const folder = join(dir, 'node_modules', 'one');
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(join(folder, 'package.json'), JSON.stringify({ version: '1.0.0', license: licence }));
  const packages = { '': {}, 'node_modules/one': {}, 'node_modules/tool': { dev: true, license: 'GPL-3.0' } };
  fs.writeFileSync(join(dir, 'package-lock.json'), JSON.stringify({ packages }));
  return dir;
}

describe('the licences of what is delivered', () => {
  it('are all allowed, and every package is named with its version', () => {
    const { status, stdout, stderr } = licences('--json');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const found: { name: string; version: string; licence: string }[] = JSON.parse(stdout);
    const names = found.map(({ name }) => name);
    const { dependencies } = JSON.parse(fs.readFileSync(resolve('package.json'), 'utf8'));
    expect(names).toEqual(expect.arrayContaining(Object.keys(dependencies)));
    expect(names).not.toContain('vitest');
    for (const { version, licence } of found) expect(`${version} ${licence}`).toMatch(/^\d+\.\d+\.\d+\S* \S/);
  });

  it('go along as texts, those of the databases inside packages too', () => {
    const file = join(root, 'texts.txt');
    expect(licences('--write', file).status).toBe(0);
    const text = fs.readFileSync(file, 'utf8');
    for (const part of ['The OpenLDAP Public License', 'The LevelDB Authors', 'Apache License', 'koa 3.'])
      expect(text).toContain(part);
  });

  it('include the packages that the hub was built of, and no other tools', () => {
    const dir = checkout('MIT');
    const hub = join(dir, 'dist', 'hub');
    fs.mkdirSync(hub, { recursive: true });
    fs.mkdirSync(join(dir, 'node_modules', 'tool'));
    fs.writeFileSync(
      join(dir, 'node_modules', 'tool', 'package.json'),
      '{"version":"2.0.0","license":"GPL-3.0"}',
    );
    const listed = (packages: string[]) => {
      fs.writeFileSync(join(hub, 'files.json'), JSON.stringify({ packages }));
      return licences('--root', dir).stdout;
    };
    expect(listed([])).not.toContain('tool');
    expect(listed(['node_modules/tool'])).toMatch(/^tool +2\.0\.0 +GPL-3\.0$/m);
  });

  it.each(['MIT', '(BSD-3-Clause OR GPL-2.0)', '(MIT AND Zlib)'])('may be %s', (licence) => {
    expect(licences('--root', checkout(licence))).toMatchObject({ status: 0, stderr: '' });
  });

  it.each(['GPL-3.0', '(MIT AND GPL-3.0)', 'UNLICENSED', ''])(
    'may not be "%s": one line, exit 1',
    (licence) => {
      const { status, stderr } = licences('--root', checkout(licence));
      expect(status).toBe(1);
      expect(stderr).toBe(`licences: one 1.0.0 has the licence ${licence}, which is not allowed\n`);
    },
  );
});
