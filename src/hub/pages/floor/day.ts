import { atWall } from '../../time/wall-clock.ts';
import type { Span } from './track.ts';

const DAY_MS = 86_400_000;

/** The day from midnight to midnight in a zone: 23 or 25 hours when clocks change. Null for what is no date. */
export function dayIn(date: string, timeZone: string | undefined): Span | null {
  const midnight = /^\d{4}-\d{2}-\d{2}$/.test(date) ? Date.parse(`${date}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(midnight)) return null;
  return { from: atWall(midnight, timeZone), to: atWall(midnight + DAY_MS, timeZone) };
}
