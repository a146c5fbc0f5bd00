const DAY_MS = 86_400_000;

// Without a zone: that of the browser.
function wallMs(at: number, timeZone: string | undefined): number {
  const format = new Intl.DateTimeFormat('en-GB', {
    ...{
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    },
    ...(timeZone && { timeZone }),
    hourCycle: 'h23',
  });
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const of = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
  return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
}

/** A time as a field of type `datetime-local` has it, on the clocks of a zone: `2026-03-02T17:00`. */
export const toField = (at: number, timeZone: string | undefined): string =>
  new Date(wallMs(at, timeZone)).toISOString().slice(0, 16);

/**
 * The time that the clocks of a zone show so, epoch ms; null when the text is no such time. An hour that is skipped in spring
 * is taken as the hour after it, one that comes twice in autumn as one of the two.
 */
export function fromField(text: string, timeZone: string | undefined): number | null {
  const wall = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?$/.test(text) ? Date.parse(`${text}Z`) : Number.NaN;
  if (Number.isNaN(wall)) return null;
  const offsetAt = (at: number) => wallMs(at, timeZone) - at;
  // The offset there may be another than the one here.
  return wall - offsetAt(wall - offsetAt(wall));
}

/** The end of the day, in a field, `days` after today. */
export function endOfDay(now: number, timeZone: string | undefined, days: number): string {
  const today = Math.floor(wallMs(now, timeZone) / DAY_MS) * DAY_MS;
  return `${new Date(today + days * DAY_MS).toISOString().slice(0, 10)}T23:59`;
}
