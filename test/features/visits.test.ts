import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../../src/domain/limits.ts';
import { antennaNoOf, neverSeen, type Visit } from '../../src/domain/tag-state.ts';
import { visitRoutes } from '../../src/features/tags/visit-routes.ts';
import { contractBreach } from '../../src/http/answer.ts';
import type { Route } from '../../src/http/route.ts';
import { formatInstant } from '../../src/lib/instant.ts';
import { type House, noon, openHouse, type Tenant } from '../support/house.ts';

let house: House;
let tenant: Tenant;
let routes: readonly Route[] = [];
/** The tag asked for. */
let tagNo = 0;

const EPC = '3034257BF468D480000003E8';

beforeEach(async () => {
  house = await openHouse({
    more: (parts) => {
      routes = visitRoutes(parts);
      return routes;
    },
  });
  tenant = await house.tenant('Ours');
  tagNo = (await tenant.tag(EPC)).no;
});
afterEach(() => house.close());

async function stay(...visits: readonly Visit[]): Promise<void> {
  const entry = await house.store.write((tx) =>
    house.ledger.append(
      tx,
      visits.map((visit) => ({ tagNo, orgNo: tenant.orgNo, state: neverSeen, visit })),
    ),
  );
  house.ledger.applied(entry);
}

const visits = (query = '', epc = EPC) => tenant.call('GET', `/tags/${epc}/visits${query}`);

describe('GET /tags/{epc}/visits', () => {
  test('the stays, newest first, with zone, reader and port, stored or not yet', async () => {
    const zone = await tenant.zone('Dock');
    const reader = await tenant.reader('R-1');
    const [one, two] = [antennaNoOf(reader.no, 1), antennaNoOf(reader.no, 2)];
    await stay({ antennaNo: one, zoneNo: zone.no, firstAt: noon, lastAt: noon + 5000, reads: 3 });
    await house.ledger.checkpoint();
    await stay({ antennaNo: two, zoneNo: 0, firstAt: noon + 9000, lastAt: noon + 9000, reads: 1 });
    const { status, body } = await visits();
    expect(status).toBe(200);
    const seenBy = { readerId: reader.id, readerName: 'Reader R-1' };
    expect(body).toEqual([
      {
        ...seenBy,
        antennaPort: 2,
        firstSeenAt: formatInstant(noon + 9000),
        lastSeenAt: formatInstant(noon + 9000),
        reads: 1,
      },
      {
        ...{ zoneId: zone.id, zoneName: 'Dock', ...seenBy },
        antennaPort: 1,
        firstSeenAt: formatInstant(noon),
        lastSeenAt: formatInstant(noon + 5000),
        reads: 3,
      },
    ]);
  });

  test('a zone or reader that is deleted is absent, a renamed one has its name of now', async () => {
    const [kept, gone] = [await tenant.zone('Kept'), await tenant.zone('Gone')];
    const reader = await tenant.reader();
    const antennaNo = antennaNoOf(reader.no, 3);
    await stay(
      { antennaNo, zoneNo: gone.no, firstAt: noon, lastAt: noon, reads: 1 },
      { antennaNo, zoneNo: kept.no, firstAt: noon + 1, lastAt: noon + 1, reads: 1 },
    );
    await tenant.call('PATCH', `/zones/${kept.id}`, { name: 'Renamed' });
    await tenant.call('DELETE', `/zones/${gone.id}`);
    await tenant.call('DELETE', `/readers/${reader.id}`);
    const times = (at: number) => ({ firstSeenAt: formatInstant(at), lastSeenAt: formatInstant(at) });
    expect((await visits()).body).toEqual([
      { zoneId: kept.id, zoneName: 'Renamed', antennaPort: 3, ...times(noon + 1), reads: 1 },
      { antennaPort: 3, ...times(noon), reads: 1 },
    ]);
  });

  test('a reader that did not say which port: no antennaPort', async () => {
    const reader = await tenant.reader();
    await stay({ antennaNo: antennaNoOf(reader.no, 0), zoneNo: 0, firstAt: noon, lastAt: noon, reads: 1 });
    expect((await visits()).body[0]).not.toHaveProperty('antennaPort');
  });

  test('1,000 at most, or as many as asked for', async () => {
    const many = Array.from({ length: limits.visitsPerAnswer + 5 }, (_, n) => {
      const at = noon + n * 1000;
      return { antennaNo: antennaNoOf(1, 1), zoneNo: 0, firstAt: at, lastAt: at, reads: n + 1 };
    });
    await stay(...many);
    await house.ledger.checkpoint();
    const { body } = await visits();
    expect([body.length, body[0].reads, body.at(-1).reads]).toEqual([limits.visitsPerAnswer, 1005, 6]);
    expect((await visits('?limit=2')).body.map(({ reads }: Visit) => reads)).toEqual([1005, 1004]);
    for (const query of ['?limit=0', '?limit=1001', '?limit=-1'])
      expect((await visits(query)).status, query).toBe(400);
  });

  test('a tag never read: empty; an unknown EPC: 404; a malformed one: 400 naming epc', async () => {
    expect((await visits()).body).toEqual([]);
    expect(await visits('', 'ABCDEF01')).toMatchObject({ status: 404 });
    expect(await visits('', 'XYZ')).toMatchObject({ status: 400, body: { errors: [{ path: 'epc' }] } });
  });

  test('a tag of another organisation: 404', async () => {
    const other = await house.tenant('Theirs');
    expect((await other.call('GET', `/tags/${EPC}/visits`)).status).toBe(404);
  });

  test('the example keeps to the schema', () => {
    const [route] = routes;
    expect(route && contractBreach(route, { status: 200, body: route.responses[200]?.example })).toBeNull();
  });
});
