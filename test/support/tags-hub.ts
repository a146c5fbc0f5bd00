import type { Page } from 'playwright-core';
import type { ImportReport } from '../../src/contract/import.ts';
import { HubHouse } from './hub-house.ts';

/** Text that must be shown as it is. */
export const naughty = '<img src=x onerror="document.title=1"> \u202Eabc {{7*7}} 😀';

/** EPCs that sort as their numbers do. */
export const epcNo = (no: number): string => `3034257BF468D480${String(no).padStart(8, '0')}`;

/** A cell of the table of tags; row -1 is the headings'. */
export const cell = (page: Page, row: number, col: number) =>
  page.locator(`[data-row="${row}"][data-col="${col}"]`);

/** A house with tags. */
export class TagsHub extends HubHouse {
  /** Tags called "Pallet 0" and so on, with a weight each. */
  async startWithPallets(count: number): Promise<void> {
    const rows = Array.from({ length: count }, (_, no) => [epcNo(no), `Pallet ${no}`, String(no)]);
    await this.startWith([['epc', 'Name', 'Weight'], ...rows]);
  }

  /** Tags of a table whose first row names its columns: `epc`, `Name` and others. */
  async startWith(table: readonly (readonly string[])[]): Promise<void> {
    await this.start();
    const lines = table.map((row) => row.map((text) => `"${text.replaceAll('"', '""')}"`).join(','));
    const body = new FormData();
    body.append('file', new Blob([lines.join('\n')]), 'tags.csv');
    const { headers } = this.rest;
    const answer = await fetch(`${this.origin}/api/v1/tags/import`, { method: 'POST', headers, body });
    const report = (await answer.json()) as ImportReport; // what the contract says
    if (report.imported !== table.length - 1) throw new Error(`import: ${JSON.stringify(report)}`);
    await this.rest.ok('PATCH', '/fields/name', { isLabel: true });
  }

  async attributes(epc: string): Promise<Record<string, unknown>> {
    return (await this.rest.get<{ attributes: Record<string, unknown> }>(`/tags/${epc}/data`)).attributes;
  }
}
