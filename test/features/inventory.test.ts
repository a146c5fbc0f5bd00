import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { formatInstant } from '../../src/lib/instant.ts';
import { type House, noon, openHouse, PRESENCE_MS, placed, type Tenant } from '../support/house.ts';

let house: House;
let tenant: Tenant;

beforeEach(async () => {
  house = await openHouse();
  tenant = await house.tenant('Ours');
});
afterEach(() => house.close());

const unknown = '00000000-0000-4000-8000-000000000000';
let lastEpc = 0;

function epc(): string {
  return (++lastEpc).toString(16).toUpperCase().padStart(24, '3034000000000000');
}

async function totals(): Promise<Readonly<Record<string, readonly [number, number]>>> {
  const { body } = await tenant.call('GET', '/inventory/summary');
  const entries: { zoneName: string; total: number; correlated: number }[] = body;
  return Object.fromEntries(
    entries.map(({ zoneName, total, correlated }) => [zoneName, [total, correlated]]),
  );
}

describe('GET /inventory/summary', () => {
  test('every zone is listed by name, empty ones too', async () => {
    const shelf = await tenant.zone('Shelf');
    const dock = await tenant.zone('Dock', { kind: 'portal' });
    await tenant.tag(epc(), placed(shelf.no, noon));
    const { status, body } = await tenant.call('GET', '/inventory/summary');
    expect(status).toBe(200);
    expect(body).toEqual([
      { zoneId: dock.id, zoneName: 'Dock', kind: 'portal', total: 0, correlated: 0 },
      { zoneId: shelf.id, zoneName: 'Shelf', kind: 'storage', total: 1, correlated: 0 },
    ]);
  });

  test('an account without zones has an empty summary', async () => {
    expect((await tenant.call('GET', '/inventory/summary')).body).toEqual([]);
  });

  test('total counts the tags seen in the zone within the presence window, to the millisecond', async () => {
    const dock = await tenant.zone('Dock');
    await tenant.tag(epc(), placed(dock.no, noon));
    await tenant.tag(epc(), placed(dock.no, noon + 500));
    house.now = noon + PRESENCE_MS;
    expect(await totals()).toEqual({ Dock: [2, 0] });
    house.now += 1;
    expect(await totals()).toEqual({ Dock: [1, 0] });
    house.now += 500;
    expect(await totals()).toEqual({ Dock: [0, 0] });
  });

  test('being seen elsewhere without moving is not being present: an unmapped port places nothing', async () => {
    const dock = await tenant.zone('Dock');
    await tenant.tag(epc(), placed(dock.no, noon - PRESENCE_MS - 1, { lastSeenAt: noon }));
    expect(await totals()).toEqual({ Dock: [0, 0] });
  });

  test('tags never read, never placed, or deleted count nowhere', async () => {
    const dock = await tenant.zone('Dock');
    await tenant.tag(epc());
    await tenant.tag(epc(), { firstSeenAt: noon, lastSeenAt: noon });
    const { no } = await tenant.tag(epc(), placed(dock.no, noon));
    house.ledger.applied(await house.store.write((tx) => house.ledger.forget(tx, [no])));
    expect(await totals()).toEqual({ Dock: [0, 0] });
  });

  test('correlated counts those linked to an asset', async () => {
    const dock = await tenant.zone('Dock');
    const linked = await tenant.tag(epc(), placed(dock.no, noon));
    await tenant.tag(epc(), placed(dock.no, noon));
    const absent = await tenant.tag(epc(), placed(dock.no, noon - PRESENCE_MS - 1));
    for (const { no } of [linked, absent]) house.links.set(no, { label: null });
    expect(await totals()).toEqual({ Dock: [2, 1] });
  });
});

describe('GET /zones/{id}/inventory', () => {
  test('a tag present: when it came, when it was last seen here', async () => {
    const dock = await tenant.zone('Dock');
    const code = epc();
    const tag = await tenant.tag(
      code,
      placed(dock.no, noon - 60_000, { zoneSeenAt: noon, lastSeenAt: noon + 1 }),
    );
    const { status, body } = await tenant.call('GET', `/zones/${dock.id}/inventory`);
    expect(status).toBe(200);
    expect(body).toEqual([
      {
        tagId: tag.id,
        epc: code,
        label: null,
        targetType: null,
        since: formatInstant(noon - 60_000),
        lastSeenAt: formatInstant(noon),
      },
    ]);
  });

  test('a linked tag has the label of its link', async () => {
    const dock = await tenant.zone('Dock');
    const { no } = await tenant.tag(epc(), placed(dock.no, noon));
    house.links.set(no, { label: 'Pallet jack' });
    const { body } = await tenant.call('GET', `/zones/${dock.id}/inventory`);
    expect(body).toMatchObject([{ label: 'Pallet jack', targetType: 'asset' }]);
  });

  test('only tags of this zone, present now; latest arrival first', async () => {
    const [dock, shelf] = [await tenant.zone('Dock'), await tenant.zone('Shelf')];
    const codes = [epc(), epc(), epc()];
    for (const [index, code] of codes.entries()) await tenant.tag(code, placed(dock.no, noon + index));
    await tenant.tag(epc(), placed(dock.no, noon - PRESENCE_MS - 1));
    await tenant.tag(epc(), placed(shelf.no, noon));
    const { body } = await tenant.call('GET', `/zones/${dock.id}/inventory`);
    expect(body.map((entry: { epc: string }) => entry.epc)).toEqual(codes.toReversed());
  });

  test('404 for an unknown zone', async () => {
    expect((await tenant.call('GET', `/zones/${unknown}/inventory`)).status).toBe(404);
  });

  test('up to 1,000; the rest by following Link, each tag once, though tags are seen and arrive meanwhile', async () => {
    const dock = await tenant.zone('Dock');
    const codes = Array.from({ length: 2005 }, epc);
    await tenant.tags(codes.map((code, i) => [code, placed(dock.no, noon - (i % 7))]));
    const seen: string[] = [];
    let path: string | null = `/zones/${dock.id}/inventory`;
    const sizes: number[] = [];
    while (path !== null) {
      const { body, headers } = await tenant.call('GET', path);
      sizes.push(body.length);
      seen.push(...body.map((entry: { epc: string }) => entry.epc));
      const next: string | undefined = /^<\/api\/v1(.*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
      path = next ?? null;
      await tenant.tag(epc(), placed(dock.no, noon + 1));
    }
    expect(sizes).toEqual([1000, 1000, 5]);
    expect(seen.toSorted()).toEqual(codes.toSorted());
  });

  test.each(['limit=0', 'limit=1001', 'limit=x', 'limit=', 'cursor=x', 'cursor=', 'limit=1&limit=2'])(
    '400 for ?%s',
    async (query) => {
      const dock = await tenant.zone('Dock');
      expect((await tenant.call('GET', `/zones/${dock.id}/inventory?${query}`)).status).toBe(400);
    },
  );
});
