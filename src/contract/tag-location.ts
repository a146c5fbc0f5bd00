import { z } from 'zod';
import { locationPolicies } from '../domain/zone.ts';
import { epc, timestamp, uuid } from './scalars.ts';

/** What speaks for a zone as the tag's place (extension). */
const locationCandidateSchema = z
  .object({
    zoneId: uuid,
    zoneName: z.string(),
    score: z.number().min(0).max(1).meta({ description: 'Its share of all evidence' }),
    lastReadAt: timestamp.meta({ description: 'Newest read of the tag in this zone' }),
    reads: z.int().meta({
      description: 'Reads in this zone since the evidence began; 0 where none is kept (policy `immediate`)',
    }),
  })
  .meta({ id: 'LocationCandidate' });

/** Where a tag is, and why (extension). */
export const tagLocationSchema = z
  .object({
    epc,
    tagId: uuid,
    zoneId: uuid.nullable().meta({ description: 'null: never placed, or its zone is deleted' }),
    zoneName: z.string().nullable(),
    since: timestamp.nullable().meta({ description: 'When it arrived in the zone' }),
    lastSeenAt: timestamp.nullable().meta({ description: 'Last read anywhere; null if never read' }),
    present: z.boolean().meta({ description: 'Seen in the zone within the presence window' }),
    policy: z.enum(locationPolicies).meta({
      description: 'The policy in force there: that of the zone, else `location.policy` of the appliance',
    }),
    candidates: z.array(locationCandidateSchema).meta({ description: 'The strongest evidence first' }),
  })
  .meta({ id: 'TagLocation', description: 'Where a tag is, and why (extension)' });
export type TagLocation = z.infer<typeof tagLocationSchema>;

export const tagLocationExample: TagLocation = {
  epc: '3034257BF468D480000003E8',
  tagId: '1a2b3c4d-5e6f-4a7b-8c9d-0e1f2a3b4c5d',
  zoneId: '2f6d9a10-7c3b-4c5d-9e8f-0a1b2c3d4e5f',
  zoneName: 'Dock',
  since: '2026-03-02T09:10:00.000Z',
  lastSeenAt: '2026-03-02T09:15:37.412Z',
  present: true,
  policy: 'stable',
  candidates: [
    {
      zoneId: '2f6d9a10-7c3b-4c5d-9e8f-0a1b2c3d4e5f',
      zoneName: 'Dock',
      score: 0.93,
      lastReadAt: '2026-03-02T09:15:37.412Z',
      reads: 512,
    },
  ],
};
