import { z } from 'zod';
import { limits } from '../domain/limits.ts';
import { locationPolicies } from '../domain/zone.ts';
import { epc, timestamp, uuid, uuidInput } from './scalars.ts';
import { wholeNumberOr, wholeNumberQuery } from './whole-number.ts';

const rssi = z.int().meta({ description: 'Hundredths of a dBm' });
const reads = z.int().meta({ description: 'Reads in the window' });
const from = timestamp.meta({
  description:
    'When the window begins: later than asked for when the service started since, or when so much is read that memory does not reach back',
});

/** `seconds` of a query: how far back the window reaches. */
export function windowQuery(otherwise: number) {
  return wholeNumberOr(otherwise, {
    ...{ min: 1, max: limits.radioWindowSeconds },
    description: 'Length of the window, which ends now',
  });
}

/** What one antenna port heard in the window (extension). */
export const antennaReadsSchema = z
  .object({
    readerId: uuid,
    readerName: z.string(),
    port: z.int(),
    zoneId: uuid.nullable().meta({ description: 'The zone it watches; null: none, or the port is off' }),
    zoneName: z.string().nullable(),
    reads,
    readsPerSecond: z.number(),
    tags: z.int().meta({ description: 'Different tags' }),
    rssiCdbm: z
      .object({ min: rssi, p10: rssi, p50: rssi, p90: rssi, max: rssi })
      .nullable()
      .meta({ description: 'Signal strengths, percentiles by nearest rank; null: none is known' }),
  })
  .meta({ id: 'AntennaReads', description: 'What an antenna port heard in the last seconds (extension)' });
export type AntennaReads = z.infer<typeof antennaReadsSchema>;

const meanRssi = z.int().nullable().meta({
  description: 'Mean over these tags of the mean signal strength of each, hundredths of a dBm; null: unknown',
});

/** Tags that two zones hear (extension). */
export const crossReadsSchema = z
  .object({
    from,
    to: timestamp,
    reads: z.int().meta({ description: 'Reads in the window at antennas that watch a zone' }),
    zones: z
      .array(z.object({ zoneId: uuid, zoneName: z.string(), tags: z.int() }))
      .meta({ description: 'Every zone by name, with the different tags heard there' }),
    pairs: z
      .array(
        z.object({
          ...{ zoneId: uuid, otherZoneId: uuid, tags: z.int() },
          ...{ meanRssiCdbm: meanRssi, otherMeanRssiCdbm: meanRssi },
        }),
      )
      .meta({
        description: `Zones that heard the same tags, each pair once, most tags first; up to ${limits.radioPairsPerAnswer}`,
      }),
  })
  .meta({ id: 'CrossReads', description: 'Tags heard in more than one zone (extension)' });
export type CrossReads = z.infer<typeof crossReadsSchema>;

/** The body of POST /radio/what-if. */
export const whatIfInputSchema = z.object({
  seconds: z
    .int()
    .min(1)
    .max(limits.radioWindowSeconds)
    .default(300)
    .meta({ description: 'Length of the window, which ends now' }),
  policy: z.enum(locationPolicies).meta({ description: 'The policy to try' }),
  zoneId: uuidInput.optional().meta({ description: 'Only this zone has it; every zone when left out' }),
});

/** What another policy would have changed (extension). */
export const whatIfSchema = z
  .object({
    from,
    to: timestamp,
    reads: z.int().meta({ description: 'Reads replayed: those at antennas that watch a zone' }),
    tags: z.int().meta({ description: 'Different tags among them' }),
    moves: z.int().meta({ description: 'Changes of zone under the policies in force' }),
    movesWith: z.int().meta({ description: 'Changes of zone under the policy tried' }),
    avoided: z.int().meta({ description: '`moves` less `movesWith`; negative when there would be more' }),
    zones: z
      .array(z.object({ zoneId: uuid, zoneName: z.string(), moves: z.int(), movesWith: z.int() }))
      .meta({ description: 'Every zone by name, with the moves into it' }),
  })
  .meta({ id: 'WhatIf', description: 'What another location policy would have changed (extension)' });
export type WhatIf = z.infer<typeof whatIfSchema>;

/** The query of GET /radio/strongest. */
export const strongestQuerySchema = z.object({
  readerId: uuidInput,
  port: wholeNumberQuery({ min: 1, max: limits.antennaPorts, description: 'The antenna port' }),
  seconds: windowQuery(5),
});

/** A tag in front of an antenna (extension). */
export const strongestTagSchema = z
  .object({
    epc,
    tagId: uuid,
    label: z
      .string()
      .nullable()
      .meta({ description: 'Name of the asset the tag is linked to, else the value of its name field' }),
    rssiCdbm: rssi.nullable().meta({ description: 'Mean signal strength in the window; null: unknown' }),
    reads: reads.meta({ description: 'Reads at this antenna in the window' }),
    firstSeenAt: timestamp.meta({ description: 'First read of the tag ever' }),
    lastSeenAt: timestamp.meta({ description: 'Last read of the tag anywhere' }),
    targetType: z.literal('asset').nullable().meta({ description: '`asset` if linked to an asset' }),
    isNew: z.boolean().meta({
      description: 'Not linked, and not heard at this antenna in the minute before the window',
    }),
  })
  .meta({ id: 'StrongestTag', description: 'A tag in front of an antenna (extension)' });
export type StrongestTag = z.infer<typeof strongestTagSchema>;

const zone = { zoneId: '2f6d9a10-7c3b-4c5d-9e8f-0a1b2c3d4e5f', zoneName: 'Dock' };
const span = { from: '2026-03-02T09:10:37.412Z', to: '2026-03-02T09:15:37.412Z' };

export const antennaReadsExample: AntennaReads = {
  readerId: '5f0c7f0e-3f57-4a77-9f0b-1c2d3e4f5a6b',
  readerName: 'Dock door 1',
  ...{ port: 1, ...zone, reads: 5412, readsPerSecond: 90.2, tags: 48 },
  rssiCdbm: { min: -7450, p10: -6900, p50: -6100, p90: -5300, max: -4650 },
};

export const crossReadsExample: CrossReads = {
  ...{ ...span, reads: 18_240 },
  zones: [{ ...zone, tags: 52 }],
  pairs: [
    {
      zoneId: zone.zoneId,
      otherZoneId: '7b0e1c2d-3f4a-4b5c-8d6e-9f0a1b2c3d4e',
      ...{ tags: 12, meanRssiCdbm: -5820, otherMeanRssiCdbm: -6940 },
    },
  ],
};

export const whatIfExample: WhatIf = {
  ...{ ...span, reads: 18_240, tags: 61, moves: 214, movesWith: 9, avoided: 205 },
  zones: [{ ...zone, moves: 110, movesWith: 5 }],
};

export const strongestTagExample: StrongestTag = {
  epc: '3034257BF468D480000003E8',
  tagId: '1a2b3c4d-5e6f-4a7b-8c9d-0e1f2a3b4c5d',
  ...{ label: null, rssiCdbm: -4120, reads: 37 },
  firstSeenAt: '2026-03-02T09:15:32.018Z',
  lastSeenAt: '2026-03-02T09:15:37.412Z',
  ...{ targetType: null, isNew: true },
};
