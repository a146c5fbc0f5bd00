import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type FileHandle, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { syncFolder } from '../pki/private-file.ts';
import { naming } from './backup-error.ts';
import { type BackupOwner, backupName, oldestFirst, parseBackupName } from './backup-names.ts';

export interface WriteOptions {
  /** Of the appliance: part of the temporary name, by which `removeLeftovers` knows its own. */
  readonly id: string;
  /** Ends it early, with its reason. */
  readonly signal?: AbortSignal;
}

export interface FreshOptions {
  /** Epoch ms. */
  readonly now: number;
  readonly isPlain: boolean;
}

/**
 * Writes a file whole or not at all: under a temporary name beside it (mode 0600), flushed, then renamed over what was
 * there. Whatever goes wrong, nothing is left and what was there stays. Throws `BackupError`.
 */
export async function writeWhole(
  file: string,
  chunks: AsyncIterable<Uint8Array>,
  { id, signal }: WriteOptions,
): Promise<void> {
  const name = `.${basename(file)}.tagkeep-${id}-${randomBytes(8).toString('hex')}.tmp`;
  const temporary = join(dirname(file), name);
  const write = async (): Promise<void> => {
    await fill(temporary, chunks, signal);
    await rename(temporary, file);
    await syncFolder(dirname(file));
  };
  try {
    await naming(`${file} can't be written`, write, signal);
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
  signal?.throwIfAborted();
}

/** A file in the folder that is not there yet: of two backups in one second neither replaces the other. */
export function freshFile(dir: string, owner: BackupOwner, options: FreshOptions): string {
  let file = '';
  for (let at = options.now; file === '' || existsSync(file); at += 1000)
    file = join(dir, backupName(owner, at, options.isPlain));
  return file;
}

/**
 * When the newest backup of one appliance in a folder was begun, epoch ms, by the names; null: there is none. Ones after
 * `until` do not count.
 */
export async function newestBackup(
  dir: string,
  { id, until }: { readonly id: string; readonly until: number },
): Promise<number | null> {
  const own = (await readdir(dir)).map(parseBackupName).filter((one) => one?.id === id);
  const past = own.flatMap((one) => (one && one.at <= until ? [one.at] : []));
  return past.length === 0 ? null : Math.max(...past);
}

/**
 * Removes the oldest backups of one appliance in a folder, so that `keep` stay with the one just made, and answers their
 * names. That one, `newest`, stays whatever the clock said, and tells whose they are: others in the folder are not
 * touched. Throws `BackupError`.
 */
export async function removeOldest(
  dir: string,
  { keep, newest }: { readonly keep: number; readonly newest: string },
): Promise<readonly string[]> {
  const made = parseBackupName(newest);
  if (made === null) return [];
  return naming(`${dir}: old backups can't be removed`, async () => {
    const backups = (await readdir(dir)).map(parseBackupName).filter((one) => one !== null);
    const others = backups.filter(({ id, name }) => id === made.id && name !== newest);
    const old = oldestFirst(others, made.at).slice(0, Math.max(0, others.length - (keep - 1)));
    for (const { name } of old) await rm(join(dir, name), { force: true });
    return old.map(({ name }) => name);
  });
}

/**
 * Removes what backups of one appliance that were killed left beside their files. Only while no other one of it is being
 * made, which its lock sees to; those of other appliances may be at work.
 */
export async function removeLeftovers(dir: string, id: string): Promise<void> {
  const leftover = new RegExp(`^[.].+[.]tagkeep-${id}-[0-9a-f]{16}[.]tmp$`);
  const names = await readdir(dir).catch(() => []);
  const left = names.filter((name) => leftover.test(name));
  await Promise.all(left.map((name) => rm(join(dir, name), { force: true }).catch(() => undefined)));
}
