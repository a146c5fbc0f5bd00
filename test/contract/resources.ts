/**
 * The contract's type words. `unsaid` marks what it calls absent at times without saying how: absent and null are both
 * right there.
 */
export type FieldType =
  | 'uuid'
  | 'string'
  | 'timestamp'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'object'
  | 'typed value'
  | 'not shown'
  | 'array of string'
  | 'array of object';

/** One row of a resource's field table. */
export interface Field {
  readonly type: FieldType;
  /** May be null. */
  readonly nullable?: true;
  /** May be absent. */
  readonly optional?: true;
  readonly unsaid?: true;
  /** The only values there are. */
  readonly values?: readonly string[];
  /** The members of an object, or of an array's objects. */
  readonly members?: Readonly<Record<string, Field>>;
}

const uuid: Field = { type: 'uuid' };
const string: Field = { type: 'string' };
const timestamp: Field = { type: 'timestamp' };
const integer: Field = { type: 'integer' };
const boolean: Field = { type: 'boolean' };
const object: Field = { type: 'object' };
const orNull = (field: Field): Field => ({ ...field, nullable: true });
const optional = (field: Field): Field => ({ ...field, optional: true });
const unsaid = (field: Field): Field => ({ ...field, unsaid: true });
const oneOf = (...values: readonly string[]): Field => ({ type: 'string', values });

const zoneKind = oneOf('storage', 'staging', 'portal', 'checkpoint', 'other');
const health = unsaid({ type: 'number' });

/** Every field table of the contract. */
export const resources = {
  Tag: {
    id: uuid,
    epc: string,
    label: orNull(string),
    targetType: orNull(oneOf('asset')),
    attributes: object,
    zoneName: orNull(string),
    // Tags made by people have never been read.
    firstSeenAt: orNull(timestamp),
    lastSeenAt: orNull(timestamp),
  },
  TagData: { epc: string, tagId: optional(uuid), attributes: object },
  History: {
    key: string,
    value: { type: 'typed value' },
    validFrom: timestamp,
    validTo: optional(timestamp),
  },
  Field: {
    id: uuid,
    key: string,
    label: string,
    dataType: oneOf('text', 'number', 'boolean', 'url'),
    options: orNull({ type: 'not shown' }),
    displayOrder: integer,
    showInTable: boolean,
    isLabel: boolean,
  },
  ImportReport: {
    total: integer,
    imported: integer,
    updated: integer,
    fields: { type: 'array of string' },
    errors: { type: 'array of object', members: { line: integer, epc: optional(string), reason: string } },
    dryRun: boolean,
  },
  Deleted: { deleted: integer },
  Reader: {
    id: uuid,
    name: string,
    serial: string,
    model: string,
    firmware: string,
    status: oneOf('online', 'degraded', 'offline', 'disabled', 'unknown'),
    // An extension, in the contract's own words.
    displayStatus: oneOf('Online and Reading', 'Online and Idle', 'Degraded', 'Offline'),
    enabled: boolean,
    offlineReason: optional(
      oneOf('never-connected', 'broker-disconnected', 'no-data', 'radio-idle', 'stopped'),
    ),
    temperatureC: health,
    cpuPercent: health,
    memoryPercent: health,
    powerMilliwatts: health,
    healthAt: unsaid(timestamp),
    brokerStatus: oneOf('never', 'connected', 'disconnected'),
    brokerStatusAt: unsaid(timestamp),
    lastEventAt: unsaid(timestamp),
    lastSeenAt: unsaid(timestamp),
    commandsSupported: boolean,
    lastCommand: unsaid({
      type: 'object',
      members: {
        id: uuid,
        kind: oneOf('start', 'stop'),
        state: oneOf('pending', 'published', 'applied', 'failed', 'superseded'),
        createdAt: timestamp,
        settledAt: unsaid(timestamp),
      },
    }),
    // An extension.
    lastSettings: unsaid({
      type: 'object',
      members: {
        id: uuid,
        state: oneOf('pending', 'published', 'applied', 'failed', 'superseded'),
        createdAt: timestamp,
        settledAt: unsaid(timestamp),
      },
    }),
  },
  Antenna: {
    id: uuid,
    readerId: uuid,
    port: integer,
    zoneId: orNull(uuid),
    zoneName: orNull(string),
    role: oneOf('coverage'),
    transmitPowerCdbm: integer,
    // An extension.
    effectivePowerCdbm: integer,
    inventorySession: integer,
    searchMode: oneOf('dual-target', 'single-target', 'single-target-with-tagfocus'),
    tagPopulation: integer,
    enabled: boolean,
  },
  ClaimedDevice: {
    serial: string,
    model: string,
    firmware: string,
    readerId: uuid,
    claimedAt: timestamp,
    firstSeenAt: orNull(timestamp),
  },
  Asset: {
    id: uuid,
    assetTagNumber: string,
    name: string,
    category: unsaid(string),
    status: oneOf('available', 'checked_out', 'missing', 'retired'),
    custodian: unsaid(string),
    checkedOutAt: unsaid(timestamp),
    expectedReturnAt: unsaid(timestamp),
    epc: unsaid(string),
    zoneId: optional(uuid),
    zoneName: optional(string),
    inZoneSince: optional(timestamp),
    lastSeenAt: optional(timestamp),
  },
  AssetEvent: {
    id: string,
    kind: oneOf(
      ...['created', 'check_out', 'check_in', 'zone_enter', 'zone_exit'],
      ...['marked_missing', 'found', 'retired'],
    ),
    zoneId: unsaid(uuid),
    zoneName: unsaid(string),
    occurredAt: timestamp,
    meta: object,
  },
  Zone: { id: uuid, siteId: uuid, name: string, kind: zoneKind },
  InventorySummary: { zoneId: uuid, zoneName: string, kind: zoneKind, total: integer, correlated: integer },
  ZoneInventory: {
    tagId: uuid,
    epc: string,
    label: orNull(string),
    targetType: orNull(oneOf('asset')),
    since: timestamp,
    lastSeenAt: timestamp,
  },
  Alert: {
    id: uuid,
    ruleKind: oneOf('reader_offline', 'asset_missing'),
    severity: oneOf('critical', 'warning'),
    state: oneOf('open', 'acked', 'resolved'),
    subjectType: oneOf('reader', 'asset'),
    subjectId: uuid,
    message: string,
    openedAt: timestamp,
    ackedAt: optional(timestamp),
    resolvedAt: optional(timestamp),
  },
  TagRead: {
    epc: string,
    tagId: uuid,
    label: optional(string),
    attrs: optional(object),
    readerId: uuid,
    antennaPort: integer,
    zoneId: optional(uuid),
    zoneName: optional(string),
    // A reader may report none.
    rssiCdbm: optional(integer),
    lastSeen: timestamp,
    readCount: integer,
  },
  TagMoved: {
    tagId: uuid,
    epc: string,
    label: optional(string),
    fromZoneId: optional(uuid),
    toZoneId: uuid,
    zoneName: string,
    at: timestamp,
  },
  Identity: {
    ...{ id: uuid, email: string, role: string, viaKey: boolean },
    // An extension.
    mustChangePassword: optional(boolean),
  },
  LicenceAnswer: {
    license: {
      type: 'object',
      members: {
        valid: boolean,
        customer: string,
        edition: string,
        features: { type: 'array of string' },
        maxReaders: integer,
        maxSites: integer,
        state: oneOf('licensed', 'expired', 'suspended', 'closed'),
        readOnly: boolean,
        daysLeft: integer,
        message: optional(string),
        expiresAt: optional(timestamp),
      },
    },
    usage: { type: 'object', members: { readers: integer, sites: integer } },
    knownFeatures: { type: 'array of string' },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Field>>>>;

export type ResourceName = keyof typeof resources;
