import type {
  AlertRecord,
  AntennaRecord,
  ApiKeyRecord,
  AssetEventRecord,
  AssetRecord,
  AuditRecord,
  CertificateRecord,
  CommandRecord,
  DeletedFieldRecord,
  DeviceActivity,
  DeviceRecord,
  EndedValue,
  FieldRecord,
  FloorRecord,
  LicenceRecord,
  OrgRecord,
  ReaderRecord,
  SessionRecord,
  SiteRecord,
  TagDataRecord,
  TagRecord,
  UserRecord,
  ZoneRecord,
} from './records.ts';
import type {
  DeadWebhookEventRecord,
  WebhookAttemptRecord,
  WebhookEventRecord,
  WebhookRecord,
} from './webhook-records.ts';

export type Key = string | number | readonly (string | number)[];

/** One table: its name on disk, how keys and values are written, and the types of both (which exist at compile time only). */
export interface Table<K extends Key, V> {
  readonly name: string;
  readonly values: 'json' | 'binary';
  readonly keys: 'ordered' | 'uint32';
  /** A change here gives the directory a new version, by which every `Directory` sees that it is behind. */
  readonly directory: boolean;
  readonly types?: { readonly key: K; readonly value: V };
}

function json<K extends Key, V>(name: string): Table<K, V> {
  return { name, values: 'json', keys: 'ordered', directory: false };
}

function directory<K extends Key, V>(name: string): Table<K, V> {
  return { name, values: 'json', keys: 'ordered', directory: true };
}

function byNumber<V>(name: string, values: 'json' | 'binary'): Table<number, V> {
  return { name, values, keys: 'uint32', directory: false };
}

type OrgAndId = readonly [orgId: string, id: string];
type WebhookAndNo = readonly [webhookId: string, no: number];

/**
 * Every table there is. Append only: a name, its key or its meaning never changes, a migration moves what must move.
 * What belongs to an organisation has the organisation first in its key.
 */
export const tables = {
  /** `schemaVersion`, counters (`lastOrgNo` …), `directoryVersion`, `journalApplied`; while an upgrade runs how far it is. */
  meta: json<string, number>('meta'),
  orgs: directory<string, OrgRecord>('orgs'),
  sites: json<OrgAndId, SiteRecord>('sites'),
  users: json<string, UserRecord>('users'),
  userByEmail: json<string, string>('userByEmail'),
  apiKeys: json<string, ApiKeyRecord>('apiKeys'),
  apiKeyByHash: json<string, string>('apiKeyByHash'),
  devices: directory<string, DeviceRecord>('devices'),
  /** Every claim code ever printed → serial: a used or void code is known as such. */
  deviceByClaimCode: json<string, string>('deviceByClaimCode'),
  deviceActivity: json<string, DeviceActivity>('deviceActivity'),
  /** By the certificate's serial number, upper-case hex. */
  certificates: directory<string, CertificateRecord>('certificates'),
  readers: directory<OrgAndId, ReaderRecord>('readers'),
  antennas: directory<OrgAndId, readonly AntennaRecord[]>('antennas'),
  zones: directory<OrgAndId, ZoneRecord>('zones'),
  tags: byNumber<TagRecord>('tags', 'json'),
  tagByEpc: json<readonly [orgNo: number, epc: string], number>('tagByEpc'),
  /** Blocks of tag states (`tag-states.ts`). */
  tagStates: byNumber<Uint8Array>('tagStates', 'binary'),
  /** The ring of batches not yet in `tagStates` and `visits` (`journal.ts`). */
  journal: byNumber<Uint8Array>('journal', 'binary'),
  /** Zone stays (`visits.ts`). */
  visits: { name: 'visits', values: 'binary', keys: 'ordered', directory: false } as Table<
    readonly [tagNo: number, firstAt: number, antennaNo: number],
    Uint8Array
  >,
  audit: json<readonly [orgId: string, at: number, id: string], AuditRecord>('audit'),
  fields: json<OrgAndId, FieldRecord>('fields'),
  /** By field number. */
  deletedFields: byNumber<DeletedFieldRecord>('deletedFields', 'json'),
  /** What people say of a tag now (`tag-data.ts`). */
  tagData: byNumber<TagDataRecord>('tagData', 'json'),
  /** Values that are no longer current; the field's number makes the key unique. */
  tagHistory: json<readonly [tagNo: number, validFrom: number, fieldNo: number], EndedValue>('tagHistory'),
  assets: json<OrgAndId, AssetRecord>('assets'),
  /** Assets not retired. */
  assetByNumber: json<readonly [orgId: string, assetTagNumber: string], string>('assetByNumber'),
  assetByTag: byNumber<string>('assetByTag', 'json'),
  assetEvents: json<readonly [assetId: string, at: number, no: number], AssetEventRecord>('assetEvents'),
  alerts: json<OrgAndId, AlertRecord>('alerts'),
  /** The alert of a problem that has not ended: open, acknowledged, or resolved by hand. */
  alertByProblem: json<readonly [orgId: string, problem: string], string>('alertByProblem'),
  /** By the SHA-256 of the cookie's token, hex. */
  sessions: json<string, SessionRecord>('sessions'),
  /** By organisation. */
  licences: json<string, LicenceRecord>('licences'),
  /** The newest of each reader (`commands.ts`). */
  commands: json<readonly [orgId: string, readerId: string, no: number], CommandRecord>('commands'),
  webhooks: json<OrgAndId, WebhookRecord>('webhooks'),
  /** What waits for its delivery; numbers grow in the order of what happened. */
  webhookOutbox: json<WebhookAndNo, WebhookEventRecord>('webhookOutbox'),
  webhookDead: json<WebhookAndNo, DeadWebhookEventRecord>('webhookDead'),
  /** The last attempts of each subscription. */
  webhookAttempts: json<WebhookAndNo, WebhookAttemptRecord>('webhookAttempts'),
  /** Where zones and antennas are drawn, by site. */
  floors: json<OrgAndId, FloorRecord>('floors'),
  /** The picture they are drawn on, as it is served. */
  floorPlans: { name: 'floorPlans', values: 'binary', keys: 'ordered', directory: false } as Table<
    OrgAndId,
    Uint8Array
  >,
} as const;
