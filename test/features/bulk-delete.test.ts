import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { neverSeen } from '../../src/domain/tag-state.ts';
import { assetRoutes } from '../../src/features/assets/asset-routes.ts';
import { bulkDeleteRoutes } from '../../src/features/bulk-delete/bulk-delete-routes.ts';
import { dataRoutes } from '../../src/features/tags/data-routes.ts';
import { historyRoutes } from '../../src/features/tags/history-routes.ts';
import { visitRoutes } from '../../src/features/tags/visit-routes.ts';
import { raiseAlert } from '../../src/store/alerts.ts';
import { createAssetLinks } from '../../src/store/asset-links.ts';
import { missingProblem, stepAsset } from '../../src/store/assets.ts';
import { tables } from '../../src/store/tables.ts';
import { TagLedger } from '../../src/store/tag-ledger.ts';
import { type House, noon, openHouse, placed, type Tenant } from '../support/house.ts';
import { countsOf } from '../support/import-house.ts';

let house: House;
let tenant: Tenant;

beforeEach(async () => {
  house = await openHouse({
    more: (parts) => {
      const links = createAssetLinks(parts.store);
      const more = [dataRoutes(parts), historyRoutes(parts), visitRoutes(parts), bulkDeleteRoutes(parts)];
      return [...more.flat(), ...assetRoutes({ ...parts, links })];
    },
  });
  tenant = await house.tenant('Ours');
});
afterEach(() => house.close());

const remove = (epcs: unknown, of = tenant) => of.call('POST', '/tags/bulk-delete', { epcs });

/** Entries of the tables that tell of a tag. */
function traces(): Record<string, number> {
  return countsOf(house.store, ['tags', 'tagByEpc', 'tagData', 'tagHistory', 'visits', 'assetByTag']);
}

const none = { tags: 0, tagByEpc: 0, tagData: 0, tagHistory: 0, visits: 0, assetByTag: 0 };

describe('POST /tags/bulk-delete', () => {
  test('removes the tags with data, history, read history, location and asset link', async () => {
    const dock = await tenant.zone('Dock');
    await tenant.tag('AAAA0001', placed(dock.no, noon));
    await tenant.tag('AAAA0002', placed(dock.no, noon));
    for (const name of ['a', 'b', 'c']) await tenant.call('PUT', '/tags/AAAA0001/data', { name });
    const asset = { name: 'Jack', assetTagNumber: '1', epc: 'AAAA0001' };
    const { id } = (await tenant.call('POST', '/assets', asset)).body;
    await house.ledger.checkpoint();
    expect(traces()).toMatchObject({ tags: 2, tagData: 1, tagHistory: 2, visits: 2, assetByTag: 1 });
    const { status, body } = await remove(['AAAA0001']);
    expect([status, body]).toEqual([200, { deleted: 1 }]);
    expect(traces()).toEqual({ ...none, tags: 1, tagByEpc: 1, visits: 1 });
    expect((await tenant.call('GET', '/tags')).body.map(({ epc }: { epc: string }) => epc)).toEqual([
      'AAAA0002',
    ]);
    const data = (await tenant.call('GET', '/tags/AAAA0001/data')).body;
    expect(data).toEqual({ epc: 'AAAA0001', attributes: {} });
    expect((await tenant.call('GET', '/tags/AAAA0001/history')).body).toEqual([]);
    expect((await tenant.call('GET', `/zones/${dock.id}/inventory`)).body).toMatchObject([
      { epc: 'AAAA0002' },
    ]);
    const { body: after } = await tenant.call('GET', `/assets/${id}`);
    expect(after).toMatchObject({ name: 'Jack', status: 'available' });
    expect([after.epc, after.zoneId]).toEqual([undefined, undefined]);
    expect(house.store.get(tables.assets, [tenant.orgId, id])).toMatchObject({
      tagNo: null,
      tagLabel: null,
      linkedAt: null,
    });
  });

  test('visits that are not in their table yet are gone too, and stay so over a checkpoint and a start', async () => {
    const dock = await tenant.zone('Dock');
    const { no } = await tenant.tag('AAAA0001', placed(dock.no, noon));
    await remove(['AAAA0001']);
    expect(house.ledger.visits(no, 10)).toEqual([]);
    await house.ledger.checkpoint();
    expect(traces()).toEqual(none);
    expect(new TagLedger(house.store).states.orgNo(no)).toBe(0);
  });

  test('unknown EPCs are passed over, repeated ones count once, lower case is folded', async () => {
    await tenant.tag('AAAA0001');
    await tenant.tag('AAAA0002');
    expect((await remove(['aaaa0001', 'AAAA0001', 'FFFFFFFF', 'AAAA0002'])).body).toEqual({ deleted: 2 });
    expect((await remove(['AAAA0001'])).body).toEqual({ deleted: 0 });
    expect((await remove([])).body).toEqual({ deleted: 0 });
  });

  test('of another organisation none is touched', async () => {
    const other = await house.tenant('Theirs');
    await other.tag('AAAA0001');
    expect((await remove(['AAAA0001'])).body).toEqual({ deleted: 0 });
    expect((await remove(['AAAA0001'], other)).body).toEqual({ deleted: 1 });
  });

  test.each([
    ['a malformed EPC', ['AAAA0001', 'zz'], 'epcs.1 must be 8 to 64 hexadecimal digits, not "zz".'],
    ['an EPC that is no text', ['AAAA0001', 7], 'epcs.1 must be text.'],
    ['no list', 'AAAA0001', 'epcs must be a list.'],
    ['nothing', undefined, 'epcs is missing.'],
    [
      'more than 10,000',
      Array.from({ length: 10_001 }, () => 'AAAA0001'),
      'epcs must hold at most 10000 items.',
    ],
  ])('400 for %s, and nothing is deleted', async (_, epcs, detail) => {
    await tenant.tag('AAAA0001');
    const { status, body } = await remove(epcs);
    expect([status, body.detail.replace(/^E/, 'e')]).toEqual([400, detail]);
    expect(traces()).toMatchObject({ tags: 1 });
  });

  test('10,000 at once, with their history, and what was asked for meanwhile is answered', async () => {
    const epcs = Array.from({ length: 10_000 }, (_, i) => (0xaa000000 + i).toString(16).toUpperCase());
    for (let at = 0; at < epcs.length; at += 1000)
      await tenant.tags(
        epcs.slice(at, at + 1000).map((epc) => [epc, { firstSeenAt: noon, lastSeenAt: noon }]),
      );
    await house.ledger.checkpoint();
    const [answer, meanwhile] = await Promise.all([remove(epcs), tenant.call('GET', '/zones')]);
    expect([answer.body, meanwhile.status]).toEqual([{ deleted: 10_000 }, 200]);
    const noted = tenant.audit().filter(({ action }) => action === 'delete');
    expect(noted).toHaveLength(20);
    for (const { before } of noted) expect(before).toMatchObject({ deleted: 500, of: 10_000 });
    expect(traces()).toEqual(none);
  });

  test('a tag made again is a new one with a new id and no data', async () => {
    await tenant.call('PUT', '/tags/AAAA0001/data', { name: 'old' });
    const before = (await tenant.call('GET', '/tags/AAAA0001/data')).body.tagId;
    await remove(['AAAA0001']);
    await tenant.call('PUT', '/tags/AAAA0001/data', { note: 'new' });
    const { body } = await tenant.call('GET', '/tags/AAAA0001/data');
    expect(body.attributes).toEqual({ note: 'new' });
    expect(body.tagId).not.toBe(before);
    expect((await tenant.call('GET', '/tags/AAAA0001/history')).body).toHaveLength(1);
  });

  test('is in the audit log with the EPCs that were deleted; nothing deleted, no entry', async () => {
    await tenant.tag('AAAA0001');
    await remove(['FFFFFFFF']);
    await remove(['FFFFFFFF', 'AAAA0001']);
    expect(tenant.audit()).toMatchObject([
      { action: 'delete', resource: 'tags', before: { deleted: 1, of: 1, epcs: ['AAAA0001'] } },
    ]);
    expect(house.ledger.states.get(1)).toEqual(neverSeen);
  });

  test('an asset that loses its tag so is out of its zone, no longer alarmed about, and in the audit log', async () => {
    const dock = await tenant.zone('Dock');
    await tenant.tag('AAAA0001', placed(dock.no, noon));
    const asset = { name: 'Jack', assetTagNumber: '1', epc: 'AAAA0001' };
    const { id } = (await tenant.call('POST', '/assets', asset)).body;
    const key = [tenant.orgId, id] as const;
    await house.store.write((tx) => {
      const record = tx.get(tables.assets, key);
      if (!record) throw new Error('no asset');
      stepAsset(tx, { orgId: tenant.orgId, asset: record, now: noon }, { trigger: 'mark_missing' });
      const subject = { subjectType: 'asset', subjectId: id, problem: missingProblem(id) } as const;
      const problem = { orgId: tenant.orgId, ruleKind: 'asset_missing', severity: 'warning' } as const;
      raiseAlert(tx, { ...problem, ...subject, message: 'Jack.' }, { now: noon, newId: () => id });
    });
    await remove(['AAAA0001']);
    expect([...house.store.range(tables.alerts)].map(({ value }) => value.state)).toEqual(['resolved']);
    expect((await tenant.call('GET', `/assets/${id}/events`)).body[0]).toMatchObject({
      ...{ kind: 'zone_exit', zoneId: dock.id, zoneName: 'Dock' },
    });
    expect(tenant.audit().at(-1)).toMatchObject({
      ...{ action: 'unlink', resource: `assets/${id}`, before: { epc: 'AAAA0001' } },
      after: { id, name: 'Jack', assetTagNumber: '1', status: 'missing' },
    });
  });
});
