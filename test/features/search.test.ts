import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { textOf, type Value } from '../../src/domain/value.ts';
import { Turns } from '../../src/features/tags/search-turns.ts';
import { ClientGone } from '../../src/http/body.ts';
import { tables } from '../../src/store/tables.ts';
import { changeValues } from '../../src/store/tag-data.ts';
import { type Question, TagWorld } from '../support/tag-world.ts';

// A list of strings, from the repository's own corpus.
const naughty = (JSON.parse(readFileSync('test/corpus/blns.json', 'utf8')) as readonly string[]).filter(
  (text) => text !== '' && text === whole(text),
);
const NEVER = Number.NEGATIVE_INFINITY;

/** Without halves of characters, which a cut leaves. */
function whole(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '');
}

let world: TagWorld;
beforeEach(async () => {
  world = await new TagWorld().open();
});
afterEach(() => world.close());

const value: fc.Arbitrary<Value> = fc.oneof(
  fc.constantFrom('Ängström GmbH', 'İstanbul', 'ΟΔΟΣ', 'a', 'aa', 'A\u001fb', 'x\ny', '\0', '日本語', '😀😀'),
  fc.constantFrom(...naughty),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
);

type Step = (at: number) => Promise<void>;

const pick = <T>(items: readonly T[], at: number): T | undefined => items[at % Math.max(1, items.length)];

/** Something to look for: mostly a part of what a tag has. */
function needleFrom(at: number, free: string): string {
  const tag = pick([...world.tags.values()], at);
  if (!tag || at % 5 === 0) return free;
  const text = pick([tag.epc, ...[...tag.values.values()].map(textOf)], at >>> 3) ?? '';
  const from = (at >>> 5) % text.length;
  const part = [...text.slice(from)].slice(0, 1 + ((at >>> 7) % 8)).join('');
  const cased = at % 2 === 0 ? part.toUpperCase() : part.toLowerCase();
  return whole(cased);
}

async function check(question: Question): Promise<void> {
  expect(await world.found(question), JSON.stringify(question)).toEqual(world.expected(question));
}

const steps = (values: readonly Value[]): Readonly<Record<string, Step>> => ({
  addTags: async (at) => {
    const seen = Array.from({ length: 1 + (at % 90) }, (_, i) => (i % 4 === 0 ? NEVER : (at + i * 31) % 500));
    await world.addTags(1 + (at % 2), seen);
  },
  addField: async (at) => {
    await world.addField(1 + (at % 2), 'Field');
  },
  change: async (at) => {
    const tag = pick([...world.tags.values()], at);
    const fields = world.fieldsOf(tag?.orgNo ?? 1);
    if (!tag || fields.length === 0) return;
    const changes = fields.slice(0, 1 + (at % 4)).map(({ no }, i): [number, Value | null] => {
      return [no, (at + i) % 5 === 0 ? null : (pick(values, at + i) ?? null)];
    });
    await world.change(tag.no, new Map(changes));
  },
  renameField: async (at) => {
    const field = pick(world.fieldsOf(1 + (at % 2)), at >>> 1);
    if (field) await world.renameField(1 + (at % 2), field.no);
  },
  deleteField: async (at) => {
    const field = pick(world.fieldsOf(1 + (at % 2)), at >>> 1);
    if (field) await world.deleteField(1 + (at % 2), field.no);
  },
  deleteTag: async (at) => {
    const tag = pick([...world.tags.values()], at);
    if (tag) await world.deleteTag(tag.no);
  },
  warm: async (at) => {
    for (let i = 0; i < at % 3; i++) world.search.warm();
  },
  keepUp: () => world.search.keepUp(),
  restart: () => world.restart(),
  search: async (at) => {
    const q = needleFrom(at, textOf(pick(values, at >>> 2) ?? ''));
    const hasData = at % 7 === 0 ? at % 2 === 0 : undefined;
    const question = { orgNo: 1 + (at % 2), q, hasData, limit: at % 3 === 0 ? 5 : 501 };
    await check(question);
    const [first] = world.expected(question);
    if (first === undefined) return;
    await check({ ...question, after: { key: world.tag(first).seenAt, no: first } });
  },
  list: (at) => check({ orgNo: 1 + (at % 2), hasData: pick([true, false, undefined], at >>> 1) }),
});

describe('searches find what looking at every tag would find', () => {
  const weights = ['change', 'change', 'change', 'search', 'search', 'search', 'list'];
  const kinds = [...Object.keys(steps([])), ...weights];
  const plan = fc.array(fc.tuple(fc.constantFrom(...kinds), fc.nat(1_000_000)), {
    minLength: 5,
    maxLength: 60,
  });

  test('after every kind of write, in any order', async () => {
    await fc.assert(
      fc
        .asyncProperty(plan, fc.array(value, { minLength: 3, maxLength: 10 }), async (chosen, values) => {
          const run = steps(values);
          await run.addField?.(0);
          await run.addField?.(1);
          await run.addTags?.(89);
          for (const [kind, at] of chosen) await run[kind]?.(at);
          await run.search?.(1);
          await run.list?.(3);
        })
        .beforeEach(async () => {
          await world.close();
          world = await new TagWorld().open();
        }),
      { numRuns: 40 },
    );
  }, 120_000);

  test('every string of a list of naughty ones, by parts of it and in any case', async () => {
    const field = await world.addField(1, 'Note');
    const nos = await world.addTags(
      1,
      Array.from(naughty, (_, i) => i),
    );
    for (const [i, text] of naughty.entries()) await world.change(nos[i] ?? 0, new Map([[field, text]]));
    for (const text of naughty)
      for (const part of [text, text.slice(0, 40), text.slice(-5), text.toUpperCase()].map(whole))
        if (part !== '') await check({ orgNo: 1, q: part });
  });

  test('no text reaches from one value into the next, nor from one tag into the next', async () => {
    const [a, b] = [await world.addField(1, 'A'), await world.addField(1, 'B')];
    const [first = 0, second = 0] = await world.addTags(1, [1, 2]);
    await world.change(first, new Map([[a, 'left'], [b, 'right']])); // biome-ignore format: one line
    await world.change(second, new Map([[a, 'ri']]));
    for (const q of [
      'leftright',
      'left\u001fright',
      'left\nright',
      'left\u00ffright',
      'tri',
      '\u00ff',
      '\u00f5',
    ])
      expect(await world.found({ orgNo: 1, q }), q).toEqual([]);
    expect(await world.found({ orgNo: 1, q: 'RI' })).toEqual([second, first]);
  });

  test('very long values in many fields are found, and gone when they change', async () => {
    const fields = [];
    for (let i = 0; i < 10; i++) fields.push(await world.addField(1, `F${i}`));
    const nos = await world.addTags(
      1,
      Array.from({ length: 130 }, (_, i) => i),
    );
    for (const no of nos)
      await world.change(
        no,
        new Map(fields.map((field) => [field, `${'ä€😀'.repeat(1500)} ${no}.${field}`])),
      );
    const [some = 0] = nos.slice(70);
    expect(await world.found({ orgNo: 1, q: `€😀 ${some}.${fields[7]}` })).toEqual([some]);
    await world.change(some, new Map(fields.map((field) => [field, null])));
    expect(await world.found({ orgNo: 1, q: `€😀 ${some}.` })).toEqual([]);
    expect(await world.found({ orgNo: 1, hasData: false })).toEqual([some]);
  });
});

describe('searches among many tags', () => {
  const COUNT = 6000;
  let field = 0;
  let other = 0;

  beforeEach(async () => {
    field = await world.addField(1, 'Kind');
    other = await world.addField(1, 'Other');
    for (let from = 0; from < COUNT; from += 1000)
      await world.addTags(
        1,
        Array.from({ length: 1000 }, (_, i) => ((from + i) * 7919) % 5000),
      );
    const { store } = world.folder;
    await store.write((tx) => {
      const { changeAll } = bulk(tx);
      for (const tag of world.tags.values()) changeAll(tag.no);
    });
  });

  // Every tag common, one in ten sometimes, one in a thousand rare, the newest numbers old; every other one has Other.
  function wordsOf(no: number): string {
    const words = ['common'];
    if (no % 10 === 0) words.push('sometimes');
    if (no % 1000 === 0) words.push('rare');
    if (world.tag(no).seenAt < 300) words.push('unseen');
    return words.join(' ');
  }

  function bulk(tx: Parameters<Parameters<TagWorld['folder']['store']['write']>[0]>[0]) {
    const changeAll = (no: number): void => {
      const values: Record<number, Value> = {
        [field]: wordsOf(no),
        ...(no % 2 ? { [other]: `only ${no}` } : {}),
      };
      tx.put(tables.tagData, no, { at: 1, values });
      for (const [fieldNo, one] of Object.entries(values)) world.tag(no).values.set(Number(fieldNo), one);
    };
    return { changeAll };
  }

  const questions: readonly Omit<Question, 'orgNo'>[] = [
    ...['common', 'sometimes', 'rare', 'unseen', 'none', 'o', 'only 17', 'only 1', 'm'].map((q) => ({ q })),
    ...['common', 'unseen', 'only'].map((q) => ({ q, hasData: true })),
    { q: 'common', hasData: false },
    { hasData: true },
    { hasData: false },
    { limit: 3, q: 'rare' },
    { limit: 40, q: 'unseen' },
    { limit: 501 },
  ];

  test.each(questions)('all pages of %j', async (question) => {
    const all = world.expected({ ...question, orgNo: 1, limit: COUNT });
    const pages: number[] = [];
    for (let after: Question['after']; ; ) {
      const page = await world.found({ limit: 501, ...question, orgNo: 1, after });
      pages.push(...page);
      const last = page.at(-1);
      if (last === undefined) break;
      after = { key: world.tag(last).seenAt, no: last };
    }
    expect(pages).toEqual(all);
    await check({ ...question, orgNo: 2 });
  });

  test('after a field was deleted its values are not found any more, although they are still in the records', async () => {
    await check({ orgNo: 1, q: 'common' });
    await world.deleteField(1, field);
    for (const question of questions) await check({ ...question, orgNo: 1 });
    await world.deleteField(1, other);
    for (const question of questions) await check({ ...question, orgNo: 1 });
  });

  test('searches that run at the same time, with others and with writes, all tell the truth', async () => {
    const calm = [...world.tags.keys()].filter((no) => no % 2 === 0);
    const busy = [...world.tags.keys()].filter((no) => no % 2 === 1);
    let round = 0;
    const writes = (async () => {
      for (; round < 30; round++) {
        const part = busy.filter((no) => no % 31 === round);
        await world.folder.store.write((tx) => {
          for (const no of part)
            changeValues(tx, no, {
              changes: new Map([[field, `busy ${round} sometimes`]]),
              now: 5000 + round,
            });
        });
        world.search.warm();
      }
    })();
    const asked = [];
    for (let i = 0; i < 40; i++) {
      const question = { ...pick(questions, i), orgNo: 1, limit: COUNT };
      asked.push(ask(question));
      if (i % 4 === 3) await asked[i - 2];
    }
    for (const { question, found } of await Promise.all(asked)) {
      expect(new Set(found).size).toBe(found.length);
      // What nobody touches must be right throughout.
      const right = calm.filter((no) => world.fits(world.tag(no), question));
      expect(found.filter((no) => no % 2 === 0).toSorted(), JSON.stringify(question)).toEqual(
        right.toSorted(),
      );
    }
    await writes;
  });

  async function ask(question: Question): Promise<{ question: Question; found: readonly number[] }> {
    return { question, found: await world.found(question) };
  }

  test('a page on which something changes while it is read is looked for again', async () => {
    let refusals = 12;
    const take = (tagNo: number) => () => (tagNo % 20 === 0 && refusals-- > 0 ? null : tagNo);
    const query = { orgNo: 1, q: 'sometimes', hasData: undefined, limit: 50, after: undefined, take };
    const found = await world.search.find(query);
    expect(found.map(({ item }) => item)).toEqual(world.expected({ orgNo: 1, q: 'sometimes', limit: 50 }));
    refusals = Number.POSITIVE_INFINITY;
    const rest = (await world.search.find(query)).map(({ item }) => item);
    const odd = world.expected({ orgNo: 1, q: 'sometimes', limit: COUNT }).filter((no) => no % 20 !== 0);
    expect(rest).toEqual(odd.slice(0, 50));
  });

  test('a list without filters does not wait for searches', async () => {
    let searched = false;
    const searches = Promise.all(['none', 'nowhere', 'nothing'].map((q) => world.found({ orgNo: 1, q })));
    const done = searches.then(() => {
      searched = true;
    });
    expect(await world.found({ orgNo: 1 })).toEqual(world.expected({ orgNo: 1 }));
    expect(searched).toBe(false);
    await done;
  });

  test('preparing ahead comes to an end, and begins again after a write', async () => {
    await expect.poll(() => world.search.warm(), { interval: 1 }).toBe(false);
    const [no = 0] = world.tags.keys();
    await world.change(no, new Map([[field, 'fresh']]));
    expect(await world.found({ orgNo: 1, q: 'FRESH' })).toEqual([no]);
  });

  test('keeping up takes in all that was written, which leaves nothing to prepare', async () => {
    await expect.poll(() => world.search.warm(), { interval: 1 }).toBe(false);
    for (const no of [...world.tags.keys()].slice(0, 2000))
      await world.folder.store.write((tx) =>
        changeValues(tx, no, { changes: new Map([[field, 'fresh']]), now: 9000 }),
      );
    await world.search.keepUp();
    // Many stale tags of a block are read by range, few one by one.
    const [single, ranges] = [vi.spyOn(world.folder.store, 'get'), vi.spyOn(world.folder.store, 'range')];
    expect(await world.found({ orgNo: 1, q: 'FRESH' })).toHaveLength(501);
    const read = [...single.mock.calls, ...ranges.mock.calls].map(([table]) => table.name);
    expect(read.filter((name) => name === 'tagData')).toEqual([]);
    single.mockRestore();
    ranges.mockRestore();
  });
});

describe('searches that wait', () => {
  const WAITING_MAX = 64;
  const gone = new Set<string>();
  const find = (q: string) =>
    world.search.find({
      ...{ orgNo: 1, q, hasData: undefined, limit: 5, after: undefined },
      take: (tagNo: number) => () => tagNo,
      isGone: () => gone.has(q),
    });
  const outcome = (found: Promise<unknown>): Promise<unknown> =>
    found.then(
      () => 'found',
      (error) => error,
    );
  const refused = { refusal: { kind: 'unavailable' } };

  beforeEach(() => gone.clear());

  test.each(['x', ''])(`are ${WAITING_MAX} at most, then refused, and taken again later: q=%s`, async (q) => {
    const outcomes = Array.from({ length: WAITING_MAX + 3 }, () => outcome(find(q)));
    const found = Array.from({ length: WAITING_MAX + 1 }, () => 'found');
    expect(await Promise.all(outcomes)).toMatchObject([...found, refused, refused]);
    expect(await outcome(find(q))).toBe('found');
  });

  test('make room where nobody waits for the answer any more, and are never begun', async () => {
    const first = outcome(find('x'));
    const left = Array.from({ length: WAITING_MAX }, () => outcome(find('left')));
    expect(await outcome(find('y'))).toMatchObject(refused);
    gone.add('left');
    expect(await Promise.all([first, outcome(find('y'))])).toEqual(['found', 'found']);
    for (const one of await Promise.all(left)) expect(one).toBeInstanceOf(ClientGone);
  });

  test('a job that fails lets the next one have its turn', async () => {
    const turns = new Turns();
    const fails = outcome(turns.take(() => Promise.reject(new Error('no'))));
    expect(await turns.take(() => 'done')).toBe('done');
    expect(await fails).toMatchObject({ message: 'no' });
  });
});
