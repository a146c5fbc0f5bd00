import { z } from 'zod';
import { epc, epcInput, nameInput, timestamp, uuid, uuidInput } from './scalars.ts';

/** The body of POST /correlations. */
export const newCorrelationSchema = z
  .object({
    epc: epcInput,
    targetType: z.literal('asset'),
    targetId: uuidInput.meta({ description: 'Id of the asset' }),
    label: nameInput.nullish().meta({
      description:
        "What the zone inventory calls the tag. Left out, or equal to the asset's name: the asset's name, renames included",
    }),
    supersede: z
      .boolean()
      .default(false)
      .meta({ description: 'Ends any link the tag already has; without it a linked tag is a 409' }),
  })
  .meta({ id: 'NewCorrelation' });

/** A link between a tag and an asset. */
export const correlationSchema = z
  .object({
    epc,
    tagId: uuid,
    targetType: z.literal('asset'),
    targetId: uuid.meta({ description: 'Id of the asset' }),
    label: z.string().meta({ description: 'What the zone inventory calls the tag' }),
    linkedAt: timestamp,
  })
  .meta({ id: 'Correlation', description: 'A link between a tag and an asset' });
export type Correlation = z.infer<typeof correlationSchema>;

export const correlationExample: Correlation = {
  epc: '3034257BF468D480000003E8',
  tagId: '1a2b3c4d-5e6f-4a7b-8c9d-0e1f2a3b4c5d',
  targetType: 'asset',
  targetId: '7e57ab1e-0a55-4e75-8d1a-6b5c4d3e2f10',
  label: 'Pallet jack 7',
  linkedAt: '2026-03-02T09:15:37.412Z',
};
