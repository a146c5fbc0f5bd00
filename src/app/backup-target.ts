import type { Stats } from 'node:fs';
import { lstat, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import type { Config } from '../config/options.ts';
import { BackupError, naming } from './backup-error.ts';
import { isBackup } from './backup-unpack.ts';

/** Where a backup goes, with no links left in the path. */
export interface BackupTarget {
  /** Whether it was named as a folder, and gets a file with a name of its own. */
  readonly isFolder: boolean;
  /** The folder it is in. */
  readonly dir: string;
  /** The file; null for one in a folder, which has no name yet. */
  readonly file: string | null;
}

/**
 * Looks at what a backup is to be written to before anything is done. A link is followed. Refused is what the appliance itself
 * lives in, the data and the certificates folder, and a file that is there and is no backup: a slip of the finger must cost
 * nobody a database, a key or a passphrase. Throws `BackupError`.
 */
export async function backupTarget(
  target: string,
  { dataDir, certsDir }: Pick<Config, 'dataDir' | 'certsDir'>,
): Promise<BackupTarget> {
  return naming(`${target} can't be written`, async () => {
    const path = await realPath(target);
    const found = await stat(path).catch(() => null);
    await refuseInside(path, { dataDir, certsDir });
    if (found?.isDirectory()) return { isFolder: true, dir: path, file: null };
    if (found) await requireBackup(target, found);
    return { isFolder: false, dir: dirname(path), file: path };
  });
}

/** Of a file that is not there yet, the folder's; a link that leads nowhere would be replaced by the file. */
async function realPath(target: string): Promise<string> {
  const found = await lstat(target).catch(() => null);
  if (found) return realpath(target);
  return join(await realpath(dirname(target)), basename(target));
}

async function refuseInside(path: string, folders: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, folder] of Object.entries(folders)) {
    const way = relative(await realpath(folder).catch(() => folder), path);
    const isInside = way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
    if (isInside) throw new BackupError(`${path} is in ${name} (${folder}); name a place outside of it`);
  }
}

async function requireBackup(target: string, found: Stats): Promise<void> {
  // A rename would put a file in the place of a device or a pipe.
  if (!found.isFile()) throw new BackupError(`${target} can't be written: it is not a file`);
  if (await isBackup(target)) return;
  throw new BackupError(`${target} is there already and is no backup; name another file, or remove it`);
}
