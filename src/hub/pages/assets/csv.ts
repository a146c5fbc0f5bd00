// A spreadsheet would run what begins so.
const FORMULA = /^[=+\-@\t\r\n]/;

function cell(text: string): string {
  const tame = FORMULA.test(text) ? `'${text}` : text;
  return /[",;\r\n']/.test(tame) ? `"${tame.replaceAll('"', '""')}"` : tame;
}

/**
 * A table as CSV text (RFC 4180) with a byte order mark, by which spreadsheets know UTF-8. What a spreadsheet would take as a
 * formula gets an apostrophe before it.
 */
export function csv(rows: readonly (readonly (string | undefined)[])[]): string {
  return `\uFEFF${rows.map((row) => row.map((text) => cell(text ?? '')).join(',')).join('\r\n')}\r\n`;
}
