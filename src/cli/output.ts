import { formatInstant } from '../lib/instant.ts';

/** Prints a record: JSON for `--json`, else the lines for people. */
export function print(record: unknown, options: { readonly json?: boolean }, lines: readonly string[]): void {
  if (options.json) process.stdout.write(`${JSON.stringify(record)}\n`);
  else for (const line of lines) process.stdout.write(`${line}\n`);
}

/** Rows under a header, columns as wide as their longest cell. Control characters are shown, not obeyed. */
export function tableLines(
  header: readonly string[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  const safe = [header, ...rows].map((row) => row.map(visible));
  const widths = header.map((_, i) => Math.max(...safe.map((row) => (row[i] ?? '').length)));
  return safe.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** A time for a table; `-` for none. */
export function when(at: number | null): string {
  return at === null ? '-' : formatInstant(at);
}

function visible(text: string): string {
  return text.replace(/\p{Cc}/gu, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`);
}
