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

/** The time zone this process runs in, as an IANA name; UTC where it has none (`TZ=:/etc/localtime`, a wrong `TZ`). */
export function ownTimeZone(): string {
  // Typed as always there, which it is not.
  const name: string | undefined = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return name !== undefined && isTimeZone(name) ? name : 'UTC';
}
