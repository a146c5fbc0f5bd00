import { randomBytes } from 'node:crypto';
import {
  newDeviceSchema,
  type ProvisionedDevice,
  provisionedDeviceExample,
  provisionedDeviceSchema,
} from '../../contract/device.ts';
import { factoryCredentials, isDeviceOf } from '../../domain/device.ts';
import { Refused, refuse } from '../../domain/refusal.ts';
import { type Caller, type Route, route } from '../../http/route.ts';
import { formatInstant } from '../../lib/instant.ts';
import { WorkQueue } from '../../lib/work-queue.ts';
import { type AuditNote, auditedWrite } from '../../store/audit.ts';
import { type IssuedRecord, recordCertificate } from '../../store/certificates.ts';
import { isOnlyOrganisation } from '../../store/organisations.ts';
import { provisionDevice, type ProvisionedDevice as Registered } from '../../store/provision-device.ts';
import type { Store, Tx } from '../../store/store.ts';
import { tables } from '../../store/tables.ts';
import { enrolStarted } from './claim.ts';

/** Whose identity is to be issued; `user` and `password` open the reader's local REST interface. */
export interface IdentityWish {
  readonly serial: string;
  readonly user: string;
  readonly password: string;
  /** Epoch ms. */
  readonly now: number;
}

/** An identity that is nowhere on record yet: its certificate, and the four files with the key in them. */
export interface IssuedIdentity {
  readonly certificate: IssuedRecord;
  readonly files: ProvisionedDevice['files'];
}

export interface ProvisionRoutesOptions {
  readonly store: Store;
  /** Epoch ms. */
  readonly now: () => number;
  /** A new UUID. */
  readonly newId: () => string;
  /** Makes a key and has the authority sign for it, off the event loop. */
  readonly issueIdentity: (wish: IdentityWish) => Promise<IssuedIdentity>;
  /** How many readers the licence of an organisation allows, 0 = no limit; asked in the write's own transaction. */
  readonly maxReaders?: (tx: Tx, orgId: string) => number;
  /** Told after a claim: the device's agent may be there already. */
  readonly onClaimed?: (serial: string) => void;
}

const RETRY_AFTER_SECONDS = 5;
const description = [
  'As `tagkeep reader provision` does it: issues a certificate (RSA, ten years) and answers the four identity files, the private',
  'key among them, this once; then the device can be claimed by its code, or with `claim` is a reader at once. A serial that is',
  'known gets another certificate (the old one stays valid) and while it is not claimed another claim code (the old one is',
  'void); one that was revoked or withdrawn is back in service. A serial that another organisation claimed or provisioned is',
  'refused; certificates that another organisation had made for a reader of yours, before you claimed it, are revoked.',
].join(' ');

/** POST /devices (extension). */
export function provisionRoutes(options: ProvisionRoutesOptions): readonly Route[] {
  // The search for primes holds one of the four threads that the store's flushes use.
  const queue = new WorkQueue({ atOnce: 1, waiting: 20, full: tooMany });
  return [
    route({
      method: 'POST',
      path: '/devices',
      operationId: 'provisionDevice',
      summary: 'Provision a reader (extension)',
      description,
      tag: 'Readers and antennas',
      access: 'admin',
      body: newDeviceSchema,
      bodyExample: { serial: '370-21-09-0042', model: 'R700', claim: true, name: 'Dock door 1' },
      responses: {
        201: {
          description: 'The device with its identity files',
          schema: provisionedDeviceSchema,
          example: provisionedDeviceExample,
        },
      },
      refusals: ['device-taken', 'licence-limit', 'too-many-requests'],
      handle: async ({ caller, body }) => {
        refuseForeign(options.store, caller.orgId, body.serial);
        const { readerUser: user = factoryCredentials.user } = body;
        const { readerPassword: password = factoryCredentials.password } = body;
        const wish = { serial: body.serial, user, password, now: options.now() };
        const { certificate, files } = await queue.run(() => options.issueIdentity(wish));
        const made = await register(options, { ...body, caller, certificate, at: wish.now });
        if (made.isNewReader) options.onClaimed?.(body.serial);
        return { status: 201, body: { ...shown(made), certificate: shownCertificate(certificate), files } };
      },
    }),
  ];
}

function tooMany(): Refused {
  const detail = 'Too many readers are being provisioned right now. Try again in a few seconds.';
  return new Refused({ kind: 'too-many-requests', detail, retryAfterSeconds: RETRY_AFTER_SECONDS });
}

function refuseForeign(reading: Pick<Tx, 'get' | 'range'>, orgId: string, serial: string): void {
  const known = reading.get(tables.devices, serial);
  if (!known || isDeviceOf(known, orgId, isOnlyOrganisation(reading))) return;
  throw refuse('device-taken', `Another organisation has the reader ${serial}.`);
}

interface Registration {
  readonly caller: Caller;
  readonly serial: string;
  readonly model?: string | undefined;
  readonly firmware?: string | undefined;
  readonly claim: boolean;
  readonly name?: string | undefined;
  readonly certificate: IssuedRecord;
  /** Epoch ms. */
  readonly at: number;
}

interface Made extends Pick<Registered, 'device' | 'claimCode'> {
  readonly isNewReader: boolean;
}

/** Certificate, device and reader are one change: without it the key that was made opens nothing. */
function register(options: ProvisionRoutesOptions, wanted: Registration): Promise<Made> {
  const { caller, serial, model, firmware, certificate, at: now } = wanted;
  const { orgId } = caller;
  return auditedWrite(options.store, { author: caller, now }, (tx, note) => {
    // Again: it may have changed hands while the key was made.
    refuseForeign(tx, orgId, serial);
    recordCertificate(tx, serial, certificate);
    const { serialNumber } = certificate;
    const parts = { serial, model, firmware, orgId, now, certificate: serialNumber, random: randomBytes };
    const registered = provisionDevice(tx, parts);
    note(registered.note);
    const { device, claimCode } = registered;
    if (!wanted.claim || device.state === 'claimed') return { device, claimCode, isNewReader: false };
    return { device: claim(tx, options, { wanted, registered, note }), claimCode: null, isNewReader: true };
  });
}

interface Claim {
  readonly wanted: Registration;
  readonly registered: Registered;
  readonly note: (entry: AuditNote) => void;
}

function claim(
  tx: Tx,
  { newId, maxReaders = () => 0 }: ProvisionRoutesOptions,
  { wanted, registered, note }: Claim,
): Registered['device'] {
  const { serial, name = serial, caller, at: now } = wanted;
  const { orgId } = caller;
  const enrolment = { orgId, name, now, newId, maxReaders: maxReaders(tx, orgId) };
  const claimed = enrolStarted(tx, registered.device, enrolment);
  note({ action: 'claim', resource: `readers/${claimed.readerId}`, after: { serial, name } });
  return claimed;
}

function shown({ device, claimCode }: Made): Omit<ProvisionedDevice, 'certificate' | 'files'> {
  const { serial, model, firmware, readerId } = device;
  return { serial, model, firmware, claimCode, readerId };
}

function shownCertificate({ serialNumber, notBefore, notAfter }: IssuedRecord) {
  return { serialNumber, notBefore: formatInstant(notBefore), notAfter: formatInstant(notAfter) };
}
