import { stat, statfs } from 'node:fs/promises';
import type { Config } from '../config/options.ts';
import { BackupError, naming } from './backup-error.ts';
import { diskRoom } from './disk-room.ts';

const MEGABYTE = 1024 * 1024;
/** What unpacking leaves free: LMDB ends the process when there is no room for its lock file. */
const SPARE_BYTES = 16 * MEGABYTE;

export interface RoomWanted {
  /** A folder; one that is missing is refused as such. */
  readonly dir: string;
  readonly bytes: number;
  /** What to do when there is not as much. */
  readonly hint: string;
}

/** Whether a folder is on the volume of the data folder. One that can't be looked at is not. */
export async function isBesideData({ dataDir }: Pick<Config, 'dataDir'>, dir: string): Promise<boolean> {
  const [data, other] = await Promise.all([stat(dataDir), stat(dir).catch(() => null)]);
  return data.dev === other?.dev;
}

/**
 * Refuses to begin what would fill the volume of a folder. On the data folder's own the floor of the disk guard has to stay
 * free too: an appliance without room refuses writes and reads. Throws `BackupError`.
 */
export async function requireRoomBeside(
  config: Pick<Config, 'dataDir' | 'storage'>,
  { dir, bytes, hint }: RoomWanted,
): Promise<void> {
  const isBeside = await isBesideData(config, dir);
  await requireRoom(dir, bytes + (isBeside ? (await diskRoom(config)).floor : SPARE_BYTES), hint);
}

/** Refuses to begin what would fill the volume of a folder. `bytes` is what is to be written, `hint` what to do then. */
async function requireRoom(dir: string, bytes: number, hint: string): Promise<void> {
  const { bavail, bsize } = await naming(dir, () => statfs(dir));
  const free = bavail * bsize;
  if (free >= bytes) return;
  throw new BackupError(
    `${dir} has ${Math.floor(free / MEGABYTE)} MB free, ${Math.ceil(bytes / MEGABYTE)} MB are needed; ${hint}`,
  );
}

/** Refuses a folder that has no room for what a backup holds. */
export async function requireRoomFor(file: string, dir: string, hint: string): Promise<void> {
  const { size } = await naming(`${file} can't be read`, () => stat(file));
  await requireRoom(dir, size + SPARE_BYTES, hint);
}
