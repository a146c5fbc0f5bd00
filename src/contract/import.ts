import { z } from 'zod';
import { limits } from '../domain/limits.ts';

/** The query of POST /tags/import. */
export const importQuerySchema = z.object({
  dryRun: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional()
    .meta({ description: '`true`: validate only, nothing is changed' }),
});

/** The form of POST /tags/import, for the documentation: the file is read as it arrives. */
export const importFormSchema = z
  .object({
    file: z.string().meta({
      format: 'binary',
      contentMediaType: 'text/csv',
      description: `CSV with a header row; up to ${limits.importRows} rows and ${limits.importMaxBytes / 1024 / 1024} MB`,
    }),
  })
  .meta({ id: 'ImportForm' });

const count = z.int().min(0);

const importErrorSchema = z.object({
  line: z.int().min(1).meta({ description: "The file's line on which the row begins; the header is line 1" }),
  epc: z.string().optional().meta({ description: 'Absent when the cell is empty' }),
  reason: z.string(),
});

/** What an import did, or would do. */
export const importReportSchema = z
  .object({
    total: count.meta({ description: 'Rows in the file' }),
    imported: count.meta({ description: 'Tags new to the service' }),
    updated: count.meta({ description: 'Tags that already existed' }),
    fields: z.array(z.string()).meta({ description: 'Keys of the fields found as columns' }),
    errors: z.array(importErrorSchema).meta({ description: 'Rows that were skipped, all of them' }),
    dryRun: z.boolean().meta({ description: 'Whether nothing was changed' }),
  })
  .meta({ id: 'ImportReport', description: 'What an import did' });
export type ImportReport = z.infer<typeof importReportSchema>;

export const importReportExample: ImportReport = {
  total: 3,
  imported: 1,
  updated: 1,
  fields: ['name', 'weight'],
  errors: [{ line: 4, epc: '3034257BF468D480000003E8', reason: 'the epc is a duplicate of line 2' }],
  dryRun: false,
};
