import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, readFile, rename, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import type { Config } from '../config/options.ts';
import { certFiles } from '../pki/ca-files.ts';
import {
  fileModes,
  makePrivateFolder,
  replaceFile,
  sweepLeftovers,
  syncFolder,
} from '../pki/private-file.ts';
import { type CheckedBackup, checkUnpacked } from './backup-check.ts';
import { BackupError, naming } from './backup-error.ts';
import { partNames } from './backup-manifest.ts';
import { requireRoomFor } from './backup-room.ts';
import { unpackBackup } from './backup-unpack.ts';
import { openDataFolder, restoringPrefix } from './data-folder.ts';

export interface RestoreOptions {
  readonly config: Config;
  readonly file: string;
  readonly passphrase: Buffer | null;
  readonly signal?: AbortSignal;
}

/** A restored appliance. */
export interface RestoreDone extends CheckedBackup {
  /** Folder with the configuration the backup came from; it is not used by itself. */
  readonly configDir: string;
}

/** Of the data folder: for the configuration that was in the backup. */
const CONFIG_DIR = 'restored-config';
/** What to do about a folder that is not empty: a service that is installed and started makes an appliance at once. */
const EMPTY_IT =
  'stop the service and move the folder and certsDir away; on a new box install with: install.sh BINARY --no-start';
/** What may be in a data folder that counts as empty: ours while nothing is served, and what a new volume has. */
const HARMLESS = ['run', 'lost+found'];

/**
 * Puts a backup into an empty data folder and a certificates folder without an authority. Everything is unpacked and
 * checked inside the data folder first, the certificates are put in place, and last the folder it was unpacked to becomes
 * the store, in one rename. While it runs nobody can serve the folder, nor after it was killed: until that rename its folder
 * is there, which every start refuses, and the next restore begins anew. A folder in use, one that holds an appliance, and a
 * backup that is not whole are refused, and nothing is left behind but the mark of a restore that was cut off before. Throws
 * `BackupError`, or what `openDataFolder` throws.
 */
export async function restoreBackup(options: RestoreOptions): Promise<RestoreDone> {
  const { dataDir, certsDir } = options.config;
  const isNew = { data: !existsSync(dataDir), certs: !existsSync(certsDir) };
  try {
    const folder = openDataFolder(dataDir, { mayBeRestoring: true });
    return await restoreInto(options).finally(() => folder.close());
  } catch (error) {
    if (isNew.certs) await removeEmpty(certsDir);
    if (isNew.data) await removeEmpty(join(dataDir, 'run'), dataDir);
    throw error;
  }
}

/** Never what somebody else has put there meanwhile. */
async function removeEmpty(...dirs: readonly string[]): Promise<void> {
  for (const dir of dirs) await rmdir(dir).catch(() => undefined);
}

async function restoreInto(options: RestoreOptions): Promise<RestoreDone> {
  const { dataDir } = options.config;
  const left = await requireEmpty(options.config);
  const staging = left ?? (await naming(dataDir, () => mkdtemp(join(dataDir, restoringPrefix))));
  // A power cut must not leave certificates without it.
  await syncFolder(dataDir);
  try {
    return await restoreBy(staging, options);
  } catch (error) {
    await emptyFolder(staging).catch(() => undefined);
    // What the one before put in the certificates folder is there still, and may be half of an authority.
    if (left === null) await removeEmpty(staging);
    throw error;
  }
}

async function restoreBy(staging: string, options: RestoreOptions): Promise<RestoreDone> {
  const { config, file, passphrase, signal } = options;
  const { dataDir, certsDir, pki } = config;
  await emptyFolder(staging);
  await requireRoomFor(file, dataDir, 'restore to a larger volume');
  const signalled = signal ? { signal } : {};
  const manifest = await unpackBackup(file, { into: staging, passphrase, ...signalled });
  const { passphraseFile } = pki;
  const checked = await checkUnpacked(staging, manifest, { file, passphraseFile, ...signalled });
  signal?.throwIfAborted();
  const placed = await placeCertificates(join(staging, 'certs'), certsDir);
  await placeStore(staging, dataDir).catch(async (error: unknown) => {
    await Promise.all(placed.map((path) => rm(path, { force: true })));
    await rm(join(dataDir, CONFIG_DIR), { recursive: true, force: true });
    throw error;
  });
  return { ...checked, configDir: join(dataDir, CONFIG_DIR) };
}

async function emptyFolder(dir: string): Promise<void> {
  const names = await naming(dir, () => readdir(dir));
  for (const name of names) await rm(join(dir, name), { recursive: true, force: true });
}

/**
 * Removes what a restore that was killed left, once it is certain that nothing else is there. All but its folder, by which
 * every start knows of it: its path, or null when there was none.
 */
async function requireEmpty({ dataDir, certsDir }: Config): Promise<string | null> {
  const within = relative(dataDir, certsDir);
  const names = await naming(dataDir, () => readdir(dataDir));
  const staged = names.filter((name) => name.startsWith(restoringPrefix));
  const other = names.find((name) => ![...staged, CONFIG_DIR, ...HARMLESS, within].includes(name));
  if (other !== undefined) throw new BackupError(`${dataDir} is not empty (it has ${other}); ${EMPTY_IT}`);
  const [left, ...more] = staged;
  for (const name of [...more, CONFIG_DIR]) await rm(join(dataDir, name), { recursive: true, force: true });
  await sweepLeftovers(certsDir, Object.values(certFiles));
  return left === undefined ? null : join(dataDir, left);
}

/**
 * The files of the authority, the key first as at a first start. Ones that are there already are left when they are the
 * same, which is how a restore that was killed goes on, and refused when not. Answers what was put there.
 */
async function placeCertificates(from: string, certsDir: string): Promise<readonly string[]> {
  const files = await Promise.all(
    Object.values(certFiles).map(async (name) => ({
      path: join(certsDir, name),
      isSecret: name.endsWith('.key'),
      restored: await textIn(join(from, name)),
      found: await textIn(join(certsDir, name)),
    })),
  );
  for (const { path, restored, found } of files)
    if (found !== null && found !== restored)
      throw new BackupError(`${path} is there already, and is another one; move certsDir away first`);
  const placed: string[] = [];
  try {
    await makePrivateFolder(certsDir);
    for (const { path, isSecret, restored, found } of files) {
      if (restored === null || found !== null) continue;
      await replaceFile(path, restored, isSecret ? fileModes.secret : fileModes.open);
      placed.push(path);
    }
    return placed;
  } catch (error) {
    await Promise.all(placed.map((path) => rm(path, { force: true })));
    throw error;
  }
}

async function textIn(file: string): Promise<string | null> {
  return naming(`${file} can't be read`, () =>
    readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    }),
  );
}

/** One rename makes the folder an appliance and ends the restore: at no moment there is one without the other. */
async function placeStore(staging: string, dataDir: string): Promise<void> {
  const name = basename(partNames.store);
  await naming(`${dataDir} can't be written`, async () => {
    await rename(join(staging, 'config'), join(dataDir, CONFIG_DIR));
    await rename(join(staging, partNames.store), join(staging, name));
    for (const other of await readdir(staging))
      if (other !== name) await rm(join(staging, other), { recursive: true, force: true });
    await chmod(staging, 0o700);
    await syncFolder(staging);
    await rename(staging, join(dataDir, dirname(partNames.store)));
    await syncFolder(dataDir);
  });
}
