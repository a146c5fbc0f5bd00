import { defaultAntenna } from '../../domain/antenna.ts';
import { parseClaimCode } from '../../domain/claim-code.ts';
import { limits } from '../../domain/limits.ts';
import { refuse } from '../../domain/refusal.ts';
import type { AntennaRecord, DeviceRecord } from '../../store/records.ts';
import type { Tx } from '../../store/store.ts';
import { tables } from '../../store/tables.ts';

export interface ClaimInput {
  /** As typed: case and dashes don't matter. */
  readonly code: string;
  readonly readerName: string;
  readonly orgId: string;
  /** Epoch ms. */
  readonly at: number;
  readonly newId: () => string;
}

type ClaimedRecord = DeviceRecord & { readonly readerId: string; readonly claimedAt: number };

/**
 * Makes a device a reader of an organisation, with four antennas at their defaults, and uses its code up. Throws
 * `claim-code-invalid` for a code that is unknown, void or used, `device-withdrawn` for any code of a withdrawn device.
 */
export function claimDevice(tx: Tx, { code, readerName, orgId, at, newId }: ClaimInput): ClaimedRecord {
  const device = deviceToClaim(tx, code);
  const readerId = newId();
  const claimed = {
    ...device,
    state: 'claimed' as const,
    claimCode: null,
    orgId,
    readerId,
    claimedAt: at,
  };
  tx.put(tables.devices, device.serial, claimed);
  tx.put(tables.readers, [orgId, readerId], {
    id: readerId,
    no: tx.next('lastReaderNo'),
    serial: device.serial,
    name: readerName,
    enabled: true,
    createdAt: at,
  });
  tx.put(tables.antennas, [orgId, readerId], antennas(newId));
  return claimed;
}

function deviceToClaim(tx: Tx, text: string): DeviceRecord {
  const code = parseClaimCode(text);
  const serial = code === null ? undefined : tx.get(tables.deviceByClaimCode, code);
  const device = serial === undefined ? undefined : tx.get(tables.devices, serial);
  if (device?.state === 'withdrawn')
    throw refuse('device-withdrawn', 'The reader with this claim code has been withdrawn.');
  if (!device || device.state === 'claimed' || device.claimCode !== code)
    throw refuse('claim-code-invalid', 'The claim code is not valid or was used already.');
  return device;
}

function antennas(newId: () => string): readonly AntennaRecord[] {
  return Array.from({ length: limits.antennaPorts }, (_, index) => ({
    id: newId(),
    port: index + 1,
    ...defaultAntenna,
  }));
}
