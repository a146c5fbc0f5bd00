import { chmod, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config/options.ts';
import { syncFolder } from '../pki/private-file.ts';
import type { Upgrade } from '../store/migrate.ts';
import { copyStore, storeSize } from '../store/snapshot.ts';
import { BackupError, reasonFor } from './backup-error.ts';
import { diskRoom } from './disk-room.ts';

/** Of the data folder: the stores as they were before upgrades. */
const BEFORE_UPGRADE = 'before-upgrade';
const OWN_NAME = /^schema-\d+-to-\d+-(\d{8}-\d{6})$/;
const UNFINISHED = '.unfinished-';
const KEEP = 3;

export interface CopyOptions {
  readonly config: Pick<Config, 'dataDir' | 'storage'>;
  readonly upgrade: Upgrade;
  /** Epoch ms. */
  readonly now: number;
}

/**
 * Copies the store to `<dataDir>/before-upgrade/schema-1-to-2-<time>/db` and answers that folder; the newest three stay.
 * Only the store, and not encrypted: it lies beside the store it was made of and holds no more than that one does, while an
 * upgrade touches neither the authority nor the configuration. To go back, the folder `db` takes the place of the data
 * folder's. It is whole or not there. Throws `BackupError`, one line, when there is no room or the disk refuses.
 */
export async function copyBeforeUpgrade({ config, upgrade, now }: CopyOptions): Promise<string> {
  const dir = join(config.dataDir, BEFORE_UPGRADE);
  const name = `schema-${upgrade.from}-to-${upgrade.to}-${stamp(now)}`;
  try {
    await removeUnfinished(dir);
    await requireRoomIn(config);
    await mkdir(dir, { recursive: true, mode: 0o700 });
    await copyWhole(config.dataDir, { dir, name });
    await removeOld(dir, name);
    return join(dir, name);
  } catch (error) {
    await removeUnfinished(dir).catch(() => undefined);
    if (error instanceof BackupError) throw error;
    throw new BackupError(`the upgrade needs a copy of the store in ${dir} first: ${reasonFor(error)}`);
  }
}

// The copy is as large as the store at most, and must not be what stops reads afterwards.
async function requireRoomIn(config: CopyOptions['config']): Promise<void> {
  const { free, floor } = await diskRoom(config);
  const needed = Math.ceil(storeSize(config.dataDir) + floor);
  if (free >= needed) return;
  throw new BackupError(
    `the upgrade needs a copy of the store first: ${config.dataDir} has ${free} bytes free, ${needed} are needed; make room and start again`,
  );
}

async function copyWhole(dataDir: string, { dir, name }: { dir: string; name: string }): Promise<void> {
  const unfinished = join(dir, `${UNFINISHED}${name}`);
  const db = join(unfinished, 'db');
  await mkdir(db, { recursive: true, mode: 0o700 });
  await copyStore(dataDir, unfinished);
  const file = join(db, 'tagkeep.mdb');
  await chmod(file, 0o600);
  const handle = await open(file, 'r+');
  await handle.sync().finally(() => handle.close());
  await syncFolder(db);
  await syncFolder(unfinished);
  // Two upgrades within a second: the later copy is the one that counts.
  await rm(join(dir, name), { recursive: true, force: true });
  await rename(unfinished, join(dir, name));
  await syncFolder(dir);
}

async function removeUnfinished(dir: string): Promise<void> {
  for (const name of await readdir(dir).catch(() => []))
    if (name.startsWith(UNFINISHED)) await rm(join(dir, name), { recursive: true, force: true });
}

/** `newest` stays whatever the clock says: without it there would be no way back. */
async function removeOld(dir: string, newest: string): Promise<void> {
  const time = (name: string): string => OWN_NAME.exec(name)?.[1] ?? '';
  const own = (await readdir(dir)).filter((name) => time(name) !== '' && name !== newest);
  const newestFirst = own.sort((a, b) => (time(a) < time(b) ? 1 : -1));
  for (const name of newestFirst.slice(KEEP - 1)) await rm(join(dir, name), { recursive: true, force: true });
}

const stamp = (now: number): string =>
  new Date(now)
    .toISOString()
    .replaceAll(/[-:]|\.\d+Z/g, '')
    .replace('T', '-');
