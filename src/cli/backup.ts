import { statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { makeBackup } from '../app/backup.ts';
import { type CheckedBackup, verifyBackup } from '../app/backup-check.ts';
import { needsPassphrase } from '../app/backup-unpack.ts';
import { restoreBackup } from '../app/restore.ts';
import { oneLine } from '../lib/one-line.ts';
import { type PassphraseOptions, readBackupPassphrase } from './backup-passphrase.ts';
import { CliError, CliUsageError, type CommonOptions, configOf, pathOfConfig } from './context.ts';
import { print } from './output.ts';

export interface BackupCliOptions extends CommonOptions, PassphraseOptions {
  readonly plain?: boolean;
  readonly keep?: string;
  readonly workDir?: string;
}

export interface RestoreCliOptions extends CommonOptions, PassphraseOptions {}

export interface VerifyCliOptions extends RestoreCliOptions {
  readonly workDir?: string;
}

const MAX_KEEP = 10_000;
const HOST_MAX = 100;

/** `tagkeep backup FILE|DIR`: one file of the whole appliance, encrypted unless `--plain` is said; also while it runs. */
export async function backup(target: string, options: BackupCliOptions): Promise<void> {
  const config = configOf(options);
  const keep = keepOf(options.keep, target);
  if (options.plain && (options.passphraseFile !== undefined || options.passphraseStdin))
    throw new CliUsageError('--plain takes no passphrase');
  const passphrase = options.plain ? null : await readBackupPassphrase(options, true);
  const done = await interruptible((signal) =>
    makeBackup({
      ...{ config, configFile: pathOfConfig(options), target: resolve(target), passphrase, signal },
      now: Date.now(),
      ...(keep === undefined ? {} : { keep }),
      ...(options.workDir === undefined ? {} : { workDir: resolve(options.workDir) }),
    }),
  );
  const { manifest, ...rest } = done;
  warn(done.warnings);
  if (options.plain)
    warn(['the backup is not encrypted: whoever has it has the CA key and every password hash']);
  print({ ...rest, ...manifest }, options, [
    `wrote ${done.file} (${megabytes(done.bytes)}, ${manifest.tables.tags ?? 0} tags, ${manifest.tables.readers ?? 0} readers)`,
    ...done.removed.map((name) => `removed ${name}`),
  ]);
}

/** `tagkeep restore FILE`: into the empty data and certificates folders of the configuration. */
export async function restore(file: string, options: RestoreCliOptions): Promise<void> {
  const config = configOf(options);
  const passphrase = await passphraseFor(file, options);
  const done = await interruptible((signal) =>
    restoreBackup({ config, file: resolve(file), passphrase, signal }),
  );
  warn(done.warnings);
  const { dataDir, certsDir } = config;
  print({ ...recordOf(done), dataDir, certsDir, configDir: done.configDir }, options, [
    ...linesOf('restored', file, done),
    `data in ${dataDir}, certificates in ${certsDir}`,
    `the configuration it had is in ${done.configDir}; what you need of it goes into appliance.config.json`,
  ]);
}

/** `tagkeep verify FILE`: whether the backup could be restored, without doing it. */
export async function verify(file: string, options: VerifyCliOptions): Promise<void> {
  const { passphraseFile } = configOf(options).pki;
  const passphrase = await passphraseFor(file, options);
  const workDir = resolve(options.workDir ?? tmpdir());
  const done = await interruptible((signal) =>
    verifyBackup({ file: resolve(file), passphrase, passphraseFile, workDir, signal }),
  );
  warn(done.warnings);
  const counts = Object.entries(done.manifest.tables).filter(([, count]) => count > 0);
  print(recordOf(done), options, [
    ...linesOf('can be restored:', file, done),
    `${done.records} records read: ${counts.map(([name, count]) => `${count} ${name}`).join(', ')}`,
  ]);
}

function recordOf({ manifest, records, warnings }: CheckedBackup): object {
  const { parts: _, ...about } = manifest;
  return { ...about, records, warnings };
}

function linesOf(what: string, file: string, { manifest }: CheckedBackup): readonly string[] {
  const { createdAt, host, version } = manifest;
  const shownHost = JSON.stringify(oneLine(host, HOST_MAX));
  return [`${what} ${file}, made ${createdAt} on ${shownHost} by version ${version}`];
}

async function passphraseFor(file: string, options: PassphraseOptions): Promise<Buffer | null> {
  const isGiven = options.passphraseFile !== undefined || options.passphraseStdin === true;
  const isNeeded = await needsPassphrase(resolve(file));
  return isGiven || isNeeded ? readBackupPassphrase(options, false) : null;
}

function keepOf(text: string | undefined, target: string): number | undefined {
  if (text === undefined) return undefined;
  const keep = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (keep < 1 || keep > MAX_KEEP)
    throw new CliUsageError(`--keep is "${text}"; must be a number from 1 to ${MAX_KEEP}`);
  if (!isFolder(target)) throw new CliUsageError(`--keep needs a folder; ${target} is none`);
  return keep;
}

const stops = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Ctrl-C, SIGTERM and a terminal that goes away end the work and leave nothing behind. A second one ends the process; what
 * that leaves is removed by the next backup.
 */
async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const onSignal = (): void => stop.abort(new CliError('stopped; nothing was left behind'));
  for (const name of stops) process.once(name, onSignal);
  try {
    return await work(stop.signal);
  } finally {
    for (const name of stops) process.off(name, onSignal);
  }
}

function warn(lines: readonly string[]): void {
  for (const line of lines) process.stderr.write(`warning: ${line}\n`);
}

const megabytes = (bytes: number): string => `${(Math.ceil((bytes / 1024 / 1024) * 10) / 10).toFixed(1)} MB`;
const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
