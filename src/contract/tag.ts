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
