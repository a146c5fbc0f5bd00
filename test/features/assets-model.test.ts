import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AssetStatus, assetStep } from '../../src/domain/asset.ts';
import { assetRoutes } from '../../src/features/assets/asset-routes.ts';
import { type AssetLinks, createAssetLinks } from '../../src/store/asset-links.ts';
import { tables } from '../../src/store/tables.ts';
import { createMissingSweep } from '../../src/sweep/missing-assets.ts';
import { type House, noon, openHouse, placed, type Tenant } from '../support/house.ts';

const HOUR = 3_600_000;
const MISSING_AFTER = 24 * HOUR;
const numbers = ['1', '2', '3', 'Ä'];
const epcs = ['AAAA0001', 'AAAA0002', 'AAAA0003'];

interface ModelAsset {
  readonly id: string;
  number: string;
  status: AssetStatus;
  epc: string | null;
  inHandAt: number;
  missedAt: number;
  readonly told: string[];
}

interface Model {
  readonly assets: ModelAsset[][];
  readonly seen: Map<string, number>[];
}

interface Real {
  readonly tenants: readonly Tenant[];
}

type Command = fc.AsyncCommand<Model, Real>;

let house: House;
let links: AssetLinks;
let sweep: { run(): Promise<void> };

beforeAll(async () => {
  house = await openHouse({
    more: (parts) => {
      links = createAssetLinks(parts.store);
      const { store, states, now, newId } = parts;
      const missing = { missingAfterMs: MISSING_AFTER, graceMs: 0 };
      sweep = createMissingSweep({ store, links, states, now, newId, ...missing });
      return assetRoutes({ ...parts, links });
    },
  });
});
afterAll(() => house.close());

const org = fc.nat(1);
const number = fc.constantFrom(...numbers);
const epc = fc.constantFrom(...epcs);
const index = fc.nat(7);

function command(what: string, run: (model: Model, real: Real) => Promise<void>): Command {
  return { check: () => true, toString: () => what, run };
}

const pick = (model: Model, of: number, n: number) =>
  model.assets[of]?.[n % Math.max(1, model.assets[of].length)];
const holderOf = (model: Model, of: number, tag: string) => model.assets[of]?.find((one) => one.epc === tag);
const taken = (assets: readonly ModelAsset[] = [], wanted: string, except?: ModelAsset) =>
  assets.some((one) => one !== except && one.status !== 'retired' && one.number === wanted);

const call = (real: Real, of: number, [method, path, body]: readonly [string, string, object?]) =>
  (real.tenants[of] as Tenant).call(method, path, body); // of is 0 or 1, and there are two

const create = fc.record({ of: org, number, tag: fc.option(epc) }).map(({ of, number, tag }) =>
  command(`create ${of} ${number} ${tag}`, async (model, real) => {
    const refused = taken(model.assets[of], number) || (tag !== null && holderOf(model, of, tag));
    const body = { name: number, assetTagNumber: number, epc: tag };
    const answer = await call(real, of, ['POST', '/assets', body]);
    expect(answer.status).toBe(refused ? 409 : 201);
    if (refused) return;
    const made: ModelAsset = {
      ...{ id: answer.body.id, number, status: 'available', epc: tag },
      ...{ inHandAt: house.now, missedAt: 0, told: ['created'] },
    };
    model.assets[of]?.push(made);
  }),
);

const renumber = fc.record({ of: org, n: index, number }).map(({ of, n, number }) =>
  command(`renumber ${of} ${n} ${number}`, async (model, real) => {
    const asset = pick(model, of, n);
    if (!asset) return;
    const refused = asset.status === 'retired' || taken(model.assets[of], number, asset);
    const answer = await call(real, of, ['PATCH', `/assets/${asset.id}`, { assetTagNumber: number }]);
    expect(answer.status).toBe(refused ? 409 : 200);
    if (refused || asset.number === number) return;
    asset.number = number;
    asset.told.push('created');
  }),
);

const link = fc.record({ of: org, n: index, tag: epc, supersede: fc.boolean() }).map((wish) =>
  command(`link ${JSON.stringify(wish)}`, async (model, real) => {
    const { of, n, tag, supersede } = wish;
    const asset = pick(model, of, n);
    if (!asset) return;
    const holder = holderOf(model, of, tag);
    const refused = asset.status === 'retired' || (holder && !supersede);
    const body = { epc: tag, targetType: 'asset', targetId: asset.id, supersede };
    expect((await call(real, of, ['POST', '/correlations', body])).status).toBe(refused ? 409 : 201);
    // To link what belongs to the others is as good as to link what is not there.
    const other = await call(real, 1 - of, ['POST', '/correlations', body]);
    expect(other.status).toBe(404);
    if (refused) return;
    if (holder) holder.epc = null;
    asset.epc = tag;
    asset.inHandAt = house.now;
  }),
);

const triggers = { 'check-out': 'check_out', 'check-in': 'check_in', retire: 'retire' } as const;
const actions = ['check-out', 'check-in', 'retire'] as const;
const kinds = { 'check-out': 'check_out', 'check-in': 'check_in', retire: 'retired' } as const;

const step = fc.record({ of: org, n: index, action: fc.constantFrom(...actions) }).map(({ of, n, action }) =>
  command(`${action} ${of} ${n}`, async (model, real) => {
    const asset = pick(model, of, n);
    if (!asset) return;
    const { to } = assetStep(asset.status, triggers[action]);
    const answer = await call(real, of, ['POST', `/assets/${asset.id}/${action}`]);
    expect(answer.status).toBe(to === null ? 409 : 200);
    if (to === null) return;
    asset.status = to;
    asset.told.push(kinds[action]);
    if (action === 'check-in') asset.inHandAt = house.now;
    if (to === 'retired') asset.epc = null;
  }),
);

const see = fc.record({ of: org, tag: epc }).map(({ of, tag }) =>
  command(`see ${of} ${tag}`, async (model, real) => {
    const { orgNo } = real.tenants[of] as Tenant; // of is 0 or 1, and there are two
    const tagNo = house.store.get(tables.tagByEpc, [orgNo, tag]);
    if (tagNo === undefined) return;
    const state = { ...house.ledger.states.get(tagNo), ...placed(0, house.now), antennaNo: 9 };
    const visit = { antennaNo: 9, zoneNo: 0, firstAt: house.now, lastAt: house.now, reads: 1 };
    const entry = await house.store.write((tx) => house.ledger.append(tx, [{ tagNo, orgNo, state, visit }]));
    house.ledger.applied(entry);
    model.seen[of]?.set(tag, house.now);
  }),
);

const time = fc.integer({ min: 1, max: 30 }).map((hours) =>
  command(`${hours} hours pass`, async (model) => {
    house.now += hours * HOUR;
    await sweep.run();
    for (const [of, assets] of model.assets.entries()) for (const asset of assets) decide(model, of, asset);
  }),
);

function decide(model: Model, of: number, asset: ModelAsset): void {
  const seenAt = asset.epc === null ? undefined : model.seen[of]?.get(asset.epc);
  if (seenAt === undefined) return;
  if (asset.status === 'missing' && seenAt > asset.missedAt && house.now - seenAt <= MISSING_AFTER) {
    asset.status = 'available';
    asset.told.push('found');
  } else if (asset.status === 'available' && house.now - Math.max(seenAt, asset.inHandAt) > MISSING_AFTER) {
    asset.status = 'missing';
    asset.missedAt = seenAt;
    asset.told.push('marked_missing');
  }
}

async function compare(model: Model, real: Real): Promise<void> {
  for (const [of, tenant] of real.tenants.entries()) {
    const assets = model.assets[of] ?? [];
    const listed = (await tenant.call('GET', '/assets')).body;
    const shown = listed.map((one: Record<string, unknown>) => [
      one.id,
      one.assetTagNumber,
      one.status,
      one.epc,
    ]);
    const alive = assets.filter(({ status }) => status !== 'retired');
    const wanted = alive.map((one) => [one.id, one.number, one.status, one.epc ?? undefined]);
    expect(shown.sort()).toEqual(wanted.sort());
    for (const { id, told } of assets) {
      const events = (await tenant.call('GET', `/assets/${id}/events`)).body;
      expect(events.map(({ kind }: { kind: string }) => kind).reverse()).toEqual(told);
    }
    checkTables(tenant, assets);
  }
}

function checkTables({ orgId, orgNo }: Tenant, assets: readonly ModelAsset[]): void {
  const { store } = house;
  const linked = assets.flatMap(({ epc: tag, id }) => (tag === null ? [] : [[tag, id]]));
  const byTag = linked.map(([tag]) =>
    store.get(tables.assetByTag, store.get(tables.tagByEpc, [orgNo, tag ?? '']) ?? 0),
  );
  expect(byTag).toEqual(linked.map(([, id]) => id));
  expect([...links.linkedTags(orgId)]).toHaveLength(linked.length);
  const open = [...store.range(tables.alertByProblem, { start: [orgId], end: [orgId, '\uffff'] })];
  const missing = assets.filter(({ status }) => status === 'missing').map(({ id }) => `missing:${id}`);
  // A missing asset that lost its tag has no alert any longer.
  expect(missing).toEqual(expect.arrayContaining(open.map(({ key }) => key[1])));
}

test('whatever two organisations do, assets, links, timelines and alerts are what the rules say', {
  timeout: 120_000,
}, async () => {
  const commands = fc.commands([create, create, renumber, link, link, step, step, see, see, time], {
    maxCommands: 60,
    size: 'max',
  });
  await fc.assert(
    fc.asyncProperty(commands, async (run) => {
      house.now = noon;
      const tenants = [await house.tenant('A'), await house.tenant('B')];
      const model: Model = { assets: [[], []], seen: [new Map(), new Map()] };
      await fc.asyncModelRun(() => ({ model, real: { tenants } }), run);
      await compare(model, { tenants });
    }),
    { numRuns: 25 },
  );
});
