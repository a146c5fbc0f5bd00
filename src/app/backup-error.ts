/** A backup that can't be made, read or restored. The message is one line: what, why, and what to do. */
export class BackupError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BackupError';
  }
}

/** What is wrong with the file of a backup, without its name: whoever knows the name puts it in front (`naming`). */
export class Unreadable extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Unreadable';
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file system takes no file of that size',
  ENOENT: 'there is no such file or folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  EISDIR: 'it is a folder',
  ENOTDIR: 'it is not a folder',
  EIO: 'the disk reports an error',
};

/** Why something went wrong, for people: the common ones of the file system in words, others as they say it. */
export function reasonFor(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? reasons[String(error.code)] : undefined;
  // LMDB reports what the system said, without its code.
  if (/no space left/i.test(error.message)) return 'the disk is full';
  return code ?? error.message.replace(/\s*\n\s*/g, ' ');
}

/**
 * Runs `work`; what the system refuses becomes a `BackupError` that begins with `what`. Once the signal is aborted it is the
 * signal's reason that comes out: nothing was refused then.
 */
export async function naming<T>(what: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  try {
    return await work();
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof BackupError) throw error;
    throw new BackupError(`${what}: ${reasonFor(error)}`);
  }
}
