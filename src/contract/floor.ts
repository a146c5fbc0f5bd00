import { z } from 'zod';
import { limits } from '../domain/limits.ts';
import { timestamp, uuid, uuidInput } from './scalars.ts';

const fraction = z
  .number()
  .min(0)
  .max(1)
  .meta({ description: "Fraction of the plan's width or height, from its upper left corner" });
const port = z.int().min(1).max(limits.antennaPorts);
/** Corners of a polygon. */
type Points = readonly (readonly [x: number, y: number])[];

const { floorZonePoints } = limits;
const pointsMeta = {
  type: 'array',
  minItems: 3,
  maxItems: floorZonePoints,
  items: { type: 'array', minItems: 2, maxItems: 2, items: { type: 'number', minimum: 0, maximum: 1 } },
  description: "Corners `[x, y]`, as fractions of the plan's width and height",
} as const;

/** Looked at by hand: a drawing may have 32,000 of them, for which a schema of pairs takes longer than the loop may be held. */
const points = z
  .custom<Points>(Array.isArray, { error: 'must be a list' })
  .superRefine((value, context) => {
    const fault = pointsFault(value);
    if (fault) context.addIssue({ code: 'custom', ...fault });
  })
  .meta(pointsMeta);

function pointsFault(
  value: readonly unknown[],
): { readonly path: number[]; readonly message: string } | null {
  if (value.length < 3 || value.length > floorZonePoints)
    return { path: [], message: `must hold 3 to ${floorZonePoints} points` };
  for (const [index, pair] of value.entries()) {
    if (!Array.isArray(pair) || pair.length !== 2)
      return { path: [index], message: 'must be two numbers, x and y' };
    const wrong = pair.findIndex((one) => !(typeof one === 'number' && one >= 0 && one <= 1));
    if (wrong >= 0) return { path: [index, wrong], message: 'must be a number from 0 to 1' };
  }
  return null;
}

const planSchema = z.object({
  contentType: z.enum(['image/png', 'image/svg+xml']),
  width: z.number().meta({ description: 'Pixels' }),
  height: z.number(),
  bytes: z.int(),
  version: z.int().meta({ description: 'Another one for every upload' }),
  dropped: z.int().meta({ description: 'Pieces that were left out: scripts, links, pictures, metadata …' }),
  updatedAt: timestamp,
});

/** The drawing of a site (extension). */
export const floorSchema = z
  .object({
    plan: planSchema.nullable(),
    zones: z.array(z.object({ zoneId: uuid, points })),
    antennas: z.array(z.object({ readerId: uuid, port, x: fraction, y: fraction })),
  })
  .meta({ id: 'Floor', description: 'Where zones and antennas of a site are drawn, and on what' });
export type Floor = z.infer<typeof floorSchema>;

/** The body of PUT /sites/{id}/floor: the whole drawing. */
export const floorInputSchema = z
  .object({
    zones: z.array(z.object({ zoneId: uuidInput, points })).max(limits.floorZones),
    antennas: z
      .array(z.object({ readerId: uuidInput, port, x: fraction, y: fraction }))
      .max(limits.floorAntennas),
  })
  .meta({ id: 'FloorInput' });
export type FloorInput = z.infer<typeof floorInputSchema>;

/** The form of PUT /sites/{id}/floor/plan, for the documentation: the file is read as it arrives. */
export const planFormSchema = z
  .object({
    file: z.string().meta({
      format: 'binary',
      description: `PNG or SVG, up to ${limits.planMaxBytes / 1024 / 1024} MB`,
    }),
  })
  .meta({ id: 'PlanForm' });

const zone: FloorInput['zones'][number] = {
  zoneId: '2f6d9a10-7c3b-4c5d-9e8f-0a1b2c3d4e5f',
  points: [
    [0.1, 0.1],
    [0.4, 0.1],
    [0.4, 0.5],
  ],
};

export const floorInputExample: FloorInput = { zones: [zone], antennas: [] };

export const floorExample: Floor = {
  plan: {
    ...{ contentType: 'image/png', width: 1600, height: 900, bytes: 182_034, version: 3, dropped: 0 },
    updatedAt: '2026-03-01T12:00:00.000Z',
  },
  zones: [zone],
  antennas: [{ readerId: '5f0c7f0e-3f57-4a77-9f0b-1c2d3e4f5a6b', port: 1, x: 0.25, y: 0.1 }],
};
