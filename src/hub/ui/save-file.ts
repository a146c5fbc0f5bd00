import { type CsvRow, csv } from './csv.ts';

const KEPT_MS = 60_000;

/** Hands a file to whoever is at the page. Made here: nothing of it goes over the network or to disk but where they put it. */
export function saveFile(
  name: string,
  content: string | Uint8Array<ArrayBuffer>,
  type = 'application/octet-stream',
): void {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // Not every browser has taken it over when the click returns; by then each has.
  setTimeout(() => URL.revokeObjectURL(address), KEPT_MS);
}

/** Hands a table to whoever is at the page, as a file that spreadsheets open. */
export function saveCsv(name: string, rows: readonly CsvRow[]): void {
  saveFile(name, csv(rows), 'text/csv;charset=utf-8');
}
