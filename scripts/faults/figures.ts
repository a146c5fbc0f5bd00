/** A number as people read it, thousands apart. */
export function count(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** The middle and the longest of some times in ms: `180 ms, 240 ms`. */
export function milliseconds(times: readonly number[]): string {
  const sorted = [...times].sort((a, b) => a - b);
  const middle = sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
  const longest = sorted.at(-1) ?? Number.NaN;
  return `${middle.toFixed(0)} ms, ${longest.toFixed(0)} ms`;
}

/** Answers by status: `200: 31, 507: 4`; `none` for requests that got no answer. */
export function statusesOf(statuses: ReadonlyMap<number, number>): string {
  const shown = [...statuses].sort(([a], [b]) => a - b).filter(([, times]) => times > 0);
  return (
    shown.map(([status, times]) => `${status === 0 ? 'none' : status}: ${count(times)}`).join(', ') || '-'
  );
}
