import { rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Config } from '../config/options.ts';
import type { Log } from '../log/log.ts';
import { authorityId } from './backup-authority.ts';
import { type ChildDone, runBackupChild } from './backup-child.ts';
import { BackupError, naming, reasonFor } from './backup-error.ts';
import { newestBackup, removeLeftovers } from './backup-file.ts';
import { type BackupRecord, readBackupRecord, writeBackupRecord } from './backup-record.ts';
import { newestSlot } from './backup-slots.ts';
import { environmentOf } from './own-child.ts';
import { lockHolder, takeLock } from './serve-lock.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const LOOK_MS = 10_000;
const RETRY_MS = 15 * MINUTE;
const LIMIT_MS = 2 * HOUR;

export interface BackupScheduleOptions {
  readonly config: Config;
  /** As `serve` was told; absent: found as every command finds it. */
  readonly configFile?: string;
  /** Starts this program: the command without its arguments. */
  readonly program: readonly string[];
  readonly log: Log;
  /** Epoch ms. */
  readonly now: () => number;
  /** For tests: how often it looks whether one is due, how long it rests after a failure, how long one may take. */
  readonly lookMs?: number;
  readonly retryMs?: number;
  readonly limitMs?: number;
}

/** How the scheduled backups fare. */
export interface BackupFigures {
  /** 0: none are scheduled. */
  readonly intervalSeconds: number;
  /** Epoch ms of the newest backup in the folder; null: none known. */
  readonly lastSuccessAt: number | null;
  /** Since the start. */
  readonly failures: number;
  /** Of the last attempt, by this process or one before. */
  readonly last: BackupRecord | null;
}

/**
 * Makes a backup by schedule, in a process of its own. When one is due is decided from the names in the folder: a backup
 * made by hand counts, a restart forgets nothing, and one that was missed is made soon. Never two at once. A failure is
 * logged with its reason and tried again in a quarter of an hour; the older backups stay until a new one is whole.
 */
export class BackupSchedule {
  readonly #options: BackupScheduleOptions;
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;
  #isMaking = false;
  /** Somebody asked for one that has not been begun. */
  #isWanted = false;
  #child: Promise<unknown> = Promise.resolve();
  #failures = 0;
  #lastSuccessAt: number | null = null;
  #last: BackupRecord | null;
  /** Of `performance.now()`, which no clock change moves. */
  #restUntil = Number.NEGATIVE_INFINITY;

  constructor(options: BackupScheduleOptions) {
    this.#options = options;
    this.#last = readBackupRecord(options.config.dataDir);
  }

  get figures(): BackupFigures {
    const { dir, everyHours } = this.#options.config.backup;
    const intervalSeconds = dir === null ? 0 : (everyHours * HOUR) / 1000;
    return {
      ...{ intervalSeconds, failures: this.#failures, last: this.#last },
      lastSuccessAt: this.#lastSuccessAt,
    };
  }

  /** Whether one is being made, by the schedule or by a command, or is about to be because somebody asked for it. */
  get isRunning(): boolean {
    return this.#isMaking || this.#isWanted || this.#isOther();
  }

  /** Begins one although none is due; without `backup.dir`, or while one runs, nothing happens. */
  begin(): void {
    const { dir } = this.#options.config.backup;
    if (dir === null || this.isRunning) return;
    this.#isWanted = true;
    // When it is looking just now, the next look begins it.
    void this.#look(dir);
  }

  /** Begins to look at once, and then every ten seconds; without `backup.dir` never. */
  start(): void {
    const { dir } = this.#options.config.backup;
    if (dir === null) return;
    const look = (): void => void this.#look(dir);
    this.#timer = setInterval(look, this.#options.lookMs ?? LOOK_MS);
    look();
  }

  /** Ends a running backup, with nothing left behind. A folder that does not answer is not waited for. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopping.abort();
    await this.#child;
  }

  async #look(dir: string): Promise<void> {
    if (this.#isLooking || !(this.#isWanted || (performance.now() >= this.#restUntil && this.#isDue())))
      return;
    this.#isLooking = true;
    const { now, config } = this.#options;
    const at = now();
    try {
      await requireFolder(dir);
      const id = await authorityId(config.certsDir);
      // The clock may have been set back a little since the newest one.
      this.#lastSuccessAt = await newestBackup(dir, { id, until: at + HOUR });
      const isUseless = !this.#isWanted && !this.#isDue();
      if (isUseless || this.#isOther() || this.#stopping.signal.aborted) return;
      this.#isMaking = true;
      this.#isWanted = false;
      this.#child = this.#run(dir, at);
      await this.#child;
    } catch (error) {
      await this.#failed(at, error);
    } finally {
      this.#isLooking = false;
      this.#isMaking = false;
    }
  }

  #isOther(): boolean {
    return lockHolder(join(this.#options.config.dataDir, 'run', 'backup.pid')) !== null;
  }

  #isDue(): boolean {
    const now = this.#options.now();
    const last = this.#lastSuccessAt;
    return last === null || last < newestSlot(this.#options.config.backup, now) || last > now + HOUR;
  }

  /** Never rejects: a stop waits for it. */
  async #run(dir: string, at: number): Promise<void> {
    const { config, log } = this.#options;
    const started = performance.now();
    try {
      const { file, bytes, removed, warnings } = await this.#runChild(dir);
      const seconds = (performance.now() - started) / 1000;
      this.#lastSuccessAt = at;
      this.#last = { at, seconds, bytes, error: null, file: basename(file) };
      log.info({ file, bytes, seconds, removed, warnings }, 'a scheduled backup was made');
      await writeBackupRecord(config.dataDir, this.#last);
    } catch (error) {
      // Its own trouble must not hide why the backup failed; the next backup tidies up as well.
      await this.#tidy(dir).catch(() => undefined);
      if (!this.#stopping.signal.aborted) await this.#failed(at, error, performance.now() - started);
    }
  }

  #runChild(dir: string): Promise<ChildDone> {
    const { config, configFile, program, limitMs = LIMIT_MS } = this.#options;
    const { keep, passphraseFile } = config.backup;
    const how = passphraseFile === null ? ['--plain'] : ['--passphrase-file', passphraseFile];
    const from = configFile === undefined ? [] : ['--config', configFile];
    const command = [...program, 'backup', dir, '--keep', String(keep), '--json', ...how, ...from];
    return runBackupChild({ command, env: environmentOf(config), limitMs, signal: this.#stopping.signal });
  }

  /** One that was killed has not tidied up itself; the next one would, but that may be a day away. */
  async #tidy(dir: string): Promise<void> {
    const { dataDir, certsDir } = this.#options.config;
    const run = join(dataDir, 'run');
    const lock = takeLock(join(run, 'backup.pid'));
    if (lock.kind === 'held') return;
    try {
      // Not at once: a big file takes its time, and this process serves.
      await rm(join(run, 'backup'), { recursive: true, force: true });
      await removeLeftovers(dir, await authorityId(certsDir));
    } finally {
      lock.release();
    }
  }

  async #failed(at: number, error: unknown, ms = 0): Promise<void> {
    const { config, log, retryMs = RETRY_MS } = this.#options;
    this.#failures++;
    this.#isWanted = false;
    this.#restUntil = performance.now() + retryMs;
    const reason = reasonFor(error);
    this.#last = { at, seconds: ms / 1000, bytes: 0, error: reason };
    log.error(
      { reason, failures: this.#failures },
      'a scheduled backup failed; it is tried again in a while',
    );
    await writeBackupRecord(config.dataDir, this.#last);
  }
}

/** Made here it would be one on the wrong disk: the volume it belongs to may not be mounted. */
async function requireFolder(dir: string): Promise<void> {
  const found = await naming(`backup.dir ${dir} can't be used`, () => stat(dir));
  if (!found.isDirectory()) throw new BackupError(`backup.dir ${dir} can't be used: it is not a folder`);
}
