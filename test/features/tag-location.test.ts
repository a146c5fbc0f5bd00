import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Placement, stepLocation, unplaced } from '../../src/domain/location.ts';
import { locationRoutes } from '../../src/features/tags/location-routes.ts';
import { contractBreach } from '../../src/http/answer.ts';
import type { Route } from '../../src/http/route.ts';
import { formatInstant } from '../../src/lib/instant.ts';
import { type House, noon, openHouse, PRESENCE_MS, placed, type Tenant } from '../support/house.ts';

let house: House;
let tenant: Tenant;
let routes: readonly Route[] = [];
/** What the live view remembers, by organisation number and EPC. */
const remembered = new Map<string, Placement>();

const EPC = '3034257BF468D480000003E8';

beforeEach(async () => {
  remembered.clear();
  house = await openHouse({
    more: (parts) => {
      routes = locationRoutes({
        ...parts,
        placementOf: (orgNo, epc) => remembered.get(`${orgNo} ${epc}`) ?? null,
        locationPolicy: 'immediate',
        presenceMs: PRESENCE_MS,
      });
      return routes;
    },
  });
  tenant = await house.tenant('Ours');
});
afterEach(() => house.close());

const location = (epc = EPC) => tenant.call('GET', `/tags/${epc}/location`);

/** A placement made by reads in these zones, a second apart, the last one now. */
function readIn(...zones: readonly number[]): Placement {
  let placement = unplaced;
  zones.forEach((zone, n) => {
    const at = noon - (zones.length - 1 - n) * 1000;
    const read = { zone, kind: 'storage' as const, policy: 'stable' as const, at, rssiCdbm: -6000 };
    placement = stepLocation(placement, read).placement;
  });
  return placement;
}

describe('GET /tags/{epc}/location', () => {
  test('zone, since when, last read, presence and policy; without evidence the zone has it all', async () => {
    const dock = await tenant.zone('Dock');
    const { id } = await tenant.tag(EPC, placed(dock.no, noon - 1000, { lastSeenAt: noon }));
    expect(await location()).toMatchObject({ status: 200 });
    expect((await location()).body).toEqual({
      epc: EPC,
      tagId: id,
      zoneId: dock.id,
      zoneName: 'Dock',
      since: formatInstant(noon - 1000),
      lastSeenAt: formatInstant(noon),
      present: true,
      policy: 'immediate',
      candidates: [
        { zoneId: dock.id, zoneName: 'Dock', score: 1, lastReadAt: formatInstant(noon - 1000), reads: 0 },
      ],
    });
  });

  test('not present once it was not seen there for the presence window', async () => {
    const dock = await tenant.zone('Dock');
    await tenant.tag(EPC, placed(dock.no, noon, { lastSeenAt: noon + PRESENCE_MS }));
    house.now = noon + PRESENCE_MS;
    expect((await location()).body.present).toBe(true);
    house.now = noon + PRESENCE_MS + 1;
    expect((await location()).body).toMatchObject({ present: false, zoneId: dock.id });
  });

  test('candidates are those of the live view, strongest first; the policy is that of the zone', async () => {
    const shelf = await tenant.zone('Shelf', { locationPolicy: 'stable' });
    const door = await tenant.zone('Door');
    await tenant.tag(EPC, placed(shelf.no, noon));
    remembered.set(`${tenant.orgNo} ${EPC}`, readIn(shelf.no, shelf.no, shelf.no, door.no, shelf.no));
    const { body } = await location();
    expect(body).toMatchObject({
      policy: 'stable',
      zoneName: 'Shelf',
      candidates: [
        { zoneId: shelf.id, reads: 4, lastReadAt: formatInstant(noon) },
        { zoneId: door.id, zoneName: 'Door', reads: 1, lastReadAt: formatInstant(noon - 1000) },
      ],
    });
    const [first, second] = body.candidates;
    expect(first.score).toBeGreaterThan(second.score);
    expect(first.score + second.score).toBeCloseTo(1);
  });

  test('a view of another zone than the durable one is not believed', async () => {
    const [dock, shelf] = [await tenant.zone('Dock'), await tenant.zone('Shelf')];
    await tenant.tag(EPC, placed(dock.no, noon));
    remembered.set(`${tenant.orgNo} ${EPC}`, readIn(shelf.no, shelf.no));
    expect((await location()).body.candidates).toMatchObject([{ zoneId: dock.id, score: 1 }]);
  });

  test('never read: nothing is known, and there are no candidates', async () => {
    const { id } = await tenant.tag(EPC);
    expect((await location()).body).toEqual({
      ...{ epc: EPC, tagId: id, zoneId: null, zoneName: null, since: null, lastSeenAt: null },
      ...{ present: false, policy: 'immediate', candidates: [] },
    });
  });

  test('its zone is deleted: no place, and that zone is no candidate', async () => {
    const [gone, other] = [await tenant.zone('Gone'), await tenant.zone('Other')];
    await tenant.tag(EPC, placed(gone.no, noon));
    remembered.set(`${tenant.orgNo} ${EPC}`, readIn(gone.no, gone.no, other.no));
    await tenant.call('DELETE', `/zones/${gone.id}`);
    const { body } = await location();
    expect(body).toMatchObject({ zoneId: null, since: null, present: false });
    expect(body.lastSeenAt).toBe(formatInstant(noon));
    expect(body.candidates.map(({ zoneId }: { zoneId: string }) => zoneId)).toEqual([other.id]);
  });

  test('404 for an unknown EPC and one of another organisation, 400 naming epc for a malformed one', async () => {
    const other = await house.tenant('Theirs');
    await other.tag(EPC);
    expect((await location()).status).toBe(404);
    expect(await location('12')).toMatchObject({ status: 400, body: { errors: [{ path: 'epc' }] } });
  });

  test('the example keeps to the schema', () => {
    const [route] = routes;
    expect(route && contractBreach(route, { status: 200, body: route.responses[200]?.example })).toBeNull();
  });
});
