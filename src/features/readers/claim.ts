import { parseClaimCode } from '../../domain/claim-code.ts';
import { refuse } from '../../domain/refusal.ts';
import { type ClaimedDevice, enrolDevice } from '../../store/enrol.ts';
import type { DeviceRecord } from '../../store/records.ts';
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

/**
 * Makes a device a reader of an organisation and uses its code up. Throws `claim-code-invalid` for a code that is
 * unknown, void or used, `device-withdrawn` for any code of a withdrawn device.
 */
export function claimDevice(tx: Tx, { code, readerName, orgId, at, newId }: ClaimInput): ClaimedDevice {
  return enrolDevice(tx, deviceToClaim(tx, code), { orgId, name: readerName, now: at, newId });
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
