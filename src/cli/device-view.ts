import type { NewCertificate } from '../app/issue-identity.ts';
import { formatInstant } from '../lib/instant.ts';
import {
  certificateState,
  currentCertificate,
  daysLeft,
  type ListedCertificate,
} from '../store/certificates.ts';
import type { DeviceRecord } from '../store/records.ts';
import type { Reading } from '../store/store.ts';
import { tables } from '../store/tables.ts';

export interface DeviceToList {
  readonly device: DeviceRecord;
  /** All of the device's, revoked ones too. */
  readonly certificates: readonly ListedCertificate[];
  /** Epoch ms. */
  readonly now: number;
}

/** A device as `tagkeep reader list --json` shows it. */
export type ListedReader = ReturnType<typeof listedReader>;

/** A device with its reader's name and the certificate that counts for it: of those not revoked the one that ends last. */
export function listedReader(reading: Reading, { device, certificates, now }: DeviceToList) {
  const { serial, model, orgId, readerId, claimedAt, dataRevoked, connectRevoked } = device;
  const reader = orgId && readerId ? reading.get(tables.readers, [orgId, readerId]) : undefined;
  return {
    serial,
    name: reader?.name ?? null,
    model,
    firmware: firmwareOf(reading, device),
    state: stateOf(device),
    dataRevoked,
    connectRevoked,
    readerId,
    claimedAt: iso(claimedAt),
    lastSeenAt: iso(reading.get(tables.deviceActivity, serial)?.lastSeenAt ?? null),
    ...certificateOf(certificates, now),
  };
}

export const readerHeader = [
  'SERIAL',
  'NAME',
  'MODEL',
  'FIRMWARE',
  'STATE',
  'LAST SEEN',
  'CERTIFICATE',
  'UNTIL',
  'DAYS LEFT',
] as const;

/** The same as a row under `readerHeader`. */
export function readerRow(one: ListedReader): readonly string[] {
  return [
    one.serial,
    one.name ?? '-',
    one.model,
    one.firmware,
    one.state,
    one.lastSeenAt ?? '-',
    certificateWords[one.certificateState],
    one.certificateNotAfter ?? '-',
    String(one.certificateDaysLeft ?? '-'),
  ];
}

/** A certificate just issued, as `--json` shows it. */
export function shownCertificate({ serialNumber, notBefore, notAfter }: NewCertificate) {
  return { serialNumber, notBefore: formatInstant(notBefore), notAfter: formatInstant(notAfter) };
}

/** A device as the commands that change one show it. */
export function shownDevice(device: DeviceRecord) {
  const { serial, model, firmware, state, readerId, dataRevoked, connectRevoked } = device;
  return { serial, model, firmware, state, readerId, dataRevoked, connectRevoked };
}

const certificateWords = {
  valid: 'valid',
  expiring: 'EXPIRES SOON',
  expired: 'EXPIRED',
  revoked: 'REVOKED',
  none: '-',
} as const;

function certificateOf(certificates: readonly ListedCertificate[], now: number) {
  const current = currentCertificate(certificates);
  const usable = certificates.filter(({ revokedAt, notAfter }) => revokedAt === null && notAfter > now);
  return {
    certificateState: current
      ? certificateState(current, now)
      : certificates.length > 0
        ? ('revoked' as const)
        : ('none' as const),
    certificateSerialNumber: current?.serialNumber ?? null,
    certificateNotAfter: current ? formatInstant(current.notAfter) : null,
    certificateDaysLeft: current ? daysLeft(current.notAfter, now) : null,
    /** How many open the broker: older ones do until they are revoked. */
    certificatesUsable: usable.length,
  };
}

function stateOf({ state, dataRevoked, connectRevoked }: DeviceRecord): string {
  const revoked = connectRevoked ? 'revoked on the broker' : dataRevoked ? 'revoked' : null;
  if (state === 'withdrawn' && revoked) return `withdrawn, ${revoked}`;
  return revoked ?? state;
}

/** As its agent last said it, else as it was provisioned. */
function firmwareOf(reading: Reading, { serial, firmware }: DeviceRecord): string {
  const said = reading.get(tables.deviceActivity, serial)?.health?.firmware;
  return typeof said === 'string' ? said : firmware;
}

function iso(at: number | null): string | null {
  return at === null ? null : formatInstant(at);
}
