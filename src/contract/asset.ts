import { z } from 'zod';
import { assetEventKinds, assetStatuses } from '../domain/asset.ts';
import { limits } from '../domain/limits.ts';
import { formatInstant, parseInstant } from '../lib/instant.ts';
import { pageQuery } from './paging.ts';
import { epc, epcInput, nameInput, timestamp, uuid } from './scalars.ts';

/** An asset. Members it has no value for are absent. */
export const assetSchema = z
  .object({
    id: uuid,
    assetTagNumber: z.string().meta({ description: 'User-assigned number' }),
    name: z.string(),
    category: z.string().meta({ description: 'Empty when none was given' }),
    status: z.enum(assetStatuses),
    custodian: z.string().optional().meta({ description: 'Holder while checked out, if one was named' }),
    checkedOutAt: timestamp.optional().meta({ description: 'Present while checked out' }),
    expectedReturnAt: timestamp
      .optional()
      .meta({ description: 'Present while checked out, if one was given' }),
    epc: epc.optional().meta({ description: 'Tag currently linked to the asset; absent when there is none' }),
    zoneId: uuid.optional().meta({ description: 'Zone of the linked tag; absent until it was placed' }),
    zoneName: z.string().optional(),
    inZoneSince: timestamp.optional(),
    lastSeenAt: timestamp.optional().meta({ description: 'Last read of the linked tag' }),
  })
  .meta({ id: 'Asset', description: 'Something a tag is attached to. Absent members are not known.' });
export type Asset = z.infer<typeof assetSchema>;

/** One entry of an asset's timeline. */
export const assetEventSchema = z
  .object({
    id: z.string(),
    kind: z.enum(assetEventKinds),
    zoneId: uuid.optional().meta({ description: 'On zone events' }),
    zoneName: z.string().optional().meta({ description: 'On zone events: the name the zone had then' }),
    occurredAt: timestamp,
    meta: z
      .object({
        name: z.string().optional().meta({ description: 'On `created`: the name' }),
        updated: z.literal(true).optional().meta({ description: 'On `created`: an edit, not the creation' }),
        changes: z
          .record(z.string(), z.object({ from: z.string(), to: z.string() }))
          .optional()
          .meta({ description: 'On an edit: what changed; `epc` when the tag was taken off (extension)' }),
        custodian: z.string().optional().meta({ description: 'On `check_out`; on `check_in`: who had it' }),
        expectedReturnAt: timestamp.optional().meta({ description: 'On `check_out` (extension)' }),
        zoneName: z.string().optional().meta({ description: 'On `zone_enter` and `zone_exit`' }),
        lastSeenAt: timestamp
          .optional()
          .meta({ description: 'On `marked_missing` and `found`: last read of the tag (extension)' }),
        epc: epc.optional().meta({ description: 'On `retired`: the tag that was released (extension)' }),
      })
      .meta({ description: 'Extra detail' }),
  })
  .meta({ id: 'AssetEvent', description: 'Something that happened to an asset' });
export type AssetEvent = z.infer<typeof assetEventSchema>;

/** An entry of a timeline as it is kept; `at` is epoch ms. */
export interface KeptAssetEvent extends Omit<AssetEvent, 'id' | 'occurredAt'> {
  readonly no: number;
  readonly at: number;
}

/** An entry of a timeline as REST and webhooks show it. */
export function assetEventAnswer({ at, no, ...entry }: KeptAssetEvent): AssetEvent {
  return { id: String(no), ...entry, occurredAt: formatInstant(at) };
}

/** A point in time in a request body, as epoch ms in whole milliseconds. */
const timestampInput = z
  .string()
  .transform((text, context) => {
    const ms = parseInstant(text);
    if (ms !== null) return Math.floor(ms);
    context.addIssue('must be a time such as 2026-03-01T12:00:00Z');
    return z.NEVER;
  })
  .meta({ format: 'date-time' });

const category = z.string().max(limits.nameMaxLength);

/** The body of POST /assets. */
export const newAssetSchema = z
  .object({
    name: nameInput,
    assetTagNumber: nameInput.meta({ description: 'Kept as sent; unique among assets not retired' }),
    category: category.nullish().transform((text) => text ?? ''),
    epc: epcInput.nullish(),
  })
  .meta({ id: 'NewAsset' });

/** The body of PATCH /assets/{id}: at least one of them. */
export const assetChangeSchema = z
  .object({
    name: nameInput.optional(),
    assetTagNumber: nameInput.optional(),
    category: category.optional(),
  })
  .refine((change) => Object.keys(change).length > 0, 'must have name, assetTagNumber or category')
  .meta({ id: 'AssetChange' });

/** The body of POST /assets/{id}/check-out, which may be left out. */
export const checkOutSchema = z
  .object({
    custodian: nameInput.nullish().meta({ description: 'Who holds the asset' }),
    expectedReturnAt: timestampInput.nullish().meta({
      description: 'Any offset from UTC is taken; a time in the past too, for what is written down late',
    }),
  })
  .meta({ id: 'CheckOut' });

/** The query of GET /assets; all filters have to fit. */
export const assetQuerySchema = z.object({
  q: z.string().max(limits.searchMaxLength).optional().meta({
    description: 'Text to find in number, name, category, custodian or EPC, in any case (extension)',
  }),
  status: z
    .enum(assetStatuses)
    .optional()
    .meta({ description: 'Only assets of this status; retired ones are found by it alone (extension)' }),
  overdue: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional()
    .meta({
      description:
        '`true`: only those checked out whose expectedReturnAt has passed; `false`: only the others (extension)',
    }),
  ...pageQuery(limits.assetsPerAnswer),
});

/** The query of GET /assets/{id}/events. */
export const timelineQuerySchema = z.object(pageQuery(limits.timelinePerAnswer));

export const assetExample: Asset = {
  id: '7e57ab1e-0a55-4e75-8d1a-6b5c4d3e2f10',
  assetTagNumber: 'PJ-0007',
  name: 'Pallet jack 7',
  category: 'Pallet jacks',
  status: 'checked_out',
  custodian: 'R. Ortiz',
  checkedOutAt: '2026-03-02T08:00:00.000Z',
  expectedReturnAt: '2026-03-02T17:00:00.000Z',
  epc: '3034257BF468D480000003E8',
  zoneId: '2f6d9a10-7c3b-4c5d-9e8f-0a1b2c3d4e5f',
  zoneName: 'Dock',
  inZoneSince: '2026-03-02T09:12:00.000Z',
  lastSeenAt: '2026-03-02T09:15:37.412Z',
};

export const timelineExample: readonly AssetEvent[] = [
  {
    id: '18',
    kind: 'zone_enter',
    zoneId: '2f6d9a10-7c3b-4c5d-9e8f-0a1b2c3d4e5f',
    zoneName: 'Dock',
    occurredAt: '2026-03-02T09:12:00.000Z',
    meta: { zoneName: 'Dock' },
  },
  {
    id: '12',
    kind: 'check_out',
    occurredAt: '2026-03-02T08:00:00.000Z',
    meta: { custodian: 'R. Ortiz', expectedReturnAt: '2026-03-02T17:00:00.000Z' },
  },
  { id: '3', kind: 'created', occurredAt: '2026-03-01T06:00:02.118Z', meta: { name: 'Pallet jack 7' } },
];
