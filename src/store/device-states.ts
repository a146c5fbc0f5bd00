import { type ClaimCode, makeClaimCode } from '../domain/claim-code.ts';
import { revokeCertificates } from './certificates.ts';
import type { DeviceRecord } from './records.ts';
import type { Reading, Tx } from './store.ts';
import { tables } from './tables.ts';

const DISCONNECT_COUNTER = 'lastDisconnectNo';

/**
 * Takes a device out of service: its data is dropped, and claiming it by any code it had is refused as withdrawn. A reader it
 * belongs to stays until it is removed. Provisioning it again takes it back.
 */
export function withdrawDevice(tx: Tx, device: DeviceRecord): DeviceRecord {
  const withdrawn: DeviceRecord = { ...device, state: 'withdrawn' };
  tx.put(tables.devices, device.serial, withdrawn);
  return withdrawn;
}

/** Where a device is to be revoked, and whether what is open now is to be cut. */
export interface Revocation {
  /** On the broker too: refused at its next connection. */
  readonly broker: boolean;
  /** Its open connections are cut by the running appliance (`disconnectNo`). */
  readonly disconnect: boolean;
  /** Epoch ms. */
  readonly now: number;
}

/** What revoking did. */
export interface Revoked {
  readonly device: DeviceRecord;
  /** False: all of it was so before. A cut that was asked for is asked for all the same. */
  readonly isNew: boolean;
  /** Serial numbers of the certificates revoked now. */
  readonly certificates: readonly string[];
}

/**
 * Revokes a device in the service: its data is refused, its connection stays. On the broker too, all its certificates are
 * revoked and it is refused at the next connection, while an open one continues (interface "Authentication" 8); cutting
 * that one is an extension. Provisioning the device again takes all of it back.
 */
export function revokeDevice(tx: Tx, device: DeviceRecord, { broker, disconnect, now }: Revocation): Revoked {
  const certificates = broker ? revokeCertificates(tx, device.serial, { now }) : [];
  const connectRevoked = device.connectRevoked || broker;
  const isNew = !device.dataRevoked || connectRevoked !== device.connectRevoked || certificates.length > 0;
  const revoked: DeviceRecord = {
    ...device,
    dataRevoked: true,
    connectRevoked,
    ...(disconnect && { disconnectNo: tx.next(DISCONNECT_COUNTER) }),
  };
  if (isNew || disconnect) tx.put(tables.devices, device.serial, revoked);
  return { device: revoked, isNew, certificates };
}

/** The number of the last request to cut a device's connections, by any process; 0 before the first. */
export function lastDisconnectNo(reading: Reading): number {
  return reading.get(tables.meta, DISCONNECT_COUNTER) ?? 0;
}

/**
 * Takes a provisioned device (back) into service: neither revoked nor withdrawn, `claimed` while it has a reader and else
 * `registered`, under a new claim code (null while claimed). A device revoked on the broker keeps none of its certificates
 * but `certificate`, or those would open the broker again.
 */
export function recommissionDevice(
  tx: Tx,
  device: DeviceRecord,
  options: {
    readonly certificate: string;
    readonly now: number;
    readonly random: (bytes: number) => Uint8Array;
  },
): ClaimCode | null {
  const { certificate, now, random } = options;
  if (device.connectRevoked) revokeCertificates(tx, device.serial, { now, except: certificate });
  const restored = { ...device, dataRevoked: false, connectRevoked: false, provisionedAt: now };
  if (device.readerId === null) return renewClaimCode(tx, restored, random);
  tx.put(tables.devices, device.serial, { ...restored, state: 'claimed', claimCode: null });
  return null;
}

/**
 * Gives a device that is neither claimed nor withdrawn a new claim code; the old one is void. `random` gives as many
 * unpredictable bytes as asked for.
 */
export function renewClaimCode(
  tx: Tx,
  device: DeviceRecord,
  random: (bytes: number) => Uint8Array,
): ClaimCode {
  const code = freshCode(tx, random);
  tx.put(tables.deviceByClaimCode, code.canonical, device.serial);
  tx.put(tables.devices, device.serial, { ...device, state: 'registered', claimCode: code.canonical });
  return code;
}

/** A code no box ever carried. */
function freshCode(tx: Tx, random: (bytes: number) => Uint8Array): ClaimCode {
  for (;;) {
    const code = makeClaimCode(random);
    if (tx.get(tables.deviceByClaimCode, code.canonical) === undefined) return code;
  }
}
