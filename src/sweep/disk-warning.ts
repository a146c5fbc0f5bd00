import type { DiskGuard } from '../store/disk-guard.ts';

/** A warning is repeated after this time as long as space stays low, ms. */
const REPEAT_MS = 3_600_000;

export interface DiskWarningOptions {
  readonly disk: Pick<DiskGuard, 'low'>;
  readonly log: { warn(fields: object, message: string): void };
  /** A clock that only runs forward, ms. */
  readonly elapsed?: () => number;
}

/**
 * Says in the log, before anything is refused, that the disk is filling up: at once, then every hour while it stays so.
 * `run` is for every few seconds.
 */
export function createDiskWarning(options: DiskWarningOptions): { readonly run: () => void } {
  const { disk, log, elapsed = () => performance.now() } = options;
  let lastAt: number | null = null;
  return {
    run: () => {
      const { low } = disk;
      const at = elapsed();
      if (low === null) return;
      // Also when space comes and goes around the mark.
      if (lastAt !== null && at - lastAt < REPEAT_MS) return;
      lastAt = at;
      log.warn({}, low);
    },
  };
}
