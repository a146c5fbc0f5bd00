import { readFileSync } from 'node:fs';

/** Names one process for good: a pid alone is given to others later, and every container has its own pid 1. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks between boot and the start of the process; null where /proc is missing. */
  readonly startTicks: number | null;
  /** Changes at every boot; null where /proc is missing. */
  readonly bootId: string | null;
}

/** The identity of this process. */
export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, startTicks: statOf(process.pid)?.startTicks ?? null, bootId: bootId() };
}

/** True while the very process `identity` was taken from runs; a zombie doesn't. */
export function isRunning(identity: ProcessIdentity): boolean {
  if (identity.bootId !== bootId()) return false;
  const stat = statOf(identity.pid);
  if (stat) return stat.startTicks === identity.startTicks && stat.state !== 'Z' && stat.state !== 'X';
  return answersSignals(identity.pid);
}

interface Stat {
  readonly state: string;
  readonly startTicks: number;
}

function statOf(pid: number): Stat | null {
  const text = readOrNull(`/proc/${pid}/stat`);
  if (text === null) return null;
  // The process name, in parentheses, may hold blanks and parentheses; `state` is the first field after it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] ?? '', startTicks: Number(fields[19]) };
}

const bootId = (): string | null => readOrNull('/proc/sys/kernel/random/boot_id')?.trim() ?? null;

function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

// Also decides where /proc hides the processes of other users.
function answersSignals(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
