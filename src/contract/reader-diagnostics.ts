import { z } from 'zod';
import { limits } from '../domain/limits.ts';
import { certificateExample, certificateSchema } from './device.ts';
import { timestamp } from './scalars.ts';

const count = z.int().min(0);

/** What the appliance knows of a reader's connections and messages; counters are since its start. */
export const readerDiagnosticsSchema = z
  .object({
    badPayloads: z
      .array(
        z.object({
          at: timestamp,
          reason: z.string().meta({ description: 'What is wrong with it' }),
          sample: z
            .string()
            .meta({ description: `Its beginning, up to ${limits.badPayloadKeptBytes} bytes` }),
        }),
      )
      .max(limits.badPayloadsKept)
      .meta({
        description: `The last ${limits.badPayloadsKept} that could not be read, newest first`,
      }),
    badPayloadCount: count.meta({ description: 'Items that could not be read since the appliance started' }),
    skewedReads: count.meta({ description: 'Reads whose time was too far ahead of the clock here' }),
    clockSkewMs: z
      .number()
      .nullable()
      .meta({ description: "The reader's clock minus the one here, at the last read; null before it" }),
    certificate: certificateSchema
      .nullable()
      .meta({ description: 'Of those not revoked the one that ends last; null without one' }),
    connections: z
      .array(z.object({ clientId: z.string(), address: z.string(), connectedAt: timestamp }))
      .meta({ description: 'What is open now, the oldest first: the reader itself and its agent' }),
    dropped: z
      .object({ messages: count })
      .meta({ description: 'What was dropped because it was not claimed, or its data was refused' }),
  })
  .meta({ id: 'ReaderDiagnostics', description: 'What to look at when a reader does not do what it should' });
export type ReaderDiagnostics = z.infer<typeof readerDiagnosticsSchema>;

export const readerDiagnosticsExample: ReaderDiagnostics = {
  badPayloads: [
    {
      at: '2026-03-02T09:15:37.412Z',
      reason: 'epc is "xyz"; 8 to 64 hexadecimal digits are expected',
      sample: '{"epc":"xyz"}',
    },
  ],
  ...{ badPayloadCount: 1, skewedReads: 0, clockSkewMs: -120, certificate: certificateExample },
  connections: [{ clientId: 'agent', address: '192.168.1.20', connectedAt: '2026-03-01T06:00:02.118Z' }],
  dropped: { messages: 0 },
};
