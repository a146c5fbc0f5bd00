import type { ResourceName } from './resources.ts';

/** What an answer's body is: one resource, a list of them, either, or something else the walk knows by name. */
export type Shape =
  | { readonly one: ResourceName }
  | { readonly many: ResourceName }
  | { readonly oneOrMany: ResourceName }
  | { readonly media: string }
  | 'no body'
  | 'not told';

/** One row of an endpoint table, with the statuses the Errors table names for it. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** The success status. */
  readonly status: 200 | 201 | 204;
  readonly answer: Shape;
  /** Refusals the contract or its decisions name for this row, beyond 401 of every row, 402 of writes and 404 of ids. */
  readonly refusals?: readonly number[];
  readonly query?: readonly string[];
  /** Members of the request body: name → whether it has to be there. */
  readonly body?: Readonly<Record<string, 'required' | 'optional'>>;
  /** The body is a list of such objects. */
  readonly bodyIsList?: true;
  readonly consumes?: 'multipart/form-data';
  /** API keys get 403. */
  readonly adminOnly?: true;
}

const tags: readonly Endpoint[] = [
  {
    ...{ method: 'GET', path: '/tags', status: 200, answer: { many: 'Tag' } },
    query: ['q', 'hasData'],
    refusals: [400],
  },
  { method: 'GET', path: '/tags/{epc}/data', status: 200, answer: { one: 'TagData' }, refusals: [400] },
  { method: 'PUT', path: '/tags/{epc}/data', status: 200, answer: { one: 'TagData' }, refusals: [400] },
  { method: 'GET', path: '/tags/{epc}/history', status: 200, answer: { many: 'History' }, refusals: [400] },
  {
    ...{ method: 'POST', path: '/tags/import', status: 200, answer: { one: 'ImportReport' } },
    consumes: 'multipart/form-data',
    body: { file: 'required' },
    query: ['dryRun'],
    refusals: [400, 413, 415],
  },
  { method: 'GET', path: '/tags/export', status: 200, answer: { media: 'text/csv' } },
  {
    ...{ method: 'POST', path: '/tags/bulk-delete', status: 200, answer: { one: 'Deleted' } },
    body: { epcs: 'required' },
    refusals: [400],
  },
];

const fields: readonly Endpoint[] = [
  { method: 'GET', path: '/fields', status: 200, answer: { many: 'Field' } },
  {
    ...{ method: 'POST', path: '/fields', status: 201, answer: { one: 'Field' } },
    body: { label: 'required' },
    refusals: [400, 409],
  },
  {
    ...{ method: 'PATCH', path: '/fields/{key}', status: 200, answer: { oneOrMany: 'Field' } },
    body: { label: 'optional', isLabel: 'optional' },
    refusals: [400, 404, 409],
  },
  { method: 'DELETE', path: '/fields/{key}', status: 204, answer: 'no body', refusals: [404] },
];

const readers: readonly Endpoint[] = [
  { method: 'GET', path: '/events/stream', status: 200, answer: { media: 'text/event-stream' } },
  { method: 'GET', path: '/readers', status: 200, answer: { many: 'Reader' } },
  {
    ...{ method: 'PATCH', path: '/readers/{id}', status: 200, answer: { one: 'Reader' } },
    // Not required since it takes a name alone too, which is an extension.
    body: { enabled: 'optional' },
    refusals: [400],
  },
  { method: 'DELETE', path: '/readers/{id}', status: 204, answer: 'no body' },
  { method: 'GET', path: '/readers/{id}/antennas', status: 200, answer: { many: 'Antenna' } },
  {
    ...{ method: 'PUT', path: '/readers/{id}/antennas', status: 200, answer: { many: 'Antenna' } },
    bodyIsList: true,
    body: {
      ...{ port: 'required', zoneId: 'optional', role: 'optional', transmitPowerCdbm: 'optional' },
      ...{ inventorySession: 'optional', searchMode: 'optional' },
      ...{ tagPopulation: 'optional', enabled: 'optional' },
    },
    refusals: [400],
  },
  {
    ...{ method: 'POST', path: '/devices/claim', status: 201, answer: { one: 'ClaimedDevice' } },
    body: { code: 'required', readerName: 'required' },
    refusals: [400, 404, 409],
  },
  { method: 'GET', path: '/devices', status: 200, answer: { many: 'ClaimedDevice' } },
];

const assets: readonly Endpoint[] = [
  { method: 'GET', path: '/assets', status: 200, answer: { many: 'Asset' } },
  {
    ...{ method: 'POST', path: '/assets', status: 201, answer: { one: 'Asset' } },
    body: { name: 'required', assetTagNumber: 'required', category: 'optional', epc: 'optional' },
    refusals: [400, 409],
  },
  { method: 'GET', path: '/assets/{id}', status: 200, answer: { one: 'Asset' } },
  {
    ...{ method: 'PATCH', path: '/assets/{id}', status: 200, answer: { one: 'Asset' } },
    body: { name: 'optional', assetTagNumber: 'optional', category: 'optional' },
    refusals: [400, 409],
  },
  {
    ...{ method: 'POST', path: '/assets/{id}/check-out', status: 200, answer: { one: 'Asset' } },
    body: { custodian: 'optional', expectedReturnAt: 'optional' },
    refusals: [400, 409],
  },
  {
    ...{ method: 'POST', path: '/assets/{id}/check-in', status: 200, answer: { one: 'Asset' } },
    refusals: [409],
  },
  {
    ...{ method: 'POST', path: '/assets/{id}/retire', status: 200, answer: { one: 'Asset' } },
    refusals: [409],
  },
  { method: 'GET', path: '/assets/{id}/events', status: 200, answer: { many: 'AssetEvent' } },
  {
    ...{ method: 'POST', path: '/correlations', status: 201, answer: 'not told' },
    body: {
      ...{ epc: 'required', targetType: 'required', targetId: 'required' },
      ...{ label: 'optional', supersede: 'optional' },
    },
    refusals: [400, 404, 409],
  },
];

const zones: readonly Endpoint[] = [
  { method: 'GET', path: '/zones', status: 200, answer: { many: 'Zone' } },
  {
    ...{ method: 'POST', path: '/zones', status: 201, answer: { one: 'Zone' } },
    body: { name: 'required', kind: 'optional' },
    refusals: [400],
  },
  {
    ...{ method: 'PATCH', path: '/zones/{id}', status: 200, answer: { one: 'Zone' } },
    body: { name: 'optional', kind: 'optional' },
    refusals: [400],
  },
  { method: 'DELETE', path: '/zones/{id}', status: 204, answer: 'no body' },
  { method: 'GET', path: '/inventory/summary', status: 200, answer: { many: 'InventorySummary' } },
  { method: 'GET', path: '/zones/{id}/inventory', status: 200, answer: { many: 'ZoneInventory' } },
];

const alertsAndAccount: readonly Endpoint[] = [
  {
    ...{ method: 'GET', path: '/alerts', status: 200, answer: { many: 'Alert' } },
    query: ['state'],
    refusals: [400],
  },
  {
    ...{ method: 'PATCH', path: '/alerts/{id}', status: 204, answer: 'no body' },
    body: { state: 'required' },
    refusals: [400, 409],
  },
  { method: 'GET', path: '/auth/me', status: 200, answer: { one: 'Identity' } },
  { method: 'GET', path: '/license', status: 200, answer: { one: 'LicenceAnswer' } },
];

const administration: readonly Endpoint[] = [
  { method: 'GET', path: '/users', status: 200, answer: 'not told', adminOnly: true },
  { method: 'GET', path: '/api-keys', status: 200, answer: 'not told', adminOnly: true },
  {
    ...{ method: 'GET', path: '/audit', status: 200, answer: 'not told', adminOnly: true },
    query: ['resource'],
  },
  { method: 'GET', path: '/billing/portal', status: 200, answer: 'not told', adminOnly: true },
];

/** Every row of every endpoint table of the contract. */
export const endpoints: readonly Endpoint[] = [
  ...tags,
  ...fields,
  ...readers,
  ...assets,
  ...zones,
  ...alertsAndAccount,
  ...administration,
];
