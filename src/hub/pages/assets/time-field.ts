import { atWall, dateIn, wallMs } from '../../time/wall-clock.ts';

const DAY_MS = 86_400_000;

/** A time as a field of type `datetime-local` has it, on the clocks of a zone: `2026-03-02T17:00`. */
export const toField = (at: number, timeZone: string | undefined): string =>
  new Date(wallMs(at, timeZone)).toISOString().slice(0, 16);

/** The time that the clocks of a zone show so, epoch ms; null when the text is no such time. */
export function fromField(text: string, timeZone: string | undefined): number | null {
  const wall = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?$/.test(text) ? Date.parse(`${text}Z`) : Number.NaN;
  return Number.isNaN(wall) ? null : atWall(wall, timeZone);
}

/** The end of the day, in a field, `days` after today. */
export function endOfDay(now: number, timeZone: string | undefined, days: number): string {
  const today = Date.parse(dateIn(now, timeZone));
  return `${new Date(today + days * DAY_MS).toISOString().slice(0, 10)}T23:59`;
}
