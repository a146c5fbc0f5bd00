import { z } from 'zod';
import { defaultAntenna, searchModes } from '../domain/antenna.ts';
import { limits } from '../domain/limits.ts';
import { uuid, uuidInput } from './scalars.ts';

const port = z.int().min(1).max(limits.antennaPorts);
const transmitPowerCdbm = z
  .int()
  .min(limits.powerMinCdbm)
  .max(limits.powerMaxCdbm)
  .meta({ description: 'Hundredths of a dBm' });
const inventorySession = z.int().min(0).max(limits.inventorySessionMax);
const searchMode = z.enum(searchModes);
const tagPopulation = z
  .int()
  .min(1)
  .max(limits.tagPopulationMax)
  .meta({ description: 'Expected tags in view' });

/** One antenna port of a reader. */
export const antennaSchema = z
  .object({
    id: uuid,
    readerId: uuid,
    port,
    zoneId: uuid.nullable().meta({ description: 'Mapped zone; null: unmapped' }),
    zoneName: z.string().nullable(),
    role: z.literal('coverage'),
    transmitPowerCdbm,
    effectivePowerCdbm: z.int().meta({
      description:
        'What the reader sends with: `transmitPowerCdbm` rounded down to its step of 25 (extension)',
    }),
    inventorySession,
    searchMode,
    tagPopulation,
    enabled: z.boolean().meta({ description: 'Whether the port is used' }),
  })
  .meta({ id: 'Antenna', description: 'An antenna port of a reader' });
export type Antenna = z.infer<typeof antennaSchema>;

/** The body of PUT /readers/{id}/antennas: what is left out stays, but for `zoneId` and `role`. */
export const antennaChangesSchema = z
  .array(
    z
      .object({
        port,
        zoneId: uuidInput
          .nullable()
          .default(null)
          .meta({ description: 'Omitted or null: the port becomes unmapped' }),
        role: z.literal('coverage').default('coverage'),
        transmitPowerCdbm: transmitPowerCdbm.optional(),
        inventorySession: inventorySession.optional(),
        searchMode: searchMode.optional(),
        tagPopulation: tagPopulation.optional(),
        enabled: z.boolean().optional(),
      })
      .meta({ id: 'AntennaChange', description: 'New settings of one port' }),
  )
  .check(({ value, issues }) => {
    value.forEach(({ port: own }, at) => {
      if (value.findIndex((other) => other.port === own) < at)
        issues.push({ code: 'custom', input: own, path: [at, 'port'], message: `repeats port ${own}` });
    });
  });
export type AntennaChange = z.infer<typeof antennaChangesSchema>[number];

export const antennaExample: Antenna = {
  id: '0c1d2e3f-4a5b-4c6d-8e7f-9a0b1c2d3e4f',
  readerId: '5f0c7f0e-3f57-4a77-9f0b-1c2d3e4f5a6b',
  port: 1,
  ...defaultAntenna,
  effectivePowerCdbm: 3000,
  zoneId: '2f6d9a10-7c3b-4c5d-9e8f-0a1b2c3d4e5f',
  zoneName: 'Dock',
};
