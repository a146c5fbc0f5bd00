import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { makeClaimCode } from '../domain/claim-code.ts';
import type { Authority } from '../pki/authority.ts';
import { writeIdentity } from '../pki/identity.ts';
import { appendAudit } from '../store/audit.ts';
import type { DeviceRecord } from '../store/records.ts';
import type { Store, Tx } from '../store/store.ts';
import { tables } from '../store/tables.ts';

export interface ProvisionRequest {
  readonly serial: string;
  readonly model: string;
  readonly firmware: string;
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
 * Files come first: a certificate that is on record but nowhere else would be of no use to anybody.
 */
export async function provision(
  { store, authority }: { store: Store; authority: Authority },
  request: ProvisionRequest,
): Promise<Provisioned> {
  const { serial, dir, now } = request;
  const issued = await authority.issueClient({ commonName: serial, keyType: request.keyType, now });
  const files = await writeIdentity({
    dir,
    caPem: authority.caCertPem,
    certPem: issued.certPem,
    keyPem: issued.keyPem,
    user: request.readerUser,
    password: request.readerPassword,
  });
  const { serialNumber, fingerprint256, notBefore, notAfter } = issued;
  try {
    const claimCode = await store.write((tx) => {
      tx.put(tables.certificates, serialNumber, {
        serial,
        fingerprint256,
        notBefore,
        notAfter,
        revokedAt: null,
      });
      return register(tx, request);
    });
    const { model, firmware } = request;
    return { serial, model, firmware, claimCode, files, certificate: { serialNumber, notBefore, notAfter } };
  } catch (error) {
    await Promise.all(files.map((file) => rm(file, { force: true })));
    throw error;
  }
}

function register(tx: Tx, request: ProvisionRequest): string | null {
  const { serial, model, firmware, now } = request;
  const before = tx.get(tables.devices, serial);
  const code = before?.state === 'claimed' ? null : freshCode(tx);
  if (code) tx.put(tables.deviceByClaimCode, code.canonical, serial);
  tx.put(tables.devices, serial, {
    ...(before ?? blankDevice(serial)),
    model,
    firmware,
    claimCode: code?.canonical ?? null,
    provisionedAt: now,
  });
  appendAudit(tx, {
    orgId: request.orgId,
    at: now,
    action: 'provision',
    resource: `devices/${serial}`,
    after: { serial, model, firmware },
  });
  return code?.shown ?? null;
}

function blankDevice(serial: string): DeviceRecord {
  return {
    serial,
    model: '',
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
