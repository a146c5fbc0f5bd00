import type { Span } from './track.ts';

const MINUTE = 60_000;

/** The date (YYYY-MM-DD) of a time in a zone; the browser's when none is known. */
export function dateIn(at: number, timeZone: string | undefined): string {
  const parts = partsIn(at, timeZone);
  return `${parts.year}-${parts.month}-${parts.day}`;
}

/** The day from midnight to midnight in a zone: 23 or 25 hours when clocks change. Null for what is no date. */
export function dayIn(date: string, timeZone: string | undefined): Span | null {
  const guess = /^\d{4}-\d{2}-\d{2}$/.test(date) ? Date.parse(`${date}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(guess)) return null;
  const next = new Date(guess + 24 * 60 * MINUTE).toISOString().slice(0, 10);
  return { from: midnight(date, timeZone), to: midnight(next, timeZone) };
}

// The zone's distance from UTC is that of the time looked for, which is only known when it is found: twice is enough.
function midnight(date: string, timeZone: string | undefined): number {
  const wanted = Date.parse(`${date}T00:00:00Z`);
  const first = wanted - offsetAt(wanted, timeZone);
  return wanted - offsetAt(first, timeZone);
}

function offsetAt(at: number, timeZone: string | undefined): number {
  const { year, month, day, hour, minute } = partsIn(at, timeZone);
  const asUtc = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:00Z`);
  return asUtc - Math.floor(at / MINUTE) * MINUTE;
}

function partsIn(at: number, timeZone: string | undefined) {
  const format = new Intl.DateTimeFormat('en-GB', {
    ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' },
    hourCycle: 'h23',
    ...(timeZone && { timeZone }),
  });
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const { year = '', month = '', day = '', hour = '', minute = '' } = parts;
  return { year: year.padStart(4, '0'), month, day, hour, minute };
}
