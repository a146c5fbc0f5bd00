import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { migrate, SchemaTooNew } from '../store/migrate.ts';
import { readThrough, tableCounts } from '../store/snapshot.ts';
import { openStore, type Store } from '../store/store.ts';
import { DamagedStore } from '../store/store-file.ts';
import { tables } from '../store/tables.ts';
import { checkAuthority } from './backup-authority.ts';
import { BackupError, naming, reasonFor, Unreadable } from './backup-error.ts';
import { type Manifest, partNames } from './backup-manifest.ts';
import { requireRoomFor } from './backup-room.ts';
import { unpackBackup } from './backup-unpack.ts';
import { makeWorkFolder } from './work-folder.ts';

export interface CheckOptions {
  /** The file, for messages. */
  readonly file: string;
  /** With the passphrase of an encrypted `ca.key`; null: such a key is not opened. */
  readonly passphraseFile: string | null;
  readonly signal?: AbortSignal;
}

/** A backup that was looked through. */
export interface CheckedBackup {
  readonly manifest: Manifest;
  readonly records: number;
  readonly warnings: readonly string[];
}

/**
 * Looks through what was unpacked to a folder: the authority, the number of entries of each table, whether this version
 * can take the schema, and that every entry can be read. The store in the folder comes out at this version's schema.
 * Throws `BackupError`.
 */
export async function checkUnpacked(
  dir: string,
  manifest: Manifest,
  options: CheckOptions,
): Promise<CheckedBackup> {
  const { file, passphraseFile, signal } = options;
  const check = async (): Promise<CheckedBackup> => {
    const warnings = await checkAuthority(join(dir, 'certs'), passphraseFile).catch((error: Error) => {
      throw error instanceof BackupError ? new Unreadable(`its ${error.message}`) : error;
    });
    signal?.throwIfAborted();
    const store = opened(dir);
    try {
      requireCounts(store, manifest, file);
      await takeSchema(store, file);
      return { manifest, warnings, records: await readThrough(store, signal) };
    } finally {
      await store.close();
    }
  };
  return naming(`${file} can't be used`, () => check().catch(withoutFolder(dir)), signal);
}

function opened(dir: string): Store {
  try {
    return openStore(dir);
  } catch (error) {
    // It speaks of a data folder.
    throw error instanceof DamagedStore ? new Unreadable(`its ${partNames.store} is damaged`) : error;
  }
}

/** The folder is gone when somebody reads the message: what it names is a part of the backup. */
const withoutFolder = (dir: string) => (error: unknown) => {
  if (error instanceof BackupError || !(error instanceof Error)) throw error;
  throw new Unreadable(reasonFor(error).replaceAll(`${dir}/`, 'its '));
};

// Before the schema is taken, which may change them. No value is looked at, so a newer schema does not matter yet.
function requireCounts(store: Store, manifest: Manifest, file: string): void {
  for (const [name, found] of Object.entries(tableCounts(store))) {
    const said = Object.hasOwn(manifest.tables, name) ? (manifest.tables[name] ?? 0) : 0;
    if (found !== said)
      throw new BackupError(`${file} can't be used: its ${name} has ${found} entries, not ${said}`);
  }
}

async function takeSchema(store: Store, file: string): Promise<void> {
  try {
    await migrate(store);
  } catch (error) {
    if (!(error instanceof SchemaTooNew)) throw error;
    const found = store.get(tables.meta, 'schemaVersion');
    throw new BackupError(`${file} comes from a newer Tagkeep (schema ${found}); install that version first`);
  }
}

export interface VerifyOptions extends CheckOptions {
  readonly passphrase: Buffer | null;
  /** Where a folder is made to unpack to, and removed after. */
  readonly workDir: string;
}

/** Checks a backup without using it: what `restore` would check, in a folder that is gone after. Throws `BackupError`. */
export async function verifyBackup(options: VerifyOptions): Promise<CheckedBackup> {
  const { workDir, file, passphrase, signal } = options;
  await requireRoomFor(file, workDir, 'name another folder as --work-dir');
  const purpose = `verify-${hostId()}`;
  const into = await naming(`${workDir} can't be written`, () => makeWorkFolder(workDir, purpose));
  try {
    const manifest = await unpackBackup(file, { into, passphrase, ...(signal ? { signal } : {}) });
    return await checkUnpacked(into, manifest, options);
  } finally {
    await rm(into, { recursive: true, force: true });
  }
}

/** Of this machine or container: its name may hold anything. */
const hostId = (): string => createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
