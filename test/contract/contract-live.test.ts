import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { valueFaults } from '../support/contract-fields.ts';
import { ContractRig, nobodysId, type Reply } from '../support/contract-rig.ts';
import { plainRead } from '../support/publisher.ts';
import { type Endpoint, endpoints } from './endpoints.ts';
import { antennaRows, type ErrorRow, errorRows } from './errors.ts';
import { resources } from './resources.ts';
import { successes } from './successes.ts';

const rig = new ContractRig();
beforeAll(() => rig.start());
afterAll(() => rig.dispose());

const title = ({ method, path }: Endpoint): string => `${method} ${path}`;
const rows = endpoints.map((row): [string, Endpoint] => [title(row), row]);
const rowsWith = (has: (row: Endpoint) => unknown) => rows.filter(([, row]) => has(row));

function bodyFaults({ body, type, headers }: Reply, { answer }: Endpoint): readonly string[] {
  if (answer === 'no body') return body === '' ? [] : ['there is a body'];
  if (answer === 'not told') return type === 'application/json' ? [] : [`the type is ${type}`];
  if ('media' in answer) return type === answer.media ? [] : [`the type is ${headers.get('content-type')}`];
  if ('many' in answer) return listFaults(body, resources[answer.many]);
  const name = 'one' in answer ? answer.one : answer.oneOrMany;
  return valueFaults(body, resources[name]);
}

function listFaults(body: unknown, fields: Parameters<typeof valueFaults>[1]): readonly string[] {
  if (!Array.isArray(body)) return ['the answer is no list'];
  if (body.length === 0) return ['the list is empty'];
  return body.flatMap((one) => valueFaults(one, fields));
}

/** An answer is this refusal, told as problem details. */
function expectProblem(reply: Reply, status: number, problem: string): void {
  expect(reply).toMatchObject({
    status,
    type: 'application/problem+json',
    body: { type: `/problems/${problem}`, status, title: expect.any(String), detail: expect.any(String) },
  });
}

/** The address of a row with ids nobody has. */
function elsewhere(path: string): string {
  return path.replace('{id}', nobodysId()).replace('{epc}', rig.epc()).replace('{key}', 'nobodys_field');
}

describe('every row of the endpoint tables comes to its success, with every field of its table', () => {
  test.each(rows)('%s', async (name, row) => {
    const reply = await successes[name]?.(rig);
    expect(reply?.status, JSON.stringify(reply?.body)?.slice(0, 300)).toBe(row.status);
    if (reply) expect(bodyFaults(reply, row)).toEqual([]);
  });

  test('making the one name field answers the full list of fields', async () => {
    const key = await rig.field();
    const reply = await rig.call('PATCH', `/fields/${key}`, { body: { isLabel: true } });
    expect(listFaults(reply.body, resources.Field)).toEqual([]);
    const isLabel = (reply.body as { key: string; isLabel: boolean }[]).filter((one) => one.isLabel);
    expect(isLabel.map((one) => one.key)).toEqual([key]);
  });

  test('data of an unknown EPC is 200: empty attributes, no tagId', async () => {
    const epc = rig.epc();
    expect(await rig.call('GET', `/tags/${epc}/data`)).toMatchObject({ status: 200 });
    expect((await rig.call('GET', `/tags/${epc}/data`)).body).toEqual({ epc, attributes: {} });
  });

  test('problems inside a readable import file are no errors: they are listed, the rest is applied', async () => {
    const epc = rig.epc();
    const { status, body } = await rig.upload(`epc,name\n${epc},Box\n${epc},Again\n,None\nZZ,Odd\n`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ total: 4, imported: 1, updated: 0, fields: ['name'], dryRun: false });
    expect(body.errors.map(({ line }: { line: number }) => line)).toEqual([3, 4, 5]);
  });
});

describe('the live stream', () => {
  test('says hello first, then tells reads and moves with every field of their tables', async () => {
    const zoneId = await rig.zone();
    const publisher = await rig.publisher(await rig.reader({ 1: zoneId, 2: await rig.zone() }));
    const stream = await rig.stream();
    expect(await stream.next()).toEqual({ type: 'hello', data: {} });
    const epc = rig.epc();
    await publisher.publish({ payload: plainRead(epc, { port: 2, at: Date.now() - 50 }) });
    await publisher.publish({ payload: plainRead(epc, { port: 1, at: Date.now() }) });
    const read = await stream.next('tag_read');
    const placed = await stream.next('tag_moved');
    const moved = await stream.next('tag_moved');
    expect(valueFaults(read.data, resources.TagRead)).toEqual([]);
    expect(valueFaults(placed.data, resources.TagMoved)).toEqual([]);
    expect(valueFaults(moved.data, resources.TagMoved)).toEqual([]);
    expect(placed.data).not.toHaveProperty('fromZoneId');
    expect(moved.data).toMatchObject({ epc, toZoneId: zoneId, fromZoneId: placed.data.toZoneId });
    stream.close();
    await publisher.close();
  });
});

describe('every row of the errors table', () => {
  test.each(errorRows.map((row): [string, ErrorRow] => [`${row.status}: ${row.when}`, row]))(
    '%s',
    async (_, { status, problem, provoke, unchanged }) => {
      const before = unchanged && (await rig.call('GET', unchanged));
      expectProblem(await provoke(rig), status, problem);
      if (before) expect((await rig.call('GET', unchanged)).body).toEqual(before.body);
    },
  );

  test.each(antennaRows)('400: antenna PUT with $when, nothing is changed', async ({ settings }) => {
    const path = `/readers/${(await rig.sharedReader()).readerId}/antennas`;
    const before = await rig.ok('GET', path);
    const body = [{ port: 1, transmitPowerCdbm: 1500 }, settings];
    expectProblem(await rig.call('PUT', path, { body }), 400, 'invalid');
    expect(await rig.ok('GET', path)).toEqual(before);
  });

  test.each(rows)('401: %s without a key, and with one that is not valid', async (_, { method, path }) => {
    expectProblem(await rig.call(method, elsewhere(path), { as: 'nobody' }), 401, 'unauthenticated');
    const response = await fetch(`${rig.endpoints.http}/api/v1${elsewhere(path)}`, {
      method,
      headers: { authorization: `Bearer tk_${'A'.repeat(43)}` },
    });
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    await response.body?.cancel();
  });

  test.each(rowsWith(({ adminOnly }) => adminOnly))(
    '403: %s with an API key',
    async (_, { method, path }) => {
      expectProblem(await rig.call(method, path), 403, 'forbidden');
    },
  );

  test.each(rowsWith(({ path }) => path.includes('{id}')))(
    '404: %s with an unknown id',
    async (name, row) => {
      const { path } = row;
      const body = unknownBody[name];
      const reply = await rig.call(row.method, elsewhere(path), { body });
      expectProblem(reply, 404, 'not-found');
      // What is not there is the record, not the address.
      expect(reply.body.detail).not.toContain('/api/v1/');
    },
  );
});

/** What the body check lets through, so that the id is what is wrong. */
const unknownBody: Readonly<Record<string, unknown>> = {
  'PATCH /readers/{id}': { enabled: true },
  'PUT /readers/{id}/antennas': [{ port: 1 }],
  'PATCH /assets/{id}': { name: 'x' },
  'PATCH /zones/{id}': { name: 'x' },
  'PATCH /alerts/{id}': { state: 'acked' },
};

describe('limits', () => {
  test('GET /tags and GET /assets answer 500 at most; the rest is on the next page', async () => {
    const csv = Array.from({ length: 501 }, () => `${rig.epc()},bulk`).join('\n');
    expect(await rig.upload(`epc,lot\n${csv}\n`)).toMatchObject({ status: 200, body: { imported: 501 } });
    for (let index = 0; index < 501; index++) await rig.asset();
    for (const path of ['/tags', '/assets']) {
      const page = await rig.call('GET', path);
      expect([path, page.body.length]).toEqual([path, 500]);
      const next = /^<\/api\/v1([^>]+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1] ?? '';
      expect((await rig.call('GET', next)).body.length).toBeGreaterThan(0);
    }
  }, 60_000);

  test('100,000 rows are taken by an import; a dry run changes nothing', async () => {
    const before = (await rig.call('GET', '/tags')).body;
    const csv = Array.from({ length: 100_000 }, () => rig.epc()).join('\n');
    const { status, body } = await rig.upload(`epc\n${csv}\n`, '?dryRun=true');
    expect([status, body.total, body.imported, body.dryRun]).toEqual([200, 100_000, 100_000, true]);
    expect((await rig.call('GET', '/tags')).body).toEqual(before);
  }, 60_000);

  test('an antenna nobody set has the defaults, and there is one per port 1 to 4', async () => {
    const antennas = await rig.ok('GET', `/readers/${(await rig.reader()).readerId}/antennas`);
    expect(antennas.map(({ port }: { port: number }) => port)).toEqual([1, 2, 3, 4]);
    const defaults = { transmitPowerCdbm: 3000, inventorySession: 2, tagPopulation: 128, zoneId: null };
    for (const antenna of antennas)
      expect(antenna).toMatchObject({ ...defaults, searchMode: 'dual-target', role: 'coverage' });
  });
});

// Last: they take the licence away.
describe('the licence', () => {
  test('402: a claim past maxReaders', async () => {
    const { code } = await rig.provisioned();
    await rig.licence({ maxReaders: 1 });
    const claim = { code, readerName: 'One too many' };
    await rig.reader().catch(() => undefined);
    expectProblem(await rig.call('POST', '/devices/claim', { body: claim }), 402, 'licence-limit');
    await rig.licence();
    expect(await rig.call('POST', '/devices/claim', { body: claim })).toMatchObject({ status: 201 });
  });

  test.each([
    ['suspended', { state: 'suspended' }],
    ['closed', { state: 'closed' }],
    ['expired', { expiresAt: '2026-01-01T00:00:00Z' }],
  ])('%s: read-only, GET /license says so, reading goes on', async (state, claims) => {
    await rig.licence(claims);
    const { license } = await rig.ok('GET', '/license');
    expect(license).toMatchObject({ state, readOnly: true, customer: 'Walk', edition: 'walk' });
    expectProblem(await rig.call('POST', '/zones', { body: { name: 'x' } }), 402, 'read-only');
    expect(await rig.call('GET', '/zones')).toMatchObject({ status: 200 });
  });

  describe('that is suspended', () => {
    beforeAll(() => rig.licence({ state: 'suspended' }));

    test.each(rowsWith(({ method }) => method !== 'GET'))('402: %s', async (_, row) => {
      expectProblem(await rig.call(row.method, elsewhere(row.path)), 402, 'read-only');
    });
  });

  test('installed while read-only, another one ends it', async () => {
    const token = rig.token({});
    expect(await rig.call('PUT', '/license', { body: { token }, as: 'admin' })).toMatchObject({
      status: 200,
      body: { license: { state: 'licensed', readOnly: false } },
    });
    expect(await rig.call('POST', '/zones', { body: { name: 'x' } })).toMatchObject({ status: 201 });
  });
});

test('every row of the endpoint tables has its success told', () => {
  expect(Object.keys(successes).sort()).toEqual(rows.map(([name]) => name).sort());
});
