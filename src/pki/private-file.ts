import { randomBytes } from 'node:crypto';
import { chmod, link, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { makeFolder } from './make-folder.ts';
import { PkiError, reasonOf } from './pki-error.ts';

/** Modes of files: `secret` is for its owner alone, `open` may be read by everyone. */
export const fileModes = { secret: 0o600, open: 0o644 } as const;

const MAX_BYTES = 64 * 1024;
const MAX_ATTEMPTS = 5;
const OTHERS = 0o077;

/** Makes the folder (and its parents) with mode 0700; one that is there keeps its mode. */
export async function makePrivateFolder(dir: string): Promise<void> {
  try {
    // The umask may have taken more than it should.
    if (makeFolder(dir)) await chmod(dir, 0o700);
  } catch (error) {
    throw new PkiError(`${dir}: the folder cannot be made (${reasonOf(error)})`);
  }
}

/** The text of a file, or null when there is none. A file over 64 kB, or one that can't be read, is a `PkiError`. */
export async function readSmallFile(path: string): Promise<string | null> {
  return (await readFileBytes(path))?.toString('utf8') ?? null;
}

/** The same as bytes. */
export async function readFileBytes(path: string): Promise<Buffer | null> {
  let file: Awaited<ReturnType<typeof open>> | undefined;
  try {
    file = await open(path, 'r');
    const buffer = Buffer.alloc(MAX_BYTES + 1);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
    if (bytesRead > MAX_BYTES)
      throw new PkiError(`${path}: over 64 kB, so it is neither a key nor a certificate`);
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    if (error instanceof PkiError) throw error;
    if (reasonOf(error) === 'ENOENT') return null;
    throw new PkiError(`${path}: cannot be read (${reasonOf(error)}); run Tagkeep as the user who owns it`);
  } finally {
    await file?.close();
  }
}

/** True when the file's mode lets anybody but its owner in. */
export async function isOpenToOthers(path: string): Promise<boolean> {
  try {
    return ((await stat(path)).mode & OTHERS) !== 0;
  } catch (error) {
    throw asPkiError(path, 'read', error);
  }
}

/** Sets the file's mode to 0600; a file we may not change is refused. */
export async function closeToOthers(path: string): Promise<void> {
  try {
    await chmod(path, fileModes.secret);
  } catch (error) {
    throw new PkiError(
      `${path}: other users can read it and its mode cannot be set (${reasonOf(error)}); run: chmod 600 ${path}`,
    );
  }
}

/** What `stageFile` left beside its target; `commitStaged` gives it the target's name. */
export interface StagedFile {
  readonly path: string;
  readonly temporary: string;
}

/** Writes the content, flushed to disk, beside the target under a temporary name. The mode holds whatever the umask. */
export async function stageFile(path: string, content: string, mode: number): Promise<StagedFile> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(8).toString('hex')}.tmp`);
  try {
    const file = await open(temporary, 'wx', fileModes.secret);
    try {
      await file.chmod(mode);
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    await dropStaged({ path, temporary });
    throw asPkiError(path, 'written', error);
  }
  return { path, temporary };
}

/** Removes what `stageFile` made; nothing there is fine. */
export async function dropStaged(staged: StagedFile): Promise<void> {
  await rm(staged.temporary, { force: true }).catch(() => undefined);
}

/** Renames the staged file over its target: readers see the old content or the new, never a part. */
export async function commitStaged(staged: StagedFile): Promise<void> {
  try {
    await rename(staged.temporary, staged.path);
  } catch (error) {
    await dropStaged(staged);
    throw asPkiError(staged.path, 'written', error);
  }
  await syncFolder(dirname(staged.path));
}

/** Makes or replaces one file: temporary file, flush, rename. */
export async function replaceFile(path: string, content: string, mode: number): Promise<void> {
  try {
    await place({ path, content, mode }, rename);
  } catch (error) {
    throw asPkiError(path, 'written', error);
  }
}

/**
 * Makes a file that must not be there yet, whole or not at all. Of several processes racing for one name exactly one
 * wins; the others get false and find the winner's content.
 */
export async function createFile(path: string, content: string, mode: number): Promise<boolean> {
  try {
    // A link never replaces its target, a rename would.
    await place({ path, content, mode }, link);
    return true;
  } catch (error) {
    if (reasonOf(error) === 'EEXIST') return false;
    throw asPkiError(path, 'made', error);
  }
}

interface Placement {
  readonly path: string;
  readonly content: string;
  readonly mode: number;
}

async function place(file: Placement, move: (from: string, to: string) => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const staged = await stageFile(file.path, file.content, file.mode);
    try {
      await move(staged.temporary, staged.path);
      return await syncFolder(dirname(file.path));
    } catch (error) {
      // ENOENT: another process that has just started swept the temporary file away.
      if (reasonOf(error) !== 'ENOENT' || attempt === MAX_ATTEMPTS) throw error;
    } finally {
      await dropStaged(staged);
    }
  }
}

/** Removes temporary files a crash left beside the named ones. Best effort: a folder we may only read is fine. */
export async function sweepLeftovers(dir: string, names: readonly string[]): Promise<void> {
  const leftover = /^\.(.+)\.[0-9a-f]{16}\.tmp$/;
  const entries = await readdir(dir).catch(() => []);
  const stale = entries.filter((entry) => names.includes(leftover.exec(entry)?.[1] ?? ''));
  await Promise.all(stale.map((entry) => rm(join(dir, entry), { force: true }).catch(() => undefined)));
}

function asPkiError(path: string, verb: string, error: unknown): PkiError {
  return error instanceof PkiError ? error : new PkiError(`${path}: cannot be ${verb} (${reasonOf(error)})`);
}

/** Flushes the names in a folder to disk, after a file in it was made, renamed or removed. Best effort. */
export async function syncFolder(dir: string): Promise<void> {
  // Some file systems cannot flush a folder; the file itself is on disk by then.
  const folder = await open(dir, 'r').catch(() => undefined);
  await folder?.sync().catch(() => undefined);
  await folder?.close();
}
