import { randomUUID } from 'node:crypto';
import type { Operation } from './contract-document.ts';
import type { RawRequest } from './mutation-client.ts';
import type { Plan, Surface } from './mutation-plans.ts';
import type { Kind, MutationWorld } from './mutation-world.ts';

/** A request with what a 400 to it has to name. */
export interface Spoiled {
  readonly request: RawRequest;
  /** The only value that can be wrong, dotted; null when it may be something else, or nothing that has a name. */
  readonly named: string | null;
}

/** Where a value stands in a body. */
type Place = readonly (string | number)[];

interface Valid {
  readonly params: Readonly<Record<string, string>>;
  /** The query parameters that may not be missing. */
  readonly query: Readonly<Record<string, string>>;
  /** The JSON body; undefined when there is none. */
  readonly json: unknown;
}

/** What an operation has that can be spoiled. */
export function surfaceOf({ parameters, requestBody }: Operation): Surface {
  const types = Object.keys(requestBody?.content ?? {});
  return {
    hasPath: parameters.some((one) => one.in === 'path'),
    hasQuery: parameters.some((one) => one.in === 'query'),
    body: types.length === 0 ? null : types[0] === 'multipart/form-data' ? 'form' : 'json',
  };
}

/** A valid request of the operation with one thing spoiled as planned. */
export async function spoil(world: MutationWorld, operation: Operation, plan: Plan): Promise<Spoiled> {
  const valid = await validOf(world, operation);
  const { params, named: namedParam } = spoiledParams(world, operation, { plan, params: valid.params });
  const { query, named: namedQuery } = spoiledQuery(operation, plan, valid.query);
  const { body, named: namedBody } = spoiledBody(operation, plan, valid);
  const isAdmin = operation.security.length > 0 && !operation.security.some((one) => 'apiKey' in one);
  const extra = plan.kind === 'headers' ? plan.headers : {};
  const headers = { ...(await world.credentials(isAdmin)), ...typeOf(operation, body), ...extra };
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '');
  const request = { method: operation.method, target: `/api/v1${path}${query}`, headers, body };
  return { request, named: namedParam ?? namedQuery ?? namedBody };
}

const kindOfParam = (path: string): Kind => (path.split('/')[1] ?? '') as Kind; // the first segment names the records

// What is drawn on a floor has to be of that site, where zones are made.
const idFor = async (world: MutationWorld, path: string): Promise<string> =>
  path === '/sites/{id}/floor' ? world.homeSite() : world.id(kindOfParam(path));

async function validOf(world: MutationWorld, { path, parameters, requestBody }: Operation): Promise<Valid> {
  const params: Record<string, string> = {};
  for (const { name } of parameters.filter((one) => one.in === 'path'))
    params[name] = encodeURIComponent(await idFor(world, path));
  const query: Record<string, string> = {};
  for (const { name, schema } of parameters.filter((one) => one.in === 'query' && one.required))
    query[name] = String(await adaptedLeaf(world, schema.example ?? schema.minimum, name));
  const example = requestBody?.content['application/json']?.example;
  return { params, query, json: example === undefined ? undefined : await adapted(world, example, '') };
}

/** The document's example with what it points to being there, and what must be new being new. */
async function adapted(world: MutationWorld, value: unknown, name: string): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map((one) => adapted(world, one, name)));
  if (typeof value !== 'object' || value === null) return adaptedLeaf(world, value, name);
  const members = Object.entries(value).map(async ([key, one]) => [key, await adapted(world, one, key)]);
  return Object.fromEntries(await Promise.all(members));
}

function adaptedLeaf(world: MutationWorld, value: unknown, name: string): unknown {
  switch (name) {
    case 'zoneId':
      return world.id('zones');
    case 'readerId':
      return world.id('readers');
    case 'targetId':
      return world.id('assets');
    case 'epc':
    case 'epcs':
      return world.id('tags');
    case 'code':
      return world.claimCode();
    case 'email':
      return `${randomUUID()}@example.org`;
    case 'label':
    case 'assetTagNumber':
      return world.fresh('Fresh');
    default:
      return value;
  }
}

function spoiledParams(
  world: MutationWorld,
  { parameters, path }: Operation,
  { plan, params }: { readonly plan: Plan; readonly params: Valid['params'] },
): { readonly params: Valid['params']; readonly named: string | null } {
  const names = parameters.filter((one) => one.in === 'path').map((one) => one.name);
  if (!('at' in plan) || names.length === 0) return { params, named: null };
  const name = names[plan.at % names.length] ?? '';
  if (plan.kind === 'path') return { params: { ...params, [name]: plan.text }, named: name };
  const ids = [...world.foreignIds];
  const own = world.foreignIds.get(kindOfParam(path));
  if (plan.kind === 'foreign id' && own) return { params: { ...params, [name]: own }, named: name };
  const other = ids[plan.at % ids.length]?.[1] ?? randomUUID();
  if (plan.kind === 'id of another kind') return { params: { ...params, [name]: other }, named: name };
  return { params, named: null };
}

function spoiledQuery(
  { parameters }: Operation,
  plan: Plan,
  valid: Valid['query'],
): { readonly query: string; readonly named: string | null } {
  if (plan.kind === 'raw query') return { query: `?${plan.text}`, named: null };
  const names = parameters.filter((one) => one.in === 'query').map((one) => one.name);
  const name = plan.kind === 'query' ? names[plan.at % names.length] : undefined;
  const spoiled = plan.kind === 'query' && name !== undefined ? { [name]: plan.text } : {};
  const pairs = Object.entries({ ...valid, ...spoiled }).map((pair) => pair.join('='));
  return { query: pairs.length > 0 ? `?${pairs.join('&')}` : '', named: Object.keys(spoiled)[0] ?? null };
}

const FORM_TYPE = 'multipart/form-data; boundary=B';

function typeOf(operation: Operation, body: Buffer | null): Record<string, string> {
  if (body === null) return {};
  return { 'content-type': surfaceOf(operation).body === 'form' ? FORM_TYPE : 'application/json' };
}

interface SpoiledBody {
  readonly body: Buffer | null;
  readonly named: string | null;
}

function spoiledBody(operation: Operation, plan: Plan, { json }: Valid): SpoiledBody {
  const whole = (body: string | Buffer | null): SpoiledBody => ({
    body: typeof body === 'string' ? Buffer.from(body) : body,
    named: null,
  });
  const { body } = surfaceOf(operation);
  if (body === null || plan.kind === 'no body') return whole(null);
  if (plan.kind === 'bytes') return whole(plan.body);
  const text = body === 'form' ? formOf(plan) : JSON.stringify(json ?? {});
  if (plan.kind === 'cut') return whole(text.slice(0, plan.at % text.length));
  return body === 'form' ? whole(text) : (spoiledJson(plan, json) ?? whole(text));
}

function formOf(plan: Plan): string {
  if (plan.kind === 'form') return plan.parts;
  const csv = plan.kind === 'csv' ? plan.text : 'epc,name\nE2801160600002000000AB01,Box\n';
  const disposition = 'Content-Disposition: form-data; name="file"; filename="tags.csv"';
  return `--B\r\n${disposition}\r\nContent-Type: text/csv\r\n\r\n${csv}\r\n--B--\r\n`;
}

/** Stands for the hostile text until the body is text itself. */
const MARK = 'the hostile value goes here';

function spoiledJson(plan: Plan, json: unknown): SpoiledBody | null {
  if (plan.kind !== 'replace' && plan.kind !== 'remove' && plan.kind !== 'add') return null;
  const places = placesIn(json, []);
  const isAdd = plan.kind === 'add';
  const fit = places.filter((place) => (isAdd ? isObject(valueAt(json, place)) : true));
  const place = fit[plan.at % Math.max(1, fit.length)] ?? [];
  const target = isAdd ? [...place, plan.name] : place;
  const marked = JSON.stringify(put(json, target, plan.kind === 'remove' ? undefined : MARK)) ?? '';
  const value = plan.kind === 'remove' ? '' : plan.value.json;
  const body = Buffer.from(marked.replace(`"${MARK}"`, () => value));
  return { body, named: isToBeNamed(plan, json, target) ? target.join('.') : null };
}

// An object that was left empty may be what is wrong, and a JSON text that cannot be read has no names.
function isToBeNamed(plan: Plan, json: unknown, place: Place): boolean {
  if (place.length === 0) return false;
  if (plan.kind === 'replace') return plan.value.parses;
  const parent = valueAt(json, place.slice(0, -1));
  return plan.kind === 'remove' && isObject(parent) && Object.keys(parent).length > 1;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function placesIn(value: unknown, here: Place): readonly Place[] {
  if (typeof value !== 'object' || value === null) return [here];
  const inner = Object.entries(value).flatMap(([name, one]) =>
    placesIn(one, [...here, Array.isArray(value) ? Number(name) : name]),
  );
  return [here, ...inner];
}

function valueAt(value: unknown, place: Place): unknown {
  return place.reduce<unknown>((at, name) => (at as Readonly<Record<string, unknown>>)[name], value); // found there
}

/** A copy with the value put there; a member called `__proto__` is a member. */
function put(value: unknown, [name, ...rest]: Place, leaf: unknown): unknown {
  if (name === undefined) return leaf;
  if (Array.isArray(value)) return value.map((one, index) => (index === name ? put(one, rest, leaf) : one));
  const members = new Map<string, unknown>(isObject(value) ? Object.entries(value) : []);
  members.set(String(name), put(members.get(String(name)), rest, leaf));
  return Object.fromEntries(members);
}
