import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { refuse } from '../../src/domain/refusal.ts';
import { positionRoute } from '../../src/features/tags/position-route.ts';
import type { TagSearch } from '../../src/features/tags/search-tags.ts';
import { tagRoutes } from '../../src/features/tags/tag-routes.ts';
import { ClientGone } from '../../src/http/body.ts';
import { formatInstant } from '../../src/lib/instant.ts';
import { tables } from '../../src/store/tables.ts';
import { type Answer, type House, noon, openHouse, placed, type Tenant } from '../support/house.ts';

let house: House;
let tenant: Tenant;

beforeEach(async () => {
  house = await openHouse();
  tenant = await house.tenant('Ours');
});
afterEach(() => house.close());

const seen = (at: number) => ({ firstSeenAt: at, lastSeenAt: at });

function epcsOf({ status, body }: Answer): readonly string[] {
  expect(status).toBe(200);
  return body.map((tag: { epc: string }) => tag.epc);
}

async function epcs(query = ''): Promise<readonly string[]> {
  return epcsOf(await tenant.call('GET', `/tags${query}`));
}

function nextOf({ headers }: Answer): string | null {
  return /^<\/api\/v1(.*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1] ?? null;
}

describe('GET /tags', () => {
  test('a tag with all it has', async () => {
    const dock = await tenant.zone('Dock');
    const { id, no } = await tenant.tag('3034AA', placed(dock.no, noon, { firstSeenAt: noon - 5000.25 }));
    await house.say(no, { name: 'Pallet 17', weight: '412.5' });
    house.links.set(no, { label: 'Jack' });
    const { status, body } = await tenant.call('GET', '/tags');
    expect(status).toBe(200);
    expect(body).toEqual([
      {
        id,
        epc: '3034AA',
        label: 'Pallet 17',
        targetType: 'asset',
        attributes: { name: 'Pallet 17', weight: '412.5' },
        zoneName: 'Dock',
        firstSeenAt: formatInstant(noon - 5001),
        lastSeenAt: formatInstant(noon),
      },
    ]);
  });

  test('a tag never read has null for its times and place, {} for data it has not', async () => {
    await tenant.tag('3034BB');
    const none = { label: null, targetType: null, zoneName: null, firstSeenAt: null, lastSeenAt: null };
    expect((await tenant.call('GET', '/tags')).body).toMatchObject([
      { epc: '3034BB', attributes: {}, ...none },
    ]);
  });

  test('most recently seen first by the exact time, then the never read, newest first', async () => {
    await tenant.tag('00000001');
    await tenant.tag('00000002', seen(noon));
    await tenant.tag('00000003', seen(noon + 0.001));
    await tenant.tag('00000004');
    await tenant.tag('00000005', seen(noon - 86_400_000));
    await tenant.tag('00000006', seen(noon + 0.002));
    expect(await epcs()).toEqual(['00000006', '00000003', '00000002', '00000005', '00000004', '00000001']);
  });

  test('a deleted tag is gone', async () => {
    const { no } = await tenant.tag('00000001', seen(noon));
    const entry = await house.store.write((tx) => {
      tx.remove(tables.tags, no);
      tx.remove(tables.tagByEpc, [tenant.orgNo, '00000001']);
      return house.ledger.forget(tx, [no]);
    });
    house.ledger.applied(entry);
    expect(await epcs()).toEqual([]);
    expect(await epcs('?q=0001')).toEqual([]);
  });
});

describe('GET /tags?q=', () => {
  test('finds text in the EPC, in any case', async () => {
    for (const epc of ['3034ABCD', 'ABCD0000', 'E2801160']) await tenant.tag(epc, seen(noon));
    expect((await epcs('?q=abcd')).toSorted()).toEqual(['3034ABCD', 'ABCD0000']);
    expect(await epcs('?q=34aBc')).toEqual(['3034ABCD']);
    expect(await epcs('?q=CDAB')).toEqual([]);
    expect(await epcs('?q=CD%0AAB')).toEqual([]);
    expect(await epcs('?q=')).toHaveLength(3);
  });

  test('letters that only become hexadecimal digits in upper case are not in any EPC', async () => {
    await tenant.tag('3034FF00', seen(noon));
    expect(await epcs(`?q=${encodeURIComponent('ﬀ')}`)).toEqual([]);
  });

  test('finds text in any field value, in any case', async () => {
    const { no } = await tenant.tag('00000001', seen(noon));
    await tenant.tag('00000002', seen(noon));
    await house.say(no, { owner: 'Ängström GmbH' });
    expect(await epcs(`?q=${encodeURIComponent('äNGS')}`)).toEqual(['00000001']);
  });

  test('a number is found by its text, a value no more once it changed', async () => {
    const { no } = await tenant.tag('00000001', seen(noon));
    await house.say(no, { weight: '412.5' });
    expect(await epcs('?q=412.5')).toEqual(['00000001']);
    await house.say(no, { weight: '5e21' });
    expect(await epcs('?q=412.5')).toEqual([]);
    expect(await epcs('?q=5E%2B21')).toEqual(['00000001']);
  });

  test('finds nothing of another organisation', async () => {
    const { no } = await tenant.tag('00AA0001', seen(noon));
    await house.say(no, { name: 'Pallet' });
    const theirs = await house.tenant('Theirs');
    await theirs.tag('00AA0002', seen(noon));
    expect(epcsOf(await theirs.call('GET', '/tags?q=pallet'))).toEqual([]);
    expect(epcsOf(await theirs.call('GET', '/tags?q=00aa'))).toEqual(['00AA0002']);
    expect(epcsOf(await theirs.call('GET', '/tags?hasData=true'))).toEqual([]);
  });

  test('a tag is found right after it was made', async () => {
    for (const epc of ['00AA0001', '00AA0002', '00AA0003']) {
      await tenant.tag(epc, seen(noon));
      expect(await epcs(`?q=${epc.slice(2)}`)).toEqual([epc]);
    }
  });

  test('finds in many tags just what looking at each would find', async () => {
    const all = Array.from({ length: 20_000 }, (_, i) =>
      (i * 2_654_435_761)
        .toString(16)
        .toUpperCase()
        .padStart(i % 2 === 0 ? 12 : 64, '0'),
    );
    await tenant.tags(all.map((epc) => [epc, seen(noon)]));
    for (const q of ['a', '77', '00ff', 'beef', '0000', all[12_345]?.slice(3) ?? '']) {
      const expected = all.filter((epc) => epc.includes(q.toUpperCase())).reverse();
      expect(await epcs(`?q=${q}`)).toEqual(expected.slice(0, 500));
    }
  });

  test('tags seen during the search come in the order of the moment it ends', async () => {
    await tenant.tags(Array.from({ length: 50 }, (_, i) => [`00AA00${10 + i}`, seen(noon + i)]));
    const search = tenant.call('GET', '/tags?q=AA');
    const again = await tenant.tag('00AAFFFF', seen(noon + 1000));
    const found = epcsOf(await search);
    const order = found.filter((epc) => epc !== '00AAFFFF');
    expect(order).toEqual(order.toSorted().reverse());
    expect(order).toHaveLength(50);
    expect((await tenant.call('GET', '/tags?q=AA')).body[0].id).toBe(again.id);
  });
});

describe('GET /tags?hasData=', () => {
  test('false: only tags without data; true: only tags with data; together with q both hold', async () => {
    const { no } = await tenant.tag('00AA0001', seen(noon));
    await tenant.tag('00AA0002', seen(noon - 1));
    await tenant.tag('00BB0003', seen(noon - 2));
    await house.say(no, { name: 'x' });
    expect(await epcs('?hasData=false')).toEqual(['00AA0002', '00BB0003']);
    expect(await epcs('?hasData=true')).toEqual(['00AA0001']);
    expect(await epcs('?hasData=false&q=aa')).toEqual(['00AA0002']);
  });

  test.each(['hasData=maybe', 'hasData=', 'hasData=FALSE', 'limit=501', 'limit=0', 'limit=-1', 'limit=1e2'])(
    '400 for ?%s',
    async (query) => {
      expect((await tenant.call('GET', `/tags?${query}`)).status).toBe(400);
    },
  );

  test.each(['', '!', 'abc', btoa('x,y'), btoa('1,2,3'), btoa('NaN,1'), btoa('1,-1'), 'a'.repeat(200)])(
    '400 for the cursor %j',
    async (cursor) => {
      const answer = await tenant.call('GET', `/tags?cursor=${encodeURIComponent(cursor)}`);
      expect(answer.status).toBe(400);
      expect(answer.body.errors).toMatchObject([{ path: 'cursor' }]);
    },
  );
});

describe('paging through tags', () => {
  test('the first 500, then the rest by following Link, each once, in the one order', async () => {
    const inOrder: string[] = [];
    for (let i = 0; i < 620; i++) inOrder.push((0xaa000000 + i).toString(16).toUpperCase());
    // Twenty of them never read; the others in pairs seen at the same time.
    await tenant.tags(inOrder.map((epc, i) => [epc, i < 20 ? {} : seen(noon + Math.floor(i / 2) + 0.125)]));
    const first = await tenant.call('GET', '/tags');
    expect(epcsOf(first)).toHaveLength(500);
    const second = await tenant.call('GET', nextOf(first) ?? '');
    expect(nextOf(second)).toBeNull();
    const everything = [...epcsOf(first), ...epcsOf(second)];
    expect(everything.toSorted()).toEqual(inOrder);
    const small: string[] = [];
    for (let path: string | null = '/tags?limit=77&q=aa'; path !== null; ) {
      const page: Answer = await tenant.call('GET', path);
      small.push(...epcsOf(page));
      path = nextOf(page);
    }
    expect(small).toEqual(everything);
  });

  test('no Link when the last page is full', async () => {
    for (const epc of ['00000001', '00000002']) await tenant.tag(epc, seen(noon));
    expect(nextOf(await tenant.call('GET', '/tags?limit=2'))).toBeNull();
    expect(nextOf(await tenant.call('GET', '/tags?limit=1'))).not.toBeNull();
  });
});

describe('GET /tags/position', () => {
  test('leads to any place of the list, and tells how many tags there are', async () => {
    const inOrder = Array.from({ length: 120 }, (_, i) => (0xaa000000 + i).toString(16).toUpperCase());
    await tenant.tags(inOrder.map((epc, i) => [epc, i < 20 ? {} : seen(noon + Math.floor(i / 2))]));
    const theirs = await house.tenant('Theirs');
    await theirs.tag('00AA0001', seen(noon));
    const all = await epcs();
    for (const offset of [0, 1, 50, 100, 119, 120, 500]) {
      const { status, body } = await tenant.call('GET', `/tags/position?offset=${offset}`);
      expect([status, body.total]).toEqual([200, 120]);
      const cursor = body.cursor === null ? '' : `&cursor=${body.cursor}`;
      expect(await epcs(`?limit=10${cursor}`)).toEqual(all.slice(offset, offset + 10));
    }
    expect((await theirs.call('GET', '/tags/position?offset=1')).body.total).toBe(1);
  });

  test.each(['', 'offset=', 'offset=-1', 'offset=1.5', 'offset=1e3', 'offset=9999999999'])(
    '400 for ?%s',
    async (query) => {
      expect((await tenant.call('GET', `/tags/position?${query}`)).status).toBe(400);
    },
  );

  test('is looked for one at a time: 64 wait at most, and none that nobody waits for any more', async () => {
    const { handle, refusals } = positionRoute({ ...house, states: house.ledger.states });
    const caller = {
      orgId: tenant.orgId,
      id: '',
      email: '',
      role: 'admin',
      viaKey: true,
      address: '',
    } as const;
    const ask = async (socket = new Socket()): Promise<unknown> => {
      const req = new IncomingMessage(socket);
      const raw = { req, res: new ServerResponse(req) };
      const call = { caller, params: {}, query: { offset: 5 }, body: undefined, requestId: '', raw };
      return await Promise.resolve(handle(call)).catch((error) => error);
    };
    await tenant.tag('00000001', seen(noon));
    const found = { status: 200, body: { total: 1, cursor: expect.any(String) } };
    const leaving = new Socket();
    const [first, left] = [ask(), ask(leaving)];
    const others = Array.from({ length: 63 }, () => ask());
    expect(await ask()).toMatchObject({ refusal: { kind: 'unavailable' } });
    expect(refusals).toContain('unavailable');
    leaving.destroy();
    expect(await left).toBeInstanceOf(ClientGone);
    expect(await Promise.all([first, ...others])).toEqual(Array.from({ length: 64 }, () => found));
  });
});

describe('long texts', () => {
  const PAGE = 2_000_000;

  async function pagesOf(path: string): Promise<readonly (readonly string[])[]> {
    const pages: (readonly string[])[] = [];
    for (let next: string | null = path; next !== null; ) {
      const answer: Answer = await tenant.call('GET', next);
      expect(JSON.stringify(answer.body).length).toBeLessThan(PAGE * 1.2);
      pages.push(epcsOf(answer));
      next = nextOf(answer);
    }
    return pages;
  }

  test.each(['/tags', '/tags?q=xx'])('%s: a page of them ends early and its link leads on', async (path) => {
    const inOrder: string[] = [];
    for (let i = 0; i < 50; i++) {
      const epc = `000000${10 + i}`;
      const { no } = await tenant.tag(epc, seen(noon - i));
      const values = Array.from({ length: 10 }, (_, n) => [`f${n}`, 'x'.repeat(10_000)] as const);
      await house.say(no, Object.fromEntries(values));
      inOrder.push(epc);
    }
    const pages = await pagesOf(path);
    expect(pages.map((page) => page.length)).toEqual([19, 19, 12]);
    expect(pages.flat()).toEqual(inOrder);
  });

  test('a tag that alone is longer than a page is answered alone', async () => {
    for (const [epc, at] of [
      ['00000001', noon],
      ['00000002', noon - 1],
    ] as const) {
      const { no } = await tenant.tag(epc, seen(at));
      const values = Array.from({ length: 201 }, (_, n) => [`f${n}`, 'x'.repeat(10_000)] as const);
      await house.say(no, Object.fromEntries(values));
    }
    expect(await pagesOf('/tags')).toEqual([['00000001'], ['00000002']]);
    expect(await pagesOf('/tags?limit=1')).toEqual([['00000001'], ['00000002']]);
  });
});

describe('a search that has to wait', () => {
  test('is told when its client is gone, and answers 503 where too many wait', async () => {
    await house.close();
    const asked: (() => boolean)[] = [];
    const leave = new AbortController();
    const search: TagSearch = {
      warm: () => false,
      keepUp: async () => {},
      find: async ({ q, isGone = () => false }) => {
        if (q === 'full') throw refuse('unavailable', 'As many searches wait as may; try again in a moment.');
        asked.push(isGone);
        await vi.waitUntil(isGone);
        throw new ClientGone();
      },
    };
    house = await openHouse({
      more: (parts) =>
        tagRoutes({
          ...parts,
          search,
          data: { describe: () => ({ label: null, attributes: {} }) },
          linked: () => false,
        }),
    });
    tenant = await house.tenant('Ours');
    expect(await tenant.call('GET', '/tags?q=full')).toMatchObject({ status: 503 });
    const headers = { Authorization: `Bearer ${tenant.key}` };
    const url = `${house.server.origin}/api/v1/tags?q=x`;
    const answer = fetch(url, { headers, signal: leave.signal });
    await vi.waitUntil(() => asked.length === 1);
    expect(asked[0]?.()).toBe(false);
    leave.abort();
    await expect(answer).rejects.toThrow();
    await vi.waitUntil(() => asked[0]?.());
  });
});
