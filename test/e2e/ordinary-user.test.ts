import { execFileSync } from 'node:child_process';
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Appliance, type Endpoints, Rest, readerInService } from '../support/appliance.ts';
import { Publisher, plainRead } from '../support/publisher.ts';

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

// A command starts a program; a machine that runs all tests at once takes its time.
vi.setConfig({ testTimeout: 120_000 });

// Everything here needs to become another user first.
describe.skipIf(!isRoot)(
  'an ordinary user, with a program that only root may change (needs root to run)',
  () => {
    const installation = mkdtempSync(join(tmpdir(), 'tagkeep-installed-'));
    const appliance = new Appliance({
      before: ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'],
      program: join(installation, 'scripts', 'tagkeep.mjs'),
    });
    const passphrase = ['--passphrase-file', join(appliance.root, 'passphrase')];
    const backup = join(appliance.root, 'box.tkb');
    let endpoints: Endpoints;
    let rest: Rest;

    beforeAll(async () => {
      install(installation);
      writeFileSync(join(appliance.root, 'passphrase'), 'a passphrase of a backup\n');
      for (const path of [appliance.root, join(appliance.root, 'passphrase')])
        chownSync(path, NOBODY, NOBODY);
      await succeeds('init');
      endpoints = await appliance.start();
      rest = new Rest(endpoints, await appliance.key());
    }, 180_000);
    afterAll(async () => {
      await appliance.dispose();
      rmSync(installation, { recursive: true, force: true });
    });

    async function succeeds(...args: readonly string[]): Promise<string> {
      const { code, stdout, stderr } = await appliance.cli(...args);
      expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
      return stdout;
    }

    it('puts a reader into service and takes its reads', async () => {
      const { id } = await rest.ok<{ id: string }>('POST', '/zones', { name: 'Dock' });
      const { dir } = await readerInService(appliance, rest, { serial: 'R-1', zones: { 1: id } });
      // The test reads what belongs to somebody else because it is root.
      const publisher = await Publisher.connect({ url: endpoints.mqtts, serial: 'R-1', identity: dir });
      await publisher.publish({ payload: plainRead('3034257BF7194E4000001A85') });
      await publisher.close();
      expect(await rest.get('/tags')).toHaveLength(1);
    });

    it('makes a backup, checks it, and restores it into a new folder', async () => {
      await succeeds('backup', backup, ...passphrase);
      await succeeds('verify', backup, ...passphrase);
      const places = {
        TAGKEEP_DATA_DIR: appliance.dataDir,
        TAGKEEP_CERTS_DIR: join(appliance.root, 'certs'),
      };
      const fresh = {
        TAGKEEP_DATA_DIR: join(appliance.root, 'data2'),
        TAGKEEP_CERTS_DIR: join(appliance.root, 'certs2'),
      };
      Object.assign(appliance.env, fresh);
      try {
        await succeeds('restore', backup, ...passphrase);
        expect(await succeeds('reader', 'list')).toContain('R-1');
      } finally {
        Object.assign(appliance.env, places);
      }
    });

    it('examines the appliance and packs a support bundle', async () => {
      const { code, stdout } = await appliance.cli('doctor', '--json');
      expect(JSON.parse(stdout).counts.fault).toBe(0);
      expect(code).toBe(0);
      await succeeds('support-bundle', join(appliance.root, 'support.tar.gz'));
    });

    it('leaves nothing in the folder of the program, and stops when told to', async () => {
      expect(existsSync(join(installation, 'data'))).toBe(false);
      expect(await appliance.stop()).toBe(0);
    });
  },
);

/** The program as a package would put it: built, root's, and without its sources or the tools that build it. */
function install(folder: string): void {
  mkdirSync(join(folder, 'scripts'));
  for (const name of ['tagkeep.mjs', 'build.mjs'])
    cpSync(join('scripts', name), join(folder, 'scripts', name));
  cpSync('dist', join(folder, 'dist'), { recursive: true });
  cpSync('package.json', join(folder, 'package.json'));
  // The bundle asks for its packages beside itself.
  symlinkSync(realpathSync('node_modules'), join(folder, 'node_modules'));
  // Whatever the umask of whoever built it.
  execFileSync('chmod', ['-R', 'a+rX', folder]);
}
