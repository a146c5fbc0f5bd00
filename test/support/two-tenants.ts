import { randomUUID } from 'node:crypto';
import type { Route } from '../../src/http/route.ts';
import { type Key, type Table, tables } from '../../src/store/tables.ts';
import type { AccountHouse } from './account-house.ts';
import { placed, type Tenant } from './house.ts';

/** An answer as text: JSON, CSV, whatever. */
export interface Told {
  readonly status: number;
  readonly text: string;
}

/** An organisation that can call every route there is. */
export interface Party {
  readonly tenant: Tenant;
  /** Stands in every name it gives. */
  readonly mark: string;
  readonly tags: { readonly epc: string; readonly no: number }[];
  tell(route: Pick<Route, 'method' | 'access'>, path: string, body?: unknown): Promise<Told>;
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Routes a generic call can make sense of: no streams, uploads, or logins. */
export function plainRoutes(house: AccountHouse): readonly Route[] {
  return house.routes.filter(
    ({ path, consumes, responses }) =>
      !path.startsWith('/auth/log') &&
      path !== '/auth/password' &&
      consumes === undefined &&
      responses[200]?.contentType !== 'text/event-stream',
  );
}

export async function makeParty(house: AccountHouse, mark: string): Promise<Party> {
  const tenant = await house.tenant(mark);
  const { cookie } = await house.person(tenant.orgId, { email: `${mark}@example.org` });
  let turn = 0;
  return {
    ...{ tenant, mark, tags: [] },
    async tell({ method, access }, path, body) {
      // What a key may do, a session may: they take turns.
      const byKey = access !== 'admin' && turn++ % 2 === 0;
      const response = await fetch(`${house.server.origin}/api/v1${path}`, {
        method,
        headers: {
          ...(byKey ? { authorization: `Bearer ${tenant.key}` } : { cookie }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const headers = [...response.headers].filter(([name]) => name !== 'x-request-id');
      return { status: response.status, text: `${JSON.stringify(headers)}\n${await response.text()}` };
    },
  };
}

const kindOfReference = new Map([
  ['zoneId', '/zones'],
  ['targetId', '/assets'],
  ['readerId', '/readers'],
]);
const freeText = /^(name|label|category|custodian|assetTagNumber|readerName)$/;

/** Ids, by the address of the list they are in, and EPCs to fill examples with. */
export interface References {
  readonly mark: string;
  readonly ids: ReadonlyMap<string, readonly string[]>;
  readonly epcs: readonly string[];
}

/** An example of a request body, with another's references and names of its own. */
export function filled(example: unknown, references: References, member = ''): unknown {
  if (Array.isArray(example)) return example.map((one) => filled(one, references, member));
  if (typeof example === 'object' && example !== null)
    return Object.fromEntries(
      Object.entries(example).map(([name, value]) => [name, filled(value, references, name)]),
    );
  if (typeof example !== 'string') return example;
  const { mark, ids, epcs } = references;
  if (/^epcs?$/.test(member)) return epcs.at(-1) ?? example;
  if (member === 'email') return `${mark}-${randomUUID()}@example.org`;
  if (freeText.test(member)) return `${mark} ${randomUUID().slice(0, 8)}`;
  return ids.get(kindOfReference.get(member) ?? '')?.at(-1) ?? example;
}

/** Makes one more of everything that can be made. */
export async function populate(house: AccountHouse, party: Party): Promise<void> {
  const { tenant, mark, tags } = party;
  const n = tags.length;
  const zone = await tenant.zone(`${mark} zone ${n}`);
  const serial = `${mark}-serial-${n}`;
  await tenant.reader(serial);
  house.connect(serial, { temperatureC: 20 });
  const epc = `${mark.startsWith('their') ? 'DEADBEEF' : '0A0B0C0D'}${String(n).padStart(8, '0')}`;
  const { no } = await tenant.tag(epc, placed(zone.no, house.now));
  await house.say(no, { name: `${mark} data ${n}` });
  house.links.set(no, { label: `${mark} link ${n}` });
  tags.push({ epc, no });
  for (const route of plainRoutes(house)) {
    if (route.method !== 'POST' || route.path.includes('{') || !route.responses[201]) continue;
    if (route.path === '/devices/claim' || !route.bodyExample) continue;
    const references = { mark, ids: await idsOf(house, party), epcs: tags.map((tag) => tag.epc) };
    await party.tell(route, route.path, filled(route.bodyExample, references));
  }
}

/** The ids in a party's own lists. */
export async function idsOf(house: AccountHouse, party: Party): Promise<Map<string, readonly string[]>> {
  const ids = new Map<string, readonly string[]>();
  for (const [path, items] of await listsOf(house, party))
    ids.set(
      path,
      items.flatMap(({ id }) => (typeof id === 'string' ? [id] : [])),
    );
  return ids;
}

/** A party's own lists, by address. */
export async function listsOf(
  house: AccountHouse,
  party: Party,
): Promise<ReadonlyMap<string, readonly Readonly<Record<string, unknown>>[]>> {
  const lists = new Map<string, readonly Readonly<Record<string, unknown>>[]>();
  for (const route of plainRoutes(house)) {
    if (route.method !== 'GET' || route.path.includes('{')) continue;
    const { text } = await party.tell(route, route.path);
    const body = text.slice(text.indexOf('\n') + 1);
    if (body.startsWith('[')) lists.set(route.path, JSON.parse(body));
  }
  return lists;
}

/** What tells that something belongs to a party, out of all that it sees itself. */
export async function marksOf(house: AccountHouse, party: Party): Promise<readonly string[]> {
  const { mark, tags, tenant } = party;
  const marks = new Set([tenant.orgId, mark, ...tags.map(({ epc }) => epc)]);
  for (const route of plainRoutes(house)) {
    if (route.method !== 'GET' || route.path.includes('{')) continue;
    for (const id of (await party.tell(route, route.path)).text.match(UUID) ?? []) marks.add(id);
  }
  return [...marks];
}

/** Every record of a party, in all tables, as one text. */
export function recordsOf(house: AccountHouse, party: Party, marks: readonly string[]): string {
  const ids = marks.filter((mark) => mark.match(UUID));
  const tagNos = new Set<unknown>(party.tags.map(({ no }) => no));
  const rows: string[] = [];
  // Tables of all types, read as what they have in common.
  for (const table of Object.values(tables) as unknown as Table<Key, object>[]) {
    if (table.values !== 'json' || table.name === 'meta') continue;
    for (const { key, value } of house.store.range(table)) {
      const row = JSON.stringify([table.name, key, value]);
      const isOurs = 'orgNo' in Object(value) && Reflect.get(Object(value), 'orgNo') === party.tenant.orgNo;
      const head = Array.isArray(key) ? key[0] : key;
      const isTag = /^(tagData|tagHistory|assetByTag)$/.test(table.name) && tagNos.has(head);
      const isIndex = table.name === 'tagByEpc' && head === party.tenant.orgNo;
      if (isOurs || isTag || isIndex || ids.some((id) => row.includes(id))) rows.push(row);
    }
  }
  return rows.join('\n');
}
