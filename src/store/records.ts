import type { AntennaSettings } from '../domain/antenna.ts';
import type { LocationPolicy, ZoneKind } from '../domain/zone.ts';

/** What stands on disk, table by table. Times are epoch milliseconds; `no` is a number that is never given twice. */

export interface OrgRecord {
  readonly id: string;
  readonly no: number;
  readonly name: string;
  readonly createdAt: number;
}

export interface SiteRecord {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
}

export interface UserRecord {
  readonly id: string;
  readonly orgId: string;
  readonly email: string;
  readonly role: 'admin' | 'operator';
  /** `scrypt$N$r$p$salt$hash`, base64url. */
  readonly passwordHash: string;
  readonly createdAt: number;
}

export interface ApiKeyRecord {
  readonly id: string;
  readonly orgId: string;
  readonly name: string;
  /** SHA-256 of the key, hex; the key itself is nowhere. */
  readonly hash: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly lastUsedAt: number | null;
}

/** `registered` waits for its claim, `claimed` belongs to a reader, `released` is free again, `withdrawn` is out of service. */
export type DeviceState = 'registered' | 'claimed' | 'released' | 'withdrawn';

export interface DeviceRecord {
  readonly serial: string;
  readonly model: string;
  readonly firmware: string;
  readonly state: DeviceState;
  /** Canonical claim code (no dashes, upper case), or null when there is none to use. */
  readonly claimCode: string | null;
  /** Where it belongs while claimed. */
  readonly orgId: string | null;
  readonly readerId: string | null;
  readonly claimedAt: number | null;
  readonly provisionedAt: number;
  /** Revoked in the service: data refused, the connection stays. */
  readonly dataRevoked: boolean;
  /** Revoked on the broker: refused at the next connection. */
  readonly connectRevoked: boolean;
}

export interface CertificateRecord {
  /** The reader's serial, which is the certificate's common name. */
  readonly serial: string;
  readonly fingerprint256: string;
  readonly notBefore: number;
  readonly notAfter: number;
  readonly revokedAt: number | null;
}

export interface ReaderRecord {
  readonly id: string;
  readonly no: number;
  readonly serial: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly createdAt: number;
}

/** What a device last showed of itself; written behind, a few seconds late at most. */
export interface DeviceActivity {
  readonly firstSeenAt: number | null;
  readonly lastSeenAt: number | null;
  readonly lastEventAt: number | null;
  readonly brokerStatusAt: number | null;
  /** The last health message's figures, as ingest keeps them. */
  readonly health: Readonly<Record<string, unknown>> | null;
  readonly healthAt: number | null;
}

export interface AntennaRecord extends AntennaSettings {
  readonly id: string;
  readonly port: number;
}

export interface ZoneRecord {
  readonly id: string;
  readonly no: number;
  readonly siteId: string;
  readonly name: string;
  readonly kind: ZoneKind;
  /** Overrides the appliance's `location.policy` for this zone; null follows it. */
  readonly locationPolicy: LocationPolicy | null;
}

export interface TagRecord {
  readonly id: string;
  readonly orgNo: number;
  readonly epc: string;
  readonly createdAt: number;
}

export interface AuditRecord {
  readonly at: number;
  readonly actor: { readonly kind: 'user' | 'key' | 'cli' | 'system'; readonly id: string };
  readonly address: string | null;
  readonly action: string;
  readonly resource: string;
  readonly before?: unknown;
  readonly after?: unknown;
}
