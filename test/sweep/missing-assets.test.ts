import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { neverSeen, type TagState } from '../../src/domain/tag-state.ts';
import { assetRoutes } from '../../src/features/assets/asset-routes.ts';
import { type AssetLinks, createAssetLinks } from '../../src/store/asset-links.ts';
import { appendTimeline } from '../../src/store/asset-timeline.ts';
import type { AlertRecord } from '../../src/store/records.ts';
import { tables } from '../../src/store/tables.ts';
import { createMissingSweep } from '../../src/sweep/missing-assets.ts';
import { type House, noon, openHouse, placed, type Tenant } from '../support/house.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const EPC = '3034257BF468D480000003E8';

let house: House;
let tenant: Tenant;
let links: AssetLinks;
let made = 0;

beforeEach(async () => {
  house = await openHouse({
    more: (parts) => {
      links = createAssetLinks(parts.store);
      return assetRoutes({ ...parts, links });
    },
  });
  tenant = await house.tenant('Ours');
});
afterEach(() => house.close());

/** A sweep as a start at this moment makes it. */
function started(more: { missingAfterMs?: number; graceMs?: number } = {}) {
  const { store, ledger } = house;
  let ids = 0;
  const newId = () => `00000000-0000-4000-8000-${String(++ids).padStart(12, '0')}`;
  const parts = { store, links, states: ledger.states, now: () => house.now, newId };
  return createMissingSweep({ ...parts, missingAfterMs: DAY, ...more });
}

/** An asset made long ago, unless it says when. */
async function asset(more: object = {}, at = noon - 2 * DAY): Promise<string> {
  const was = house.now;
  house.now = at;
  const answer = await tenant.call('POST', '/assets', {
    name: 'Jack',
    assetTagNumber: `N-${++made}`,
    ...more,
  });
  house.now = was;
  return answer.body.id;
}

async function see(tagNo: number, at: number, more: Partial<TagState> = {}): Promise<void> {
  const { store, ledger } = house;
  const state = { ...ledger.states.get(tagNo), ...placed(ledger.states.get(tagNo).zoneNo, at), ...more };
  const visit = { antennaNo: 9, zoneNo: 0, firstAt: at, lastAt: at, reads: 1 };
  const entry = await store.write((tx) =>
    ledger.append(tx, [{ tagNo, orgNo: tenant.orgNo, state: { ...neverSeen, ...state }, visit }]),
  );
  ledger.applied(entry);
}

const statusOf = (id: string) => house.store.get(tables.assets, [tenant.orgId, id])?.status;
const alerts = (): readonly AlertRecord[] => [...house.store.range(tables.alerts)].map(({ value }) => value);
const kinds = async (id: string) =>
  (await tenant.call('GET', `/assets/${id}/events`)).body.map((event: { kind: string }) => event.kind);
const act = (id: string, action: string) => tenant.call('POST', `/assets/${id}/${action}`);

describe('an available asset whose tag was not seen for too long', () => {
  test('becomes missing, with timeline, alert and audit', async () => {
    const dock = await tenant.zone('Dock');
    const sweep = started();
    await tenant.tag(EPC, placed(dock.no, noon + 412.9));
    const id = await asset({ name: 'Jack 7', assetTagNumber: 'PJ-7', epc: EPC });
    house.now = noon + DAY;
    await sweep.run();
    expect(statusOf(id)).toBe('available');
    house.now = noon + DAY + 1000;
    await sweep.run();
    expect(statusOf(id)).toBe('missing');
    const events = (await tenant.call('GET', `/assets/${id}/events`)).body;
    expect(events[0]).toMatchObject({
      ...{ kind: 'marked_missing', occurredAt: new Date(house.now).toISOString() },
      meta: { lastSeenAt: new Date(noon + 412).toISOString() },
    });
    expect(alerts()).toMatchObject([
      {
        ...{ ruleKind: 'asset_missing', severity: 'warning', state: 'open', subjectType: 'asset' },
        ...{ subjectId: id, openedAt: house.now },
        message: 'Jack 7 (PJ-7) has not been seen since 2026-03-02 09:15:37 UTC. It was last in Dock.',
      },
    ]);
    expect(tenant.audit().at(-1)).toMatchObject({
      ...{ actor: { kind: 'system' }, action: 'mark-missing', resource: `assets/${id}` },
      ...{ before: { status: 'available' }, after: { status: 'missing' } },
    });
  });

  test('is told once, however often the sweep runs', async () => {
    await tenant.tag(EPC, placed(0, noon - 2 * DAY));
    const id = await asset({ epc: EPC });
    const sweep = started({ graceMs: 0 });
    for (let n = 0; n < 5; n++) {
      house.now += 1000;
      await Promise.all([sweep.run(), sweep.run()]);
    }
    expect(alerts()).toHaveLength(1);
    expect(await kinds(id)).toEqual(['marked_missing', 'created']);
  });

  test.each([
    ['its tag was never seen', async () => asset({ epc: 'AAAA0001' })],
    ['it has no tag', async () => asset()],
    ['it is checked out', async () => checkedOut()],
    ['it is retired', async () => retired()],
    ['its tag was seen within that time', async () => seenLately()],
  ])('but not when %s', async (_, make) => {
    const id = await make();
    const before = statusOf(id);
    const sweep = started({ graceMs: 0 });
    house.now = noon + DAY;
    await sweep.run();
    expect(statusOf(id)).toBe(before);
    expect(alerts()).toEqual([]);
  });

  test('is never marked with 0', async () => {
    await tenant.tag(EPC, placed(0, noon - 1000 * DAY));
    const id = await asset({ epc: EPC });
    await started({ missingAfterMs: 0, graceMs: 0 }).run();
    expect(statusOf(id)).toBe('available');
  });

  test("counts from its check-in too: it was in somebody's hand then", async () => {
    await tenant.tag(EPC, placed(0, noon - 2 * DAY));
    const id = await asset({ epc: EPC });
    house.now = noon + 2 * DAY;
    await act(id, 'check-out');
    await act(id, 'check-in');
    const sweep = started({ graceMs: 0 });
    await sweep.run();
    house.now = noon + 3 * DAY;
    await tenant.call('PATCH', `/assets/${id}`, { name: 'New' });
    await sweep.run();
    expect(statusOf(id)).toBe('available');
    house.now = noon + 3 * DAY + 1;
    await sweep.run();
    expect(statusOf(id)).toBe('missing');
  });

  test('counts from the link too, so that a tag from the drawer is not missed at once', async () => {
    await tenant.tag(EPC, placed(0, noon - 9 * DAY));
    const id = await asset({ epc: EPC }, noon);
    const sweep = started({ graceMs: 0 });
    house.now = noon + DAY;
    await sweep.run();
    expect(statusOf(id)).toBe('available');
    house.now = noon + DAY + 1;
    await sweep.run();
    expect(statusOf(id)).toBe('missing');
  });

  test('and of five hundred at once every one, and none of another organisation', {
    timeout: 60_000,
  }, async () => {
    const theirs = await house.tenant('Theirs');
    const epcs = Array.from({ length: 500 }, (_, n) => `ABCD${String(n).padStart(8, '0')}`);
    await tenant.tags(epcs.map((epc) => [epc, placed(0, noon - 2 * DAY)]));
    for (const epc of epcs) await asset({ epc });
    await theirs.tag(epcs[0] ?? '', placed(0, noon));
    await theirs.call('POST', '/assets', { name: 'Theirs', assetTagNumber: '1', epc: epcs[0] });
    await started({ graceMs: 0 }).run();
    expect(alerts()).toHaveLength(500);
    expect(new Set(alerts().map(({ subjectId }) => subjectId)).size).toBe(500);
    expect((await theirs.call('GET', '/assets')).body).toMatchObject([{ status: 'available' }]);
  });

  async function checkedOut(): Promise<string> {
    await tenant.tag(EPC, placed(0, noon - 2 * DAY));
    const id = await asset({ epc: EPC });
    await act(id, 'check-out');
    return id;
  }

  async function retired(): Promise<string> {
    await tenant.tag(EPC, placed(0, noon - 2 * DAY));
    const id = await asset({ epc: EPC });
    await act(id, 'retire');
    return id;
  }

  async function seenLately(): Promise<string> {
    await tenant.tag(EPC, placed(0, noon));
    return asset({ epc: EPC });
  }
});

describe('a missing asset', () => {
  async function missing(): Promise<{ readonly id: string; readonly tagNo: number }> {
    const tag = await tenant.tag(EPC, placed(0, noon - 2 * DAY));
    const id = await asset({ epc: EPC });
    await started({ graceMs: 0 }).run();
    expect(statusOf(id)).toBe('missing');
    return { id, tagNo: tag.no };
  }

  test('is available once its tag is seen again: timeline, alert resolved, audit', async () => {
    const { id, tagNo } = await missing();
    const sweep = started();
    await sweep.run();
    expect(statusOf(id)).toBe('missing');
    house.now += HOUR;
    await see(tagNo, house.now);
    await sweep.run();
    expect(statusOf(id)).toBe('available');
    expect(await kinds(id)).toEqual(['found', 'marked_missing', 'created']);
    expect(alerts()).toMatchObject([{ state: 'resolved', resolvedAt: house.now }]);
    expect(tenant.audit().at(-1)).toMatchObject({ action: 'find', actor: { kind: 'system' } });
  });

  test('goes missing again with a new alert', async () => {
    const { id, tagNo } = await missing();
    const sweep = started();
    await see(tagNo, noon);
    await sweep.run();
    house.now = noon + DAY + 1;
    await sweep.run();
    expect(statusOf(id)).toBe('missing');
    expect(
      alerts()
        .map(({ state }) => state)
        .sort(),
    ).toEqual(['open', 'resolved']);
  });

  test('stays missing by reads that come late and are too old, without going back and forth', async () => {
    const { id, tagNo } = await missing();
    const sweep = started({ graceMs: 0 });
    await see(tagNo, noon - DAY - 1);
    for (let n = 0; n < 3; n++) await sweep.run();
    expect(await kinds(id)).toEqual(['marked_missing', 'created']);
    await see(tagNo, noon - HOUR);
    await sweep.run();
    expect(statusOf(id)).toBe('available');
  });

  test('is known as missing after a restart too, and found by what is read then', async () => {
    const { id, tagNo } = await missing();
    links = createAssetLinks(house.store);
    const sweep = started({ missingAfterMs: 0 });
    await sweep.run();
    expect(statusOf(id)).toBe('missing');
    await see(tagNo, noon);
    await sweep.run();
    expect(statusOf(id)).toBe('available');
  });

  test('is not found by a restart alone, however long its timeline has grown since', async () => {
    const { id } = await missing();
    await house.store.write((tx) => {
      for (let n = 0; n < 1500; n++) appendTimeline(tx, id, { kind: 'created', at: house.now + n });
    });
    links = createAssetLinks(house.store);
    await started({ missingAfterMs: 0 }).run();
    expect(statusOf(id)).toBe('missing');
  });

  test('keeps when its tag had last been seen, until it is found, checked out or retired', async () => {
    const { id, tagNo } = await missing();
    const missedAt = () => house.store.get(tables.assets, [tenant.orgId, id])?.missedAt;
    expect(missedAt()).toBe(noon - 2 * DAY);
    await see(tagNo, noon);
    const sweep = started({ graceMs: 0 });
    await sweep.run();
    expect([statusOf(id), missedAt()]).toEqual(['available', undefined]);
    for (const action of ['check-out', 'retire']) {
      await act(id, 'check-in');
      house.now += 2 * DAY;
      await sweep.run();
      expect([statusOf(id), missedAt()]).toEqual(['missing', noon]);
      await act(id, action);
      expect(missedAt()).toBeUndefined();
    }
  });

  test('whose tag was deleted stays missing, but its alert is resolved', async () => {
    const { id, tagNo } = await missing();
    const key = [tenant.orgId, id] as const;
    await house.store.write((tx) => {
      const record = tx.get(tables.assets, key);
      tx.remove(tables.assetByTag, tagNo);
      if (record) tx.put(tables.assets, key, { ...record, tagNo: null, tagLabel: null, linkedAt: null });
    });
    const sweep = started();
    await sweep.run();
    await sweep.run();
    expect(statusOf(id)).toBe('missing');
    expect(alerts()).toMatchObject([{ state: 'resolved' }]);
  });

  test('with a replacement tag is found when that one is seen', async () => {
    const { id } = await missing();
    const other = await tenant.tag('AAAA0002', placed(0, noon - 3 * DAY));
    const body = { epc: 'AAAA0002', targetType: 'asset', targetId: id };
    await tenant.call('POST', '/correlations', body);
    const sweep = started({ graceMs: 0 });
    await sweep.run();
    expect(statusOf(id)).toBe('missing');
    await see(other.no, noon);
    await sweep.run();
    expect(statusOf(id)).toBe('available');
  });
});

describe('after a start', () => {
  test('a tag not seen since gets the grace first; the time the service was down then counts', async () => {
    await tenant.tag(EPC, placed(0, noon - 2 * DAY));
    const [id, other] = [await asset({ epc: EPC }), await asset({ epc: 'AAAA0001' })];
    const sweep = started({ graceMs: 60_000 });
    house.now = noon + 59_999;
    await sweep.run();
    expect([statusOf(id), statusOf(other)]).toEqual(['available', 'available']);
    house.now = noon + 60_000;
    await sweep.run();
    expect([statusOf(id), statusOf(other)]).toEqual(['missing', 'available']);
  });

  test('the grace is no longer than the time a tag may go unseen, and none for a tag seen since', async () => {
    const old = await tenant.tag(EPC, placed(0, noon - 10_000));
    const [seen, unseen] = [await asset({ epc: 'AAAA0001' }), await asset({ epc: EPC })];
    const sweep = started({ missingAfterMs: 3000, graceMs: 60_000 });
    const seenNo = [...links.linkedTags(tenant.orgId)].find((no) => no !== old.no) ?? 0;
    await see(seenNo, noon + 1);
    house.now = noon + 2999;
    await sweep.run();
    expect([statusOf(seen), statusOf(unseen)]).toEqual(['available', 'available']);
    house.now = noon + 3002;
    await sweep.run();
    expect([statusOf(seen), statusOf(unseen)]).toEqual(['missing', 'missing']);
  });
});

describe('the decision is made again inside the transaction', () => {
  test('a check-out that comes in between wins: the asset is not missing and no alert is raised', async () => {
    const epcs = Array.from({ length: 60 }, (_, n) => `ABCD${String(n).padStart(8, '0')}`);
    await tenant.tags(epcs.map((epc) => [epc, placed(0, noon - 2 * DAY)]));
    const ids: string[] = [];
    for (const epc of epcs) ids.push(await asset({ epc }));
    const sweep = started({ graceMs: 0 });
    const [answers] = await Promise.all([Promise.all(ids.map((id) => act(id, 'check-out'))), sweep.run()]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    await sweep.run();
    expect(new Set(ids.map(statusOf))).toEqual(new Set(['checked_out']));
    expect(alerts().filter(({ state }) => state !== 'resolved')).toEqual([]);
    expect(house.store.count(tables.alertByProblem)).toBe(0);
  });
});
