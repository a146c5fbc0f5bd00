import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config/options.ts';
import type { BackupsAnswer } from '../contract/system.ts';
import { formatInstant } from '../lib/instant.ts';
import { authorityId } from './backup-authority.ts';
import { reasonFor } from './backup-error.ts';
import { type NamedBackup, oldestFirst, parseBackupName } from './backup-names.ts';
import type { BackupSchedule } from './backup-schedule.ts';

/** Backups that are told of. */
const TOLD_MAX = 100;
const LOOK_MS = 5000;

type Found = Pick<BackupsAnswer, 'files' | 'problem'>;

export interface BackupListOptions {
  readonly config: Pick<Config, 'backup' | 'certsDir'>;
  readonly schedule: Pick<BackupSchedule, 'figures' | 'isRunning'>;
  /** Epoch ms. */
  readonly now: () => number;
  /** For tests: how long a look into the folder may take. */
  readonly lookMs?: number;
}

/** What people are told of the scheduled backups. Nothing of what is in them, and no passphrase. */
export class BackupList {
  readonly #options: BackupListOptions;
  #looking: Promise<Found> | null = null;

  constructor(options: BackupListOptions) {
    this.#options = options;
  }

  async tell(): Promise<BackupsAnswer> {
    const { config, schedule } = this.#options;
    const { dir, at, everyHours, keep, plain } = config.backup;
    const found = dir === null ? { files: [] } : await this.#look(dir);
    return {
      schedule: dir === null ? null : { folder: dir, at, everyHours, keep, encrypted: !plain },
      ...{ running: schedule.isRunning, last: lastOf(schedule.figures.last) },
      ...found,
    };
  }

  /** One look at a time, whoever asks: a network folder that does not answer holds one thread, not all of them. */
  async #look(dir: string): Promise<Found> {
    const { config, now, lookMs = LOOK_MS } = this.#options;
    this.#looking ??= filesIn(dir, config.certsDir, now())
      .catch((error: unknown) => ({ files: [], problem: `${dir} can't be read: ${reasonFor(error)}` }))
      .finally(() => {
        this.#looking = null;
      });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<Found>((resolve) => {
      const problem = `${dir} does not answer within ${lookMs / 1000} s`;
      timer = setTimeout(() => resolve({ files: [], problem }), lookMs);
    });
    return Promise.race([this.#looking, late]).finally(() => clearTimeout(timer));
  }
}

async function filesIn(dir: string, certsDir: string, now: number): Promise<Found> {
  const id = await authorityId(certsDir);
  const named = (await readdir(dir)).map(parseBackupName).filter((one) => one?.id === id);
  const own = named.filter((one) => one !== null);
  const files: BackupsAnswer['files'] = [];
  for (const one of oldestFirst(own, now).toReversed().slice(0, TOLD_MAX)) {
    const file = await shown(dir, one);
    if (file) files.push(file);
  }
  return { files };
}

/** Null for one that went meanwhile: the oldest go when a new one is whole. */
async function shown(dir: string, { name, at }: NamedBackup): Promise<BackupsAnswer['files'][number] | null> {
  const found = await stat(join(dir, name)).catch(() => null);
  return found && { name, bytes: found.size, at: formatInstant(at) };
}

function lastOf(record: BackupSchedule['figures']['last']): BackupsAnswer['last'] {
  if (!record) return null;
  const { at, bytes, error, file } = record;
  const outcome = error === null ? { bytes: Math.round(bytes) } : { error };
  return {
    ...{ at: formatInstant(Math.max(0, at)), ok: error === null },
    ...outcome,
    ...(file !== undefined && { file }),
  };
}
