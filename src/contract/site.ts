import { z } from 'zod';
import { isTimeZone } from '../lib/time-zone.ts';
import { timestamp, trimmedName, uuid } from './scalars.ts';

/** An IANA time zone; what is none gets a 400 that quotes it. */
const timeZoneInput = z
  .string()
  .superRefine((text, context) => {
    if (isTimeZone(text)) return;
    const written = JSON.stringify(text.slice(0, 64));
    context.addIssue(`must be an IANA time zone such as "Europe/Berlin", not ${written}`);
  })
  .meta({ description: 'IANA time zone, such as `Europe/Berlin`' });

/** A site: where zones are. */
export const siteSchema = z
  .object({
    id: uuid,
    name: z.string(),
    timeZone: z.string().meta({ description: "IANA time zone; the appliance's own unless another was set" }),
    createdAt: timestamp,
  })
  .meta({ id: 'Site', description: 'A place with zones, such as a building' });
export type Site = z.infer<typeof siteSchema>;

/** The body of POST /sites. */
export const newSiteSchema = z
  .object({
    name: trimmedName,
    timeZone: timeZoneInput
      .optional()
      .meta({ description: "IANA time zone; the appliance's own if left out" }),
  })
  .meta({ id: 'NewSite' });

/** The body of PATCH /sites/{id}: at least one of them. */
export const siteChangeSchema = z
  .object({ name: trimmedName.optional(), timeZone: timeZoneInput.optional() })
  .refine((change) => Object.keys(change).length > 0, 'must have name or timeZone')
  .meta({ id: 'SiteChange' });

export const siteExample: Site = {
  id: '9a8b7c6d-5e4f-4a3b-8c2d-1e0f9a8b7c6d',
  name: 'Main site',
  timeZone: 'Europe/Berlin',
  createdAt: '2026-03-01T08:00:00.000Z',
};
