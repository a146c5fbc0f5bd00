import { z } from 'zod';
import { locationPolicies, zoneKinds } from '../domain/zone.ts';
import { nameInput, uuid, uuidInput } from './scalars.ts';

const kind = z.enum(zoneKinds);
const locationPolicy = z
  .enum(locationPolicies)
  .nullable()
  .meta({ description: "How tags get here; null: as the appliance's `location.policy` says (extension)" });

/** A zone. */
export const zoneSchema = z
  .object({
    id: uuid,
    siteId: uuid.meta({ description: 'Site the zone belongs to' }),
    name: z.string(),
    kind,
    locationPolicy,
  })
  .meta({ id: 'Zone', description: 'A place that antennas watch' });
export type Zone = z.infer<typeof zoneSchema>;

/** The body of POST /zones. Names may repeat. */
export const newZoneSchema = z
  .object({
    name: nameInput,
    kind: kind.default('storage'),
    locationPolicy: locationPolicy.default(null),
    siteId: uuidInput.optional().meta({ description: 'Its site; the oldest one if left out (extension)' }),
  })
  .meta({ id: 'NewZone' });

/** The body of PATCH /zones/{id}: at least one of them. */
export const zoneChangeSchema = z
  .object({
    name: nameInput.optional(),
    kind: kind.optional(),
    locationPolicy: locationPolicy.optional(),
  })
  .refine((change) => Object.keys(change).length > 0, 'must have name, kind or locationPolicy')
  .meta({ id: 'ZoneChange' });

export const zoneExample: Zone = {
  id: '2f6d9a10-7c3b-4c5d-9e8f-0a1b2c3d4e5f',
  siteId: '9a8b7c6d-5e4f-4a3b-8c2d-1e0f9a8b7c6d',
  name: 'Dock',
  kind: 'portal',
  locationPolicy: null,
};
