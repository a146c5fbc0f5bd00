import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { BackupError, naming } from './backup-error.ts';

/** Names this makes in a folder of backups; nothing else in there is ever touched. */
const OWN_NAME = /^tagkeep-\d{8}-\d{6}\.(tkb|tar)$/;
const OWN_LEFTOVER = /^\.tagkeep-\d{8}-\d{6}\.(tkb|tar)\.[0-9a-f]{16}\.tmp$/;

/**
 * Writes a file whole or not at all: under a temporary name beside it (mode 0600), flushed, then renamed over what was
 * there. Whatever goes wrong, nothing is left and what was there stays. Throws `BackupError`.
 */
export async function writeWhole(
  file: string,
  chunks: AsyncIterable<Uint8Array>,
  signal?: AbortSignal,
): Promise<void> {
  const temporary = join(dirname(file), `.${basename(file)}.${randomBytes(8).toString('hex')}.tmp`);
  try {
    await naming(`${file} can't be written`, async () => {
      await requireFile(file);
      await fill(temporary, chunks, signal);
      await rename(temporary, file);
      await syncFolder(dirname(file));
    });
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}

async function fill(file: string, chunks: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.chmod(0o600);
    await writeAll(handle, chunks, signal);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Writes every chunk where the file stands. An aborted signal comes out as its reason. */
export async function writeAll(
  handle: FileHandle,
  chunks: AsyncIterable<Uint8Array>,
  signal?: AbortSignal,
): Promise<void> {
  for await (const chunk of chunks) {
    signal?.throwIfAborted();
    await handle.writeFile(chunk);
  }
}

// A rename would put a file in the place of a device or a pipe.
async function requireFile(file: string): Promise<void> {
  const found = await stat(file).catch(() => null);
  if (found && !found.isFile()) throw new BackupError(`${file} can't be written: it is not a file`);
}

/** Makes names in the folder last. Some file systems can't flush a folder; its files are on disk by then. */
export async function syncFolder(dir: string): Promise<void> {
  const folder = await open(dir, 'r').catch(() => undefined);
  await folder?.sync().catch(() => undefined);
  await folder?.close();
}

/** The name of a backup made at `now` (UTC), `tagkeep-20260131-235959.tkb`; a plain one ends in `.tar`. */
function backupName(now: number, isPlain: boolean): string {
  const [day = '', time = ''] = new Date(now)
    .toISOString()
    .replaceAll(/[-:]|\.\d+Z/g, '')
    .split('T');
  return `tagkeep-${day}-${time}.${isPlain ? 'tar' : 'tkb'}`;
}

/** A file in the folder that is not there yet: of two backups in one second neither replaces the other. */
export function freshFile(dir: string, now: number, isPlain: boolean): string {
  let file = '';
  for (let at = now; file === '' || existsSync(file); at += 1000) file = join(dir, backupName(at, isPlain));
  return file;
}

/** When the newest backup of a folder was begun, epoch ms, by the names; null: there is none. Ones after `until` do not count. */
export async function newestBackup(dir: string, until: number): Promise<number | null> {
  const times = (await readdir(dir)).filter((name) => OWN_NAME.test(name)).map(timeOf);
  const past = times.filter((at) => at <= until);
  return past.length === 0 ? null : Math.max(...past);
}

function timeOf(name: string): number {
  const [, year, month, day, hour, minute, second] =
    /-(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)\./.exec(name)?.map(Number) ?? [];
  return Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second);
}

/**
 * Removes the oldest backups of a folder, so that `keep` stay; answers the names. The one just made stays whatever its
 * time says: older ones may be from before the clock was set back. Throws `BackupError`.
 */
export async function removeOldest(
  dir: string,
  { keep, newest }: { readonly keep: number; readonly newest: string },
): Promise<readonly string[]> {
  return naming(`${dir}: old backups can't be removed`, async () => {
    const names = await readdir(dir);
    const others = names.filter((name) => OWN_NAME.test(name) && name !== newest);
    // Names sort by time.
    const old = others.sort(byTime).slice(0, Math.max(0, others.length - (keep - 1)));
    for (const name of old) await rm(join(dir, name), { force: true });
    return old;
  });
}

/** Removes what backups that were killed left in a folder of backups. Only while no other one is being written there. */
export async function removeLeftovers(dir: string): Promise<void> {
  const names = await readdir(dir).catch(() => []);
  const left = names.filter((name) => OWN_LEFTOVER.test(name));
  await Promise.all(left.map((name) => rm(join(dir, name), { force: true }).catch(() => undefined)));
}

const byTime = (a: string, b: string): number => (a < b ? -1 : 1);
