import { z } from 'zod';
import { limits } from '../domain/limits.ts';
import type { Value } from '../domain/value.ts';
import { pageQuery } from './paging.ts';
import { epc, timestamp, uuid } from './scalars.ts';

const value = z
  .union([z.string(), z.number(), z.boolean()])
  .meta({ description: 'Text, a number, or true or false' });

/** The data of a tag as GET and PUT /tags/{epc}/data answer it. */
export const tagDataSchema = z
  .object({
    epc,
    tagId: uuid.optional().meta({ description: 'Absent when the EPC is unknown' }),
    // No z.record: that leaves a field called `__proto__` out.
    attributes: z
      .custom<Readonly<Record<string, Value>>>((given) => typeof given === 'object' && given !== null)
      .meta({
        type: 'object',
        additionalProperties: { type: ['string', 'number', 'boolean'] },
        description: 'Current values by field key, in display order; empty for an unknown EPC',
      }),
  })
  .meta({ id: 'TagData', description: 'What people say of a tag' });
export type TagData = z.infer<typeof tagDataSchema>;

/** One value a tag holds or held. */
export const historyEntrySchema = z
  .object({
    key: z.string().meta({ description: 'Key the field has now' }),
    value,
    validFrom: timestamp.meta({ description: 'When the value became current' }),
    validTo: timestamp.optional().meta({ description: 'Absent while the value is still current' }),
  })
  .meta({ id: 'TagHistoryEntry', description: 'A value a tag holds or held' });
export type HistoryEntry = z.infer<typeof historyEntrySchema>;

/** The query of GET /tags/{epc}/history. */
export const historyQuerySchema = z.object(pageQuery(limits.historyPerAnswer));

export const tagDataExample: TagData = {
  epc: '3034257BF468D480000003E8',
  tagId: '1a2b3c4d-5e6f-4a7b-8c9d-0e1f2a3b4c5d',
  attributes: { name: 'Pallet 17', weight: 412.5, fragile: true },
};

export const historyExample: readonly HistoryEntry[] = [
  { key: 'weight', value: 412.5, validFrom: '2026-03-02T09:15:37.412Z' },
  {
    key: 'weight',
    value: 398,
    validFrom: '2026-03-01T06:00:02.118Z',
    validTo: '2026-03-02T09:15:37.412Z',
  },
];
