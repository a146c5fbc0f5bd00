import type { Authority } from '../pki/authority.ts';
import { appendAudit } from '../store/audit.ts';
import { revokeCertificates } from '../store/certificates.ts';
import type { Store, Tx } from '../store/store.ts';
import { tables } from '../store/tables.ts';
import { type IssueRequest, issueIdentity, type NewCertificate } from './issue-identity.ts';

export interface ReissueRequest extends IssueRequest {
  /** Revoke every older certificate of the reader once the new files are in place. */
  readonly revokeOld: boolean;
  /** Whose audit log notes it. */
  readonly orgId: string;
}

export interface Reissued {
  readonly serial: string;
  readonly files: readonly string[];
  readonly certificate: NewCertificate;
  /** Serial numbers of the older certificates revoked now. */
  readonly revoked: readonly string[];
}

/**
 * Gives a registered reader another certificate in another set of identity files; its state and its claim code stay as
 * they are. The old certificates stay valid (interface "Authentication" 8) unless `revokeOld` (extension): then they are
 * revoked last, so that a failure before leaves the reader with one that works. The caller knows that the device is
 * registered; one that isn't any more by then makes nothing.
 */
export async function reissue(
  parts: { readonly store: Store; readonly authority: Authority },
  request: ReissueRequest,
): Promise<Reissued> {
  const { serial } = request;
  const { files, certificate } = await issueIdentity(parts, request, (tx, { serialNumber }) => {
    if (!tx.get(tables.devices, serial)) throw new Error(`there is no device ${serial}`);
    note(tx, request, { action: 'reissue', after: { certificate: serialNumber } });
  });
  const revoked = request.revokeOld ? await revokeOlder(parts.store, request, certificate) : [];
  return { serial, files, certificate, revoked };
}

function revokeOlder(
  store: Store,
  request: ReissueRequest,
  { serialNumber }: NewCertificate,
): Promise<readonly string[]> {
  return store.write((tx) => {
    const revoked = revokeCertificates(tx, request.serial, { now: request.now, except: serialNumber });
    if (revoked.length > 0) note(tx, request, { action: 'revoke', after: { certificates: revoked } });
    return revoked;
  });
}

function note(
  tx: Tx,
  { orgId, now, serial }: ReissueRequest,
  what: { readonly action: string; readonly after: object },
): void {
  appendAudit(tx, { orgId, at: now, resource: `devices/${serial}`, ...what });
}
