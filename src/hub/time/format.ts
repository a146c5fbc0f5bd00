import { type Language, localeOf } from '../text/language.ts';

const UNITS: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

/** "5 minutes ago", "in 2 days", "now" (less than 10 s). */
export function relative(at: number, now: number, language: Language): string {
  const seconds = (at - now) / 1000;
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'long' });
  const unit = UNITS.find(([, size]) => Math.abs(seconds) >= size);
  if (unit) return format.format(Math.trunc(seconds / unit[1]), unit[0]);
  return Math.abs(seconds) < 10 ? format.format(0, 'second') : format.format(Math.trunc(seconds), 'second');
}

export interface Place {
  readonly language: Language;
  /** IANA name of the site's zone. */
  readonly timeZone: string | undefined;
}

/** Date and time to the second with the zone's name. */
export const exact = (at: number, { language, timeZone }: Place): string =>
  formatter(language, timeZone, {
    dateStyle: 'medium',
    timeStyle: 'long',
  }).format(at);

/** Hours and minutes. */
export const clock = (at: number, { language, timeZone }: Place): string =>
  formatter(language, timeZone, { hour: '2-digit', minute: '2-digit' }).format(at);

/** Day and time of day, for lists. */
export const short = (at: number, { language, timeZone }: Place): string =>
  formatter(language, timeZone, { dateStyle: 'short', timeStyle: 'short' }).format(at);

const formatters = new Map<string, Intl.DateTimeFormat>();

// Making one takes a thousand times as long as using it.
function formatter(language: Language, timeZone: string | undefined, options: Intl.DateTimeFormatOptions) {
  const key = `${language} ${timeZone} ${JSON.stringify(options)}`;
  const known = formatters.get(key);
  if (known) return known;
  const made = new Intl.DateTimeFormat(localeOf(language), { ...options, ...(timeZone && { timeZone }) });
  formatters.set(key, made);
  return made;
}
