import type { ImportReport } from '../../../contract/import.ts';

const FORMULA = /^[=+\-@\t\r]/;

/** A cell of a CSV file that no spreadsheet takes for a formula. */
export function csvCell(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The rows an import skipped, as a CSV file. */
export function errorCsv(errors: ImportReport['errors']): string {
  const lines = errors.map(({ line, epc = '', reason }) =>
    [String(line), epc, reason].map(csvCell).join(','),
  );
  return `${['line,epc,reason', ...lines].join('\r\n')}\r\n`;
}
