import { Readable } from 'node:stream';
import { type Route, route } from '../../http/route.ts';
import type { Directory } from '../../store/directory.ts';
import { fieldsOf } from '../../store/fields.ts';
import type { Store } from '../../store/store.ts';
import { exportRows } from './export-rows.ts';

export interface ExportOptions {
  readonly store: Store;
  readonly directory: Directory;
}

const description = [
  'Every tag, sorted by EPC, also those never read. Columns are the field keys in display order, those there are when',
  'the export begins. Lines end with LF; cells with a comma, a quote or a line end are quoted. The import takes the file',
  'as it is, and nothing changes by that.',
].join(' ');

/** GET /tags/export. */
export function exportRoutes({ store, directory }: ExportOptions): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/tags/export',
      operationId: 'exportTags',
      summary: 'All tags and their data as CSV',
      description,
      tag: 'Tags and tag data',
      access: 'caller',
      responses: {
        200: {
          description: 'The file',
          contentType: 'text/csv; charset=utf-8',
          headers: { 'Content-Disposition': '`attachment; filename="tags.csv"`' },
          example: 'epc,name,weight\n3034257BF468D480000003E8,Pallet 17,412.5\n',
        },
      },
      handle: ({ caller: { orgId } }) => {
        const orgNo = directory.org(orgId)?.no ?? 0;
        const rows = exportRows(store, orgNo, fieldsOf(store, orgId));
        return {
          status: 200,
          headers: { 'Content-Disposition': 'attachment; filename="tags.csv"' },
          body: Readable.from(rows, { objectMode: false }),
        };
      },
    }),
  ];
}
