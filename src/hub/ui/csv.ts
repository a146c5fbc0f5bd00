/** The cells of a line; an absent one is empty. */
export type CsvRow = readonly (string | undefined)[];

// A spreadsheet would run what begins so.
const FORMULA = /^[=+\-@\t\r\n]/;

function cell(text: string): string {
  const tame = FORMULA.test(text) ? `'${text}` : text;
  const isQuoted = /[",;\r\n']/.test(tame) || tame !== tame.trim();
  return isQuoted ? `"${tame.replaceAll('"', '""')}"` : tame;
}

/**
 * A table as CSV text (RFC 4180) with a byte order mark, by which spreadsheets know UTF-8. What a spreadsheet would take as a
 * formula gets an apostrophe before it.
 */
export const csv = (rows: readonly CsvRow[]): string =>
  `\uFEFF${rows.map((row) => row.map((text) => cell(text ?? '')).join(',')).join('\r\n')}\r\n`;
