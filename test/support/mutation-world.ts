import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type App, startApp } from '../../src/app/create-app.ts';
import type { FirstStart } from '../../src/app/first-start.ts';
import { loadConfig } from '../../src/config/load.ts';
import { makeClaimCode } from '../../src/domain/claim-code.ts';
import { limits } from '../../src/domain/limits.ts';
import { createLog } from '../../src/log/log.ts';
import { raiseAlert } from '../../src/store/alerts.ts';
import { hashApiKey, makeApiKey, putApiKey } from '../../src/store/api-keys.ts';
import { removeField } from '../../src/store/fields.ts';
import { firstSite, ofOrg } from '../../src/store/of-org.ts';
import type { Tx } from '../../src/store/store.ts';
import { type Key, type Table, tables } from '../../src/store/tables.ts';
import { makeWebhookSecret } from '../../src/store/webhooks.ts';
import { ApiDocument } from './contract-document.ts';
import { RawClient } from './mutation-client.ts';

/** What a record is called in an address: `/zones/{id}`. */
export type Kind =
  | 'zones'
  | 'sites'
  | 'readers'
  | 'assets'
  | 'alerts'
  | 'users'
  | 'api-keys'
  | 'fields'
  | 'tags'
  | 'webhooks'
  | 'epcs';

/** Written behind, by timers: not by the request that happens to run. */
const behind = new Set<string>([
  ...['journal', 'tagStates', 'visits', 'deviceActivity', 'apiKeys', 'sessions'],
  ...['webhookOutbox', 'webhookDead', 'webhookAttempts'],
]);

interface Org {
  readonly id: string;
  readonly key: string;
}

/**
 * A real appliance in this process, with records of every kind to call it with, another organisation beside, and an eye on
 * every change of its store.
 */
export class MutationWorld {
  readonly app: App;
  readonly client: RawClient;
  readonly doc: ApiDocument;
  /** What the appliance logged as errors. */
  readonly errors: string[];
  /** Tables and keys changed so far, but for those written behind. */
  readonly changes: string[] = [];
  readonly own: Org;
  readonly foreign: Org;
  /** A record of each kind that belongs to the other organisation. */
  readonly foreignIds = new Map<Kind, string>();
  readonly #root: string;
  readonly #admin: FirstStart;
  readonly #ids = new Map<Kind, string>();
  #cookie: string | null = null;
  #isStirred = true;
  #isSweeping = false;
  #count = 0;

  private constructor(root: string, app: App, parts: Parts) {
    this.#root = root;
    this.app = app;
    this.client = new RawClient(app.endpoints.http);
    this.doc = parts.doc;
    this.errors = parts.errors;
    this.#admin = parts.admin;
    this.own = parts.own;
    this.foreign = parts.foreign;
    for (const table of Object.values(tables)) this.#watch(table as Table<Key, unknown>);
  }

  static async open(): Promise<MutationWorld> {
    const root = mkdtempSync(join(tmpdir(), 'tagkeep-mutations-'));
    const errors: string[] = [];
    const log = createLog({ level: 'error', pretty: false, out: { write: (line) => errors.push(line) } });
    const made: FirstStart[] = [];
    const onFirstStart = (one: FirstStart): unknown => made.push(one);
    const options = { config: configIn(root), log, onFirstStart, checkResponses: true };
    // This process is the test's own: another one of the appliance has to be started by its name.
    const app = await startApp({ ...options, program: [process.execPath, resolve('dist/tagkeep.mjs')] });
    const [admin] = made;
    const [ownOrg] = app.store.range(tables.orgs);
    if (!admin || !ownOrg) throw new Error('the first start made nothing');
    const doc = new ApiDocument(await (await fetch(`${app.endpoints.http}/openapi.json`)).json());
    const own = await putKey(app, ownOrg.key);
    const foreign = await putKey(app, await secondOrg(app));
    const world = new MutationWorld(root, app, { doc, errors, admin, own, foreign });
    await world.#makeForeign();
    return world;
  }

  /** A record of this kind that is there and may be changed; the same one until something took it away. */
  async id(kind: Kind): Promise<string> {
    const known = this.#ids.get(kind);
    if (known !== undefined && this.#isUsable(kind, known)) return known;
    this.stir();
    const id = await this.#make(kind, this.own);
    this.#ids.set(kind, id);
    return id;
  }

  /** Where zones are made. */
  homeSite(): string {
    return firstSite(this.app.store, this.own.id);
  }

  /** A text nobody used yet. */
  fresh(stem: string): string {
    return `${stem} ${++this.#count}`;
  }

  /** The code of a device that waits for its claim. */
  async claimCode(): Promise<string> {
    const { canonical, shown } = makeClaimCode(randomBytes);
    const serial = `M-${++this.#count}`;
    await this.app.store.write((tx) => {
      tx.put(tables.devices, serial, {
        ...{ serial, model: 'R700', firmware: '10.1.0', state: 'registered', claimCode: canonical },
        ...{ orgId: null, readerId: null, claimedAt: null, provisionedAt: Date.now() },
        ...{ dataRevoked: false, connectRevoked: false },
      });
      tx.put(tables.deviceByClaimCode, canonical, serial);
    });
    return shown;
  }

  /** The headers that say who calls: the admin's session where only that is let in, else the key. */
  async credentials(isAdmin: boolean): Promise<Record<string, string>> {
    if (!isAdmin) return { authorization: `Bearer ${this.own.key}` };
    this.#cookie ??= await this.#login();
    return { cookie: this.#cookie };
  }

  /** After the session was ended. */
  forgetSession(): void {
    this.#cookie = null;
  }

  /** What changed since there were `from` changes, but for the values of deleted fields, which go in their own time. */
  changedSince(from: number): readonly string[] {
    const since = this.changes.slice(from);
    if (!this.#isSweeping && this.app.store.count(tables.deletedFields) === 0) return since;
    this.#isSweeping = this.app.store.count(tables.deletedFields) > 0;
    return since.filter((one) => !/^(deletedFields|tagData|tagHistory) /.test(one));
  }

  /** How many keys, sessions and devices there are: tables that are also written behind. */
  counts(): string {
    const { store } = this.app;
    const { apiKeys, sessions, deviceActivity } = tables;
    return [store.count(apiKeys), store.count(sessions), store.count(deviceActivity)].join();
  }

  /** A write went through: what it set going goes on beside the next request. */
  stir(): void {
    this.#isStirred = true;
  }

  /** Resolves when what writes set going has come to its end. */
  async settled(): Promise<void> {
    if (!this.#isStirred) return;
    this.#isStirred = false;
    for (let before = -1; before !== this.changes.length; ) {
      before = this.changes.length;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  async close(): Promise<void> {
    this.client.close();
    await this.app.stop();
    rmSync(this.#root, { recursive: true, force: true });
  }

  #watch(table: Table<Key, unknown>): void {
    if (behind.has(table.name)) return;
    this.app.store.watch(table, (keys) => {
      // Of the counters only those of records: the others belong to what is written behind.
      const own = table.name === 'meta' ? keys.filter((key) => String(key).startsWith('last')) : keys;
      for (const key of own) this.changes.push(`${table.name} ${JSON.stringify(key)}`);
    });
  }

  #isUsable(kind: Kind, id: string): boolean {
    const { store } = this.app;
    const at = [this.own.id, id] as const;
    switch (kind) {
      case 'zones':
        return store.get(tables.zones, at) !== undefined;
      case 'sites':
        return store.get(tables.sites, at) !== undefined;
      case 'readers':
        return store.get(tables.readers, at) !== undefined;
      case 'assets':
        return store.get(tables.assets, at)?.status === 'available';
      case 'alerts':
        return store.get(tables.alerts, at)?.state === 'open';
      case 'users':
        return store.get(tables.users, id) !== undefined;
      case 'api-keys':
        return store.get(tables.apiKeys, id)?.revokedAt === null;
      case 'fields':
        return [...store.range(tables.fields)].some(({ key, value }) => key[0] === at[0] && value.key === id);
      case 'webhooks':
        return store.get(tables.webhooks, at) !== undefined;
      case 'epcs':
        return true;
      case 'tags':
        return store.get(tables.tagByEpc, [store.get(tables.orgs, at[0])?.no ?? 0, id]) !== undefined;
    }
  }

  async #make(kind: Kind, org: Org): Promise<string> {
    const post = (path: string, body: object) => this.#call(org, { method: 'POST', path, body });
    const name = this.fresh('Record');
    switch (kind) {
      case 'zones':
        return post('/zones', { name });
      case 'sites':
        return this.app.store.write((tx) => putSite(tx, org.id, name));
      case 'readers':
        return post('/devices/claim', { code: await this.claimCode(), readerName: name });
      case 'assets':
        return post('/assets', { name, assetTagNumber: name });
      case 'alerts':
        return this.app.store.write((tx) => putAlert(tx, org.id));
      case 'users':
        return this.app.store.write((tx) => putUser(tx, org.id));
      case 'webhooks':
        return this.app.store.write((tx) => putWebhook(tx, org.id));
      case 'api-keys':
        return (await putKey(this.app, org.id)).keyId;
      case 'epcs':
        return '3074257BF7194E4000001A85';
      case 'fields':
        await this.#thinOutFields(org);
        return post('/fields', { label: name });
      case 'tags': {
        const epc = `AB${(++this.#count).toString(16).toUpperCase().padStart(22, '0')}`;
        const put = { method: 'PUT', path: `/tags/${epc}/data`, body: { lot: name } };
        if (this.doc.find('PUT', '/tags/{epc}/data')) await this.#call(org, put);
        return epc;
      }
    }
  }

  /** Thousands of requests that make fields would reach the limit of them, and then make none. */
  async #thinOutFields(org: Org): Promise<void> {
    const { store } = this.app;
    const fields = ofOrg(store, tables.fields, org.id);
    if (fields.length < limits.fieldsPerOrganisation / 2) return;
    await store.write((tx) => {
      for (const field of fields) removeField(tx, org.id, field);
    });
    this.stir();
  }

  /** One of each kind the appliance serves. */
  async #makeForeign(): Promise<void> {
    const kinds = [
      ...(['zones', 'readers', 'assets', 'alerts', 'users', 'api-keys', 'fields', 'tags'] as const),
      ...(['webhooks', 'sites'] as const),
    ];
    for (const kind of kinds)
      if (this.doc.find('GET', `/${kind}`)) this.foreignIds.set(kind, await this.#make(kind, this.foreign));
    this.foreignIds.set('sites', firstSite(this.app.store, this.foreign.id));
  }

  /** Answers what the record made by it is addressed by. */
  async #call(
    org: Org,
    { method, path, body }: { method: string; path: string; body: object },
  ): Promise<string> {
    const answer = await this.client.send({
      ...{ method, target: `/api/v1${path}`, body: Buffer.from(JSON.stringify(body)) },
      headers: { authorization: `Bearer ${org.key}`, 'content-type': 'application/json' },
    });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    const { readerId, key, id } = JSON.parse(answer.text);
    return readerId ?? key ?? id;
  }

  async #login(): Promise<string> {
    const response = await fetch(`${this.app.endpoints.http}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(this.#admin),
    });
    const cookie = response.headers.getSetCookie()[0]?.split(';')[0];
    if (response.status !== 200 || !cookie) throw new Error(`POST /auth/login: ${response.status}`);
    return cookie;
  }
}

interface Parts extends Pick<MutationWorld, 'doc' | 'errors' | 'own' | 'foreign'> {
  readonly admin: FirstStart;
}

/** Nothing happens by itself: whatever is seen to change was changed by a request. */
function configIn(root: string): ReturnType<typeof loadConfig> {
  const env = {
    TAGKEEP_DATA_DIR: join(root, 'data'),
    TAGKEEP_CERTS_DIR: join(root, 'certs'),
    TAGKEEP_HTTP__PORT: '0',
    TAGKEEP_HTTPS__HOST: '127.0.0.1',
    TAGKEEP_HTTPS__PORT: '0',
    TAGKEEP_MQTTS__HOST: '127.0.0.1',
    TAGKEEP_MQTTS__PORT: '0',
    TAGKEEP_COMMANDS__ACK_TIMEOUT_SECONDS: '86400',
    TAGKEEP_ALERTS__READER_OFFLINE_SECONDS: '2592000',
    TAGKEEP_ASSETS__MISSING_AFTER_MINUTES: '0',
  };
  return loadConfig({ env, cwd: root });
}

async function putKey(app: App, orgId: string): Promise<Org & { readonly keyId: string }> {
  const key = makeApiKey();
  const dates = { createdAt: Date.now(), expiresAt: null, revokedAt: null, lastUsedAt: null };
  const record = { id: randomUUID(), orgId, name: 'mutations', hash: hashApiKey(key), ...dates };
  await app.store.write((tx) => putApiKey(tx, record));
  return { id: orgId, key, keyId: record.id };
}

function secondOrg(app: App): Promise<string> {
  const [id, siteId, createdAt] = [randomUUID(), randomUUID(), Date.now()];
  return app.store.write((tx) => {
    tx.put(tables.orgs, id, { id, no: tx.next('lastOrgNo'), name: 'The others', createdAt });
    tx.put(tables.sites, [id, siteId], { id: siteId, name: 'Main site', createdAt });
    return id;
  });
}

function putAlert(tx: Tx, orgId: string): string {
  const subjectId = randomUUID();
  const alert = raiseAlert(
    tx,
    {
      ...{ orgId, ruleKind: 'reader_offline', severity: 'critical', subjectType: 'reader', subjectId },
      ...{ problem: `offline:${subjectId}`, message: 'The reader is offline' },
    },
    { now: Date.now(), newId: randomUUID },
  );
  if (!alert) throw new Error('the problem has an alert already');
  return alert.id;
}

function putSite(tx: Tx, orgId: string, name: string): string {
  const id = randomUUID();
  tx.put(tables.sites, [orgId, id], { id, name, createdAt: Date.now() });
  return id;
}

function putUser(tx: Tx, orgId: string): string {
  const id = randomUUID();
  const email = `${id}@example.org`;
  tx.put(tables.users, id, { id, orgId, email, role: 'operator', passwordHash: '', createdAt: Date.now() });
  tx.put(tables.userByEmail, email, id);
  return id;
}

/** Of a receiver that is not there: nothing listens on that port. */
function putWebhook(tx: Tx, orgId: string): string {
  const id = randomUUID();
  const all = { zoneIds: null, assetIds: null, severities: null };
  tx.put(tables.webhooks, [orgId, id], {
    ...{ id, url: 'http://127.0.0.1:9/', enabled: true, types: ['alert_opened'], ...all, caPem: null },
    ...{ secret: makeWebhookSecret(), previous: null, createdAt: Date.now() },
  });
  return id;
}
