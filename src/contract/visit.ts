import { z } from 'zod';
import { limits } from '../domain/limits.ts';
import { pageQuery } from './paging.ts';
import { timestamp, uuid } from './scalars.ts';

/** A stay of a tag at one antenna (extension). */
export const visitSchema = z
  .object({
    zoneId: uuid.optional().meta({ description: 'Absent: the port was unmapped, or the zone is deleted' }),
    zoneName: z.string().optional(),
    readerId: uuid.optional().meta({ description: 'Absent once the reader is deleted' }),
    readerName: z.string().optional(),
    antennaPort: z.int().optional().meta({ description: 'Absent when the reader did not name the port' }),
    firstSeenAt: timestamp,
    lastSeenAt: timestamp,
    reads: z.int().meta({ description: 'How often it was read during this stay' }),
  })
  .meta({ id: 'Visit', description: 'A stay of a tag at one antenna (extension)' });
export type Visit = z.infer<typeof visitSchema>;

/** The query of GET /tags/{epc}/visits. */
export const visitQuerySchema = z.object({ limit: pageQuery(limits.visitsPerAnswer).limit });

export const visitExample: Visit = {
  zoneId: '2f6d9a10-7c3b-4c5d-9e8f-0a1b2c3d4e5f',
  zoneName: 'Dock',
  readerId: '7e8f9a0b-1c2d-4e3f-8a5b-6c7d8e9f0a1b',
  readerName: 'Dock door 1',
  antennaPort: 1,
  firstSeenAt: '2026-03-02T09:10:00.000Z',
  lastSeenAt: '2026-03-02T09:15:37.412Z',
  reads: 512,
};
