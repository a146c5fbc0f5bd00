import { z } from 'zod';
import { nameInput, uuid } from './scalars.ts';

/** A field: a column of the data that people keep about tags. */
export const fieldSchema = z
  .object({
    id: uuid,
    key: z.string().meta({ description: 'Machine name, derived from the label' }),
    label: z.string().meta({ description: 'Display name' }),
    dataType: z
      .enum(['text', 'number', 'boolean', 'url'])
      .meta({ description: 'Guessed from the first value; any value can be stored in any field' }),
    options: z.null(),
    displayOrder: z.int().meta({ description: 'From 0, without gaps' }),
    showInTable: z.boolean().meta({ description: 'Whether live events carry its values under `attrs`' }),
    isLabel: z.boolean().meta({ description: 'The name field, whose value labels a tag everywhere' }),
  })
  .meta({ id: 'Field', description: 'A column of tag data' });
export type Field = z.infer<typeof fieldSchema>;

/** The body of POST /fields. */
export const newFieldSchema = z.object({ label: nameInput }).meta({ id: 'NewField' });

/** The body of PATCH /fields/{key}: at least one of them. */
export const fieldChangeSchema = z
  .object({
    label: nameInput.optional(),
    isLabel: z
      .boolean()
      .optional()
      .meta({ description: '`true` makes it the only name field; `false` (extension) ends that it is' }),
    showInTable: z.boolean().optional().meta({ description: '(extension)' }),
    displayOrder: z.int().min(0).optional().meta({
      description: 'The place it moves to; past the end it is the last. The others close up (extension)',
    }),
  })
  .refine((change) => Object.keys(change).length > 0, 'must have label, isLabel, showInTable or displayOrder')
  .meta({ id: 'FieldChange' });
export type FieldChange = z.infer<typeof fieldChangeSchema>;

/** What PATCH /fields/{key} answers: the full list to a body with `isLabel`, else the field. */
export const changedFieldSchema = z.union([fieldSchema, z.array(fieldSchema)]);

/** The key of a field in a path. Two ways of writing the same letter are one. */
export const fieldKeyParam = z
  .string()
  .transform((key) => key.normalize('NFC'))
  .meta({ description: 'Key of the field' });

export const fieldExample: Field = {
  id: '5c1b7a3e-0d2f-4e6a-8b9c-7d6e5f4a3b2c',
  key: 'best_before',
  label: 'Best before',
  dataType: 'text',
  options: null,
  displayOrder: 0,
  showInTable: true,
  isLabel: false,
};
