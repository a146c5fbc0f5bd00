import type { ContractRig, Reply } from '../support/contract-rig.ts';
import { plainRead } from '../support/publisher.ts';

/** Brings a row of the endpoint tables to its success. */
export type Provoke = (rig: ContractRig) => Promise<Reply>;

/** A tag with a value, and its EPC. */
async function described(rig: ContractRig): Promise<string> {
  const epc = rig.epc();
  await rig.ok('PUT', `/tags/${epc}/data`, { name: 'Pallet 17', weight: '412.5' });
  return epc;
}

/** A tag that a reader has just seen in a zone. */
async function seenTag(rig: ContractRig): Promise<{ readonly zoneId: string; readonly epc: string }> {
  const zoneId = await rig.zone();
  const publisher = await rig.publisher(await rig.reader({ 1: zoneId }));
  const epc = rig.epc();
  await publisher.publish({ payload: plainRead(epc) });
  await publisher.close();
  return { zoneId, epc };
}

const get =
  (path: string): Provoke =>
  (rig) =>
    rig.call('GET', path);

const asAdmin =
  (path: string): Provoke =>
  (rig) =>
    rig.call('GET', path, { as: 'admin' });

const tags: Readonly<Record<string, Provoke>> = {
  'GET /tags': async (rig) => {
    const { epc } = await seenTag(rig);
    return rig.call('GET', `/tags?q=${epc.toLowerCase()}`);
  },
  'GET /tags/{epc}/data': async (rig) => rig.call('GET', `/tags/${await described(rig)}/data`),
  'PUT /tags/{epc}/data': (rig) =>
    rig.call('PUT', `/tags/${rig.epc()}/data`, { body: { name: 'Pallet 18', 'Best before': '2026-12-01' } }),
  'GET /tags/{epc}/history': async (rig) => {
    const epc = await described(rig);
    await rig.ok('PUT', `/tags/${epc}/data`, { weight: '400' });
    return rig.call('GET', `/tags/${epc}/history`);
  },
  'POST /tags/import': (rig) => {
    const epc = rig.epc();
    return rig.upload(`epc,name\n${epc},Box 1\n${epc},Box 1 again\n,no EPC\n`);
  },
  'GET /tags/export': async (rig) => {
    await described(rig);
    return rig.call('GET', '/tags/export');
  },
  'POST /tags/bulk-delete': async (rig) =>
    rig.call('POST', '/tags/bulk-delete', { body: { epcs: [await described(rig)] } }),
};

const fields: Readonly<Record<string, Provoke>> = {
  'GET /fields': async (rig) => {
    await rig.field();
    return rig.call('GET', '/fields');
  },
  'POST /fields': (rig) => rig.call('POST', '/fields', { body: { label: rig.fresh('Net weight') } }),
  'PATCH /fields/{key}': async (rig) =>
    rig.call('PATCH', `/fields/${await rig.field()}`, { body: { label: rig.fresh('Gross weight') } }),
  'DELETE /fields/{key}': async (rig) => rig.call('DELETE', `/fields/${await rig.field()}`),
};

const readers: Readonly<Record<string, Provoke>> = {
  'GET /events/stream': get('/events/stream'),
  'GET /readers': async (rig) => {
    const publisher = await rig.publisher(await rig.sharedReader());
    const health = { type: 'health', at: new Date().toISOString(), temperatureC: 40, cpuPercent: 5 };
    await publisher.publish({ topic: 'status', payload: JSON.stringify(health) });
    await publisher.close();
    return rig.call('GET', '/readers');
  },
  'PATCH /readers/{id}': async (rig) =>
    rig.call('PATCH', `/readers/${(await rig.sharedReader()).readerId}`, { body: { enabled: false } }),
  'DELETE /readers/{id}': async (rig) => rig.call('DELETE', `/readers/${(await rig.reader()).readerId}`),
  'GET /readers/{id}/antennas': async (rig) =>
    rig.call('GET', `/readers/${(await rig.sharedReader()).readerId}/antennas`),
  'PUT /readers/{id}/antennas': async (rig) => {
    const settings = { transmitPowerCdbm: 2500, inventorySession: 1, searchMode: 'single-target' };
    const body = [{ port: 4, zoneId: await rig.zone(), ...settings, tagPopulation: 64, enabled: false }];
    return rig.call('PUT', `/readers/${(await rig.sharedReader()).readerId}/antennas`, { body });
  },
  'POST /devices/claim': async (rig) => {
    const { code } = await rig.provisioned();
    return rig.call('POST', '/devices/claim', { body: { code, readerName: 'Dock door' } });
  },
  'GET /devices': async (rig) => {
    await rig.sharedReader();
    return rig.call('GET', '/devices');
  },
};

const assets: Readonly<Record<string, Provoke>> = {
  'GET /assets': async (rig) => {
    await rig.asset();
    return rig.call('GET', '/assets');
  },
  'POST /assets': async (rig) => {
    const { epc } = await seenTag(rig);
    const asset = { name: 'Pallet jack', assetTagNumber: rig.fresh('PJ'), category: 'tools', epc };
    return rig.call('POST', '/assets', { body: asset });
  },
  'GET /assets/{id}': async (rig) => {
    const { epc } = await seenTag(rig);
    return rig.call('GET', `/assets/${await rig.asset({ epc })}`);
  },
  'PATCH /assets/{id}': async (rig) =>
    rig.call('PATCH', `/assets/${await rig.asset()}`, { body: { category: 'vehicles' } }),
  'POST /assets/{id}/check-out': async (rig) => {
    const body = { custodian: 'R. Doe', expectedReturnAt: '2027-01-01T08:00:00Z' };
    return rig.call('POST', `/assets/${await rig.asset()}/check-out`, { body });
  },
  'POST /assets/{id}/check-in': async (rig) => {
    const id = await rig.asset();
    await rig.ok('POST', `/assets/${id}/check-out`);
    return rig.call('POST', `/assets/${id}/check-in`);
  },
  'POST /assets/{id}/retire': async (rig) => rig.call('POST', `/assets/${await rig.asset()}/retire`),
  'GET /assets/{id}/events': async (rig) => {
    const id = await rig.asset();
    await rig.ok('POST', `/assets/${id}/check-out`, { custodian: 'R. Doe' });
    return rig.call('GET', `/assets/${id}/events`);
  },
  'POST /correlations': async (rig) => {
    const link = { epc: rig.epc(), targetType: 'asset', targetId: await rig.asset() };
    return rig.call('POST', '/correlations', { body: { ...link, label: 'Pallet jack', supersede: false } });
  },
};

const zones: Readonly<Record<string, Provoke>> = {
  'GET /zones': async (rig) => {
    await rig.zone();
    return rig.call('GET', '/zones');
  },
  'POST /zones': (rig) => rig.call('POST', '/zones', { body: { name: rig.fresh('Dock'), kind: 'portal' } }),
  'PATCH /zones/{id}': async (rig) =>
    rig.call('PATCH', `/zones/${await rig.zone()}`, { body: { kind: 'staging' } }),
  'DELETE /zones/{id}': async (rig) => rig.call('DELETE', `/zones/${await rig.zone()}`),
  'GET /inventory/summary': async (rig) => {
    await rig.zone();
    return rig.call('GET', '/inventory/summary');
  },
  'GET /zones/{id}/inventory': async (rig) =>
    rig.call('GET', `/zones/${(await seenTag(rig)).zoneId}/inventory`),
};

const rest: Readonly<Record<string, Provoke>> = {
  'GET /alerts': async (rig) => {
    await rig.alert();
    return rig.call('GET', '/alerts');
  },
  'PATCH /alerts/{id}': async (rig) =>
    rig.call('PATCH', `/alerts/${await rig.alert()}`, { body: { state: 'acked' } }),
  'GET /auth/me': get('/auth/me'),
  'GET /license': get('/license'),
  'GET /users': asAdmin('/users'),
  'GET /api-keys': asAdmin('/api-keys'),
  'GET /audit': asAdmin('/audit?resource=zones'),
  'GET /billing/portal': asAdmin('/billing/portal'),
};

/** How each row of the endpoint tables comes to its success, by method and path. */
export const successes: Readonly<Record<string, Provoke>> = {
  ...tags,
  ...fields,
  ...readers,
  ...assets,
  ...zones,
  ...rest,
};
