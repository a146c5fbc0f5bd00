import { z } from 'zod';
import { parseEpc } from '../domain/epc.ts';
import { limits } from '../domain/limits.ts';

/** An id as it is sent out. */
export const uuid = z.uuid();

/** An id in a request body; upper case is folded. */
export const uuidInput = z.string().toLowerCase().check(z.guid());

/** A point in time as it is sent out: ISO 8601 UTC with milliseconds. */
export const timestamp = z.iso.datetime();

/** A name people give: kept as sent, never blank. */
export const nameInput = z
  .string()
  .max(limits.nameMaxLength)
  .regex(/\S/, 'must not be blank')
  .meta({ minLength: 1 });

/** A name that the command line has to find again: blanks around it are cut off. */
export const trimmedName = z.string().trim().min(1, 'must not be blank').max(limits.nameMaxLength);

/** An EPC as it is sent out. */
export const epc = z.string().meta({
  description: 'Electronic product code, upper-case hexadecimal',
  examples: ['3034257BF468D480000003E8'],
});

/** An EPC in a path, a query or a body: comes out in upper case, what is none gets a 400 that quotes it. */
export const epcInput = z
  .string()
  .transform((text, context) => {
    const folded = parseEpc(text);
    if (folded !== null) return folded;
    const written = JSON.stringify(text.slice(0, limits.epcMaxDigits));
    context.addIssue(
      `must be ${limits.epcMinDigits} to ${limits.epcMaxDigits} hexadecimal digits, not ${written}`,
    );
    return z.NEVER;
  })
  .meta({
    pattern: '^[0-9A-Fa-f]{8,64}$',
    description: 'EPC, 8 to 64 hexadecimal digits; lower case is folded',
  });
