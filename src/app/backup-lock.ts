import { join } from 'node:path';
import type { Config } from '../config/options.ts';
import { BackupError, naming } from './backup-error.ts';
import { isFull } from './disk-room.ts';
import { lockHolder, takeLock } from './serve-lock.ts';

interface Places {
  readonly config: Pick<Config, 'dataDir'>;
  readonly workDir?: string;
  /** Of the appliance, `authorityId`. */
  readonly id: string;
}

/**
 * Makes sure that of one appliance only one backup is made at a time, and answers what gives the next one free. The lock is
 * in the data folder; when that is full to the last byte it is in `workDir`, so that data can still be brought out. Throws
 * `BackupError`.
 */
export async function lockBackups({ config, workDir, id }: Places): Promise<() => void> {
  const file = join(config.dataDir, 'run', 'backup.pid');
  const take = (): ReturnType<typeof takeLock> => {
    try {
      return takeLock(file);
    } catch (error) {
      const pid = lockHolder(file);
      if (pid !== null) return { kind: 'held', pid };
      if (workDir === undefined || !isFull(error)) throw error;
      return takeLock(join(workDir, `tagkeep-backup-${id}.pid`));
    }
  };
  const lock = await naming(`the backup of ${config.dataDir} can't be begun`, async () => take());
  if (lock.kind === 'taken') return lock.release;
  throw new BackupError(`another backup of ${config.dataDir} (pid ${lock.pid}) is running`);
}
