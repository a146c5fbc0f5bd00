import { z } from 'zod';
import { timestamp, trimmedName, uuid } from './scalars.ts';

/** The organisation of the caller. */
export const organisationSchema = z
  .object({ id: uuid, name: z.string(), createdAt: timestamp })
  .meta({ id: 'Organisation', description: 'An organisation: its users see nothing of another' });
export type Organisation = z.infer<typeof organisationSchema>;

/** The body of PATCH /organisation. */
export const organisationChangeSchema = z.object({ name: trimmedName }).meta({ id: 'OrganisationChange' });

export const organisationExample: Organisation = {
  id: '1a2b3c4d-5e6f-4a7b-8c9d-0e1f2a3b4c5d',
  name: 'Example Logistics',
  createdAt: '2026-03-01T08:00:00.000Z',
};
