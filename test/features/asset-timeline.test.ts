import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { assetMoves } from '../../src/features/assets/asset-moves.ts';
import { assetRoutes } from '../../src/features/assets/asset-routes.ts';
import { Diagnostics } from '../../src/ingest/diagnostics.ts';
import { Ingest } from '../../src/ingest/ingest.ts';
import { Views } from '../../src/ingest/views.ts';
import { createLog } from '../../src/log/log.ts';
import { type AssetLinks, createAssetLinks } from '../../src/store/asset-links.ts';
import { appendTimeline } from '../../src/store/asset-timeline.ts';
import { tables } from '../../src/store/tables.ts';
import { type House, noon, openHouse, placed, type Tenant } from '../support/house.ts';
import { houseRules } from '../support/ingest-house.ts';

let house: House;
let tenant: Tenant;
let links: AssetLinks;
let record: ReturnType<typeof assetMoves>;

beforeEach(async () => {
  house = await openHouse({
    more: (parts) => {
      links = createAssetLinks(parts.store);
      return assetRoutes({ ...parts, links });
    },
  });
  record = assetMoves({ links });
  tenant = await house.tenant('Ours');
});
afterEach(() => house.close());

const EPC = '3034257BF468D480000003E8';
let made = 0;

async function asset(more: object = {}): Promise<string> {
  const answer = await tenant.call('POST', '/assets', {
    name: 'Jack',
    assetTagNumber: `N-${++made}`,
    ...more,
  });
  return answer.body.id;
}

const timeline = async (id: string) => (await tenant.call('GET', `/assets/${id}/events`)).body;
const act = (id: string, action: string, body?: object) =>
  tenant.call('POST', `/assets/${id}/${action}`, body);

/** What a timeline says, without ids and times, oldest first. */
async function told(id: string): Promise<readonly object[]> {
  const events: { id: string; occurredAt: string; kind: string; zoneName?: string }[] = await timeline(id);
  return events
    .map(({ kind, zoneName }) => ({ kind, ...(zoneName !== undefined && { zoneName }) }))
    .reverse();
}

function move(tagNo: number, [from, to]: readonly [from: number, to: number], at = noon): Promise<void> {
  return house.store.write((tx) => record(tx, [{ orgId: tenant.orgId, tagNo, move: { from, to, at } }]));
}

describe('GET /assets/{id}/events', () => {
  test('newest first, with what the contract wants in meta', async () => {
    const id = await asset({ name: 'Jack' });
    house.now = noon + 1000;
    await tenant.call('PATCH', `/assets/${id}`, { name: 'Jack 7', category: 'c' });
    house.now = noon + 2000;
    const body = { custodian: 'R. Ortiz', expectedReturnAt: '2026-03-03T00:00:00Z' };
    await act(id, 'check-out', body);
    house.now = noon + 3000;
    await act(id, 'check-in');
    await act(id, 'retire');
    const at = (ms: number) => new Date(noon + ms).toISOString();
    const changes = { name: { from: 'Jack', to: 'Jack 7' }, category: { from: '', to: 'c' } };
    const expectedReturnAt = '2026-03-03T00:00:00.000Z';
    const custodian = 'R. Ortiz';
    expect(await timeline(id)).toEqual([
      { id: expect.any(String), kind: 'retired', occurredAt: at(3000), meta: {} },
      { id: expect.any(String), kind: 'check_in', occurredAt: at(3000), meta: { custodian } },
      {
        ...{ id: expect.any(String), kind: 'check_out', occurredAt: at(2000) },
        meta: { custodian, expectedReturnAt },
      },
      {
        ...{ id: expect.any(String), kind: 'created', occurredAt: at(1000) },
        meta: { name: 'Jack 7', updated: true, changes },
      },
      { id: expect.any(String), kind: 'created', occurredAt: at(0), meta: { name: 'Jack' } },
    ]);
  });

  test('a PATCH that changes nothing and a refused request leave no trace', async () => {
    const id = await asset();
    await tenant.call('PATCH', `/assets/${id}`, { name: 'Jack' });
    await act(id, 'check-in');
    expect(await told(id)).toEqual([{ kind: 'created' }]);
  });

  test('pages of any size give every entry once, those of one millisecond too', async () => {
    const id = await asset();
    const other = await asset();
    await house.store.write((tx) => {
      for (let n = 0; n < 20; n++) {
        appendTimeline(tx, id, { kind: 'found', at: noon + Math.floor(n / 5) / 4 });
        appendTimeline(tx, other, { kind: 'found', at: noon });
      }
    });
    const all = (await timeline(id)).map((event: { id: string }) => event.id);
    expect(all).toHaveLength(21);
    for (const limit of [1, 4, 5, 20]) {
      const paged: string[] = [];
      for (let next: string | null = `/assets/${id}/events?limit=${limit}`; next; ) {
        const { body, headers } = await tenant.call('GET', next);
        expect(body.length).toBeLessThanOrEqual(limit);
        paged.push(...body.map((event: { id: string }) => event.id));
        next = /\/api\/v1([^>]*)>/.exec(headers.get('link') ?? '')?.[1] ?? null;
      }
      expect(paged).toEqual(all);
    }
  });

  test('up to 1000', async () => {
    const id = await asset();
    await house.store.write((tx) => {
      for (let n = 0; n < 1000; n++) appendTimeline(tx, id, { kind: 'found', at: noon + n });
    });
    const { body, headers } = await tenant.call('GET', `/assets/${id}/events`);
    expect(body).toHaveLength(1000);
    expect(headers.get('link')).toMatch(/rel="next"/);
  });
});

describe('zone moves', () => {
  test('the first placement enters, a move leaves and enters, each with its zone and time', async () => {
    const [dock, shelf] = [await tenant.zone('Dock'), await tenant.zone('Shelf')];
    const tag = await tenant.tag(EPC);
    const id = await asset({ epc: EPC });
    await move(tag.no, [0, dock.no], noon + 1000.25);
    await move(tag.no, [dock.no, shelf.no], noon + 2000);
    const at = (ms: number) => new Date(noon + ms).toISOString();
    const place = ({ id: zoneId }: { id: string }, zoneName: string) => ({
      zoneId,
      zoneName,
      meta: { zoneName },
    });
    expect((await timeline(id)).slice(0, 3)).toEqual([
      { id: expect.any(String), kind: 'zone_enter', occurredAt: at(2000), ...place(shelf, 'Shelf') },
      { id: expect.any(String), kind: 'zone_exit', occurredAt: at(2000), ...place(dock, 'Dock') },
      { id: expect.any(String), kind: 'zone_enter', occurredAt: at(1000), ...place(dock, 'Dock') },
    ]);
  });

  test('of tags that are not linked, or no longer, leave nothing', async () => {
    const [dock, shelf] = [await tenant.zone('Dock'), await tenant.zone('Shelf')];
    const [tag, loose] = await tenant.tags([[EPC], ['AAAA0001']]);
    const id = await asset({ epc: EPC });
    await move(loose?.no ?? 0, [dock.no, shelf.no]);
    await act(id, 'retire');
    await move(tag?.no ?? 0, [0, dock.no]);
    expect(await told(id)).toEqual([{ kind: 'created' }, { kind: 'retired' }]);
    expect(house.store.count(tables.assetEvents)).toBe(2);
  });

  test('a deleted zone is not named; one renamed keeps the name it had', async () => {
    const [dock, shelf] = [await tenant.zone('Dock'), await tenant.zone('Shelf')];
    const tag = await tenant.tag(EPC);
    const id = await asset({ epc: EPC });
    await move(tag.no, [0, dock.no]);
    await tenant.call('DELETE', `/zones/${dock.id}`);
    await move(tag.no, [dock.no, shelf.no]);
    await tenant.call('PATCH', `/zones/${shelf.id}`, { name: 'Shelf 2' });
    expect(await told(id)).toEqual([
      ...[{ kind: 'created' }, { kind: 'zone_enter', zoneName: 'Dock' }],
      { kind: 'zone_enter', zoneName: 'Shelf' },
    ]);
  });

  test('linking a tag that is in a zone enters it, at the time of the link', async () => {
    const dock = await tenant.zone('Dock');
    await tenant.tag(EPC, placed(dock.no, noon - 60_000));
    const id = await asset({ epc: EPC });
    expect(await told(id)).toEqual([{ kind: 'created' }, { kind: 'zone_enter', zoneName: 'Dock' }]);
    expect((await timeline(id))[0].occurredAt).toBe(new Date(noon).toISOString());
  });

  test('a replacement tag in another zone is a move, one in the same zone or nowhere is not', async () => {
    const [dock, shelf] = [await tenant.zone('Dock'), await tenant.zone('Shelf')];
    const at = (no: number) => placed(no, noon);
    await tenant.tags([
      [EPC, at(dock.no)],
      ['AAAA0001', at(shelf.no)],
      ['AAAA0002', at(shelf.no)],
    ]);
    const id = await asset({ epc: EPC });
    for (const epc of ['AAAA0001', 'AAAA0002', 'AAAA0003'])
      await tenant.call('POST', '/correlations', { epc, targetType: 'asset', targetId: id });
    expect(await told(id)).toEqual([
      ...[{ kind: 'created' }, { kind: 'zone_enter', zoneName: 'Dock' }],
      ...[
        { kind: 'zone_exit', zoneName: 'Dock' },
        { kind: 'zone_enter', zoneName: 'Shelf' },
      ],
    ]);
  });

  test.each([
    ['retirement', (id: string) => act(id, 'retire'), ['retired']],
    [
      'another asset that gets the tag',
      async () => {
        const link = { epc: EPC, targetType: 'asset', targetId: await asset(), supersede: true };
        return tenant.call('POST', '/correlations', link);
      },
      [],
    ],
  ] as const)(
    '%s takes the asset out of the zone its tag is in, unless that is deleted',
    async (...[, act, then]) => {
      const [dock, shelf] = [await tenant.zone('Dock'), await tenant.zone('Shelf')];
      const tag = await tenant.tag(EPC);
      const id = await asset({ epc: EPC });
      await move(tag.no, [0, dock.no], noon + 0.75);
      expect((await act(id)).status).toBeLessThan(300);
      const kinds = (await told(id)).map((event) => 'kind' in event && event.kind);
      expect(kinds.sort()).toEqual(['created', 'zone_enter', 'zone_exit', ...then].sort());
      expect((await timeline(id))[0]).toMatchObject({ kind: 'zone_exit', zoneId: dock.id, zoneName: 'Dock' });
      const other = await tenant.tag('AAAA0001');
      const second = await asset({ epc: 'AAAA0001' });
      await move(other.no, [0, shelf.no]);
      await tenant.call('DELETE', `/zones/${shelf.id}`);
      await tenant.call('POST', `/assets/${second}/retire`);
      expect((await told(second)).slice(1)).toEqual([
        { kind: 'zone_enter', zoneName: 'Shelf' },
        { kind: 'retired' },
      ]);
    },
  );

  test('by a read older than the link happen when the tag is linked', async () => {
    const dock = await tenant.zone('Dock');
    const tag = await tenant.tag(EPC);
    const id = await asset({ epc: EPC });
    await move(tag.no, [0, dock.no], noon - 5000);
    expect(await told(id)).toEqual([{ kind: 'created' }, { kind: 'zone_enter', zoneName: 'Dock' }]);
  });

  test('in the transactions right after a link are not lost, though memory does not know of it yet', async () => {
    const [dock, shelf] = [await tenant.zone('Dock'), await tenant.zone('Shelf')];
    const tag = await tenant.tag(EPC);
    const id = await asset();
    // Moves without a pause: some fall between the link's transaction and the moment it is durable.
    let linked = false;
    const linking = tenant
      .call('POST', '/correlations', { epc: EPC, targetType: 'asset', targetId: id })
      .then(() => {
        linked = true;
      });
    let zones: [number, number] = [0, dock.no];
    const inTable = (): boolean => house.store.get(tables.assetByTag, tag.no) !== undefined;
    let movesAfter = 0;
    while (!linked || movesAfter < 3) {
      const [orgId, [from, to]] = [tenant.orgId, zones];
      await house.store.write((tx) => {
        if (tx.get(tables.assetByTag, tag.no) !== undefined) movesAfter++;
        record(tx, [{ orgId, tagNo: tag.no, move: { from, to, at: noon } }]);
      });
      zones = [to, to === dock.no ? shelf.no : dock.no];
    }
    await linking;
    expect(inTable()).toBe(true);
    const entered = (await told(id)).filter((event) => 'kind' in event && event.kind === 'zone_enter');
    expect(entered).toHaveLength(movesAfter);
  });

  test('roll back with their batch', async () => {
    const dock = await tenant.zone('Dock');
    const tag = await tenant.tag(EPC);
    const id = await asset({ epc: EPC });
    const failing = house.store.write((tx) => {
      record(tx, [{ orgId: tenant.orgId, tagNo: tag.no, move: { from: 0, to: dock.no, at: noon } }]);
      throw new Error('the batch fails');
    });
    await expect(failing).rejects.toThrow('the batch fails');
    expect(await told(id)).toEqual([{ kind: 'created' }]);
  });
});

describe('reads of a linked tag', () => {
  /** Hands reads of one reader to a real ingest; resolves when they are durable. */
  function reader(serial: string): (port: number, at: number) => Promise<void> {
    const { store, ledger, directory, activity } = house;
    const ingest = new Ingest({
      ...{ store, ledger, directory, activity, diagnostics: new Diagnostics(), rules: houseRules },
      views: new Views({ store, ledger, maxTags: 1000, ...houseRules }),
      now: () => house.now,
      listening: () => false,
      publish: () => undefined,
      writeBlocked: () => null,
      onMoves: record,
      log: createLog({ level: 'silent' }),
    });
    return (port, at) => {
      const read = { epc: EPC, antennaPort: port, timestamp: new Date(at).toISOString() };
      return new Promise((resolve) => {
        ingest.accept(serial, Buffer.from(JSON.stringify(read)), resolve);
      });
    };
  }

  test('are on its timeline once they are acknowledged: one entry pair for each change of zone, none for late reads', async () => {
    const [dock, shelf] = [await tenant.zone('Dock'), await tenant.zone('Shelf')];
    const { id: readerId, serial } = await tenant.reader();
    const ports = [
      { port: 1, zoneId: dock.id },
      { port: 2, zoneId: shelf.id },
    ];
    await tenant.call('PUT', `/readers/${readerId}/antennas`, ports);
    const id = await asset({ epc: EPC });
    const read = reader(serial);
    house.now = noon + 10_000;
    await read(1, noon + 1000);
    expect((await timeline(id))[0]).toMatchObject({ kind: 'zone_enter', zoneId: dock.id });
    for (const [port, at] of [
      [1, 2000],
      [2, 3000],
      [1, 2500],
      [2, 4000],
      [1, 5000],
    ] as const)
      await read(port, noon + at);
    expect(await told(id)).toEqual([
      ...[{ kind: 'created' }, { kind: 'zone_enter', zoneName: 'Dock' }],
      ...[
        { kind: 'zone_exit', zoneName: 'Dock' },
        { kind: 'zone_enter', zoneName: 'Shelf' },
      ],
      ...[
        { kind: 'zone_exit', zoneName: 'Shelf' },
        { kind: 'zone_enter', zoneName: 'Dock' },
      ],
    ]);
    expect((await tenant.call('GET', `/assets/${id}`)).body).toMatchObject({
      zoneId: dock.id,
      zoneName: 'Dock',
    });
  });
});
