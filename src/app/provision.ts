import { randomBytes } from 'node:crypto';
import type { Authority } from '../pki/authority.ts';
import { appendAudit } from '../store/audit.ts';
import { provisionDevice } from '../store/provision-device.ts';
import type { DeviceRecord } from '../store/records.ts';
import type { Store, Tx } from '../store/store.ts';
import { tables } from '../store/tables.ts';
import { type IssueRequest, issueIdentity, type NewCertificate } from './issue-identity.ts';

export interface ProvisionRequest extends IssueRequest {
  /** Undefined: as they were; for a new device R700 and unknown. */
  readonly model: string | undefined;
  readonly firmware: string | undefined;
  /** Whose audit log notes it. */
  readonly orgId: string;
}

export interface Provisioned {
  readonly serial: string;
  readonly model: string;
  readonly firmware: string;
  /** `TK-XXXX-XXXX-XXXX`; null for a device already claimed. */
  readonly claimCode: string | null;
  readonly files: readonly string[];
  readonly certificate: NewCertificate;
}

/**
 * Issues a certificate, writes the identity files and registers the device. Done again it issues another certificate (the
 * old one stays valid) and, while the device is not claimed, another claim code (the old one is void). A revoked or
 * withdrawn device is back in service after it. Refused: a device of another organisation.
 */
export async function provision(
  parts: { store: Store; authority: Authority },
  request: ProvisionRequest,
): Promise<Provisioned> {
  const { result, files, certificate } = await issueIdentity(parts, request, (tx, issued) =>
    register(tx, request, issued),
  );
  return { ...result, files, certificate };
}

type Registered = Pick<Provisioned, 'serial' | 'model' | 'firmware' | 'claimCode'>;

function register(tx: Tx, request: ProvisionRequest, { serialNumber }: NewCertificate): Registered {
  const { serial, now, orgId } = request;
  const known = tx.get(tables.devices, serial);
  if (known) refuseForeign(tx, known, orgId);
  const { device, claimCode, note } = provisionDevice(tx, {
    ...request,
    ...{ certificate: serialNumber, random: randomBytes },
  });
  appendAudit(tx, { orgId, at: now, ...note });
  return { serial, model: device.model, firmware: device.firmware, claimCode };
}

function refuseForeign(tx: Tx, { serial, orgId }: DeviceRecord, wanted: string): void {
  if (orgId === null || orgId === wanted) return;
  const owner = tx.get(tables.orgs, orgId)?.name ?? '';
  throw new Error(`${serial} belongs to ${owner}; give --org "${owner}"`);
}
