const MINUTE = 60_000;

/** A point in time (epoch ms) as the clock on the wall of the appliance has it: `2026-03-02 10:15:37 (UTC+1)`. */
export function localTime(at: number): string {
  const minutes = -new Date(at).getTimezoneOffset();
  const wall = new Date(at + minutes * MINUTE).toISOString();
  return `${wall.slice(0, 10)} ${wall.slice(11, 19)} (${zoneName(minutes)})`;
}

function zoneName(minutes: number): string {
  if (minutes === 0) return 'UTC';
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `UTC${minutes < 0 ? '-' : '+'}${hours}${rest === 0 ? '' : `:${String(rest).padStart(2, '0')}`}`;
}

const INSTANT = /\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z\b/g;

/** A text with every time in UTC in it made a local one. */
export function withLocalTimes(text: string): string {
  return text.replace(INSTANT, (found) => {
    const at = Date.parse(found);
    return Number.isNaN(at) ? found : localTime(at);
  });
}
