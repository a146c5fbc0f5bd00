import { createHash, randomBytes } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { isRunning, ownIdentity, type ProcessIdentity } from './process-identity.ts';

/** `taken`: this process holds the lock until `release()`. `held`: the process `pid` holds it. */
export type LockResult =
  | { readonly kind: 'taken'; readonly release: () => void }
  | { readonly kind: 'held'; readonly pid: number };

/**
 * Takes the lock file, which names its holder. A file whose holder no longer runs, or that can't be read (written
 * while the power went), is taken over; of several processes that try, exactly one gets it, wherever any of them is
 * killed. Works among processes of one machine that see each other's pids. Throws the file system's own error.
 */
export function takeLock(file: string): LockResult {
  const record = JSON.stringify({ ...ownIdentity(), nonce: randomBytes(8).toString('hex') });
  for (;;) {
    if (create(file, record)) return { kind: 'taken', release: () => removeOwn(file, record) };
    const found = readRecord(file);
    if (found === null) continue;
    const pid = runningPid(found);
    if (pid !== null) return { kind: 'held', pid };
    const guard = takeOver(file, { stale: found, record });
    if (guard) return guard;
  }
}

/** The pid of the running process that holds the lock file, or null. */
export function lockHolder(file: string): number | null {
  const found = readRecord(file);
  return found === null ? null : runningPid(found);
}

interface Takeover {
  readonly stale: string;
  readonly record: string;
}

/**
 * Replaces a stale record. Two processes may have read the same one, so a second lock, named after that record,
 * decides who replaces it; under it the record is read again. Null: try once more from the start.
 */
function takeOver(file: string, { stale, record }: Takeover): LockResult | null {
  const guard = takeLock(`${file}.${createHash('sha256').update(stale).digest('hex').slice(0, 16)}`);
  if (guard.kind === 'held') return guard;
  try {
    if (readRecord(file) !== stale) return null;
    const temporary = writeTemporary(file, record);
    renameSync(temporary, file);
    return { kind: 'taken', release: () => removeOwn(file, record) };
  } finally {
    guard.release();
  }
}

/** False when the file exists. The name appears together with its whole content, never empty. */
function create(file: string, record: string): boolean {
  const temporary = writeTemporary(file, record);
  try {
    linkSync(temporary, file);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}

function writeTemporary(file: string, record: string): string {
  const temporary = `${file}.${process.pid}-${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(temporary, record, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    // On a full disk the name is there without its content.
    rmSync(temporary, { force: true });
    throw error;
  }
  return temporary;
}

// Someone may have removed the file by hand and started another one: theirs stays.
function removeOwn(file: string, record: string): void {
  if (readRecord(file) === record) rmSync(file, { force: true });
}

function readRecord(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

function runningPid(record: string): number | null {
  const holder = parseIdentity(record);
  return holder && isRunning(holder) ? holder.pid : null;
}

function parseIdentity(record: string): ProcessIdentity | null {
  try {
    const { pid, startTicks, bootId }: Partial<ProcessIdentity> = JSON.parse(record) ?? {};
    if (!Number.isInteger(pid) || pid === undefined || pid <= 0) return null;
    return { pid, startTicks: startTicks ?? null, bootId: bootId ?? null };
  } catch {
    return null;
  }
}
