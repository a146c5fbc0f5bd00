import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDataFolder } from '../../src/app/data-folder.ts';
import { examine } from '../../src/app/doctor.ts';
import { withSight } from '../../src/app/doctor-sight.ts';
import { restoreBackup } from '../../src/app/restore.ts';

import type { Config } from '../../src/config/options.ts';
import { tables } from '../../src/store/tables.ts';
import { BackupHouse, changeStore, PASSPHRASE } from '../support/backup-house.ts';

/** The four files of the authority, the configuration, and two of the store. */
const RENAMES = 7;
const CERTIFICATES = ['ca.crt', 'ca.key', 'server.crt', 'server.key'];

const house = new BackupHouse();
let appliance: Config;
let backup: string;
let plain: string;
beforeAll(async () => {
  appliance = await house.appliance();
  [backup, plain] = [await house.backup(appliance), await house.backup(appliance, { passphrase: null })];
}, 60_000);
afterAll(() => house.dispose());

function canTrace(): boolean {
  try {
    execFileSync('strace', ['-o', '/dev/null', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** The command, with what it says on standard error. */
async function run(config: Config, command: readonly string[]): Promise<readonly [unknown, string]> {
  const [program = '', ...args] = command;
  const folders = { TAGKEEP_DATA_DIR: config.dataDir, TAGKEEP_CERTS_DIR: config.certsDir };
  const env = { PATH: process.env.PATH, UV_THREADPOOL_SIZE: '1', ...folders };
  const child = spawn(program, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const [[code, signal], said] = await Promise.all([once(child, 'exit'), text(child.stderr)]);
  return [code ?? signal, said];
}

const tagkeep = (...args: readonly string[]): readonly string[] => [
  process.execPath,
  'dist/tagkeep.mjs',
  ...args,
];

/** A restore that is killed as it is about to rename for the nth time. */
async function killedAt(no: number): Promise<Config> {
  const config = house.configOf(house.fresh());
  const kill = `inject=?rename,?renameat,?renameat2:signal=SIGKILL:when=${no}`;
  const traced = ['strace', '-f', '-qq', '-o', '/dev/null', '-e', kill];
  const [outcome] = await run(config, [...traced, ...tagkeep('restore', plain)]);
  expect(outcome).toBe('SIGKILL');
  return config;
}

async function expectRestored(config: Config): Promise<void> {
  expect(readdirSync(config.dataDir).sort()).toEqual(['db', 'restored-config', 'run']);
  expect(readdirSync(config.certsDir).sort()).toEqual(CERTIFICATES);
  for (const name of CERTIFICATES)
    expect(readFileSync(join(config.certsDir, name))).toEqual(readFileSync(join(appliance.certsDir, name)));
  await changeStore(config, async (store) => expect(store.count(tables.orgs)).toBe(1));
}

const CUT_OFF =
  /a restore into \S+ was cut off: run it again \(tagkeep restore FILE\); to begin anew .*, remove/;

describe.runIf(canTrace())('a restore that is killed', () => {
  it.each(Array.from({ length: RENAMES }, (_, at) => at + 1))(
    'at step %i founds no new authority at the next start, and is done anew by the next restore',
    async (no) => {
      const config = await killedAt(no);
      for (const command of ['serve', 'init']) {
        const [code, said] = await run(config, tagkeep(command));
        expect([code, said.trim().split('\n').at(-1)]).toEqual([1, expect.stringMatching(CUT_OFF)]);
      }
      expect(existsSync(join(config.dataDir, 'db'))).toBe(false);
      await restoreBackup({ config, file: plain, passphrase: null });
      await expectRestored(config);
      openDataFolder(config.dataDir).close();
    },
    60_000,
  );

  it('after its last step is through', async () => {
    const config = house.configOf(house.fresh());
    const [outcome] = await run(config, tagkeep('restore', plain));
    expect(outcome).toBe(0);
    await expectRestored(config);
  }, 60_000);
});

describe('half a restore in a data folder', () => {
  /** The certificates are in place, and the store is not. */
  function half(): Config {
    const config = house.configOf(house.fresh());
    mkdirSync(join(config.dataDir, '.restore-abc', 'db'), { recursive: true });
    mkdirSync(config.certsDir);
    for (const name of ['ca.key', '.ca.crt.0123456789abcdef.tmp'])
      writeFileSync(join(config.certsDir, name), readFileSync(join(appliance.certsDir, 'ca.key')));
    return config;
  }

  it('stays marked when the next restore is refused, which keeps no secret of its own', async () => {
    const config = half();
    const wrong = restoreBackup({ config, file: backup, passphrase: Buffer.from('wrong') });
    await expect(wrong).rejects.toThrow('the passphrase is wrong');
    expect(readdirSync(join(config.dataDir, '.restore-abc'))).toEqual([]);
    expect(() => openDataFolder(config.dataDir)).toThrow(CUT_OFF);
    await restoreBackup({ config, file: backup, passphrase: PASSPHRASE });
    await expectRestored(config);
  });

  it('is told by the doctor', async () => {
    const config = half();
    const now = Date.now();
    const look = withSight({ config, now }, (sight) => examine(sight, { showPayloads: false }));
    const { findings } = await look;
    expect(findings.find(({ check }) => check === 'store')?.message).toMatch(
      /a restore into .* was not finished/,
    );
  });
});
