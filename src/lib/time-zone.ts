// Newer engines take offsets such as +02:00 too, which know no summer time; no name is nearly as long.
const NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;

/** Whether a text names an IANA time zone this program knows: `Europe/Berlin`, `UTC`. Case does not matter. */
export function isTimeZone(text: string): boolean {
  if (!NAME.test(text)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: text });
    return true;
  } catch {
    return false;
  }
}

/** The time zone this process runs in, as an IANA name. */
export function ownTimeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}
