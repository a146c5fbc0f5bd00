import type { AuditNote } from './audit.ts';
import { revokeCertificates } from './certificates.ts';
import { recommissionDevice } from './device-states.ts';
import type { DeviceRecord } from './records.ts';
import type { Tx } from './store.ts';
import { tables } from './tables.ts';

/** A device for which a certificate was just issued. */
export interface Provisioning {
  readonly serial: string;
  /** Undefined: as they were; for a new device R700 and unknown. */
  readonly model: string | undefined;
  readonly firmware: string | undefined;
  /** For which organisation. */
  readonly orgId: string;
  /** The serial number of the certificate. */
  readonly certificate: string;
  /** Epoch ms. */
  readonly now: number;
  /** As many unpredictable bytes as asked for. */
  readonly random: (bytes: number) => Uint8Array;
}

export interface ProvisionedDevice {
  readonly device: DeviceRecord;
  /** `TK-XXXX-XXXX-XXXX`; null for a device already claimed. */
  readonly claimCode: string | null;
  /** What the audit log is to say of it; codes are no part of it. */
  readonly note: AuditNote;
}

/**
 * Registers a device, or takes a known one (back) into service: revoked or withdrawn no more, and while it is not claimed
 * under another claim code, the old one void. The certificates it had stay valid (interface "Authentication" 8) unless they
 * were provisioned for another organisation, which has their keys. Whether the organisation may do that is known before.
 */
export function provisionDevice(tx: Tx, request: Provisioning): ProvisionedDevice {
  const { serial, orgId, certificate, now, random } = request;
  const known = tx.get(tables.devices, serial);
  const before = known ?? blankDevice(serial);
  const draft: DeviceRecord = {
    ...before,
    model: request.model ?? before.model,
    firmware: request.firmware ?? before.firmware,
    provisionedFor: orgId,
  };
  const isHandedOver = known?.provisionedFor !== undefined && known.provisionedFor !== orgId;
  if (isHandedOver) revokeCertificates(tx, serial, { now, except: certificate });
  const code = recommissionDevice(tx, draft, { certificate, now, random });
  const device = tx.get(tables.devices, serial) ?? draft;
  const after = { ...notedOf(device), certificate };
  const note = { action: 'provision', resource: `devices/${serial}`, after };
  return { device, claimCode: code?.shown ?? null, note: known ? { ...note, before: notedOf(known) } : note };
}

function notedOf({ serial, model, firmware, state, dataRevoked, connectRevoked }: DeviceRecord): object {
  return { serial, model, firmware, state, dataRevoked, connectRevoked };
}

function blankDevice(serial: string): DeviceRecord {
  return {
    serial,
    model: 'R700',
    firmware: '',
    state: 'registered',
    claimCode: null,
    orgId: null,
    readerId: null,
    claimedAt: null,
    provisionedAt: 0,
    dataRevoked: false,
    connectRevoked: false,
  };
}
