import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { locateRead } from '../../src/domain/locate.ts';
import { unplaced } from '../../src/domain/location.ts';
import { antennaNoOf } from '../../src/domain/tag-state.ts';
import type { LocationPolicy } from '../../src/domain/zone.ts';
import { radioRoutes } from '../../src/features/radio/radio-routes.ts';
import { SignalSpread } from '../../src/features/radio/signal-spread.ts';
import { RecentReads } from '../../src/ingest/recent-reads.ts';
import { formatInstant } from '../../src/lib/instant.ts';
import { type House, noon, openHouse, placed, type Tenant } from '../support/house.ts';

let house: House;
let ours: Tenant;
let recent: RecentReads;
let readOnly = false;
const names = new Map<number, string>();

beforeEach(async () => {
  readOnly = false;
  names.clear();
  recent = new RecentReads({ startedAt: noon - 3_600_000, capacity: 4096 });
  const links = (no: number) => house.links.get(no) ?? null;
  house = await openHouse({
    more: (parts) =>
      radioRoutes({
        ...parts,
        ...{ recent, linkOf: links, labelOf: (_orgId, no) => names.get(no), locationPolicy: 'immediate' },
      }),
    http: () => ({
      beforeWrite: () => (readOnly ? { kind: 'read-only', detail: 'The licence has ended.' } : null),
    }),
  });
  ours = await house.tenant('ours');
});
afterEach(() => house.close());

interface Read {
  readonly tagNo: number;
  readonly antennaNo: number;
  readonly rssiCdbm?: number | null;
  readonly count?: number;
  /** Of its time and its arrival. */
  readonly agoMs?: number;
}

/** Puts reads into the ring, as ingest does. */
function hear(...reads: readonly Read[]): void {
  recent.begin();
  for (const { tagNo, antennaNo, rssiCdbm = -6000, count = 1, agoMs = 1000 } of reads) {
    const at = noon - agoMs;
    const visit = { antennaNo, zoneNo: 0, firstAt: at, lastAt: at, reads: 1 };
    const sighting = { visit, startedAt: at, readCount: 1, rssiCdbm: null, arrivedAt: at };
    const emitted = { emittedAt: at, emittedArrivalAt: at, inSession: true };
    const read = { epc: '', antennaPort: null, rssiCdbm, readerAt: at, count };
    recent.stage({ tagNo }, read, { ...sighting, ...emitted });
  }
  recent.commit();
}

interface Door {
  readonly id: string;
  readonly ports: readonly number[];
  readonly zones: readonly { readonly id: string; readonly no: number }[];
}

/** A reader whose ports 1 and 2 watch a zone each; `ports` are antenna numbers, index 0 for reads that name none. */
async function door(tenant: Tenant, ...zoneNames: readonly string[]): Promise<Door> {
  const { id, no } = await tenant.reader();
  const zones = [];
  for (const name of zoneNames) zones.push(await tenant.zone(name));
  const antennas = zones.map((zone, i) => ({ port: i + 1, zoneId: zone.id }));
  if (antennas.length > 0) await tenant.call('PUT', `/readers/${id}/antennas`, antennas);
  return { id, zones, ports: [0, 1, 2, 3, 4].map((port) => antennaNoOf(no, port)) };
}

async function get(path: string, tenant = ours) {
  const { status, body } = await tenant.call('GET', path);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

describe('GET /radio/antennas', () => {
  test('every port of every reader with what it heard in the window, silent ones too', async () => {
    const { id, ports, zones } = await door(ours, 'Dock');
    const [none = 0, one = 0, , , four = 0] = ports;
    hear({ tagNo: 9, antennaNo: one, agoMs: 61_000 });
    for (let i = 1; i <= 10; i++) hear({ tagNo: 1 + (i % 2), antennaNo: one, rssiCdbm: -5000 - i * 100 });
    hear({ tagNo: 1, antennaNo: four, rssiCdbm: null, count: 20 }, { tagNo: 1, antennaNo: none });
    const body = await get('/radio/antennas?seconds=60');
    const silent = { reads: 0, readsPerSecond: 0, tags: 0, rssiCdbm: null };
    const reader = { readerId: id, readerName: expect.stringContaining('Reader') };
    const nowhere = { zoneId: null, zoneName: null };
    expect(body).toEqual([
      {
        ...{
          ...reader,
          port: 1,
          zoneId: zones[0]?.id,
          zoneName: 'Dock',
          reads: 10,
          readsPerSecond: 0.17,
          tags: 2,
        },
        rssiCdbm: { min: -6000, p10: -6000, p50: -5600, p90: -5200, max: -5100 },
      },
      { ...reader, port: 2, ...nowhere, ...silent },
      { ...reader, port: 3, ...nowhere, ...silent },
      { ...reader, port: 4, ...nowhere, reads: 20, readsPerSecond: 0.33, tags: 1, rssiCdbm: null },
    ]);
  });

  test('the rate is that of the time memory reaches back to', async () => {
    const { ports } = await door(ours);
    const [, one = 0] = ports;
    const reads = Array.from({ length: 5000 }, (_, i) => ({
      tagNo: 1,
      antennaNo: one,
      agoMs: 10_000 - 2 * i,
    }));
    hear(...reads);
    const [first] = await get('/radio/antennas?seconds=60');
    expect(first.reads).toBe(4096);
    expect(first.readsPerSecond).toBeCloseTo(4096 / 8.192, 0);
  });
});

describe('GET /radio/cross-reads', () => {
  test('zones that heard the same tags, each pair once, most tags first, with the strength in each', async () => {
    const { ports, zones } = await door(ours, 'Aisle', 'Bay', 'Cage');
    const [, a = 0, b = 0, c = 0, unmapped = 0] = ports;
    hear(
      ...[1, 2].map((tagNo) => ({ tagNo, antennaNo: a, rssiCdbm: -5000 })),
      ...[1, 2].map((tagNo) => ({ tagNo, antennaNo: b, rssiCdbm: -7000 })),
      // A tag counts once however often it is read.
      ...Array.from({ length: 6 }, () => ({ tagNo: 1, antennaNo: a, rssiCdbm: -5600 })),
      { tagNo: 1, antennaNo: c, rssiCdbm: null },
      { tagNo: 3, antennaNo: c },
      { tagNo: 3, antennaNo: unmapped },
      { tagNo: 3, antennaNo: a, agoMs: 301_000 },
    );
    const body = await get('/radio/cross-reads');
    const [aisle, bay, cage] = zones.map(({ id }) => id);
    expect(body.from).toBe(formatInstant(noon - 300_000));
    expect(body).toMatchObject({ to: formatInstant(noon), reads: 12 });
    expect(body.zones.map((zone: { zoneName: string; tags: number }) => [zone.zoneName, zone.tags])).toEqual([
      ['Aisle', 2],
      ['Bay', 2],
      ['Cage', 2],
    ]);
    const ofOne = Math.round((-5000 - 6 * 5600) / 7);
    expect(body.pairs).toEqual([
      {
        zoneId: aisle,
        otherZoneId: bay,
        tags: 2,
        meanRssiCdbm: Math.round((ofOne - 5000) / 2),
        otherMeanRssiCdbm: -7000,
      },
      { zoneId: aisle, otherZoneId: cage, tags: 1, meanRssiCdbm: ofOne, otherMeanRssiCdbm: null },
      { zoneId: bay, otherZoneId: cage, tags: 1, meanRssiCdbm: -7000, otherMeanRssiCdbm: null },
    ]);
  });
});

describe('POST /radio/what-if', () => {
  /** Tag 1 lies in Aisle and is heard strayly in Bay; tag 2 goes from Aisle to Bay for good. */
  function sequence([, a = 0, b = 0]: readonly number[]): readonly Read[] {
    const reads: Read[] = [];
    for (let i = 0; i < 200; i++) {
      const agoMs = 250_000 - i * 1000;
      reads.push({
        tagNo: 1,
        antennaNo: i % 10 === 9 ? b : a,
        rssiCdbm: i % 10 === 9 ? -7000 : -5500,
        agoMs,
      });
      reads.push({ tagNo: 2, antennaNo: i < 20 ? a : b, rssiCdbm: -5500, agoMs });
    }
    return reads;
  }

  /** What the rules of location say of a sequence. */
  function movesUnder(reads: readonly Read[], { ports, zones }: Door, policies: readonly LocationPolicy[]) {
    const placed = zones.map(({ no }, i) => ({ no, kind: 'storage' as const, policy: policies[i] ?? null }));
    const into = new Map<number, number>();
    const placements = new Map<number, ReturnType<typeof locateRead>['placement']>();
    for (const { tagNo, antennaNo, rssiCdbm = null, agoMs = 0 } of reads) {
      const zone = placed[ports.indexOf(antennaNo) - 1] ?? null;
      const rules = { locationPolicy: 'immediate' as const };
      const located = { read: { rssiCdbm }, place: { zone }, rules };
      const zoneOf = (no: number) => placed.find((one) => one.no === no);
      const step = locateRead(placements.get(tagNo) ?? unplaced, { ...located, zoneOf }, noon - agoMs);
      placements.set(tagNo, step.placement);
      if (step.move && step.move.from !== 0) into.set(step.move.to, (into.get(step.move.to) ?? 0) + 1);
    }
    return zones.map(({ no }) => into.get(no) ?? 0);
  }

  const sum = (counts: readonly number[]) => counts.reduce((a, b) => a + b, 0);
  const ask = (body: object, tenant = ours) => tenant.call('POST', '/radio/what-if', body);

  test('counts the moves that the rules of location make under both policies', async () => {
    const at = await door(ours, 'Aisle', 'Bay');
    const reads = sequence(at.ports);
    hear(...reads);
    const now = movesUnder(reads, at, ['immediate', 'immediate']);
    const stable = movesUnder(reads, at, ['stable', 'stable']);
    expect(sum(now)).toBeGreaterThan(sum(stable));
    expect(sum(stable)).toBe(1);
    const { status, body } = await ask({ policy: 'stable' });
    expect([status, body]).toMatchObject([200, { reads: 400, tags: 2, moves: sum(now), movesWith: 1 }]);
    expect(body.avoided).toBe(sum(now) - 1);
    expect(body.zones).toEqual(
      ['Aisle', 'Bay'].map((zoneName, i) => {
        return { zoneId: at.zones[i]?.id, zoneName, moves: now[i], movesWith: stable[i] };
      }),
    );
  });

  test('with a zone only its policy is another, and the ones in force are the zones’ own', async () => {
    const at = await door(ours, 'Aisle', 'Bay');
    const [aisle, bay] = at.zones;
    await ours.call('PATCH', `/zones/${aisle?.id}`, { locationPolicy: 'stable' });
    const reads = sequence(at.ports);
    hear(...reads);
    const { body } = await ask({ policy: 'immediate', zoneId: aisle?.id });
    expect(body.moves).toBe(sum(movesUnder(reads, at, ['stable', 'immediate'])));
    expect(body.movesWith).toBe(sum(movesUnder(reads, at, ['immediate', 'immediate'])));
    expect(body.avoided).toBeLessThan(0);
    const both = await ask({ policy: 'stable', zoneId: bay?.id });
    expect(both.body.movesWith).toBe(sum(movesUnder(reads, at, ['stable', 'stable'])));
  });

  test('changes nothing: it is answered while only reading is allowed, and is not audited', async () => {
    const audited = ours.audit().length;
    readOnly = true;
    expect((await ask({ policy: 'stable', seconds: 10 })).status).toBe(200);
    expect((await ours.call('POST', '/zones', { name: 'Z' })).status).toBe(402);
    expect(ours.audit()).toHaveLength(audited);
  });

  test('another organisation’s zone, an unknown policy or too long a window is a 400 that names it', async () => {
    const theirs = await house.tenant('theirs');
    const { id } = await theirs.zone('Theirs');
    const bad = [{ policy: 'stable', zoneId: id }, { policy: 'calm' }, { policy: 'stable', seconds: 3601 }];
    for (const [i, path] of ['zoneId', 'policy', 'seconds'].entries()) {
      const { status, body } = await ask(bad[i] ?? {});
      expect([status, body.errors[0].path]).toEqual([400, path]);
    }
  });
});

describe('GET /radio/strongest', () => {
  const seen = (zoneNo: number) => placed(zoneNo, noon - 2000);

  test('the tags at that antenna in the window, strongest first, unknown strengths last', async () => {
    const { id, ports } = await door(ours);
    const [, one = 0, two = 0] = ports;
    const weak = await ours.tag('3034000000000001', seen(0));
    const strong = await ours.tag('3034000000000002', seen(0));
    const unknown = await ours.tag('3034000000000003', seen(0));
    const linked = await ours.tag('3034000000000004', seen(0));
    house.links.set(linked.no, { label: 'Cart 4' });
    names.set(strong.no, 'Pallet');
    hear(
      { tagNo: weak.no, antennaNo: one, rssiCdbm: -7000, agoMs: 40_000 },
      { tagNo: strong.no, antennaNo: one, rssiCdbm: -4000, agoMs: 70_000 },
      { tagNo: weak.no, antennaNo: one, rssiCdbm: -7000 },
      { tagNo: strong.no, antennaNo: one, rssiCdbm: -4000, count: 2 },
      { tagNo: strong.no, antennaNo: one, rssiCdbm: -4100 },
      { tagNo: unknown.no, antennaNo: one, rssiCdbm: null },
      { tagNo: linked.no, antennaNo: one, rssiCdbm: -5000 },
      { tagNo: unknown.no, antennaNo: two, rssiCdbm: -3000 },
    );
    const body = await get(`/radio/strongest?readerId=${id}&port=1`);
    const times = { firstSeenAt: formatInstant(noon - 2000), lastSeenAt: formatInstant(noon - 2000) };
    const free = { label: null, targetType: null, reads: 1, ...times };
    expect(body).toEqual([
      {
        ...free,
        epc: '3034000000000002',
        tagId: strong.id,
        label: 'Pallet',
        rssiCdbm: -4050,
        reads: 3,
        isNew: true,
      },
      {
        ...free,
        epc: '3034000000000004',
        tagId: linked.id,
        label: 'Cart 4',
        rssiCdbm: -5000,
        targetType: 'asset',
        isNew: false,
      },
      { ...free, epc: '3034000000000001', tagId: weak.id, rssiCdbm: -7000, isNew: false },
      { ...free, epc: '3034000000000003', tagId: unknown.id, rssiCdbm: null, isNew: true },
    ]);
  });

  test('20 at most, and none that was deleted meanwhile', async () => {
    const { id, ports } = await door(ours);
    const antennaNo = ports[1] ?? 0;
    const epcs = Array.from({ length: 25 }, (_, i) => `30340000000000${10 + i}`);
    const tags = await ours.tags(epcs.map((epc) => [epc, seen(0)] as const));
    hear(...tags.map(({ no }, i) => ({ tagNo: no, antennaNo, rssiCdbm: -5000 - i })));
    hear({ tagNo: 1_000_000, antennaNo, rssiCdbm: -1000 });
    const body = await get(`/radio/strongest?readerId=${id}&port=1&seconds=5`);
    expect(body.map(({ epc }: { epc: string }) => epc)).toEqual(epcs.slice(0, 20));
  });

  test('a reader of another organisation is a 404; a port or reader id that is none, a 400', async () => {
    const theirs = await house.tenant('theirs');
    const { id } = await door(theirs);
    const status = async (query: string) => (await ours.call('GET', `/radio/strongest?${query}`)).status;
    expect(await status(`readerId=${id}&port=1`)).toBe(404);
    expect(await status(`readerId=${id}&port=5`)).toBe(400);
    expect(await status('readerId=x&port=1')).toBe(400);
    expect(await status('port=1')).toBe(400);
  });
});

test('nothing of another organisation is in any answer', async () => {
  const theirs = await house.tenant('theirs');
  const { ports, zones } = await door(theirs, 'Secret', 'Hidden');
  const [, one = 0, two = 0] = ports;
  await door(ours, 'Ours');
  hear({ tagNo: 1, antennaNo: one }, { tagNo: 1, antennaNo: two });
  const answers = [
    await get('/radio/antennas'),
    await get('/radio/cross-reads'),
    (await ours.call('POST', '/radio/what-if', { policy: 'stable' })).body,
  ];
  const text = JSON.stringify(answers);
  for (const mark of ['Secret', 'Hidden', ...zones.map(({ id }) => id)]) expect(text).not.toContain(mark);
  expect(answers[0].every(({ reads }: { reads: number }) => reads === 0)).toBe(true);
  expect([answers[1].reads, answers[2].reads]).toEqual([0, 0]);
  expect((await get('/radio/cross-reads', theirs)).pairs).toHaveLength(1);
});

test('a window that is no whole number of 1 to 3600 seconds is a 400', async () => {
  for (const seconds of ['0', '3601', '1.5', '-1', 'x', '']) {
    expect((await ours.call('GET', `/radio/antennas?seconds=${seconds}`)).status).toBe(400);
  }
});

test('percentiles are by nearest rank', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -15_000, max: 0 }), { minLength: 1, maxLength: 60 }), (values) => {
      const spread = new SignalSpread();
      for (const value of values) spread.add(value);
      const sorted = values.toSorted((a, b) => a - b);
      const rank = (share: number) => sorted[Math.ceil(share * sorted.length) - 1];
      expect(spread.answer()).toEqual({
        ...{ min: sorted[0], p10: rank(0.1), p50: rank(0.5), p90: rank(0.9), max: sorted.at(-1) },
      });
    }),
  );
});
