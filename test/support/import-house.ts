import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bulkDeleteRoutes } from '../../src/features/bulk-delete/bulk-delete-routes.ts';
import { fieldRoutes } from '../../src/features/fields/field-routes.ts';
import { exportRoutes } from '../../src/features/import/export-routes.ts';
import { createImports, type Imports } from '../../src/features/import/import-routes.ts';
import { dataRoutes } from '../../src/features/tags/data-routes.ts';
import { historyRoutes } from '../../src/features/tags/history-routes.ts';
import { visitRoutes } from '../../src/features/tags/visit-routes.ts';
import type { Store } from '../../src/store/store.ts';
import { tables } from '../../src/store/tables.ts';
import {
  type Answer,
  type House,
  type HouseOptions,
  type HouseParts,
  openHouse,
  type Tenant,
} from './house.ts';

/** A house with everything that fills and empties the tags' spreadsheet. */
export interface ImportHouse extends House {
  readonly imports: Imports;
  /** Uploads that lie in the temporary folder now. */
  uploads(): readonly string[];
  readonly uploadsDir: string;
}

export interface ImportHouseOptions extends Pick<HouseOptions, 'http'> {
  /** What the import works with instead. */
  readonly parts?: (parts: HouseParts) => Partial<HouseParts>;
}

export async function openImportHouse(options: ImportHouseOptions = {}): Promise<ImportHouse> {
  const uploadsDir = join(mkdtempSync(join(tmpdir(), 'tagkeep-uploads-')), 'uploads');
  const made: Imports[] = [];
  const house = await openHouse({
    ...(options.http && { http: options.http }),
    more: (parts) => {
      const imports = createImports({ ...parts, ...options.parts?.(parts), tmpDir: uploadsDir });
      made.push(imports);
      const more = [dataRoutes(parts), historyRoutes(parts), visitRoutes(parts), fieldRoutes(parts)];
      return [...imports.routes, ...exportRoutes(parts), ...bulkDeleteRoutes(parts), ...more.flat()];
    },
  });
  const [imports] = made;
  if (!imports) throw new Error('no imports were made');
  const { close } = house;
  return Object.assign(house, {
    imports,
    uploadsDir,
    uploads: () => readdirSync(uploadsDir),
    close: async () => {
      await imports.close();
      await close();
      rmSync(join(uploadsDir, '..'), { recursive: true, force: true });
    },
  });
}

/** Imports a file; a text goes as UTF-8. */
export async function importCsv(
  house: House,
  tenant: Tenant,
  {
    csv,
    query = '',
    name = 'file',
  }: { readonly csv: string | Buffer; readonly query?: string; readonly name?: string },
): Promise<Answer> {
  const form = new FormData();
  form.append(name, new Blob([csv]), 'tags.csv');
  return sendForm(house, tenant, { body: form, query });
}

export async function sendForm(
  house: House,
  { key }: Tenant,
  {
    body,
    query = '',
    type,
  }: { readonly body: FormData | Buffer | string; readonly query?: string; readonly type?: string },
): Promise<Answer> {
  const headers = { authorization: `Bearer ${key}`, ...(type && { 'content-type': type }) };
  const url = `${house.server.origin}/api/v1/tags/import${query}`;
  const response = await fetch(url, { method: 'POST', headers, body });
  return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
}

/** The export's bytes. */
export async function exportBytes(house: House, { key }: Tenant): Promise<Buffer> {
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${house.server.origin}/api/v1/tags/export`, { headers });
  if (response.status !== 200) throw new Error(`the export answers ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

/** Everything in a store but the API keys, which are noted as used, as one text. */
export function wholeStore(store: Store): string {
  const { apiKeys: _, ...rest } = tables;
  const all = Object.values(rest).map((table) => [
    table.name,
    // Each table has keys and values of its own types; here they are only written out.
    Array.from(store.range(table as typeof tables.meta), ({ key, value }) => [key, value]),
  ]);
  return JSON.stringify(all);
}

/** Entries of some tables, by the tables' names. */
export function countsOf(store: Store, names: readonly (keyof typeof tables)[]): Record<string, number> {
  // Each table has keys and values of its own types; here they are only counted.
  return Object.fromEntries(names.map((name) => [name, store.count(tables[name] as typeof tables.meta)]));
}
