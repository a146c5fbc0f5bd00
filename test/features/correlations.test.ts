import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { assetRoutes } from '../../src/features/assets/asset-routes.ts';
import { inventoryRoutes } from '../../src/features/inventory/inventory-routes.ts';
import { raiseAlert } from '../../src/store/alerts.ts';
import { type AssetLinks, createAssetLinks } from '../../src/store/asset-links.ts';
import { missingProblem } from '../../src/store/assets.ts';
import { tables } from '../../src/store/tables.ts';
import { type House, noon, openHouse, PRESENCE_MS, placed, type Tenant } from '../support/house.ts';

let house: House;
let tenant: Tenant;
let links: AssetLinks;

beforeEach(async () => {
  house = await openHouse({
    more: (parts) => {
      links = createAssetLinks(parts.store);
      const linked = {
        linkOf: (tagNo: number) => links.linkOf(tagNo),
        linkedTags: (orgId: string) => links.linkedTags(orgId),
      };
      return [
        ...assetRoutes({ ...parts, links }),
        ...inventoryRoutes({ ...parts, ...linked, presenceMs: PRESENCE_MS }),
      ];
    },
  });
  tenant = await house.tenant('Ours');
});
afterEach(() => house.close());

const unknown = '00000000-0000-4000-8000-000000000000';
const EPC = '3034257BF468D480000003E8';
const OTHER = '3034257BF468D480000003E9';

let made = 0;

async function asset(name = 'Jack', more: object = {}, of = tenant): Promise<string> {
  const answer = await of.call('POST', '/assets', { name, assetTagNumber: `N-${++made}`, ...more });
  return answer.body.id;
}

const epcOf = async (id: string) => (await tenant.call('GET', `/assets/${id}`)).body.epc ?? null;

const link = (targetId: string, more: object = {}, of = tenant) =>
  of.call('POST', '/correlations', { epc: EPC, targetType: 'asset', targetId, ...more });

/** The tables and memory agree on every link. */
function linksAgree(): void {
  const byTag = new Map(Array.from(house.store.range(tables.assetByTag), ({ key, value }) => [key, value]));
  const assets = [...house.store.range(tables.assets)].filter(({ value }) => value.tagNo !== null);
  expect(new Map(assets.map(({ value }) => [value.tagNo, value.id]))).toEqual(byTag);
  for (let tagNo = 1; tagNo <= house.store.count(tables.tags); tagNo++)
    expect(links.linkOf(tagNo)?.assetId).toBe(byTag.get(tagNo));
  expect([...links.linkedTags(tenant.orgId)].sort()).toEqual([...byTag.keys()].sort());
}

describe('POST /correlations', () => {
  test('201 with the link; the asset has the tag and its place', async () => {
    const dock = await tenant.zone('Dock');
    const tag = await tenant.tag(EPC, placed(dock.no, noon));
    const id = await asset('Jack');
    const { status, body } = await link(id, { epc: EPC.toLowerCase(), label: 'Jack' });
    expect(status).toBe(201);
    const linkedAt = new Date(noon).toISOString();
    expect(body).toEqual({
      ...{ epc: EPC, tagId: tag.id, targetType: 'asset', targetId: id, label: 'Jack', linkedAt },
    });
    const view = (await tenant.call('GET', `/assets/${id}`)).body;
    expect(view).toMatchObject({ epc: EPC, zoneId: dock.id, zoneName: 'Dock' });
    linksAgree();
  });

  test('an EPC never seen makes the tag', async () => {
    const id = await asset();
    const { body } = await link(id);
    expect(house.store.get(tables.tags, 1)).toMatchObject({ id: body.tagId, epc: EPC, orgNo: tenant.orgNo });
    expect(house.ledger.states.orgNo(1)).toBe(tenant.orgNo);
  });

  test('a linked tag is a 409 without supersede, even for the asset it is linked to', async () => {
    const [a, b] = [await asset('A', { epc: EPC }), await asset('B')];
    for (const id of [a, b])
      expect(await link(id)).toMatchObject({ status: 409, body: { type: '/problems/tag-linked' } });
    expect(await epcOf(a)).toBe(EPC);
    linksAgree();
  });

  test('supersede ends the link the tag has', async () => {
    const [a, b] = [await asset('A', { epc: EPC }), await asset('B')];
    expect((await link(b, { supersede: true })).status).toBe(201);
    expect([await epcOf(a), await epcOf(b)]).toEqual([null, EPC]);
    linksAgree();
    expect(tenant.audit().slice(-2)).toMatchObject([
      { action: 'unlink', resource: `assets/${a}`, before: { epc: EPC } },
      { action: 'link', resource: `assets/${b}`, after: { epc: EPC } },
    ]);
  });

  test('a replacement tag: the new link ends the old one, whose tag is free again', async () => {
    const [a, b] = [await asset('A', { epc: EPC }), await asset('B')];
    expect((await link(a, { epc: OTHER })).status).toBe(201);
    expect(await epcOf(a)).toBe(OTHER);
    expect((await link(b)).status).toBe(201);
    linksAgree();
  });

  test('409 for a retired asset, and no tag is made', async () => {
    const id = await asset();
    await tenant.call('POST', `/assets/${id}/retire`);
    expect(await link(id)).toMatchObject({ status: 409, body: { type: '/problems/asset-retired' } });
    expect(house.store.count(tables.tags)).toBe(0);
  });

  test('404 for an unknown asset or one of another organisation, and no tag is made', async () => {
    const theirs = await house.tenant('Theirs');
    for (const id of [unknown, await asset('Theirs', {}, theirs)])
      expect(await link(id, { supersede: true })).toMatchObject({
        ...{ status: 404, body: { type: '/problems/not-found' } },
      });
    expect(house.store.count(tables.tags)).toBe(0);
  });

  test('the same EPC in another organisation is another tag', async () => {
    const theirs = await house.tenant('Theirs');
    const [ours, other] = [await asset('Ours', { epc: EPC }), await asset('Theirs', {}, theirs)];
    expect((await link(other, { supersede: true }, theirs)).status).toBe(201);
    expect(await epcOf(ours)).toBe(EPC);
  });

  test.each([
    ['no epc', { epc: undefined }],
    ['an epc of 65 digits', { epc: 'A'.repeat(65) }],
    ['an epc that is none', { epc: 'zzzzzzzz' }],
    ['another target', { targetType: 'zone' }],
    ['no target', { targetType: undefined }],
    ['an id that is none', { targetId: 'x' }],
    ['a blank label', { label: ' ' }],
    ['a label of 256 characters', { label: 'x'.repeat(256) }],
    ['supersede as text', { supersede: 'true' }],
  ])('400 for %s, and nothing changes', async (_, more) => {
    const id = await asset();
    expect(await link(id, more)).toMatchObject({ status: 400, body: { type: '/problems/invalid' } });
    expect(await epcOf(id)).toBeNull();
  });

  test('of many links of one tag at the same time exactly one is made', async () => {
    const ids = await Promise.all(Array.from({ length: 10 }, (_, n) => asset(`A${n}`)));
    const answers = await Promise.all(ids.map((id) => link(id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)]);
    expect((await Promise.all(ids.map(epcOf))).filter((epc) => epc === EPC)).toHaveLength(1);
    linksAgree();
  });

  test('of many that supersede one another the last one stands, and the others have no tag', async () => {
    const ids = await Promise.all(Array.from({ length: 10 }, (_, n) => asset(`A${n}`)));
    const answers = await Promise.all(ids.map((id) => link(id, { supersede: true })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect((await Promise.all(ids.map(epcOf))).filter((epc) => epc === EPC)).toHaveLength(1);
    linksAgree();
  });
});

describe('what the inventory calls a linked tag', () => {
  const labels = async (zoneId: string) =>
    (await tenant.call('GET', `/zones/${zoneId}/inventory`)).body.map(
      (entry: { label: string }) => entry.label,
    );

  test("the correlation's label; the asset's name without one, or when it is the same, renames included", async () => {
    const dock = await tenant.zone('Dock');
    await tenant.tag(EPC, placed(dock.no, noon));
    const id = await asset('Jack');
    const supersede = true;
    expect((await link(id, { label: 'Yellow', supersede })).body.label).toBe('Yellow');
    expect(await labels(dock.id)).toEqual(['Yellow']);
    await link(id, { label: 'Jack', supersede });
    await tenant.call('PATCH', `/assets/${id}`, { name: 'Jack 2' });
    expect(await labels(dock.id)).toEqual(['Jack 2']);
    await link(id, { label: null, supersede });
    expect(await labels(dock.id)).toEqual(['Jack 2']);
    expect((await tenant.call('GET', '/inventory/summary')).body).toMatchObject([
      { total: 1, correlated: 1 },
    ]);
    await tenant.call('POST', `/assets/${id}/retire`);
    expect(await labels(dock.id)).toEqual([null]);
    expect((await tenant.call('GET', '/inventory/summary')).body).toMatchObject([
      { total: 1, correlated: 0 },
    ]);
  });
});

describe('the alert of a missing asset', () => {
  async function missing(): Promise<string> {
    const id = await asset('Jack', { epc: EPC });
    const key = [tenant.orgId, id] as const;
    await house.store.write((tx) => {
      const record = tx.get(tables.assets, key);
      if (record) tx.put(tables.assets, key, { ...record, status: 'missing' });
      raiseAlert(
        tx,
        {
          ...{ orgId: tenant.orgId, ruleKind: 'asset_missing', severity: 'warning', subjectType: 'asset' },
          ...{ subjectId: id, problem: missingProblem(id), message: 'Jack is missing.' },
        },
        { now: noon, newId: () => unknown },
      );
    });
    return id;
  }
  const state = () => [...house.store.range(tables.alerts)].map(({ value }) => value.state).join();

  test.each([
    ['check-out', (id: string) => tenant.call('POST', `/assets/${id}/check-out`), 'checked_out'],
    ['retirement', (id: string) => tenant.call('POST', `/assets/${id}/retire`), 'retired'],
    ['a replacement tag', (id: string) => link(id, { epc: OTHER }), 'missing'],
    ['its tag going to another', async () => link(await asset(), { supersede: true }), 'missing'],
  ])('is resolved by %s', async (...[, act, status]) => {
    const id = await missing();
    expect((await act(id)).status).toBeLessThan(300);
    expect(state()).toBe('resolved');
    expect(house.store.count(tables.alertByProblem)).toBe(0);
    expect((await tenant.call('GET', `/assets/${id}`)).body.status).toBe(status);
  });

  test('is not resolved by a rename, nor by linking the same tag again', async () => {
    const id = await missing();
    await tenant.call('PATCH', `/assets/${id}`, { name: 'New' });
    await link(id, { supersede: true, label: 'New label' });
    expect(state()).toBe('open');
  });
});
