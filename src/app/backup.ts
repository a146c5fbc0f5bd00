import { rmSync } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Config } from '../config/options.ts';
import { writeTar } from '../lib/tar-stream.ts';
import { certFiles } from '../pki/ca-files.ts';
import { copyStore, readThrough, storeSize, tableCounts } from '../store/snapshot.ts';
import { openStore } from '../store/store.ts';
import { mayHaveStore } from '../store/store-file.ts';
import { tables } from '../store/tables.ts';
import { authorityId, checkAuthority } from './backup-authority.ts';
import { seal } from './backup-envelope.ts';
import { BackupError, naming, reasonFor } from './backup-error.ts';
import { freshFile, removeLeftovers, removeOldest, writeWhole } from './backup-file.ts';
import { lockBackups } from './backup-lock.ts';
import { certPart, type Manifest, partNames } from './backup-manifest.ts';
import { type PartSource, packed } from './backup-parts.ts';
import { isBesideData, requireRoomBeside } from './backup-room.ts';
import { type BackupTarget, backupTarget } from './backup-target.ts';
import { prepareDataFolder } from './data-folder.ts';
import { version } from './version.ts';
import { makeWorkFolder } from './work-folder.ts';

export interface BackupOptions {
  readonly config: Config;
  /** The configuration file in use; null when there is none. */
  readonly configFile: string | null;
  /** A file, replaced when it is a backup (`backupTarget`), or a folder that is there, which gets one more file. */
  readonly target: string;
  /** What the backup is encrypted under; null: it is a plain tar. */
  readonly passphrase: Buffer | null;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** In a folder: how many backups of this appliance stay; the oldest go after the new one is complete. Absent: all. */
  readonly keep?: number;
  /** Folder for the copy of the store while it is packed; in the data folder by default. */
  readonly workDir?: string;
  /** Ends it early, with nothing left behind. */
  readonly signal?: AbortSignal;
}

/** A backup that was made. */
export interface BackupDone {
  readonly file: string;
  readonly bytes: number;
  readonly manifest: Pick<Manifest, 'schemaVersion' | 'createdAt' | 'tables'>;
  /** Names of older backups that were removed for it. */
  readonly removed: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * Makes one file of everything a new box needs to be the same appliance to its readers: the store as it was at one
 * moment (also while it is served), the authority with its key, the server certificate, the configuration. The broker's
 * own folder is not in it: an agent that comes is sent its newest start or stop and the settings it has not answered
 * from the store, and sessions hold no more than queued copies of those. Files the configuration names elsewhere
 * (passphrases, a certificate of the site's own) are not in it and are told as warnings. Throws `BackupError`, one line.
 */
export async function makeBackup(options: BackupOptions): Promise<BackupDone> {
  const { dataDir } = options.config;
  if (!mayHaveStore(dataDir))
    throw new BackupError(`${dataDir} has no appliance yet; there is nothing to back up`);
  const target = await backupTarget(options.target, options.config);
  // With a place for the copy elsewhere nothing has to be written here.
  prepareDataFolder(dataDir, { mayBeFull: options.workDir !== undefined });
  const id = await authorityId(options.config.certsDir);
  const release = await lockBackups({ ...options, id });
  let staging: string | null = null;
  try {
    staging = await stagingFor(options, id);
    await requireRoomForCopy(options, staging);
    return await backUp(options, { staging, id, target });
  } finally {
    if (staging !== null) rmSync(staging, { recursive: true, force: true });
    release();
  }
}

/** The copy of the store is not encrypted: it stays with the data, in a folder that nobody else may look into. */
async function stagingFor({ config, workDir }: BackupOptions, id: string): Promise<string> {
  const staging = join(config.dataDir, 'run', 'backup');
  // One that was killed may have left it.
  await rm(staging, { recursive: true, force: true });
  if (workDir !== undefined) return naming(workDir, () => makeWorkFolder(workDir, `backup-${id}`));
  await naming(staging, () => mkdir(staging, { mode: 0o700 }));
  return staging;
}

async function requireRoomForCopy({ config }: BackupOptions, staging: string): Promise<void> {
  const hint = 'name a folder with room for a copy of the store as --work-dir';
  await requireRoomBeside(config, { dir: dirname(staging), bytes: storeSize(config.dataDir), hint });
}

interface Place {
  readonly staging: string;
  readonly id: string;
  readonly target: BackupTarget;
}

async function backUp(options: BackupOptions, { staging, id, target }: Place): Promise<BackupDone> {
  const { config, now, passphrase, keep, signal } = options;
  const authority = await checkAuthority(config.certsDir, config.pki.passphraseFile);
  const copied = () => copyStore(config.dataDir, staging, signal);
  await keeping("the store can't be copied", copied, signal);
  const about = {
    ...(await describe(staging, signal)),
    createdAt: new Date(now).toISOString(),
    host: hostname(),
  };
  const tar = writeTar(
    packed(await partsOf(options, staging), { about: { format: 1, version, ...about }, now }),
  );
  const { dir, isFolder } = target;
  const file = target.file ?? fileIn(dir, options, id);
  await removeLeftovers(dir, id);
  await requireRoomForFile(options, { dir, staging });
  const chunks = passphrase === null ? tar : seal(tar, passphrase);
  await writeWhole(file, chunks, { id, ...(signal && { signal }) });
  const { size: bytes } = await stat(file);
  const isTrimmed = isFolder && keep !== undefined;
  const removed = isTrimmed ? await removeOldest(dir, { keep, newest: basename(file) }) : [];
  return { file, bytes, manifest: about, removed, warnings: [...authority, ...leftOut(config)] };
}

function fileIn(dir: string, { now, passphrase }: BackupOptions, id: string): string {
  return freshFile(dir, { host: hostname(), id }, { now, isPlain: passphrase === null });
}

/** The file has the size of the copy, which is there by now. On a volume of its own a full disk says so itself. */
async function requireRoomForFile(
  { config }: BackupOptions,
  { dir, staging }: { readonly dir: string; readonly staging: string },
): Promise<void> {
  if (!(await isBesideData(config, dir))) return;
  const hint = 'name a folder on another volume, or make room';
  await requireRoomBeside(config, { dir, bytes: storeSize(staging), hint });
}

/** Reads every entry of the copy: a damaged one must not drive out the backups of before. */
async function describe(
  staging: string,
  signal?: AbortSignal,
): Promise<Pick<Manifest, 'schemaVersion' | 'tables'>> {
  const look = async () => {
    const store = openStore(staging);
    try {
      const schemaVersion = store.get(tables.meta, 'schemaVersion');
      if (schemaVersion === undefined) throw new BackupError('the store has no schema; was it ever served?');
      await readThrough(store, signal);
      return { schemaVersion, tables: tableCounts(store) };
    } finally {
      await store.close();
    }
  };
  return keeping('the store is damaged', look, signal);
}

/** As `naming`, for what is read before anything is written: it also says that nothing was lost. */
async function keeping<T>(what: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  try {
    return await work();
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof BackupError) throw error;
    throw new BackupError(`${what}: ${reasonFor(error)}; the older backups were kept`);
  }
}

async function partsOf({ config, configFile }: BackupOptions, staging: string): Promise<PartSource[]> {
  const certs = Object.values(certFiles).map((name) => ({
    name: certPart(name),
    file: join(config.certsDir, name),
  }));
  const there = await Promise.all(
    certs.map(({ file }) =>
      stat(file).then(
        () => true,
        () => false,
      ),
    ),
  );
  const settings = { name: partNames.settings, text: `${JSON.stringify(config, null, 2)}\n` };
  return [
    { name: partNames.store, file: join(staging, partNames.store) },
    ...certs.filter((_, at) => there[at]),
    ...(configFile === null ? [] : [{ name: partNames.config, file: configFile }]),
    settings,
  ];
}

/** Found by the names of the options, so that none is forgotten. */
function leftOut(config: Config): readonly string[] {
  return Object.entries(config).flatMap(([section, options]: [string, unknown]) =>
    Object.entries(options ?? {}).flatMap(([name, file]: [string, unknown]) =>
      name.endsWith('File') && typeof file === 'string'
        ? [`not in the backup, keep it elsewhere: ${basename(file)} (${section}.${name})`]
        : [],
    ),
  );
}
