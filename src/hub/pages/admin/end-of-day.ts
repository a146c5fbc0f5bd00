import { atWall } from '../../time/wall-clock.ts';

/** The last second of a day (`2026-03-01`) in a zone, as ISO 8601; null when it is no day. Clock changes are kept to. */
export function endOfDay(day: string, timeZone: string | undefined): string | null {
  const wall = Date.parse(`${day}T23:59:59Z`);
  return Number.isNaN(wall) ? null : new Date(atWall(wall, timeZone)).toISOString();
}
