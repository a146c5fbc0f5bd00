import { parseClaimCode } from '../../domain/claim-code.ts';
import { refuse } from '../../domain/refusal.ts';
import { addCommand } from '../../store/commands.ts';
import { type ClaimedDevice, type Enrolment, enrolDevice } from '../../store/enrol.ts';
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
  /** How many readers the organisation's licence allows; 0 = no limit. */
  readonly maxReaders: number;
}

/**
 * Makes a device a reader of an organisation and uses its code up. If the broker still holds a command of the device's former
 * reader, a start takes its place: the new reader is enabled. Throws `claim-code-invalid` for a code that is
 * unknown, void or used, `device-withdrawn` for any code of a withdrawn device, `licence-limit` when the organisation has
 * as many readers as its licence allows.
 */
export function claimDevice(tx: Tx, { code, readerName, at, ...enrolment }: ClaimInput): ClaimedDevice {
  return enrolStarted(tx, deviceToClaim(tx, code), { ...enrolment, name: readerName, now: at });
}

/** Makes a device a reader as `enrolDevice` does, with a start in the place of a command its former reader left behind. */
export function enrolStarted(tx: Tx, device: DeviceRecord, enrolment: Enrolment): ClaimedDevice {
  const claimed = enrolDevice(tx, device, enrolment);
  const { orgId, readerId, commandLeft } = claimed;
  if (commandLeft)
    addCommand(tx, { orgId, readerId, id: enrolment.newId(), kind: 'start', now: enrolment.now });
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
