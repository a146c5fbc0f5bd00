import { z } from 'zod';
import { outOfServiceReasons } from '../domain/device.ts';
import { brokerStatuses, displayStatuses, offlineReasons, readerStatuses } from '../domain/reader-status.ts';
import { readerCommandExample, readerCommandSchema, sentSettingsSchema } from './command.ts';
import { timestamp, uuid } from './scalars.ts';

/** A reader with its status at the moment of asking. */
export const readerSchema = z
  .object({
    id: uuid,
    name: z.string(),
    serial: z.string().meta({ description: 'Hardware serial number' }),
    model: z.string(),
    firmware: z.string(),
    status: z.enum(readerStatuses).meta({
      description:
        '`disabled`: stopped by someone, or all its ports are off; `unknown`: never reported; ' +
        '`degraded`: reads without commands',
    }),
    displayStatus: z.enum(displayStatuses).meta({
      description:
        '(extension) The status in the words of the hub. `Online and Reading`: tags arrived within the last minute; ' +
        '`Online and Idle`: connected, but stopped, its radio idle or no tags; `Degraded`: tag reads arrive but ' +
        'commands are not acknowledged; `Offline`: no telemetry',
    }),
    enabled: z.boolean().meta({ description: 'False when someone has stopped the reader' }),
    offlineReason: z
      .enum(offlineReasons)
      .optional()
      .meta({ description: 'Why the reader is neither online nor degraded' }),
    temperatureC: z.number().optional(),
    cpuPercent: z.number().optional(),
    memoryPercent: z.number().optional(),
    powerMilliwatts: z.number().optional(),
    healthAt: timestamp.optional().meta({ description: 'Time of the health figures' }),
    brokerStatus: z
      .enum(brokerStatuses)
      .meta({ description: "Whether the reader's connection to the service is open now" }),
    brokerStatusAt: timestamp.optional().meta({ description: 'When it last opened or closed' }),
    lastEventAt: timestamp.optional().meta({ description: 'When tag data last arrived' }),
    lastSeenAt: timestamp.optional().meta({ description: 'Latest sign of life of any kind' }),
    commandsSupported: z
      .boolean()
      .meta({ description: 'Whether the reader has confirmed it can take start and stop commands' }),
    outOfService: z.enum(outOfServiceReasons).optional().meta({
      description:
        '(extension) Its data is refused: withdrawn, or its certificates or data are revoked. Provisioning it again takes it back',
    }),
    lastCommand: readerCommandSchema.optional(),
    lastSettings: sentSettingsSchema.optional().meta({
      description: '(extension) The latest antenna settings sent, and what became of them',
    }),
  })
  .meta({ id: 'Reader', description: 'A reader. Absent members are not known.' });
export type Reader = z.infer<typeof readerSchema>;

export const readerExample: Reader = {
  id: '5f0c7f0e-3f57-4a77-9f0b-1c2d3e4f5a6b',
  name: 'Dock door 1',
  serial: '370-21-09-0042',
  model: 'R700',
  firmware: '10.1.0',
  status: 'online',
  displayStatus: 'Online and Reading',
  enabled: true,
  temperatureC: 41.5,
  cpuPercent: 12,
  memoryPercent: 38,
  powerMilliwatts: 9800,
  healthAt: '2026-03-02T09:15:30.000Z',
  brokerStatus: 'connected',
  brokerStatusAt: '2026-03-01T06:00:02.118Z',
  lastEventAt: '2026-03-02T09:15:37.412Z',
  lastSeenAt: '2026-03-02T09:15:37.412Z',
  commandsSupported: true,
  lastCommand: readerCommandExample,
};
