import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Tag } from '../../src/contract/tag.ts';
import {
  type Answer,
  changed,
  extentOf,
  isEnoughBefore,
  NOTHING,
  type Question,
  questionFor,
  rowsOf,
  type Stretch,
  taken,
} from '../../src/hub/pages/tags/placed-pieces.ts';
import { listedTag } from '../support/listed-tag.ts';

/** Tags as the appliance lists them: those seen last come first, then those never seen, the newest first. */
class Listed {
  tags: readonly Tag[];
  #clock = 0;

  constructor(count: number, seen: number) {
    const never = Array.from({ length: count }, (_, i) => tagOf(count - i, null));
    this.tags = never;
    for (let i = 0; i < seen; i++) this.read(count - 1);
  }

  get total(): number {
    return this.tags.length;
  }

  /** The tag at a rank is read. */
  read(rank: number): void {
    const tag = this.tags[rank % this.total];
    if (!tag) return;
    this.#clock += 1;
    this.tags = [{ ...tag, lastSeenAt: timeOf(this.#clock) }, ...this.tags.filter((one) => one !== tag)];
  }

  add(): void {
    this.#clock += 1;
    this.tags = [tagOf(1_000_000 + this.#clock, timeOf(this.#clock)), ...this.tags];
  }

  delete(from: number, count: number): void {
    this.tags = this.tags.toSpliced(from, count);
  }

  /** Pages go on from a tag, in the order in which it stood when it was answered. */
  answer(question: Question, known: Stretch): Answer {
    if (question.kind === 'after') return { ...this.#page(question.path), path: question.path, total: null };
    const { kind, offset, limit } = question;
    const before = this.tags[Math.min(offset, this.total) - 1];
    const path = `${limit} ${before ? keyOf(before) : ''}`;
    let { items, next } = this.#page(path);
    while (kind === 'before' && next !== null && !isEnoughBefore(known, offset, items)) {
      const more = this.#page(next);
      items = [...items, ...more.items];
      next = more.next;
    }
    return { path, items, next, total: offset === 0 ? null : this.total };
  }

  #page(path: string): Pick<Answer, 'items' | 'next'> {
    const [limit = '', after = ''] = path.split(' ', 2);
    const below = after === '' ? this.tags : this.tags.filter((tag) => keyOf(tag) < after);
    const items = below.slice(0, Number(limit));
    const last = items.at(-1);
    return { items, next: last && below.length > items.length ? `${limit} ${keyOf(last)}` : null };
  }
}

const timeOf = (clock: number) => new Date(1_772_000_000_000 + clock).toISOString();
const epcOf = (no: number) => String(no).padStart(8, '0');
const keyOf = ({ lastSeenAt, epc }: Tag) => `${lastSeenAt ?? '-'},${epc}`;

const tagOf = (no: number, lastSeenAt: string | null): Tag => listedTag(epcOf(no), lastSeenAt);

const windowAt = (first: number, { total }: Listed) => {
  const at = Math.min(first, Math.max(0, total - 40));
  return { first: at, last: at + 40 };
};

function step(known: Stretch, list: Listed, first: number): Stretch | null {
  const window = windowAt(first, list);
  const question = questionFor(known, window);
  return question && taken(known, { question, answer: list.answer(question, known) }, window);
}

/** Asks as long as there is something to ask for. */
function looked(known: Stretch, list: Listed, first: number): Stretch {
  let now = known;
  for (let turn = 0; turn < 50; turn++) {
    const next = step(now, list, first);
    if (!next) return now;
    now = next;
  }
  throw new Error('it never ends');
}

const epcsOf = (tags: readonly Tag[]) => tags.map(({ epc }) => epc);
const at = (known: Stretch, index: number) => rowsOf(known)[index - known.start]?.epc;

const sizes = fc.record({ count: fc.integer({ min: 0, max: 3000 }), seen: fc.nat({ max: 50 }) });
const places = fc.array(fc.nat({ max: 3200 }), { minLength: 1, maxLength: 8 });

describe('the list of all tags', () => {
  test('wherever it is looked at, the rows are those of the list, each at its place', () => {
    fc.assert(
      fc.property(sizes, places, ({ count, seen }, path) => {
        const list = new Listed(count, seen);
        let known = NOTHING;
        for (const first of path) {
          known = looked(known, list, first);
          const rows = rowsOf(known);
          expect(epcsOf(rows)).toEqual(epcsOf(list.tags.slice(known.start, known.start + rows.length)));
          const { first: from, last } = windowAt(first, list);
          expect(known.start).toBeLessThanOrEqual(from);
          expect(known.start + rows.length).toBeGreaterThanOrEqual(Math.min(last, count));
          expect(extentOf(known, count)).toEqual({ count, isComplete: true });
        }
      }),
      { numRuns: 40 },
    );
  });

  const change = fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('look'), at: fc.nat({ max: 3000 }) }) },
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('scroll'), at: fc.integer({ min: -300, max: 200 }) }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('read'), at: fc.nat({ max: 3000 }) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('add'), at: fc.nat({ max: 400 }) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete'), at: fc.nat({ max: 3000 }) }) },
  );

  function apply(list: Listed, { kind, at: by }: { readonly kind: string; readonly at: number }): void {
    if (kind === 'read') for (let i = 0; i < 40; i++) list.read(by + 7 * i);
    if (kind === 'add') for (let i = 0; i < by; i++) list.add();
    if (kind === 'delete') list.delete(by, 150);
  }

  test('no tag stands in two rows, whatever is read, added and deleted while it is scrolled', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
        const list = new Listed(1500, 30);
        let [known, first] = [NOTHING, 400];
        for (const one of changes) {
          // Those that are looked at are the ones that can come back elsewhere.
          if (one.kind === 'read') for (let i = 0; i < 40; i++) list.read(first + 40);
          else apply(list, one);
          if (one.kind === 'look') [known, first] = [NOTHING, one.at % 1200];
          if (one.kind === 'scroll') first = Math.max(0, first + one.at);
          known = looked(known, list, first);
          const epcs = epcsOf(rowsOf(known));
          expect(new Set(epcs).size).toBe(epcs.length);
          const window = windowAt(first, list);
          expect(known.start).toBeLessThanOrEqual(window.first);
          const end = known.start + epcs.length;
          expect(end).toBeGreaterThanOrEqual(Math.min(window.last, extentOf(known, list.total).count));
        }
      }),
      { numRuns: 30 },
    );
  });

  test('tags that were read since stand where they were, and not in the rows before as well', () => {
    const list = new Listed(1500, 0);
    let known = looked(NOTHING, list, 700);
    const read = epcsOf(list.tags.slice(700, 720));
    for (let i = 0; i < 20; i++) list.read(719);
    for (const first of [500, 300, 100, 0]) known = looked(known, list, first);
    const rows = epcsOf(rowsOf(known));
    expect(known.start).toBe(0);
    expect(new Set(rows).size).toBe(rows.length);
    expect(rows.slice(700, 720)).toEqual(read);
  });

  test('a row keeps its place while the list is scrolled and tags are read and added', () => {
    const moves = fc.array(
      change.filter(({ kind }) => kind !== 'look' && kind !== 'delete'),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(fc.nat({ max: 2400 }), moves, (begin, changes) => {
        const list = new Listed(2500, 30);
        let first = begin;
        let known = looked(NOTHING, list, first);
        for (const one of changes) {
          apply(list, one);
          if (one.kind === 'scroll') first = Math.max(0, Math.min(2400, first + one.at));
          const seen = [first, first + 40].map((index) => [index, at(known, index)] as const);
          known = looked(known, list, first);
          for (const [index, epc] of seen) if (epc) expect(at(known, index)).toBe(epc);
        }
      }),
      { numRuns: 30 },
    );
  });

  test('rows upwards run on from those that are known, although tags were read meanwhile', () => {
    const list = new Listed(3000, 0);
    const order = epcsOf(list.tags);
    let known = looked(NOTHING, list, 2000);
    for (let i = 0; i < 90; i++) list.add();
    for (const first of [1800, 1600]) known = looked(known, list, first);
    expect(known.start).toBeLessThan(1600);
    expect(epcsOf(rowsOf(known)).slice(0, 800)).toEqual(order.slice(known.start, known.start + 800));
  });

  test('at the beginning the first rows are the first tags', () => {
    const list = new Listed(3000, 0);
    let known = looked(NOTHING, list, 700);
    expect(known.start).toBeGreaterThan(0);
    for (let i = 0; i < 90; i++) list.add();
    for (const first of [500, 300, 100, 0]) known = looked(known, list, first);
    expect(known.start).toBe(0);
    expect(epcsOf(rowsOf(known)).slice(0, 90)).toEqual(epcsOf(list.tags).slice(0, 90));
  });

  test('where tags before were deleted, the rows move up by as many', () => {
    const list = new Listed(3000, 0);
    let known = looked(NOTHING, list, 500);
    expect(known.start).toBe(200);
    list.delete(0, 90);
    known = step(known, list, 300) ?? NOTHING;
    expect(epcsOf(rowsOf(known)).slice(0, 300)).toEqual(epcsOf(list.tags).slice(0, 300));
    expect(known.start).toBe(0);
  });

  test('what is far away is let go, and asked for again', () => {
    const list = new Listed(20_000, 0);
    let known = NOTHING;
    for (let first = 0; first < 16_000; first += 400) known = looked(known, list, first);
    expect(known.start).toBeGreaterThan(10_000);
    expect(rowsOf(known).length).toBeLessThan(6000);
    for (let first = 16_000; first > 0; first -= 200) known = looked(known, list, first);
    const rows = epcsOf(rowsOf(known));
    expect(rows.length).toBeLessThan(6000);
    expect(rows).toEqual(epcsOf(list.tags).slice(known.start, known.start + rows.length));
  });

  test('beyond the end of a list that got shorter, another place is asked for', () => {
    const list = new Listed(1000, 0);
    const question = { kind: 'at', offset: 5000, limit: 500 } as const;
    const answer = list.answer(question, NOTHING);
    const known = taken(NOTHING, { question, answer }, { first: 5000, last: 5040 });
    expect([extentOf(known, answer.total), rowsOf(known)]).toEqual([{ count: 1000, isComplete: true }, []]);
  });

  test('how many rows there are is not known before it was told', () => {
    const list = new Listed(1000, 0);
    expect(extentOf(NOTHING, null)).toEqual({ count: 0, isComplete: false });
    expect(extentOf(NOTHING, 0)).toEqual({ count: 0, isComplete: false });
    const known = step(NOTHING, list, 0) ?? NOTHING;
    expect(extentOf(known, null)).toEqual({ count: 500, isComplete: false });
    expect(extentOf(known, 1000)).toEqual({ count: 1000, isComplete: true });
  });

  test('a change of rows leaves the others as they are', () => {
    const known = looked(NOTHING, new Listed(100, 0), 0);
    expect(changed(known, (tag) => tag)).toBe(known);
    const fewer = changed(known, (tag) => (tag.epc === epcOf(100) ? null : tag));
    expect([at(fewer, 0), extentOf(fewer, 100).count]).toEqual([epcOf(99), 99]);
  });
});
