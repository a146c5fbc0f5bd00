const QUIET_MS = 60_000;
const LINES_MAX = 100;

/**
 * A log that says the same thing at most once a minute, then with how often it was left out. Of at most 100 different lines a
 * minute; what is more goes out as it is, for it is no repetition.
 */
export function quietLog(write: (line: string) => void, now: () => number): (line: string) => void {
  const said = new Map<string, { at: number; omitted: number }>();
  return (line) => {
    const before = said.get(line);
    if (before && now() - before.at < QUIET_MS) {
      before.omitted += 1;
      return;
    }
    said.delete(line);
    said.set(line, { at: now(), omitted: 0 });
    const [oldest] = said.keys();
    if (said.size > LINES_MAX && oldest !== undefined) said.delete(oldest);
    write(before?.omitted ? `${line} (and ${before.omitted} times more before)` : line);
  };
}
