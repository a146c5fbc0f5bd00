import { z } from 'zod';
import { limits } from '../domain/limits.ts';
import { epcInput } from './scalars.ts';

/** The body of POST /tags/bulk-delete. EPCs come out in upper case. */
export const bulkDeleteSchema = z
  .object({ epcs: z.array(epcInput).max(limits.bulkDeleteEpcs) })
  .meta({ id: 'BulkDelete' });

/** The answer of POST /tags/bulk-delete. */
export const bulkDeletedSchema = z
  .object({ deleted: z.int().min(0).meta({ description: 'Tags that were there and are gone' }) })
  .meta({ id: 'BulkDeleted' });
