import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Health } from '../../src/contract/payloads.ts';
import { makeClaimCode } from '../../src/domain/claim-code.ts';
import { antennaNoOf, neverSeen, type TagState, type Visit } from '../../src/domain/tag-state.ts';
import { typeValue, type Value } from '../../src/domain/value.ts';
import { authRoutes } from '../../src/features/auth/auth-routes.ts';
import { type Authenticator, createAuthenticator } from '../../src/features/auth/authenticator.ts';
import { eventRoutes } from '../../src/features/events/event-routes.ts';
import { type AssetLink, inventoryRoutes } from '../../src/features/inventory/inventory-routes.ts';
import { antennaRoutes } from '../../src/features/readers/antenna-routes.ts';
import { deviceRoutes } from '../../src/features/readers/device-routes.ts';
import { readerRoutes } from '../../src/features/readers/reader-routes.ts';
import { createTagSearch } from '../../src/features/tags/search-tags.ts';
import { createTagDataView } from '../../src/features/tags/tag-data-view.ts';
import { tagRoutes } from '../../src/features/tags/tag-routes.ts';
import { zoneRoutes } from '../../src/features/zones/zone-routes.ts';
import type { Credentials } from '../../src/http/access.ts';
import type { HttpOptions } from '../../src/http/options.ts';
import type { Route } from '../../src/http/route.ts';
import { Activity } from '../../src/ingest/activity.ts';
import { createLiveBus, type LiveBus } from '../../src/live/bus.ts';
import { hashApiKey, makeApiKey, putApiKey } from '../../src/store/api-keys.ts';
import { Directory } from '../../src/store/directory.ts';
import { addField, FieldCatalogue, fieldsOf, putField } from '../../src/store/fields.ts';
import { ReaderFactsCache } from '../../src/store/reader-facts.ts';
import type { ApiKeyRecord, AuditRecord, DeviceRecord } from '../../src/store/records.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { tables } from '../../src/store/tables.ts';
import { changeValues } from '../../src/store/tag-data.ts';
import { TagLedger } from '../../src/store/tag-ledger.ts';
import { startHttp, type TestServer } from './http-server.ts';

/** 2026-03-02T09:15:37.412Z: where a house's clock stands until a test moves it. */
export const noon = 1_772_442_937_412;
export const PRESENCE_MS = 300_000;
export const NO_DATA_MS = 300_000;

/** One answer: its status, its parsed body, and its headers. */
export interface Answer {
  readonly status: number;
  // Tests look into bodies of many shapes and assert on what they find.
  // biome-ignore lint/suspicious/noExplicitAny: the parsed JSON of any answer
  readonly body: any;
  readonly headers: Headers;
}

/** An EPC and what differs from the state of a tag never read. */
export type NewTag = readonly [epc: string, state?: Partial<TagState>];

export interface TagKeys {
  readonly id: string;
  readonly no: number;
}

/** An organisation with its key. */
export interface Tenant {
  readonly orgId: string;
  readonly orgNo: number;
  readonly siteId: string;
  readonly key: string;
  readonly keyId: string;
  call(method: string, path: string, body?: unknown): Promise<Answer>;
  zone(name: string, more?: object): Promise<{ readonly id: string; readonly no: number }>;
  reader(serial?: string): Promise<{ readonly id: string; readonly no: number; readonly serial: string }>;
  tag(epc: string, state?: Partial<TagState>): Promise<TagKeys>;
  tags(tags: readonly NewTag[]): Promise<readonly TagKeys[]>;
  audit(): readonly AuditRecord[];
}

/** The REST features over a real store and a real server, without broker and ingest. */
export interface House {
  readonly store: Store;
  readonly ledger: TagLedger;
  readonly directory: Directory;
  readonly activity: Activity;
  readonly authenticator: Authenticator;
  readonly bus: LiveBus;
  readonly routes: readonly Route[];
  readonly server: TestServer;
  /** The clock: epoch ms. */
  now: number;
  /** What tags are linked to, by tag number. */
  readonly links: Map<number, AssetLink>;
  /** Gives a tag values by field key, past the interface. */
  say(tagNo: number, values: Readonly<Record<string, string>>): Promise<void>;
  tenant(name: string): Promise<Tenant>;
  key(orgId: string, more?: Partial<ApiKeyRecord>): Promise<string>;
  /** A provisioned device, not claimed; answers its claim code as printed. */
  provision(serial: string, more?: Partial<DeviceRecord>): Promise<string>;
  connect(serial: string, health?: Partial<Health>): void;
  close(): Promise<void>;
}

/** What features are put together with. */
export interface HouseParts {
  readonly store: Store;
  readonly ledger: TagLedger;
  readonly states: TagLedger['states'];
  readonly directory: Directory;
  readonly activity: Activity;
  readonly facts: ReaderFactsCache;
  readonly bus: LiveBus;
  readonly now: () => number;
  readonly newId: () => string;
}

export interface HouseOptions {
  /** Routes beyond those every house has. One with the same method and path takes the place of the house's own. */
  readonly more?: (parts: HouseParts) => readonly Route[];
  /** More of what `createHttp` takes, such as `beforeWrite`, or an `authenticate` of one's own. */
  readonly http?: (parts: HouseParts) => Partial<HttpOptions>;
}

export async function openHouse(options: HouseOptions = {}): Promise<House> {
  const dir = mkdtempSync(join(tmpdir(), 'tagkeep-house-'));
  const store = openStore(dir);
  const ledger = new TagLedger(store);
  const directory = new Directory(store);
  const activity = new Activity(store);
  const bus = createLiveBus({ maxConsumersPerOrg: 2 });
  const links: House['links'] = new Map();
  const catalogue = new FieldCatalogue(store);
  const clock = { now: noon };
  const now = (): number => clock.now;
  const authenticator = createAuthenticator({ store, now });
  const facts = new ReaderFactsCache(store);
  const shared = { store, directory, activity, facts, states: ledger.states, now, newId: randomUUID };
  const linkOf = (tagNo: number): AssetLink | null => links.get(tagNo) ?? null;
  const parts: HouseParts = { ...shared, ledger, bus };
  const own = [
    ...authRoutes(shared),
    ...deviceRoutes(shared),
    ...readerRoutes({ ...shared, noDataMs: NO_DATA_MS }),
    ...antennaRoutes({ ...shared, sendCommand: async () => {} }),
    ...zoneRoutes(shared),
    ...inventoryRoutes({ ...shared, linkOf, linkedTags: () => links.keys(), presenceMs: PRESENCE_MS }),
    ...tagRoutes({
      ...shared,
      search: createTagSearch({ store, catalogue, states: ledger.states }),
      data: createTagDataView({ store, catalogue }),
      linked: (tagNo) => links.has(tagNo),
    }),
    ...eventRoutes({ bus, heartbeatSeconds: 15 }),
  ];
  const more = options.more?.(parts) ?? [];
  const replaced = new Set(more.map(({ method, path }) => `${method} ${path}`));
  const routes = [...own.filter(({ method, path }) => !replaced.has(`${method} ${path}`)), ...more];
  const authenticate = (credentials: Credentials) => authenticator.authenticate(credentials);
  const server = await startHttp(routes, { authenticate, checkResponses: true, ...options.http?.(parts) });
  const house: House = {
    ...{ store, ledger, directory, activity, authenticator, bus, routes, server, links },
    say: (tagNo, values) => say(house, tagNo, values),
    get now() {
      return clock.now;
    },
    set now(value) {
      clock.now = value;
    },
    tenant: (name) => makeTenant(house, name),
    key: (orgId, more) => makeKey(house, orgId, more),
    provision: (serial, more) => provision(house, serial, more),
    connect: (serial, health) => {
      activity.connected(serial, `${serial}-connection`, clock.now);
      if (health) activity.health(serial, clock.now, { type: 'health', ...health });
    },
    async close() {
      bus.closeAll();
      await server.close();
      await authenticator.idle();
      await store.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
  return house;
}

/** Gives a tag values as a PUT would, the way they lie in the store; `name` is the name field. */
async function say(house: House, no: number, values: Readonly<Record<string, string>>): Promise<void> {
  await house.store.write((tx) => {
    const orgNo = tx.get(tables.tags, no)?.orgNo;
    const org = [...tx.range(tables.orgs)].find(({ value }) => value.no === orgNo);
    if (!org) throw new Error(`there is no tag ${no}`);
    const fields = fieldsOf(tx, org.key);
    const changes = Object.entries(values).map(([key, text]): [number, Value | null] => {
      const made = { id: randomUUID(), key, label: key, dataType: 'text' as const };
      const field = fields.find((one) => one.key === key) ?? addField(tx, org.key, made);
      if (key === 'name' && !field.isLabel) putField(tx, org.key, { ...field, isLabel: true });
      return [field.no, typeValue(text)];
    });
    changeValues(tx, no, { changes: new Map(changes), now: house.now });
  });
}

async function makeTenant(house: House, name: string): Promise<Tenant> {
  const orgId = randomUUID();
  const siteId = randomUUID();
  const { store } = house;
  const createdAt = house.now;
  const orgNo = await store.write((tx) => {
    const no = tx.next('lastOrgNo');
    tx.put(tables.orgs, orgId, { id: orgId, no, name, createdAt });
    tx.put(tables.sites, [orgId, siteId], { id: siteId, name: 'Main site', createdAt });
    return no;
  });
  const key = await house.key(orgId);
  const keyId = [...store.range(tables.apiKeys)].find(({ value }) => value.orgId === orgId)?.key ?? '';
  const call = caller(house, key);
  return {
    ...{ orgId, orgNo, siteId, key, keyId, call },
    async zone(zoneName, more = {}) {
      const { body } = await call('POST', '/zones', { name: zoneName, ...more });
      return { id: body.id, no: store.get(tables.zones, [orgId, body.id])?.no ?? 0 };
    },
    async reader(serial = `R-${randomUUID().slice(0, 8)}`) {
      const code = await house.provision(serial);
      const { body } = await call('POST', '/devices/claim', { code, readerName: `Reader ${serial}` });
      return { id: body.readerId, no: store.get(tables.readers, [orgId, body.readerId])?.no ?? 0, serial };
    },
    async tag(epc, state) {
      const [made] = await putTags(house, orgNo, [[epc, state]]);
      return made ?? { id: '', no: 0 };
    },
    tags: (tags) => putTags(house, orgNo, tags),
    audit: () => auditOf(store, orgId),
  };
}

/** In the order of what happened. */
function auditOf(store: Store, orgId: string): readonly AuditRecord[] {
  const entries = store.range(tables.audit, { start: [orgId], end: [orgId, Number.MAX_VALUE] });
  return Array.from(entries, ({ value }) => value);
}

function caller(house: House, key: string): Tenant['call'] {
  return async (method, path, body) => {
    const response = await fetch(`${house.server.origin}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const { status, headers } = response;
    return { status, headers, body: text === '' ? null : JSON.parse(text) };
  };
}

async function makeKey(house: House, orgId: string, more: Partial<ApiKeyRecord> = {}): Promise<string> {
  const key = makeApiKey();
  const dates = { createdAt: house.now, expiresAt: null, revokedAt: null, lastUsedAt: null };
  const record = { id: randomUUID(), orgId, name: 'test', hash: hashApiKey(key), ...dates, ...more };
  await house.store.write((tx) => putApiKey(tx, record));
  return key;
}

async function provision(house: House, serial: string, more: Partial<DeviceRecord> = {}): Promise<string> {
  const { canonical, shown } = makeClaimCode(randomBytes);
  const free = { claimCode: canonical, orgId: null, readerId: null, claimedAt: null };
  const trusted = { dataRevoked: false, connectRevoked: false };
  const hardware = { serial, model: 'R700', firmware: '10.1.0', provisionedAt: house.now };
  await house.store.write((tx) => {
    tx.put(tables.devices, serial, { ...hardware, state: 'registered', ...free, ...trusted, ...more });
    tx.put(tables.deviceByClaimCode, canonical, serial);
  });
  return shown;
}

async function putTags(house: House, orgNo: number, tags: readonly NewTag[]): Promise<readonly TagKeys[]> {
  const { store, ledger } = house;
  const { made, entry } = await store.write((tx) => {
    const touched = tags.map(([epc, change]) => {
      const state = { ...neverSeen, ...change };
      const tagNo = tx.next('lastTagNo');
      const id = randomUUID();
      tx.put(tables.tags, tagNo, { id, orgNo, epc, createdAt: house.now });
      tx.put(tables.tagByEpc, [orgNo, epc], tagNo);
      return { id, touch: { tagNo, orgNo, state, visit: visitOf(state) } };
    });
    const journalled = ledger.append(
      tx,
      touched.map(({ touch }) => touch),
    );
    return { made: touched.map(({ id, touch }) => ({ id, no: touch.tagNo })), entry: journalled };
  });
  ledger.applied(entry);
  return made;
}

function visitOf({ zoneNo, antennaNo, firstSeenAt, lastSeenAt }: TagState): Visit {
  const reads = Number.isNaN(lastSeenAt) ? 0 : 1;
  return {
    antennaNo: antennaNo || antennaNoOf(1, 1),
    zoneNo,
    firstAt: firstSeenAt,
    lastAt: lastSeenAt,
    reads,
  };
}

/** What a tag that is in a zone now has in its state. */
export function placed(zoneNo: number, at: number, more: Partial<TagState> = {}): Partial<TagState> {
  return {
    ...{ zoneNo, firstSeenAt: at, lastSeenAt: at, zoneSince: at, zoneSeenAt: at },
    antennaNo: antennaNoOf(1, 1),
    ...more,
  };
}

/** Every device record, for asserting what a claim or a removal did. */
export function deviceOf(house: House, serial: string): DeviceRecord | undefined {
  return house.store.get(tables.devices, serial);
}
