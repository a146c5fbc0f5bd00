import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isRunning, ownIdentity } from './process-identity.ts';

/**
 * Makes a folder of this process alone (mode 0700) in `parent`, `tagkeep-<purpose>-<pid>-<its start>-<random>`, after
 * removing those of the same purpose whose process was killed: what lies in them is not encrypted. `purpose` is letters,
 * digits and dashes, and tells whose they are where several machines share `parent`: pids mean nothing to each other.
 */
export async function makeWorkFolder(parent: string, purpose: string): Promise<string> {
  await removeDead(parent, purpose);
  const { pid, startTicks } = ownIdentity();
  return mkdtemp(join(parent, `tagkeep-${purpose}-${pid}-${startTicks ?? 0}-`));
}

async function removeDead(parent: string, purpose: string): Promise<void> {
  const own = new RegExp(`^tagkeep-${purpose}-(\\d+)-(\\d+)-[A-Za-z0-9]{6}$`);
  for (const name of await readdir(parent).catch(() => [])) {
    const [found, pid, ticks] = own.exec(name) ?? [];
    if (found === undefined || isAlive(Number(pid), Number(ticks))) continue;
    const path = join(parent, name);
    if (await isOurs(path)) await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}

function isAlive(pid: number, ticks: number): boolean {
  return isRunning({ ...ownIdentity(), pid, startTicks: ticks === 0 ? null : ticks });
}

/** In a folder for everybody, as /tmp is, a name proves nothing. */
async function isOurs(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => null);
  if (!found?.isDirectory() || (found.mode & 0o777) !== 0o700) return false;
  return found.uid === process.getuid?.();
}
