import { z } from 'zod';
import { brokerStatuses } from '../domain/reader-status.ts';
import { nameInput, timestamp, uuid } from './scalars.ts';
import { readerSerialPattern } from './topics.ts';

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

const CREDENTIAL_MAX_LENGTH = 255;
const credential = z.string().min(1).max(CREDENTIAL_MAX_LENGTH);

/** The body of POST /devices. */
export const newDeviceSchema = z
  .object({
    serial: z
      .string()
      .regex(readerSerialPattern, 'must be 1 to 64 letters, digits, dots, dashes or underscores')
      .meta({ description: 'Hardware serial number' }),
    model: nameInput.optional().meta({ description: 'As it was when left out; `R700` for a new device' }),
    firmware: nameInput.optional().meta({ description: 'As it was when left out' }),
    claim: z.boolean().default(false).meta({ description: 'Make it a reader of the organisation at once' }),
    name: nameInput
      .optional()
      .meta({ description: "The reader's name, where `claim` makes one; its serial when left out" }),
    readerUser: credential.optional().meta({
      description: "User of the reader's local interface, for its agent; the factory's when left out",
    }),
    readerPassword: credential.optional().meta({ format: 'password', description: 'Its password' }),
  })
  .meta({ id: 'NewDevice' });

/** A certificate of a reader. */
export const certificateSchema = z
  .object({
    serialNumber: z.string().meta({ description: 'Upper-case hexadecimal' }),
    notBefore: timestamp,
    notAfter: timestamp,
  })
  .meta({ id: 'ReaderCertificate' });
export type ReaderCertificate = z.infer<typeof certificateSchema>;

/** The answer of POST /devices. */
export const provisionedDeviceSchema = z
  .object({
    serial: z.string(),
    model: z.string(),
    firmware: z.string(),
    claimCode: z.string().nullable().meta({ description: 'Null for a device that is claimed' }),
    readerId: uuid
      .nullable()
      .meta({ description: 'The id the reader has in /readers; null while unclaimed' }),
    certificate: certificateSchema,
    files: z
      .object({
        'ca.crt': z.string(),
        'client.crt': z.string(),
        'client.key': z
          .string()
          .meta({ description: 'The private key, PEM. Answered this once, kept nowhere' }),
        'svc.json': z.string(),
      })
      .meta({ description: 'The identity files, for the folder `/cust/rw_dir/` of the reader' }),
  })
  .meta({ id: 'ProvisionedDevice', description: 'A device with an identity that was just issued' });
export type ProvisionedDevice = z.infer<typeof provisionedDeviceSchema>;

/** A device that waits for its claim. */
export const unclaimedDeviceSchema = z
  .object({
    serial: z.string(),
    model: z.string(),
    firmware: z.string(),
    provisionedAt: timestamp,
    brokerStatus: z.enum(brokerStatuses).meta({ description: 'Whether its connection is open now' }),
    lastSeenAt: timestamp.nullable().meta({ description: 'Latest sign of life since it was provisioned' }),
  })
  .meta({ id: 'UnclaimedDevice', description: 'A device that is provisioned and not claimed' });
export type UnclaimedDevice = z.infer<typeof unclaimedDeviceSchema>;

export const certificateExample: ReaderCertificate = {
  serialNumber: '5C0F6E1B2A3948576D7C8B9AAFBECDDC',
  notBefore: '2026-03-02T08:15:37.000Z',
  notAfter: '2036-03-02T09:15:37.000Z',
};

const { claimedAt: _, firstSeenAt: __, readerId, ...hardware } = claimedDeviceExample;

export const provisionedDeviceExample: ProvisionedDevice = {
  ...hardware,
  ...{ claimCode: null, readerId, certificate: certificateExample },
  files: {
    'ca.crt': '-----BEGIN CERTIFICATE-----\nMIIE…\n-----END CERTIFICATE-----\n',
    'client.crt': '-----BEGIN CERTIFICATE-----\nMIID…\n-----END CERTIFICATE-----\n',
    'client.key': '-----BEGIN PRIVATE KEY-----\nMIIE…\n-----END PRIVATE KEY-----\n',
    'svc.json': '{"user":"root","password":"…"}\n',
  },
};

export const unclaimedDeviceExample: UnclaimedDevice = {
  ...hardware,
  ...{ provisionedAt: '2026-03-02T09:15:37.412Z', brokerStatus: 'never', lastSeenAt: null },
};
