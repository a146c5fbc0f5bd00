/** Certificates begin an hour early, so that a reader whose clock is a little behind takes them. */
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** The same date and time of day so many calendar years on (UTC); 29 February becomes 1 March where there is none. */
export function addYears(time: number, years: number): number {
  const date = new Date(time);
  return date.setUTCFullYear(date.getUTCFullYear() + years);
}
