import type { AlertState } from '../domain/alert.ts';
import type { AntennaSettings } from '../domain/antenna.ts';
import type { AssetEventKind, AssetStatus } from '../domain/asset.ts';
import type { CommandKind, CommandStanding } from '../domain/command.ts';
import type { FieldDataType } from '../domain/field.ts';
import type { Value } from '../domain/value.ts';
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
  /** IANA name; absent: the appliance's own. */
  readonly timeZone?: string;
  readonly createdAt: number;
}

export interface UserRecord {
  readonly id: string;
  readonly orgId: string;
  readonly email: string;
  readonly role: 'admin' | 'operator';
  /** `scrypt$N$r$p$salt$hash`, base64url. */
  readonly passwordHash: string;
  /** The password is the one the first start printed; absent once another is set. */
  readonly firstPassword?: true;
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
  /** The organisation it was provisioned for last; absent: not known. */
  readonly provisionedFor?: string;
  /** Revoked in the service: data refused, the connection stays. */
  readonly dataRevoked: boolean;
  /** Revoked on the broker: refused at the next connection. */
  readonly connectRevoked: boolean;
  /** Its former reader was sent a start or stop, which the broker still holds for it. */
  readonly commandLeft?: boolean;
  /** Which request to cut its open connections was the last for it (`device-states.ts`); absent = none ever. */
  readonly disconnectNo?: number;
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
  /** When its agent first acknowledged a command; absent = never. */
  readonly commandsConfirmedAt?: number;
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

/** A column of people's data about tags. */
export interface FieldRecord {
  readonly id: string;
  /** What tags' values are kept under: a rename touches this record only, a deleted number is never given again. */
  readonly no: number;
  readonly key: string;
  readonly label: string;
  readonly dataType: FieldDataType;
  /** False until a first value told its type, for a field made without one. */
  readonly typeKnown?: boolean;
  readonly displayOrder: number;
  readonly showInTable: boolean;
  readonly isLabel: boolean;
}

/** A deleted field whose values are still being taken out of the tags, in slices. */
export interface DeletedFieldRecord {
  readonly orgNo: number;
  /** The first tag not looked at yet. */
  readonly nextTagNo: number;
}

/**
 * The current values of a tag on disk, by field number. A value stands alone when it holds since `at`, the last change of
 * the tag's data, else with the time since when. Numbers of deleted fields may still be there: they mean nothing.
 */
export interface TagDataRecord {
  readonly at: number;
  readonly values: Readonly<Record<number, Value | readonly [value: Value, since: number]>>;
}

/** A value in the history: `validFrom` and the field are in its key. */
export interface EndedValue {
  readonly value: Value;
  readonly validTo: number;
}

export interface AssetRecord {
  readonly id: string;
  readonly no: number;
  readonly assetTagNumber: string;
  readonly name: string;
  readonly category: string;
  readonly status: AssetStatus;
  readonly custodian: string | null;
  readonly checkedOutAt: number | null;
  readonly expectedReturnAt: number | null;
  /** The tag linked now; null = none. */
  readonly tagNo: number | null;
  /** What the correlation said the tag is to be called; null = the asset's name. */
  readonly tagLabel: string | null;
  /** When the tag was linked. */
  readonly linkedAt: number | null;
  readonly createdAt: number;
  /** Of a missing one: when its tag had last been seen as it went missing, whole epoch ms. */
  readonly missedAt?: number;
}

/** One entry of an asset's timeline. */
export interface AssetEventRecord {
  readonly kind: AssetEventKind;
  readonly zoneId?: string;
  readonly zoneName?: string;
  readonly meta: Readonly<Record<string, unknown>>;
}

export interface AlertRecord {
  readonly id: string;
  readonly no: number;
  readonly ruleKind: 'reader_offline' | 'asset_missing';
  readonly severity: 'critical' | 'warning';
  readonly state: AlertState;
  readonly subjectType: 'reader' | 'asset';
  readonly subjectId: string;
  /** What makes two alerts the same problem: `offline:<reader>`, `hot:<reader>`, `missing:<asset>`. */
  readonly problem: string;
  readonly message: string;
  readonly openedAt: number;
  readonly ackedAt: number | null;
  readonly resolvedAt: number | null;
}

/** A user's login in a browser. */
export interface SessionRecord {
  readonly userId: string;
  readonly orgId: string;
  readonly createdAt: number;
  readonly lastUsedAt: number;
  readonly expiresAt: number;
}

/** The licence token installed for an organisation, as it came. */
export interface LicenceRecord {
  readonly token: string;
  readonly installedAt: number;
}

/** A command sent to a reader. Settings carry none of their values: what goes out is what holds then. */
export interface CommandRecord {
  readonly id: string;
  readonly no: number;
  readonly kind: CommandKind;
  /** What a start starts; null for others. */
  readonly preset: string | null;
  readonly standing: CommandStanding;
  readonly createdAt: number;
  /** When the broker had stored it; null = not yet. */
  readonly publishedAt: number | null;
  readonly settledAt: number | null;
  /** Why it failed, as the agent said it. */
  readonly error: string | null;
}

/** The drawing of a site. Coordinates are fractions of the plan's width and height. */
export interface FloorRecord {
  readonly plan: FloorPlanRecord | null;
  readonly zones: readonly FloorZone[];
  readonly antennas: readonly FloorAntenna[];
}

/** What is known of a plan; its bytes are in `floorPlans`. */
export interface FloorPlanRecord {
  readonly contentType: 'image/png' | 'image/svg+xml';
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  readonly bytes: number;
  /** Never given twice. */
  readonly version: number;
  /** What cleaning it left out. */
  readonly dropped: number;
  readonly updatedAt: number;
}

export interface FloorZone {
  readonly zoneId: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

export interface FloorAntenna {
  readonly readerId: string;
  readonly port: number;
  readonly x: number;
  readonly y: number;
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
