import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { organisationRoutes } from '../../src/features/organisation/organisation-routes.ts';
import { siteRoutes } from '../../src/features/organisation/site-routes.ts';
import { diagnosticsRoutes } from '../../src/features/readers/diagnostics-routes.ts';
import { type IssuedIdentity, provisionRoutes } from '../../src/features/readers/provision-routes.ts';
import { unclaimedRoutes } from '../../src/features/readers/unclaimed-routes.ts';
import { webhookRoutes } from '../../src/features/webhooks/webhook-routes.ts';
import type { Route } from '../../src/http/route.ts';
import { Diagnostics } from '../../src/ingest/diagnostics.ts';
import { type AccountHouse, openAccountHouse } from '../support/account-house.ts';
import { openSse, type SseClient } from '../support/http-sse.ts';
import {
  filled,
  idsOf,
  listsOf,
  makeParty,
  marksOf,
  type Party,
  plainRoutes,
  populate,
  recordsOf,
} from '../support/two-tenants.ts';

let house: AccountHouse;
let ours: Party;
let theirs: Party;
let stream: SseClient;
/** EPCs of theirs that we have used in requests: a tag of ours may have them by now. */
const usedEpcs = new Set<string>();

beforeAll(async () => {
  const nobody = {
    waiting: () => 0,
    hasMailServer: false,
    test: async () => ({ statusCode: null, durationMs: 0, error: 'none' }),
  };
  house = await openAccountHouse({
    more: (parts) => [
      ...webhookRoutes({ ...parts, deliverer: nobody }),
      ...organisationRoutes(parts),
      ...siteRoutes({ ...parts, maxSites: () => 0 }),
      ...provisionRoutes({ ...parts, issueIdentity }),
      ...unclaimedRoutes(parts),
      ...diagnosticsRoutes({ ...parts, diagnostics: new Diagnostics(), connections: () => [] }),
    ],
  });
  ours = await makeParty(house, 'ourparty');
  theirs = await makeParty(house, 'theirparty');
  await populate(house, ours);
  stream = await openSse(`${house.server.origin}/api/v1/events/stream`, {
    headers: { authorization: `Bearer ${ours.tenant.key}` },
  });
}, 30_000);
afterAll(async () => {
  stream.close();
  await house.close();
});

/** Without the making of a key, which takes long. */
async function issueIdentity({ now }: { readonly now: number }): Promise<IssuedIdentity> {
  const certificate = { serialNumber: randomUUID(), fingerprint256: '', notBefore: now, notAfter: now };
  return { certificate, files: { 'ca.crt': '', 'client.crt': '', 'client.key': '', 'svc.json': '' } };
}

/** Values of theirs for the parameter in a path: `{id}` of `/zones/{id}` is an id in GET /zones. */
type Candidates = (path: string) => readonly string[];

async function candidates(marks: readonly string[]): Promise<Candidates> {
  const lists = await listsOf(house, theirs);
  return (path) => {
    const [, noun = '', parameter = ''] = /^(\/[^/]+)\/\{(\w+)\}/.exec(path) ?? [];
    const known = (lists.get(noun) ?? []).map((item) => item[parameter]);
    const values = known.filter((value) => typeof value === 'string' && marks.includes(value));
    return values.length > 0 ? values.slice(-2).map(String) : marks.slice(0, 3);
  };
}

/** Addresses of a GET route with what is theirs in every place that takes something. */
function addresses({ path, query }: Route, of: Candidates, marks: readonly string[]): readonly string[] {
  if (path.includes('{')) return of(path).map((value) => path.replace(/\{\w+\}/g, encodeURIComponent(value)));
  const shape = query && 'shape' in query && typeof query.shape === 'object' ? (query.shape ?? {}) : {};
  const searches = Object.keys(shape).flatMap((name) =>
    [...marks.slice(0, 4), `zones/${marks.at(-1)}`, 'true', 'false', '1', 'DEADBEEF'].map(
      (value) => `${path}?${name}=${encodeURIComponent(value)}`,
    ),
  );
  return [path, ...searches];
}

/** What of theirs shows in our answer to a request that did not name it. */
function leaks(address: string, text: string, marks: readonly string[]): readonly string[] {
  const asked = decodeURIComponent(address);
  return marks.filter((mark) => !usedEpcs.has(mark) && !asked.includes(mark) && text.includes(mark));
}

async function readEverything(marks: readonly string[]): Promise<void> {
  const of = await candidates(marks);
  for (const route of plainRoutes(house).filter(({ method }) => method === 'GET'))
    for (const address of addresses(route, of, marks)) {
      const { status, text } = await ours.tell(route, address);
      const name = `${route.operationId} ${address}`;
      expect(status, name).toBeLessThan(500);
      if (route.path.includes('{id}')) expect(status, name).toBe(404);
      expect(leaks(address, text, marks), name).toEqual([]);
    }
}

/** Every write there is, on what is theirs: as the address, and in the body wherever it may refer to something. */
async function writeEverything(marks: readonly string[]): Promise<void> {
  const of = await candidates(marks);
  const epcs = theirs.tags.map(({ epc }) => epc);
  const references = { mark: ours.mark, ids: await idsOf(house, theirs), epcs };
  for (const epc of epcs) usedEpcs.add(epc);
  for (const route of plainRoutes(house).filter(({ method }) => method !== 'GET')) {
    const { path, bodyExample } = route;
    const body = bodyExample === undefined ? undefined : filled(bodyExample, references);
    const paths = path.includes('{') ? of(path).map((value) => path.replace(/\{\w+\}/g, value)) : [path];
    for (const address of paths) {
      const { status, text } = await ours.tell(route, address, body);
      const name = `${route.operationId} ${address}`;
      expect(status, name).toBeLessThan(500);
      if (path.includes('{id}')) expect([400, 404], name).toContain(status);
      const sent = `${address} ${JSON.stringify(body)}`;
      expect(leaks(sent, text, marks), name).toEqual([]);
    }
  }
}

describe('two organisations', () => {
  test('nothing of one shows through any route of the other, and no write of the other changes it', async () => {
    const growth = fc.integer({ min: 1, max: 2 });
    await fc.assert(
      fc.asyncProperty(growth, fc.boolean(), async (count, writes) => {
        for (let i = 0; i < count; i++) await populate(house, theirs);
        const marks = await marksOf(house, theirs);
        await readEverything(marks);
        const before = recordsOf(house, theirs, marks);
        expect(before.split('\n').length).toBeGreaterThan(10);
        if (writes) await writeEverything(marks);
        expect(recordsOf(house, theirs, marks)).toBe(before);
        await readEverything(marks);
      }),
      { numRuns: 4, examples: [[1, true]] },
    );
  }, 120_000);

  test('each sees its own: what is looked for above is there', async () => {
    const marks = await marksOf(house, theirs);
    const of = await candidates(marks);
    for (const path of ['/zones/{id}', '/readers/{id}', '/users/{id}', '/api-keys/{id}', '/webhooks/{id}'])
      expect(of(path).filter((value) => marks.includes(value)).length, path).toBeGreaterThan(0);
    const lists = await listsOf(house, theirs);
    for (const path of ['/zones', '/readers', '/devices', '/tags', '/users', '/api-keys', '/audit'])
      expect(JSON.stringify(lists.get(path)), path).toMatch(/theirparty|DEADBEEF/);
  });

  test('the stream of one carries nothing of the other', async () => {
    const event = (name: string) => ({
      type: 'tag_moved' as const,
      data: { tagId: name, epc: 'AABBCCDD', toZoneId: name, zoneName: name, at: name },
    });
    house.bus.publish(theirs.tenant.orgId, [event(theirs.mark)]);
    house.bus.publish(ours.tenant.orgId, [event(ours.mark)]);
    await stream.next('tag_moved');
    expect(JSON.stringify(stream.events)).not.toContain(theirs.mark);
    expect(JSON.stringify(stream.events)).toContain(ours.mark);
  });
});
