import { z } from 'zod';
import {
  builtInLicence,
  knownFeatures,
  type LicenceClaims,
  licenceStanding,
  licenceStates,
} from '../domain/licence.ts';
import { limits } from '../domain/limits.ts';
import { formatInstant } from '../lib/instant.ts';
import { timestamp } from './scalars.ts';

const count = z.int().min(0);

const licenceSchema = z
  .object({
    valid: z.boolean(),
    customer: z.string(),
    edition: z.string().meta({ description: 'The plan' }),
    features: z.array(z.string()).meta({ description: 'Add-ons included' }),
    maxReaders: count.meta({ description: '0 means no limit' }),
    maxSites: count.meta({ description: '0 means no limit' }),
    state: z.enum(licenceStates),
    readOnly: z.boolean().meta({ description: 'True when writes are refused (402)' }),
    daysLeft: count.meta({ description: 'Begun days until the end; 36500 when there is none' }),
    message: z.string().optional().meta({ description: 'A sentence explaining the state' }),
    expiresAt: timestamp.optional().meta({ description: 'Absent when there is no fixed end' }),
  })
  .meta({ id: 'Licence', description: 'The plan and how it stands now' });

/** The answer of GET /license. */
export const licenceAnswerSchema = z
  .object({
    license: licenceSchema,
    usage: z
      .object({ readers: count, sites: count })
      .meta({ description: 'Readers and sites on the account now' }),
    knownFeatures: z.array(z.string()),
  })
  .meta({ id: 'LicenceAnswer' });
export type LicenceAnswer = z.infer<typeof licenceAnswerSchema>;

/** The body of PUT /license (extension). */
export const licenceTokenSchema = z
  .object({
    token: z
      .string()
      .max(limits.licenceTokenMaxLength)
      .meta({ minLength: 1, description: 'Signed by the vendor: a compact JWS (EdDSA)' }),
  })
  .meta({ id: 'LicenceToken' });

/** A licence as the interface shows it at `now` (epoch ms). */
export function licenceAnswer(
  claims: LicenceClaims,
  usage: LicenceAnswer['usage'],
  now: number,
): LicenceAnswer {
  const { customer, edition, features, maxReaders, maxSites, expiresAt } = claims;
  const { message, ...standing } = licenceStanding(claims, now);
  return {
    license: {
      ...standing,
      ...{ customer, edition, features: [...features], maxReaders, maxSites },
      ...(message !== null && { message }),
      ...(expiresAt !== null && { expiresAt: formatInstant(expiresAt) }),
    },
    usage,
    knownFeatures: [...knownFeatures],
  };
}

export const licenceExample: LicenceAnswer = licenceAnswer(builtInLicence, { readers: 4, sites: 1 }, 0);

/** Cut short: a real one has some 400 characters. */
export const licenceTokenExample = { token: 'eyJhbGciOiJFZERTQSJ9.eyJjdXN0b21lciI6IkFjbWUifQ.c2lnbmF0dXJl' };
