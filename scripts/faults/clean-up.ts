import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';

/** Ends every process this one has started, takes away what is mounted below the folder, and removes it. */
export function cleanUp(folder: string): void {
  // A child may start another one before it is ended.
  for (let round = 0; round < 3; round++) for (const pid of descendants()) end(pid);
  for (const place of mountsBelow(folder)) execFileSync('umount', ['-l', place], { stdio: 'ignore' });
  // A killed process may write for a moment longer.
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
}

function descendants(): readonly number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), parentOf(Number(name))] as const);
  const below = (pid: number): readonly number[] =>
    parents.flatMap(([child, parent]) => (parent === pid ? [child, ...below(child)] : []));
  return below(process.pid);
}

function parentOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in brackets may hold blanks; fields are counted behind it.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return 0;
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

function mountsBelow(folder: string): readonly string[] {
  const places = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '');
  return places.filter((place) => place.startsWith(`${folder}/`)).reverse();
}
