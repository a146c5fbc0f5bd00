const formats = new Map<string | undefined, Intl.DateTimeFormat>();

// Making one takes a thousand times as long as using it.
function formatOf(timeZone: string | undefined): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-GB', {
    ...{ year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric', hourCycle: 'h23' },
    ...(timeZone && { timeZone }),
  });
  formats.set(timeZone, made);
  return made;
}

/** What the clocks of a zone show at a time (epoch ms), as ms that would be so in UTC; to the second. Without a zone: the browser's. */
export function wallMs(at: number, timeZone: string | undefined): number {
  const parts = new Map(
    formatOf(timeZone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const of = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
  const wall = new Date(0);
  // Not by `Date.UTC`, which takes the year 26 for 1926.
  wall.setUTCFullYear(of('year'), of('month') - 1, of('day'));
  return wall.setUTCHours(of('hour'), of('minute'), of('second'));
}

/**
 * The time (epoch ms) at which the clocks of a zone show `wall`, whole seconds. One that is skipped in spring is taken as the
 * hour after it, one that comes twice in autumn as one of the two.
 */
export function atWall(wall: number, timeZone: string | undefined): number {
  const offsetAt = (at: number) => wallMs(at, timeZone) - at;
  // The offset there may be another than the one here.
  return wall - offsetAt(wall - offsetAt(wall));
}

/** The date (YYYY-MM-DD) of a time (epoch ms) in a zone. */
export const dateIn = (at: number, timeZone: string | undefined): string =>
  new Date(wallMs(at, timeZone)).toISOString().slice(0, 10);
