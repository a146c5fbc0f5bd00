import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { canPin } from './child.ts';

const TICKS_PER_SECOND = 100;
const KB = 1024;

/** Where and with what the figures were made, one fact a line. */
export function machineFacts(): readonly string[] {
  const memory = `${(totalmem() / KB ** 3).toFixed(0)} GB`;
  const pinned = canPin
    ? 'what is measured has core 0 for itself, load and probes share core 1'
    : 'NOTHING IS PINNED (one core, or no taskset): load and target take time from each other, the ratios are rough';
  return [
    `${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${availableParallelism()} cores, ${memory}, Linux ${release()}`,
    `Node ${process.version}, aedes ${versionOf('aedes')}, lmdb ${versionOf('lmdb')}, ${mosquittoVersion() ?? 'no mosquitto'}`,
    pinned,
  ];
}

/** Programs waiting for a core, over the last minute: above the number of cores others disturb the figures. */
export function loadAverage(): string {
  return (loadavg()[0] ?? 0).toFixed(1);
}

function versionOf(name: string): string {
  // Read as a file: not every package lets its package.json be imported.
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? [];
  const file = folders.map((folder) => join(folder, name, 'package.json')).find((path) => existsSync(path));
  return file ? (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version : '?'; // every package has one
}

/** `mosquitto 2.0.11`; null when it is not installed. */
export function mosquittoVersion(): string | null {
  try {
    execFileSync(MOSQUITTO, ['-h'], { stdio: ['ignore', 'pipe', 'ignore'], timeout: 5000 });
    return null;
  } catch (error) {
    // It prints its help and ends with 3.
    const printed = (error as { stdout?: Buffer }).stdout?.toString() ?? '';
    return /^mosquitto version (\S+)/.exec(printed)?.[1]?.replace(/^/, 'mosquitto ') ?? null;
  }
}

/** Where Debian puts it; not on everybody's path. */
export const MOSQUITTO = '/usr/sbin/mosquitto';

/** Seconds of processor time a process has taken, all its threads. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in brackets may hold blanks; fields are counted behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Memory of a process in MB: all that is resident less mapped files. */
export function anonymousMegabytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const found = /^RssAnon:\s+(\d+) kB/m.exec(status);
  if (!found) throw new Error(`/proc/${pid}/status has no RssAnon`);
  return Number(found[1]) / KB;
}
