import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BackupOptions, makeBackup } from '../../src/app/backup.ts';
import { takeLock } from '../../src/app/serve-lock.ts';
import type { Config } from '../../src/config/options.ts';
import { diskFloor } from '../../src/store/disk-guard.ts';
import { storeFile } from '../../src/store/store-file.ts';
import { tables } from '../../src/store/tables.ts';
import { BackupHouse, changeStore, idOf } from '../support/backup-house.ts';
import { canMount, SmallDisk } from '../support/small-disk.ts';

const MEGABYTE = 1024 * 1024;

describe.runIf(canMount())('a backup on the volume of the data folder', () => {
  const house = new BackupHouse();
  let disk: SmallDisk;
  let config: Config;
  let target: string;
  beforeAll(async () => {
    const made = await house.appliance();
    // No smaller in the copy than it is here.
    const ballast = randomBytes(8 * MEGABYTE).toString('base64');
    await changeStore(made, (store) =>
      store.write((tx) =>
        tx.put(tables.orgs, 'ballast', { ...[...tx.range(tables.orgs)][0]?.value, name: ballast }),
      ),
    );
    disk = new SmallDisk('size=64m');
    config = { ...made, dataDir: join(disk.dir, 'data') };
    cpSync(made.dataDir, config.dataDir, { recursive: true });
    target = join(disk.dir, 'backups');
    mkdirSync(target);
  }, 60_000);
  afterAll(() => {
    disk.remove();
    house.dispose();
  });

  const free = (): number => {
    const { bavail, bsize } = statfsSync(disk.dir);
    return bavail * bsize;
  };
  const storeBytes = (): number => statSync(storeFile(config.dataDir)).size;

  /** Leaves so much on the volume. */
  function leave(bytes: number): void {
    disk.empty();
    writeFileSync(join(disk.dir, 'ballast'), Buffer.alloc(Math.max(0, Math.floor(free() - bytes))));
  }

  const backUp = (more: Partial<BackupOptions> = {}): Promise<unknown> =>
    makeBackup(house.options(config, { target, ...more }));

  it('needs room for the copy and the file together, and leaves what the disk guard wants free', async () => {
    const floor = diskFloor(config.storage.minFreeMegabytes, 64 * MEGABYTE);
    leave(floor + 1.5 * storeBytes());
    await expect(backUp()).rejects.toThrow(
      /backups has \d+ MB free, \d+ MB are needed; name a folder on another/,
    );
    leave(floor + 0.5 * storeBytes());
    await expect(backUp()).rejects.toThrow(/run has \d+ MB free, \d+ MB are needed; .* as --work-dir/);
    expect([readdirSync(target), readdirSync(join(config.dataDir, 'run'))]).toEqual([[], []]);
    leave(floor + 2.2 * storeBytes());
    await backUp();
    expect(free()).toBeGreaterThan(floor);
  }, 60_000);

  it('is made where only one of the two is on it', async () => {
    const floor = diskFloor(config.storage.minFreeMegabytes, 64 * MEGABYTE);
    leave(floor + 1.2 * storeBytes());
    await backUp({ target: `${house.fresh()}.tkb` });
    await backUp({ workDir: house.root });
    expect(free()).toBeGreaterThan(floor);
  }, 60_000);

  it('is made from a volume without a byte left when the copy and the file go elsewhere', async () => {
    disk.empty();
    const [workDir, file] = [house.fresh(), `${house.fresh()}.tkb`];
    mkdirSync(workDir);
    disk.fill();
    try {
      await backUp({ target: file, workDir });
      expect([readdirSync(workDir), readdirSync(join(config.dataDir, 'run'))]).toEqual([[], []]);
      await expect(backUp({ target: file })).rejects.toThrow(/on a full disk|as --work-dir/);
      const held = takeLock(join(workDir, `tagkeep-backup-${idOf(config.certsDir)}.pid`));
      await expect(backUp({ target: file, workDir })).rejects.toThrow(/another backup of .* is running/);
      if (held.kind === 'taken') held.release();
    } finally {
      disk.empty();
    }
    await house.restored(file);
  }, 60_000);
});
