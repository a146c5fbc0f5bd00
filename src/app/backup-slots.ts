const HOURS_OF_DAY = 24;

export interface BackupSlots {
  /** `HH:MM` in this machine's time zone. */
  readonly at: string;
  /** Divides 24. */
  readonly everyHours: number;
}

/**
 * The newest time, epoch ms, at or before `now` when a backup was due: `at` of a day, and every so many hours after it. In the
 * time of this machine's zone, so that a daily backup stays in the night when summer time begins.
 */
export function newestSlot({ at, everyHours }: BackupSlots, now: number): number {
  const today = new Date(now);
  const [hour = 0, minute = 0] = at.split(':').map(Number);
  let newest = Number.NEGATIVE_INFINITY;
  for (const day of [-1, 0])
    for (let hours = 0; hours < HOURS_OF_DAY; hours += everyHours) {
      const date = today.getDate() + day;
      const slot = new Date(today.getFullYear(), today.getMonth(), date, hour + hours, minute).getTime();
      if (slot <= now) newest = Math.max(newest, slot);
    }
  return newest;
}
