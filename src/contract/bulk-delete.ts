import { z } from 'zod';
import { parseEpc } from '../domain/epc.ts';
import { limits } from '../domain/limits.ts';

const epcInput = z
  .string()
  .transform((text, context) => {
    const epc = parseEpc(text);
    if (epc !== null) return epc;
    const written = JSON.stringify(text.slice(0, limits.epcMaxDigits));
    context.addIssue(
      `must be ${limits.epcMinDigits} to ${limits.epcMaxDigits} hexadecimal digits, not ${written}`,
    );
    return z.NEVER;
  })
  .meta({ description: 'An EPC, in any case', pattern: '^[0-9A-Fa-f]{8,64}$' });

/** The body of POST /tags/bulk-delete. EPCs come out in upper case. */
export const bulkDeleteSchema = z
  .object({ epcs: z.array(epcInput).max(limits.bulkDeleteEpcs) })
  .meta({ id: 'BulkDelete' });

/** The answer of POST /tags/bulk-delete. */
export const bulkDeletedSchema = z
  .object({ deleted: z.int().min(0).meta({ description: 'Tags that were there and are gone' }) })
  .meta({ id: 'BulkDeleted' });
