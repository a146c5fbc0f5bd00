import { z } from 'zod';
import { limits } from '../domain/limits.ts';
import { pageQuery } from './paging.ts';
import { epc, timestamp, uuid } from './scalars.ts';

/** A tag as GET /tags lists it. */
export const tagSchema = z
  .object({
    id: uuid,
    epc,
    label: z.string().nullable().meta({ description: 'Value of the name field of the tag' }),
    targetType: z.literal('asset').nullable().meta({ description: '`asset` if linked to an asset' }),
    attributes: z
      .custom<Readonly<Record<string, string>>>((value) => typeof value === 'object' && value !== null)
      .meta({
        type: 'object',
        additionalProperties: { type: 'string' },
        description: 'Current values by field key; numbers and booleans as text',
      }),
    zoneName: z
      .string()
      .nullable()
      .meta({ description: 'Zone the tag was last seen in; null if never placed' }),
    firstSeenAt: timestamp.nullable().meta({ description: 'First read; null if never read' }),
    lastSeenAt: timestamp.nullable().meta({ description: 'Last read; null if never read' }),
  })
  .meta({ id: 'Tag', description: 'A tag' });
export type Tag = z.infer<typeof tagSchema>;

/** The query of GET /tags. */
export const tagQuerySchema = z.object({
  q: z
    .string()
    .max(limits.searchMaxLength)
    .optional()
    .meta({ description: 'Text to find in the EPC or in any field value, in any case' }),
  hasData: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional()
    .meta({ description: '`false`: only tags without data; `true`: only tags with data (extension)' }),
  ...pageQuery(limits.tagsPerAnswer),
});

/** The query of GET /tags/position. */
export const tagPositionQuerySchema = z.object({
  offset: z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number from 0 to 999999999')
    .transform(Number)
    .meta({
      ...{ type: 'integer', minimum: 0, maximum: 999_999_999, pattern: undefined },
      description: 'Tags that come before it',
    }),
});

/** Where a page of GET /tags begins. */
export const tagPositionSchema = z
  .object({
    total: z.int().min(0).meta({ description: 'Tags there are' }),
    cursor: z
      .string()
      .nullable()
      .meta({ description: 'For `cursor` of GET /tags; null: its first page, which has none' }),
  })
  .meta({ id: 'TagPosition', description: 'Where a page of tags begins (extension)' });
export type TagPosition = z.infer<typeof tagPositionSchema>;

export const tagPositionExample: TagPosition = { total: 1_000_000, cursor: 'MTc3MjQzNjkzNzQxMiwxNw' };

export const tagExample: Tag = {
  id: '1a2b3c4d-5e6f-4a7b-8c9d-0e1f2a3b4c5d',
  epc: '3034257BF468D480000003E8',
  label: 'Pallet 17',
  targetType: null,
  attributes: { name: 'Pallet 17', weight: '412.5' },
  zoneName: 'Dock',
  firstSeenAt: '2026-03-01T06:00:02.118Z',
  lastSeenAt: '2026-03-02T09:15:37.412Z',
};
