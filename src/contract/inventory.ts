import { z } from 'zod';
import { zoneKinds } from '../domain/zone.ts';
import { epc, timestamp, uuid } from './scalars.ts';

/** How many tags are present in a zone. */
export const inventorySummarySchema = z
  .object({
    zoneId: uuid,
    zoneName: z.string(),
    kind: z.enum(zoneKinds),
    total: z
      .int()
      .meta({ description: 'Tags present in the zone: last seen there within the presence window' }),
    correlated: z.int().meta({ description: 'How many of those are linked to an asset' }),
  })
  .meta({ id: 'InventorySummaryEntry', description: 'A zone and how many tags are present in it' });
export type InventorySummaryEntry = z.infer<typeof inventorySummarySchema>;

/** A tag that is present in a zone. */
export const zoneInventorySchema = z
  .object({
    tagId: uuid,
    epc,
    label: z.string().nullable().meta({ description: 'Name of the asset the tag is linked to' }),
    targetType: z.literal('asset').nullable(),
    since: timestamp.meta({ description: 'When the tag arrived in this zone' }),
    lastSeenAt: timestamp.meta({ description: 'When it was last seen in this zone' }),
  })
  .meta({ id: 'ZoneInventoryEntry', description: 'A tag present in a zone' });
export type ZoneInventoryEntry = z.infer<typeof zoneInventorySchema>;

/** How many tags were present in each zone, minute by minute (extension). */
export const inventoryHistorySchema = z
  .object({
    at: z
      .array(timestamp)
      .meta({ description: 'Whole minutes, oldest first; every other list has a place for each' }),
    zones: z
      .array(
        z.object({
          ...{ zoneId: uuid, zoneName: z.string() },
          counts: z.array(z.int().nullable()).meta({
            description: 'Tags present; null: before the service started or the zone was made',
          }),
        }),
      )
      .meta({ description: 'Every zone, by name' }),
  })
  .meta({ id: 'InventoryHistory', description: 'How many tags were present in each zone (extension)' });
export type InventoryHistory = z.infer<typeof inventoryHistorySchema>;

export const inventoryHistoryExample: InventoryHistory = {
  at: ['2026-03-02T09:14:00.000Z', '2026-03-02T09:15:00.000Z'],
  zones: [{ zoneId: '2f6d9a10-7c3b-4c5d-9e8f-0a1b2c3d4e5f', zoneName: 'Dock', counts: [41, 42] }],
};

export const inventorySummaryExample: InventorySummaryEntry = {
  zoneId: '2f6d9a10-7c3b-4c5d-9e8f-0a1b2c3d4e5f',
  zoneName: 'Dock',
  kind: 'portal',
  total: 42,
  correlated: 7,
};

export const zoneInventoryExample: ZoneInventoryEntry = {
  tagId: '1a2b3c4d-5e6f-4a7b-8c9d-0e1f2a3b4c5d',
  epc: '3034257BF468D480000003E8',
  label: 'Pallet jack 3',
  targetType: 'asset',
  since: '2026-03-02T09:10:00.000Z',
  lastSeenAt: '2026-03-02T09:15:37.412Z',
};
