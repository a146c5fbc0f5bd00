import { randomBytes } from 'node:crypto';
import { makeClaimCode } from '../domain/claim-code.ts';
import type { Authority } from '../pki/authority.ts';
import { stageIdentity } from '../pki/identity.ts';
import { appendAudit } from '../store/audit.ts';
import type { DeviceRecord } from '../store/records.ts';
import type { Store, Tx } from '../store/store.ts';
import { tables } from '../store/tables.ts';

export interface ProvisionRequest {
  readonly serial: string;
  /** Undefined: as they were; for a new device R700 and unknown. */
  readonly model: string | undefined;
  readonly firmware: string | undefined;
  readonly keyType: 'rsa' | 'ecdsa';
  /** Where the four identity files go. */
  readonly dir: string;
  /** Credentials of the reader's local REST interface, for its agent. */
  readonly readerUser: string;
  readonly readerPassword: string;
  /** Whose audit log notes it. */
  readonly orgId: string;
  readonly now: number;
}

export interface Provisioned {
  readonly serial: string;
  readonly model: string;
  readonly firmware: string;
  /** `TK-XXXX-XXXX-XXXX`; null for a device already claimed. */
  readonly claimCode: string | null;
  readonly files: readonly string[];
  readonly certificate: {
    readonly serialNumber: string;
    readonly notBefore: number;
    readonly notAfter: number;
  };
}

/**
 * Issues a certificate, writes the identity files and registers the device. Done again it issues another certificate (the
 * old one stays valid) and, while the device is not claimed, another claim code (the old one is void).
 * The files are on disk before the certificate is on record, and take their place after: neither is lost to the other.
 */
export async function provision(
  { store, authority }: { store: Store; authority: Authority },
  request: ProvisionRequest,
): Promise<Provisioned> {
  const { serial, dir, now } = request;
  const issued = await authority.issueClient({ commonName: serial, keyType: request.keyType, now });
  const staged = await stageIdentity({
    dir,
    caPem: authority.caCertPem,
    certPem: issued.certPem,
    keyPem: issued.keyPem,
    user: request.readerUser,
    password: request.readerPassword,
  });
  const { serialNumber, fingerprint256, notBefore, notAfter } = issued;
  const certificate = { serial, fingerprint256, notBefore, notAfter, revokedAt: null };
  try {
    const device = await store.write((tx) => {
      tx.put(tables.certificates, serialNumber, certificate);
      return register(tx, request);
    });
    await staged.commit();
    return { ...device, files: staged.paths, certificate: { serialNumber, notBefore, notAfter } };
  } finally {
    await staged.drop();
  }
}

type Registered = Pick<Provisioned, 'serial' | 'model' | 'firmware' | 'claimCode'>;

function register(tx: Tx, request: ProvisionRequest): Registered {
  const { serial, now } = request;
  const before = tx.get(tables.devices, serial) ?? blankDevice(serial);
  const model = request.model ?? before.model;
  const firmware = request.firmware ?? before.firmware;
  const isClaimed = before.state === 'claimed';
  const code = isClaimed ? null : freshCode(tx);
  if (code) tx.put(tables.deviceByClaimCode, code.canonical, serial);
  tx.put(tables.devices, serial, {
    ...before,
    model,
    firmware,
    // A released or withdrawn device is back in service.
    state: isClaimed ? 'claimed' : 'registered',
    claimCode: code?.canonical ?? null,
    provisionedAt: now,
  });
  const after = { serial, model, firmware };
  appendAudit(tx, {
    orgId: request.orgId,
    at: now,
    action: 'provision',
    resource: `devices/${serial}`,
    after,
  });
  return { ...after, claimCode: code?.shown ?? null };
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

/** A code no box ever carried. */
function freshCode(tx: Tx): { readonly canonical: string; readonly shown: string } {
  for (;;) {
    const code = makeClaimCode(randomBytes);
    if (tx.get(tables.deviceByClaimCode, code.canonical) === undefined) return code;
  }
}
