const DAY_MS = 86_400_000;
const LATEST_MS = 253_402_300_799_999; // 9999-12-31T23:59:59.999Z
const DASH = 45;
const DOT = 46;
const COLON = 58;
const PLUS = 43;
const LETTER_T = 84;
const LETTER_Z = 90;
const MONTH_DAYS = [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Epoch milliseconds of an ISO 8601 date and time, its microseconds as the fraction (further digits are cut off), or
 * null. Takes `YYYY-MM-DDTHH:MM:SS`, 0 to 9 fraction digits and `Z`, `+00:00` or `+0000`; dates and times that do not
 * exist, a missing offset and years outside 1970 to 9999 are refused. Digits are read by hand: this runs for every read.
 */
export function parseInstant(text: string): number | null {
  const day = dayMs(text);
  const time = timeMs(text);
  if (day < 0 || time < 0) return null;
  const end = fractionEnd(text);
  const offset = end < 0 ? Number.NaN : offsetMs(text, end);
  if (Number.isNaN(offset)) return null;
  const ms = day + time + fractionMs(text, end) - offset;
  return ms >= 0 && ms < LATEST_MS + 1 ? ms : null;
}

/** ISO 8601 UTC with milliseconds, as every timestamp of the interface: `2026-03-02T09:15:37.412Z`. A fraction is cut off. */
export function formatInstant(ms: number): string {
  const whole = Math.floor(ms);
  const second = Math.floor(whole / 1000);
  if (second !== lastSecond) {
    // Reads of one second follow one another; making the long part once a second is a tenth of the work.
    lastPrefix = new Date(second * 1000).toISOString().slice(0, -4);
    lastSecond = second;
  }
  return lastPrefix + (milliseconds[whole - second * 1000] ?? '');
}

let lastSecond = Number.NaN;
let lastPrefix = '';
const milliseconds = Array.from({ length: 1000 }, (_, n) => `${String(n).padStart(3, '0')}Z`);

function dayMs(text: string): number {
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  const separated = text.charCodeAt(4) === DASH && text.charCodeAt(7) === DASH;
  if (!separated || !(year >= 1970) || !(month >= 1 && month <= 12)) return -1;
  if (!(day >= 1 && day <= daysIn(year, month))) return -1;
  return daysSinceEpoch(year, month, day) * DAY_MS;
}

function timeMs(text: string): number {
  const hour = twoDigits(text, 11);
  const minute = twoDigits(text, 14);
  const second = twoDigits(text, 17);
  if (text.charCodeAt(10) !== LETTER_T) return -1;
  if (text.charCodeAt(13) !== COLON || text.charCodeAt(16) !== COLON) return -1;
  if (!(hour <= 23 && minute <= 59 && second <= 59)) return -1;
  return (hour * 3600 + minute * 60 + second) * 1000;
}

/** Where the offset begins, or -1 when there is a point without digits or with more than nine. */
function fractionEnd(text: string): number {
  if (text.charCodeAt(19) !== DOT) return 19;
  let end = 20;
  while (end < 30 && digit(text, end) >= 0) end++;
  return end > 20 && end < 30 ? end : -1;
}

function fractionMs(text: string, end: number): number {
  let micros = 0;
  for (let at = 20; at < 26; at++) micros = micros * 10 + (at < end ? digit(text, at) : 0);
  return micros / 1000;
}

/** What the offset at `at` adds to UTC; NaN when it is not the rest of the text or does not exist. */
function offsetMs(text: string, at: number): number {
  const sign = text.charCodeAt(at);
  if (sign === LETTER_Z) return text.length === at + 1 ? 0 : Number.NaN;
  if (sign !== PLUS && sign !== DASH) return Number.NaN;
  const minuteAt = text.charCodeAt(at + 3) === COLON ? at + 4 : at + 3;
  const hours = twoDigits(text, at + 1);
  const minutes = twoDigits(text, minuteAt);
  if (text.length !== minuteAt + 2 || !(hours <= 23 && minutes <= 59)) return Number.NaN;
  return (hours * 60 + minutes) * (sign === DASH ? -60_000 : 60_000);
}

/** 0 to 99, or NaN: every comparison with NaN is false, so the range checks above refuse it. */
function twoDigits(text: string, at: number): number {
  const tens = digit(text, at);
  const units = digit(text, at + 1);
  return tens < 0 || units < 0 ? Number.NaN : tens * 10 + units;
}

function digit(text: string, at: number): number {
  const value = text.charCodeAt(at) - 48;
  return value >= 0 && value <= 9 ? value : -1;
}

function daysIn(year: number, month: number): number {
  const leap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return leap ? 29 : (MONTH_DAYS[month] ?? 0);
}

/** Days from 1970-01-01, counting years from March so that the leap day comes last. */
function daysSinceEpoch(year: number, month: number, day: number): number {
  const marchYear = month > 2 ? year : year - 1;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const leapDays = Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400);
  return marchYear * 365 + leapDays + dayOfYear - 719_468;
}
