import { z } from 'zod';
import { nameInput, timestamp, uuid } from './scalars.ts';

/** A device that was claimed: the hardware behind a reader. */
export const claimedDeviceSchema = z
  .object({
    serial: z.string(),
    model: z.string(),
    firmware: z.string(),
    readerId: uuid.meta({ description: 'The id the reader has in /readers' }),
    claimedAt: timestamp,
    firstSeenAt: timestamp.nullable().meta({ description: 'First contact with the service; null before' }),
  })
  .meta({ id: 'ClaimedDevice', description: 'A claimed device' });
export type ClaimedDevice = z.infer<typeof claimedDeviceSchema>;

/** The body of POST /devices/claim. */
export const claimSchema = z
  .object({
    code: z
      .string()
      .min(1)
      .meta({ description: "Claim code printed on the reader's box; case and dashes don't matter" }),
    readerName: nameInput,
  })
  .meta({ id: 'Claim' });

export const claimedDeviceExample: ClaimedDevice = {
  serial: '370-21-09-0042',
  model: 'R700',
  firmware: '10.1.0',
  readerId: '5f0c7f0e-3f57-4a77-9f0b-1c2d3e4f5a6b',
  claimedAt: '2026-03-02T09:15:37.412Z',
  firstSeenAt: null,
};
