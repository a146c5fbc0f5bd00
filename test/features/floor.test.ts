import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { floorRoutes } from '../../src/features/floor/floor-routes.ts';
import { planRoutes } from '../../src/features/floor/plan-routes.ts';
import { tables } from '../../src/store/tables.ts';
import { type Answer, type House, noon, openHouse, type Tenant } from '../support/house.ts';
import { pngChunk, pngOf } from '../support/png.ts';

let house: House;
let ours: Tenant;
beforeAll(async () => {
  house = await openHouse({ more: (parts) => [...floorRoutes(parts), ...planRoutes(parts)] });
});
afterAll(() => house.close());
beforeEach(async () => {
  ours = await house.tenant('Ours');
});

const unknown = '00000000-0000-4000-8000-000000000000';
const png = pngOf(40, 30);
const svg =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 300"><script>alert(1)</script><rect/></svg>';
const triangle = [
  [0, 0],
  [1, 0],
  [0.5, 1],
];

const floorPath = (): string => `/sites/${ours.siteId}/floor`;
const draw = (zones: readonly object[], antennas: readonly object[] = []): Promise<Answer> =>
  ours.call('PUT', floorPath(), { zones, antennas });

type Body = NonNullable<RequestInit['body']> | null;

/** What the answers of these tests have. */
interface Told {
  readonly plan: Readonly<Record<'version' | 'bytes' | 'dropped' | 'width' | 'contentType', unknown>>;
  readonly detail: string;
}

// The tests assert on what they find in it.
const json = async (response: Response): Promise<Told> => (await response.json()) as Told;

function send(
  method: string,
  body: RequestInit['body'],
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${house.server.origin}/api/v1${floorPath()}/plan`, {
    method,
    body,
    headers: { authorization: `Bearer ${ours.key}`, ...headers },
  });
}
const upload = (body: Body, type: string): Promise<Response> => send('PUT', body, { 'content-type': type });
const detailOf = async (response: Response): Promise<[number, string]> => [
  response.status,
  (await json(response)).detail,
];

describe('the drawing of a site', () => {
  test('is empty until one is made', async () => {
    const { status, body } = await ours.call('GET', floorPath());
    expect([status, body]).toEqual([200, { plan: null, zones: [], antennas: [] }]);
  });

  test('is what PUT sent, and a later PUT replaces it', async () => {
    const [a, b] = [await ours.zone('A'), await ours.zone('B')];
    const reader = await ours.reader();
    const zones = [
      { zoneId: a.id, points: triangle },
      { zoneId: b.id, points: triangle },
    ];
    const antennas = [{ readerId: reader.id, port: 2, x: 0.25, y: 1 }];
    const answer = await draw(zones, antennas);
    expect([answer.status, answer.body]).toEqual([200, { plan: null, zones, antennas }]);
    expect((await ours.call('GET', floorPath())).body).toEqual(answer.body);
    await draw([], antennas);
    expect((await ours.call('GET', floorPath())).body).toEqual({ plan: null, zones: [], antennas });
  });

  test('is in the audit log by its sizes', async () => {
    const { id } = await ours.zone('A');
    await draw([{ zoneId: id, points: triangle }]);
    expect(ours.audit().at(-1)).toMatchObject({
      ...{ action: 'update', resource: `sites/${ours.siteId}/floor` },
      ...{ before: { zones: 0 }, after: { zones: 1 } },
    });
  });

  test('of an unknown site, or one of another organisation, is a 404 for every operation', async () => {
    const others = await house.tenant('Others');
    for (const site of [unknown, others.siteId, 'x']) {
      for (const [method, path] of [
        ['GET', ''],
        ['GET', '/plan'],
        ['DELETE', '/plan'],
      ] as const)
        expect((await ours.call(method, `/sites/${site}/floor${path}`)).status).toBe(404);
      const body = { zones: [], antennas: [] };
      expect((await ours.call('PUT', `/sites/${site}/floor`, body)).body.detail).toBe(
        'There is no site with this id.',
      );
    }
    expect((await others.call('GET', `/sites/${others.siteId}/floor`)).body.zones).toEqual([]);
  });

  test.each<readonly [string, () => object[], object[], string]>([
    [
      'two points',
      () => [
        {
          zoneId: unknown,
          points: [
            [0, 0],
            [1, 1],
          ],
        },
      ],
      [],
      'zones.0.points',
    ],
    ['65 points', () => [{ zoneId: unknown, points: Array(65).fill([0, 0]) }], [], 'zones.0.points'],
    [
      'a point outside',
      () => [{ zoneId: unknown, points: [...triangle, [0, 1.01]] }],
      [],
      'zones.0.points.3.1',
    ],
    [
      'a point of three',
      () => [{ zoneId: unknown, points: [...triangle, [0, 1, 1]] }],
      [],
      'zones.0.points.3',
    ],
    ['an unknown zone', () => [{ zoneId: unknown, points: triangle }], [], 'zones.0.zoneId'],
    ['501 zones', () => Array(501).fill({ zoneId: unknown, points: triangle }), [], 'zones'],
    ['an unknown reader', () => [], [{ readerId: unknown, port: 1, x: 0, y: 0 }], 'antennas.0.readerId'],
    ['port 5', () => [], [{ readerId: unknown, port: 5, x: 0, y: 0 }], 'antennas.0.port'],
    ['2001 antennas', () => [], Array(2001).fill({ readerId: unknown, port: 1, x: 0, y: 0 }), 'antennas'],
  ])('with %s is a 400 that names it, and changes nothing', async (_, ...[zones, antennas, path]) => {
    const { status, body } = await draw(zones(), antennas);
    expect(status).toBe(400);
    expect(body.errors[0].path).toBe(path);
    expect(house.store.get(tables.floors, [ours.orgId, ours.siteId])).toBeUndefined();
  });

  test('takes a zone and a port once, and none of another site or organisation', async () => {
    const others = await house.tenant('Others');
    const [zone, foreign] = [await ours.zone('A'), await others.zone('B')];
    const reader = await ours.reader();
    const twice = { zoneId: zone.id, points: triangle };
    expect((await draw([twice, twice])).body.errors).toEqual([
      { path: 'zones.1.zoneId', message: 'is drawn twice' },
    ]);
    const port = { readerId: reader.id, port: 1, x: 0, y: 0 };
    expect((await draw([], [port, port])).body.errors).toEqual([
      { path: 'antennas.1.port', message: 'is drawn twice' },
    ]);
    expect((await draw([{ zoneId: foreign.id, points: triangle }])).body.errors[0].message).toBe(
      'is no zone of this site',
    );
    await house.store.write((tx) => {
      const record = tx.get(tables.zones, [ours.orgId, zone.id]);
      if (record) tx.put(tables.zones, [ours.orgId, zone.id], { ...record, siteId: unknown });
    });
    expect((await draw([twice])).body.errors[0].message).toBe('is no zone of this site');
  });

  test('as large as it may be is taken', async () => {
    const ids = await house.store.write((tx) =>
      Array.from({ length: 500 }, (_, index) => {
        const id = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
        const record = { name: 'Z', kind: 'storage', locationPolicy: null, siteId: ours.siteId } as const;
        tx.put(tables.zones, [ours.orgId, id], { ...record, id, no: tx.next('lastZoneNo') });
        return id;
      }),
    );
    const points = Array.from({ length: 64 }, (_, i) => [i / 64 + 1 / 1024 / 1024, Math.PI / 4]);
    const { status, body } = await draw(ids.map((zoneId) => ({ zoneId, points })));
    expect([status, body.zones.length]).toEqual([200, 500]);
  });

  test('loses a deleted zone and the antennas of a deleted reader', async () => {
    const [a, b] = [await ours.zone('A'), await ours.zone('B')];
    const [one, two] = [await ours.reader(), await ours.reader()];
    const zones = [a, b].map(({ id }) => ({ zoneId: id, points: triangle }));
    const antennas = [one, one, two].map(({ id }, i) => ({ readerId: id, port: i + 1, x: 0, y: 0 }));
    expect((await draw(zones, antennas)).status).toBe(200);
    expect((await ours.call('DELETE', `/zones/${a.id}`)).status).toBe(204);
    expect((await ours.call('DELETE', `/readers/${one.id}`)).status).toBe(204);
    const { body } = await ours.call('GET', floorPath());
    expect(body).toEqual({ plan: null, zones: [zones[1]], antennas: [antennas[2]] });
  });
});

describe('the floor plan', () => {
  test('as a PNG is served as it is, with an ETag and a policy that lets nothing run', async () => {
    const put = await upload(png, 'image/png');
    const { plan } = await json(put);
    expect([put.status, plan]).toEqual([
      200,
      {
        ...{ contentType: 'image/png', width: 40, height: 30, bytes: png.length, dropped: 0 },
        ...{ version: expect.any(Number), updatedAt: new Date(noon).toISOString() },
      },
    ]);
    const got = await send('GET', null);
    expect(Buffer.from(await got.arrayBuffer())).toEqual(png);
    expect(Object.fromEntries(got.headers)).toMatchObject({
      ...{ 'content-type': 'image/png', 'cache-control': 'private, no-cache' },
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      'x-content-type-options': 'nosniff',
      etag: expect.stringMatching(/^"[\w-]+"$/),
    });
  });

  test('that has not changed is a 304; another upload has another ETag and version', async () => {
    const first = await json(await upload(png, 'image/png'));
    const etag = (await send('GET', null)).headers.get('etag') ?? '';
    for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const again = await send('GET', null, { 'if-none-match': known });
      expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
    }
    const second = await json(await upload(png, 'image/png'));
    expect(Number(second.plan.version)).toBeGreaterThan(Number(first.plan.version));
    expect((await send('GET', null, { 'if-none-match': etag })).status).toBe(200);
  });

  test('as an SVG is stored and served cleaned, and what was left out is counted', async () => {
    const { plan } = await json(await upload(svg, 'image/svg+xml; charset=utf-8'));
    expect(plan).toMatchObject({ contentType: 'image/svg+xml', width: 400, height: 300, dropped: 1 });
    const got = await send('GET', null);
    const text = await got.text();
    expect([got.headers.get('content-type'), text]).toEqual([
      'image/svg+xml',
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 300" width="400" height="300"><rect/></svg>',
    ]);
    const bytes = house.store.get(tables.floorPlans, [ours.orgId, ours.siteId]) ?? [];
    expect([Buffer.from(bytes).toString(), bytes.length]).toEqual([text, plan.bytes]);
  });

  test.each([
    ['a PNG', new Blob([new Uint8Array(png)]), 'image/png'],
    ['an SVG with a wrong type', new Blob([svg], { type: 'image/png' }), 'image/svg+xml'],
  ])('in the field `file` of a form is known by its content: %s', async (_, file, contentType) => {
    const form = new FormData();
    form.append('note', 'x');
    form.append('file', file, 'plan');
    const response = await send('PUT', form);
    expect([response.status, (await json(response)).plan.contentType]).toEqual([200, contentType]);
  });

  test('goes with DELETE, which leaves the drawing; then there is none', async () => {
    const { id } = await ours.zone('A');
    await draw([{ zoneId: id, points: triangle }]);
    await upload(png, 'image/png');
    expect((await ours.call('GET', floorPath())).body).toMatchObject({
      plan: { width: 40 },
      zones: [{ zoneId: id }],
    });
    expect((await send('DELETE', null)).status).toBe(204);
    expect((await ours.call('GET', floorPath())).body).toMatchObject({ plan: null, zones: [{ zoneId: id }] });
    for (const method of ['GET', 'DELETE'])
      expect(await detailOf(await send(method, null))).toEqual([404, 'This site has no floor plan.']);
    expect(house.store.get(tables.floorPlans, [ours.orgId, ours.siteId])).toBeUndefined();
  });

  test('is in the audit log by its size, never its bytes', async () => {
    await upload(png, 'image/png');
    await send('DELETE', null);
    const resource = `sites/${ours.siteId}/floor/plan`;
    expect(ours.audit().slice(-2)).toMatchObject([
      { action: 'update', resource, after: { contentType: 'image/png', width: 40, bytes: png.length } },
      { action: 'delete', resource, before: { height: 30 } },
    ]);
  });

  test.each([
    [415, 'another type', 'x', 'image/jpeg', /must be multipart\/form-data or image\/png or image\/svg\+xml/],
    [415, 'JSON', '{}', 'application/json', /must be multipart/],
    [400, 'no PNG under its name', svg, 'image/png', /^The file is no PNG\.$/],
    [400, 'a PNG called SVG', png, 'image/svg+xml', /^The SVG is not UTF-8\.$/],
    [400, 'an SVG without size', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml', /has no size/],
    [400, 'nothing', '', 'image/png', /^The file is empty\.$/],
    [400, 'a form without boundary', 'x', 'multipart/form-data', /names no boundary/],
    [400, 'a broken form', 'x', 'multipart/form-data; boundary=B', /no complete form/],
    [
      400,
      'a form without file',
      '--B--\r\n',
      'multipart/form-data; boundary=B',
      /has no field "file"|no complete form/,
    ],
  ])('%i for %s', async (...[status, _, body, type, words]) => {
    await upload(pngOf(1, 1), 'image/png');
    const response = await upload(body, type);
    const [got, detail] = await detailOf(response);
    expect(got).toBe(status);
    expect(detail).toMatch(words);
    expect((await ours.call('GET', floorPath())).body.plan.width).toBe(1);
  });

  test('of eight megabytes is taken, one byte more is a 413', async () => {
    const filler = (bytes: number): Buffer => pngChunk('tEXt', Buffer.alloc(bytes - png.length - 12));
    const most = pngOf(40, 30, [filler(8 * 1024 * 1024)]);
    expect(most.length).toBe(8 * 1024 * 1024);
    const taken = await json(await upload(most, 'image/png'));
    expect(taken.plan).toMatchObject({ bytes: png.length, dropped: 1 });
    expect(await detailOf(await upload(Buffer.concat([most, Buffer.alloc(1)]), 'image/png'))).toEqual([
      413,
      'A plan may have 8 MB.',
    ]);
  });

  test('of six megabytes of SVG is cleaned and served whole', async () => {
    const shapes = '<path class="a b" style="fill:#123;stroke:red" d="M0 0L1 1L2 2L3 3L4 4z"/>'.repeat(
      90_000,
    );
    const text = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">${shapes}</svg>`;
    const response = await upload(text, 'image/svg+xml');
    expect([response.status, (await json(response)).plan.dropped]).toEqual([200, 0]);
    expect(house.store.get(tables.floorPlans, [ours.orgId, ours.siteId])?.length).toBeGreaterThan(6_000_000);
    expect((await (await send('GET', null)).text()).length).toBeGreaterThan(6_000_000);
  });

  /** An upload that has begun and never ends. */
  const beginUpload = async (): Promise<Socket> => {
    const { hostname, port } = new URL(house.server.origin);
    const socket = connect(Number(port), hostname);
    socket.write(
      `PUT /api/v1${floorPath()}/plan HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ours.key}\r\nContent-Type: image/png\r\nContent-Length: 100\r\n\r\nabc`,
    );
    await once(socket, 'connect');
    return socket;
  };

  test('whose upload is cut off leaves the one before, and its place is free again', async () => {
    await upload(png, 'image/png');
    for (let i = 0; i < 5; i++) {
      const socket = await beginUpload();
      socket.destroy();
      await once(socket, 'close');
    }
    await expect.poll(async () => (await upload(png, 'image/png')).status).toBe(200);
    expect(house.server.errors).toEqual([]);
  });

  test('arrives in two places of the four: uploads that never end keep nobody else from theirs', async () => {
    const theirs = await house.tenant('Theirs');
    const slow = [await beginUpload(), await beginUpload()];
    await expect.poll(async () => (await upload(png, 'image/png')).status).toBe(429);
    const refused = await upload(png, 'image/png');
    expect(refused.headers.get('retry-after')).toBe('5');
    expect((await detailOf(refused))[1]).toMatch(/^2 floor plans of the organisation are being uploaded/);
    const url = `${house.server.origin}/api/v1/sites/${theirs.siteId}/floor/plan`;
    const headers = { authorization: `Bearer ${theirs.key}`, 'content-type': 'image/png' };
    expect((await fetch(url, { method: 'PUT', body: png, headers })).status).toBe(200);
    for (const socket of slow) socket.destroy();
    await expect.poll(async () => (await upload(png, 'image/png')).status).toBe(200);
  });
});
