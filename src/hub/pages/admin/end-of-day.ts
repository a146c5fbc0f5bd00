/** How far the clock of a zone is ahead of UTC at `at` (epoch ms), ms. */
function offsetMs(at: number, timeZone: string | undefined): number {
  const parts = new Intl.DateTimeFormat('en-GB', {
    ...(timeZone && { timeZone }),
    ...{ year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric', hourCycle: 'h23' },
  }).formatToParts(at);
  const part = (type: string) => Number(parts.find((one) => one.type === type)?.value ?? 0);
  const shown = Date.UTC(
    ...([part('year'), part('month') - 1, part('day')] as const),
    ...([part('hour'), part('minute'), part('second')] as const),
  );
  return shown - Math.floor(at / 1000) * 1000;
}

/** The last second of a day (`2026-03-01`) in a zone, as ISO 8601; null when it is no day. Clock changes are kept to. */
export function endOfDay(day: string, timeZone: string | undefined): string | null {
  const wall = Date.parse(`${day}T23:59:59Z`);
  if (Number.isNaN(wall)) return null;
  const near = wall - offsetMs(wall, timeZone);
  // The offset where the guess landed may be another one.
  return new Date(wall - offsetMs(near, timeZone)).toISOString();
}
