import { type ContractRig, nobodysId, type Reply } from '../support/contract-rig.ts';

/** Rows of the Limits table that cut a list: what its `limit` parameter may be at most. */
export const pageLimits = [
  { path: '/tags', limit: 500 },
  { path: '/assets', limit: 500 },
  { path: '/zones/{id}/inventory', limit: 1000 },
  { path: '/alerts', limit: 200 },
] as const;

/** One condition of the Errors table (or of a limit or state) that ends in a refusal, and how to get there. */
export interface ErrorRow {
  readonly status: number;
  /** The condition, as the contract has it. */
  readonly when: string;
  /** The slug of the problem type. */
  readonly problem: string;
  readonly provoke: (rig: ContractRig) => Promise<Reply>;
  /** Where to look for that nothing was changed. */
  readonly unchanged?: string;
}

const rowsOf = (count: number): string =>
  Array.from(
    { length: count },
    (_, index) => `AB${index.toString(16).toUpperCase().padStart(8, '0')},x`,
  ).join('\n');

const badRequests: readonly ErrorRow[] = [
  {
    status: 400,
    when: 'import file without an epc column',
    problem: 'import-unreadable',
    provoke: (rig) => rig.upload('name,weight\nBox,1\n'),
    unchanged: '/fields',
  },
  {
    status: 400,
    when: 'import file with too many rows (100,001)',
    problem: 'import-unreadable',
    provoke: (rig) => rig.upload(`epc,Too many\n${rowsOf(100_001)}\n`),
    unchanged: '/fields',
  },
  {
    status: 400,
    when: 'more than 10,000 EPCs in a bulk delete',
    problem: 'invalid',
    provoke: (rig) => {
      const epcs = Array.from({ length: 10_001 }, () => 'E2801160600002000000AB01');
      return rig.call('POST', '/tags/bulk-delete', { body: { epcs } });
    },
    unchanged: '/tags',
  },
  ...['E280116', 'E'.repeat(65), 'E280116G'].map(
    (epc): ErrorRow => ({
      status: 400,
      when: `an EPC that is not 8 to 64 hex characters (${epc.length})`,
      problem: 'invalid',
      provoke: (rig) => rig.call('PUT', `/tags/${epc}/data`, { body: { name: 'x' } }),
      unchanged: '/tags',
    }),
  ),
  {
    status: 400,
    when: 'an unknown value in a query',
    problem: 'invalid',
    provoke: (rig) => rig.call('GET', '/alerts?state=foo'),
  },
];

/** Antenna settings that are refused; each comes after one that is good, which must not be kept either. */
const badSettings: readonly (readonly [when: string, object])[] = [
  ['unknown port 5', { port: 5 }],
  ['unknown port 0', { port: 0 }],
  ['transmitPowerCdbm 999', { port: 2, transmitPowerCdbm: 999 }],
  ['transmitPowerCdbm 3301', { port: 2, transmitPowerCdbm: 3301 }],
  ['inventorySession 4', { port: 2, inventorySession: 4 }],
  ['inventorySession -1', { port: 2, inventorySession: -1 }],
  ['tagPopulation 0', { port: 2, tagPopulation: 0 }],
  ['an unknown searchMode', { port: 2, searchMode: 'triple-target' }],
  ['an unknown zone', { port: 2, zoneId: nobodysId() }],
];

/** Antenna PUT with an unknown port or out-of-range value (nothing changed). */
export const antennaRows = badSettings.map(([when, settings]) => ({ when, settings }));

const claims: readonly ErrorRow[] = [
  {
    status: 404,
    when: 'claim code invalid',
    problem: 'claim-code-invalid',
    provoke: (rig) =>
      rig.call('POST', '/devices/claim', { body: { code: 'TK-0000-0000-0000', readerName: 'Dock' } }),
    unchanged: '/devices',
  },
  {
    status: 404,
    when: 'claim code already used',
    problem: 'claim-code-invalid',
    provoke: async (rig) => {
      const { code } = await rig.provisioned();
      await rig.ok('POST', '/devices/claim', { code, readerName: 'Dock' });
      return rig.call('POST', '/devices/claim', { body: { code, readerName: 'Dock again' } });
    },
  },
  {
    status: 409,
    when: 'claim of a withdrawn reader',
    problem: 'device-withdrawn',
    provoke: async (rig) => {
      const { serial, code } = await rig.provisioned();
      const { code: exit, stderr } = await rig.appliance.cli('reader', 'withdraw', serial);
      if (exit !== 0) throw new Error(`tagkeep reader withdraw: ${stderr}`);
      return rig.call('POST', '/devices/claim', { body: { code, readerName: 'Dock' } });
    },
    unchanged: '/devices',
  },
];

const conflicts: readonly ErrorRow[] = [
  {
    status: 409,
    when: 'field rename to a name in use',
    problem: 'field-exists',
    provoke: async (rig) => {
      const [taken, other] = [await rig.field(), await rig.field()];
      return rig.call('PATCH', `/fields/${other}`, { body: { label: taken } });
    },
  },
  {
    status: 409,
    when: 'asset check-out when checked out already',
    problem: 'asset-not-available',
    provoke: async (rig) => {
      const id = await rig.asset();
      await rig.ok('POST', `/assets/${id}/check-out`);
      return rig.call('POST', `/assets/${id}/check-out`);
    },
  },
  {
    status: 409,
    when: 'asset check-in when not checked out',
    problem: 'asset-not-checked-out',
    provoke: async (rig) => rig.call('POST', `/assets/${await rig.asset()}/check-in`),
  },
  {
    status: 409,
    when: 'retire when already retired',
    problem: 'asset-retired',
    provoke: async (rig) => {
      const id = await rig.asset();
      await rig.ok('POST', `/assets/${id}/retire`);
      return rig.call('POST', `/assets/${id}/retire`);
    },
  },
  {
    status: 409,
    when: 'correlation for a tag already linked without supersede',
    problem: 'tag-linked',
    provoke: async (rig) => {
      const epc = rig.epc();
      await rig.asset({ epc });
      const link = { epc, targetType: 'asset', targetId: await rig.asset() };
      return rig.call('POST', '/correlations', { body: link });
    },
  },
  {
    status: 409,
    when: 'an asset number in use',
    problem: 'asset-number-taken',
    provoke: async (rig) => {
      const asset = { name: 'Cart', assetTagNumber: rig.fresh('C') };
      await rig.ok('POST', '/assets', asset);
      return rig.call('POST', '/assets', { body: asset });
    },
  },
  {
    status: 409,
    when: 'a reader started while all its antenna ports are off',
    problem: 'no-antenna-enabled',
    provoke: async (rig) => {
      const path = `/readers/${(await rig.reader()).readerId}`;
      const allOff = [1, 2, 3, 4].map((port) => ({ port, enabled: false }));
      await rig.ok('PUT', `${path}/antennas`, allOff);
      return rig.call('PATCH', path, { body: { enabled: true } });
    },
  },
  {
    status: 409,
    when: 'a resolved alert cannot be acknowledged',
    problem: 'alert-state',
    provoke: async (rig) => {
      const id = await rig.alert();
      await rig.ok('PATCH', `/alerts/${id}`, { state: 'resolved' });
      return rig.call('PATCH', `/alerts/${id}`, { body: { state: 'acked' } });
    },
  },
];

const tooLarge: ErrorRow = {
  status: 413,
  when: 'an import file over 64 MB',
  problem: 'too-large',
  provoke: (rig) => rig.upload(new Blob(['epc\n', 'x'.repeat(64 * 1024 * 1024 + 1)])),
  unchanged: '/tags',
};

/** Every refusal the Errors table names but those of all rows alike (401, 402, 403, 404 of ids), with those of limits. */
export const errorRows: readonly ErrorRow[] = [...badRequests, ...claims, ...conflicts, tooLarge];
