import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeFolder } from '../pki/make-folder.ts';
import { isFull } from './disk-room.ts';
import { replaceRunFile } from './run-file.ts';
import { lockHolder, takeLock } from './serve-lock.ts';

/** Where the appliance can be reached: origins without a path, and the pid of the serving process. */
export interface Endpoints {
  readonly http: string;
  readonly https: string;
  readonly mqtts: string;
  readonly pid: number;
}

/** The data folder while this process serves it. */
export interface DataFolder {
  readonly dir: string;
  /** False when others may look into the folder and its mode can't be changed (somebody else's volume). */
  readonly isPrivate: boolean;
  /** Writes `run/endpoints.json` in one step. */
  readonly writeEndpoints: (endpoints: Endpoints) => Promise<void>;
  /** Removes `run/endpoints.json` and gives the folder free; a second call does nothing. */
  readonly close: () => void;
}

/** A data folder that can't be used. The message is one line that names the folder and what is wrong. */
class DataFolderError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DataFolderError';
  }
}

const lockFile = (dir: string): string => join(dir, 'run', 'serve.pid');
const endpointsFile = (dir: string): string => join(dir, 'run', 'endpoints.json');

/**
 * Makes the data folder (mode 0700), checks that it can be written and takes it for this process alone: a second
 * `serve` on the same folder is refused with the other's pid. Endpoints left by a killed process are removed. Half a
 * restore is refused (`refuseHalfRestored`) unless `mayBeRestoring`. Throws `DataFolderError`.
 */
export function openDataFolder(path: string, { mayBeRestoring = false } = {}): DataFolder {
  const dir = resolve(path);
  const isPrivate = prepareDataFolder(dir);
  const lock = attempt(dir, () => takeLock(lockFile(dir)));
  if (lock.kind === 'held') throw new DataFolderError(`another tagkeep (pid ${lock.pid}) is serving ${dir}`);
  try {
    if (!mayBeRestoring) refuseHalfRestored(dir);
  } catch (error) {
    lock.release();
    throw error;
  }
  rmSync(endpointsFile(dir), { force: true });
  let open = true;
  const close = (): void => {
    if (!open) return;
    open = false;
    rmSync(endpointsFile(dir), { force: true });
    lock.release();
  };
  const writeEndpoints = (endpoints: Endpoints): Promise<void> =>
    replaceRunFile(endpointsFile(dir), `${JSON.stringify(endpoints)}\n`);
  return { dir, isPrivate, writeEndpoints, close };
}

/** How the name of the folder begins that a restore unpacks to, in the data folder. It becomes the store in its last step. */
export const restoringPrefix = '.restore-';

/** What a data folder has of a restore that is not through; null: nothing, or there is no such folder. */
export function halfRestored(path: string): string | null {
  if (!existsSync(path)) return null;
  return readdirSync(path).find((name) => name.startsWith(restoringPrefix)) ?? null;
}

/**
 * Refuses a data folder that is being restored, or was when the power went: a start would found a new authority, and no
 * reader would know the appliance again. Throws `DataFolderError`.
 */
export function refuseHalfRestored(path: string): void {
  const dir = resolve(path);
  const name = attempt(dir, () => halfRestored(dir));
  if (name === null) return;
  const pid = readServing(dir)?.pid ?? process.pid;
  if (pid !== process.pid) throw new DataFolderError(`another tagkeep (pid ${pid}) is restoring ${dir}`);
  const begin = `to begin anew instead, remove ${join(dir, name)} and the certificates it put in certsDir`;
  throw new DataFolderError(
    `a restore into ${dir} was cut off: run it again (tagkeep restore FILE); ${begin}`,
  );
}

/** The process that serves a data folder now; null when none does, or there is no such folder. Throws `DataFolderError`. */
export function readServing(path: string): { readonly pid: number } | null {
  const dir = resolve(path);
  try {
    const pid = lockHolder(lockFile(dir));
    return pid === null ? null : { pid };
  } catch (error) {
    throw new DataFolderError(`data folder ${dir} is not readable by ${user()}: ${reasonOf(error)}`);
  }
}

/**
 * Makes the data folder and its `run` folder, both 0700, without taking it: for commands that work beside a serving
 * process too. False when the mode can't be changed. Throws `DataFolderError` when the folder can't be written; with `mayBeFull`
 * a full disk is none of its business: what only reads goes on, and a write says itself that there is no room.
 */
export function prepareDataFolder(path: string, { mayBeFull = false } = {}): boolean {
  const dir = resolve(path);
  return attempt(dir, () => {
    makeFolder(dir);
    refuseShared(dir);
    refuseForeign(dir);
    const isPrivate = makePrivate(dir);
    // Before the next folder: making one says ENOENT where a file says that the disk is read-only.
    probe(dir, mayBeFull);
    makeFolder(join(dir, 'run'));
    probe(join(dir, 'run'), mayBeFull);
    return isPrivate;
  });
}

// Taking /tmp or / away from everybody else would be a bad surprise for a mistyped path.
function refuseShared(dir: string): void {
  const isSticky = (statSync(dir).mode & 0o1000) !== 0;
  if (isSticky || dir === resolve('/'))
    throw new DataFolderError(`data folder ${dir} is shared; name a folder of its own`);
}

// Files that root makes in somebody's folder are files that the service can't open afterwards.
function refuseForeign(dir: string): void {
  const { uid } = statSync(dir);
  if (process.getuid?.() === 0 && uid !== 0)
    throw new DataFolderError(
      `data folder ${dir} belongs to user ${uid}, not to root; run this as that user (sudo -u)`,
    );
}

function makePrivate(dir: string): boolean {
  if ((statSync(dir).mode & 0o077) === 0) return true;
  try {
    chmodSync(dir, 0o700);
  } catch {
    return false;
  }
  return (statSync(dir).mode & 0o077) === 0;
}

// Rights on paper don't tell about read-only mounts, quotas or a full disk; writing does.
function probe(dir: string, mayBeFull: boolean): void {
  const file = join(dir, `.probe-${process.pid}-${randomBytes(4).toString('hex')}`);
  try {
    writeFileSync(file, 'probe', { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (!mayBeFull || !isFull(error)) throw error;
  } finally {
    rmSync(file, { force: true });
  }
}

function attempt<T>(dir: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof DataFolderError) throw error;
    throw new DataFolderError(explain(dir, error));
  }
}

function explain(dir: string, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const reason = reasonOf(error);
  if (code === 'EEXIST' || code === 'ENOTDIR') return `data folder ${dir} is not a folder: ${reason}`;
  if (isFull(error)) return `data folder ${dir} is on a full disk: ${reason}`;
  return `data folder ${dir} is not writable by ${user()}: ${reason}`;
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
const user = (): string => `user ${process.getuid?.() ?? 'unknown'}`;
