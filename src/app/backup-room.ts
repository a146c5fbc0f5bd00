import { stat, statfs } from 'node:fs/promises';
import { BackupError, naming } from './backup-error.ts';

const MEGABYTE = 1024 * 1024;
/** What unpacking leaves free: LMDB ends the process when there is no room for its lock file. */
const SPARE_BYTES = 16 * MEGABYTE;

/** Refuses to begin what would fill the volume of a folder. `bytes` is what is to be written, `hint` what to do then. */
export async function requireRoom(dir: string, bytes: number, hint: string): Promise<void> {
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
