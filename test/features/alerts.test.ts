import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { alertRoutes } from '../../src/features/alerts/alert-routes.ts';
import { contractBreach } from '../../src/http/answer.ts';
import { raiseAlert, resolveProblem } from '../../src/store/alerts.ts';
import { tables } from '../../src/store/tables.ts';
import { type House, noon, openHouse, type Tenant } from '../support/house.ts';

let house: House;
let tenant: Tenant;

beforeEach(async () => {
  house = await openHouse({ more: (parts) => alertRoutes(parts) });
  tenant = await house.tenant('Ours');
});
afterEach(() => house.close());

interface Raised {
  readonly id: string;
  readonly problem: string;
}

/** `count` alerts about assets, each a second after the one before. */
async function raise(count: number, orgId = tenant.orgId): Promise<readonly Raised[]> {
  return house.store.write((tx) =>
    Array.from({ length: count }, () => {
      house.now += 1000;
      const subjectId = randomUUID();
      const alert = raiseAlert(
        tx,
        {
          ...{ orgId, ruleKind: 'asset_missing', severity: 'warning', subjectType: 'asset', subjectId },
          ...{ problem: `missing:${subjectId}`, message: 'Pallet jack has not been seen for a day.' },
        },
        { now: house.now, newId: randomUUID },
      );
      return { id: alert?.id ?? '', problem: alert?.problem ?? '' };
    }),
  );
}

const patch = (id: string, state: unknown) => tenant.call('PATCH', `/alerts/${id}`, { state });
const get = (path = '/alerts') => tenant.call('GET', path);
const ids = (body: readonly { id: string }[]) => body.map(({ id }) => id);

/** Every page of a list. */
async function pages(path: string): Promise<readonly (readonly string[])[]> {
  const found: string[][] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const { body, headers } = await get(next.replace('/api/v1', ''));
    found.push(ids(body));
    next = /^<(.*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
  }
  return found;
}

describe('GET /alerts', () => {
  test('answers alerts as the contract has them, times that have not come left out', async () => {
    const [raised] = await raise(1);
    expect((await get()).body).toEqual([
      {
        id: raised?.id,
        ruleKind: 'asset_missing',
        severity: 'warning',
        state: 'open',
        subjectType: 'asset',
        subjectId: expect.any(String),
        message: 'Pallet jack has not been seen for a day.',
        openedAt: '2026-03-02T09:15:38.412Z',
      },
    ]);
    expect(noon + 1000).toBe(house.now);
  });

  test('newest first, up to 200, the rest by the Link header; no alert twice or left out', async () => {
    const newestFirst = ids(await raise(450)).toReversed();
    const found = await pages('/alerts');
    expect(found.map(({ length }) => length)).toEqual([200, 200, 50]);
    expect(found.flat()).toEqual(newestFirst);
    expect((await pages('/alerts?limit=149')).flat()).toEqual(newestFirst);
  });

  test('alerts raised in the same millisecond keep the order they were raised in', async () => {
    const ordered: string[] = [];
    for (let i = 0; i < 30; i++) {
      ordered.push(...ids(await raise(1)));
      house.now -= 1000;
    }
    expect((await pages('/alerts?limit=7')).flat()).toEqual(ordered.toReversed());
  });

  test.each([
    ['open', 2],
    ['acked', 1],
    ['resolved', 0],
  ])('?state=%s answers those alone, paged too', async (state, rest) => {
    const alerts = await raise(900);
    for (const [i, { id }] of alerts.entries()) {
      if (i % 3 === 1) await patch(id, 'acked');
      if (i % 3 === 0) await patch(id, 'resolved');
    }
    const wanted = ids(alerts.filter((_, i) => i % 3 === rest)).toReversed();
    const found = await pages(`/alerts?state=${state}&limit=150`);
    expect(found.map(({ length }) => length)).toEqual([150, 150]);
    expect(found.flat()).toEqual(wanted);
  });

  test.each(['?state=foo', '?state=', '?state=open&state=acked', '?limit=0', '?limit=201', '?cursor=x'])(
    '%s: 400',
    async (query) => {
      expect((await get(`/alerts${query}`)).status).toBe(400);
    },
  );

  test("shows nothing of another organisation's", async () => {
    const stranger = await house.tenant('Theirs');
    await raise(3, stranger.orgId);
    expect((await get()).body).toEqual([]);
    expect((await get('/alerts?state=open')).body).toEqual([]);
  });

  test('is answered from the newest on, however many there are', async () => {
    for (let i = 0; i < 10; i++) {
      const raised = await raise(2000);
      await house.store.write((tx) => {
        for (const { problem } of raised)
          resolveProblem(tx, { orgId: tenant.orgId, problem, now: house.now });
      });
    }
    const [open] = await raise(1);
    let read = 0;
    const range = house.store.range.bind(house.store);
    house.store.range = (table, options) => {
      const entries = [...range(table, options)];
      if (table.name === 'alerts') read += entries.length;
      return entries;
    };
    expect(ids((await get()).body)[0]).toBe(open?.id);
    expect(ids((await get('/alerts?state=open')).body)).toEqual([open?.id]);
    expect(read).toBeLessThanOrEqual(256);
  });
});

test('the examples of the alert routes keep to their own schemas', () => {
  const routes = house.routes.filter(({ operationId }) => /Alerts?$/.test(operationId));
  expect(routes).toHaveLength(2);
  for (const route of routes) {
    expect(route.body?.safeParse(route.bodyExample).error).toBeUndefined();
    const body = route.responses[200]?.example;
    if (body !== undefined) expect(contractBreach(route, { status: 200, body })).toBeNull();
  }
});

describe('PATCH /alerts/{id}', () => {
  test('acknowledges, then resolves, noting when', async () => {
    const [{ id } = { id: '' }] = await raise(1);
    house.now += 1000;
    expect((await patch(id, 'acked')).status).toBe(204);
    house.now += 1000;
    expect((await patch(id, 'resolved')).status).toBe(204);
    const [alert] = (await get()).body;
    expect(alert).toMatchObject({
      state: 'resolved',
      openedAt: '2026-03-02T09:15:38.412Z',
      ackedAt: '2026-03-02T09:15:39.412Z',
      resolvedAt: '2026-03-02T09:15:40.412Z',
    });
  });

  test('the same state again: 204, nothing changed and nothing audited', async () => {
    const [{ id } = { id: '' }] = await raise(1);
    await patch(id, 'acked');
    const before = (await get()).body;
    const audited = tenant.audit().length;
    house.now += 1000;
    expect((await patch(id, 'acked')).status).toBe(204);
    expect((await get()).body).toEqual(before);
    expect(tenant.audit()).toHaveLength(audited);
  });

  test('a resolved alert cannot be acknowledged: 409', async () => {
    const [{ id } = { id: '' }] = await raise(1);
    await patch(id, 'resolved');
    const { status, body } = await patch(id, 'acked');
    expect([status, body.type]).toEqual([409, '/problems/alert-state']);
    expect(body.detail).toBe('A resolved alert cannot become acked.');
  });

  test.each([['open'], ['foo'], [null], [7]])('state %j: 400', async (state) => {
    const [{ id } = { id: '' }] = await raise(1);
    expect((await patch(id, state)).status).toBe(400);
    expect((await get()).body).toMatchObject([{ state: 'open' }]);
  });

  test('an unknown id, no id at all, and one of another organisation: 404', async () => {
    const stranger = await house.tenant('Theirs');
    const [theirs] = await raise(1, stranger.orgId);
    for (const id of [randomUUID(), 'x', theirs?.id ?? ''])
      expect((await patch(id, 'acked')).status).toBe(404);
    expect(house.store.get(tables.alerts, [stranger.orgId, theirs?.id ?? ''])?.state).toBe('open');
  });

  test('is in the audit log with what changed', async () => {
    const [{ id } = { id: '' }] = await raise(1);
    await patch(id, 'acked');
    expect(tenant.audit().at(-1)).toMatchObject({
      actor: { kind: 'key', id: tenant.keyId },
      action: 'update',
      resource: `alerts/${id}`,
      before: { state: 'open' },
      after: { state: 'acked', ackedAt: '2026-03-02T09:15:38.412Z' },
    });
  });
});

describe('one alert for a problem', () => {
  test('resolved by hand it is raised again only after the problem has ended', async () => {
    const [first] = await raise(1);
    const problem = first?.problem ?? '';
    const orgId = tenant.orgId;
    const again = () =>
      house.store.write((tx) => {
        const one = { ruleKind: 'asset_missing', severity: 'warning', subjectType: 'asset' } as const;
        const subject = { subjectId: randomUUID(), problem, message: 'Missing.' };
        return raiseAlert(tx, { orgId, ...one, ...subject }, { now: house.now, newId: randomUUID });
      });
    expect(await again()).toBeNull();
    await patch(first?.id ?? '', 'resolved');
    expect(await again()).toBeNull();
    const ended = await house.store.write((tx) => resolveProblem(tx, { orgId, problem, now: house.now }));
    expect(ended).toBeNull();
    expect((await again())?.problem).toBe(problem);
    expect((await get()).body.map(({ state }: { state: string }) => state)).toEqual(['open', 'resolved']);
  });
});
