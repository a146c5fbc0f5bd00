import { type ClaimCode, makeClaimCode } from '../domain/claim-code.ts';
import type { DeviceRecord } from './records.ts';
import type { Tx } from './store.ts';
import { tables } from './tables.ts';

/**
 * Takes a device out of service: its data is dropped, and claiming it by any code it had is refused as withdrawn. A reader it
 * belongs to stays until it is removed. Provisioning it again takes it back.
 */
export function withdrawDevice(tx: Tx, device: DeviceRecord): DeviceRecord {
  const withdrawn: DeviceRecord = { ...device, state: 'withdrawn' };
  tx.put(tables.devices, device.serial, withdrawn);
  return withdrawn;
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
