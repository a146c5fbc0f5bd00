import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Field } from '../../src/contract/field.ts';
import {
  type Anchor,
  CHOSEN_MAX,
  choose,
  isAllChosen,
  span,
  toggle,
} from '../../src/hub/pages/tags/chosen.ts';
import { columnsOf, leftsOf } from '../../src/hub/pages/tags/columns.ts';
import { epcOf, safeUrl } from '../../src/hub/pages/tags/epc-input.ts';
import { isTyping, moved, nextEditable } from '../../src/hub/pages/tags/grid-keys.ts';
import { LIVE_MAX, LiveRows } from '../../src/hub/pages/tags/live-rows.ts';
import type { TagList } from '../../src/hub/pages/tags/tag-list.ts';
import { listedTag } from '../support/listed-tag.ts';

const key = (name: string, ctrlKey = false) => ({ key: name, ctrlKey, metaKey: false, altKey: false });
const extent = { rows: 100, cols: 8, page: 20 };
const keys = ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'Home', 'End', 'PageUp', 'PageDown'];

describe('keys of the table', () => {
  test('arrows move by one cell, Home and End along the row, with Ctrl to the corners', () => {
    const from = { row: 5, col: 3 };
    expect(moved(from, key('ArrowUp'), extent)).toEqual({ row: 4, col: 3 });
    expect(moved(from, key('End'), extent)).toEqual({ row: 5, col: 7 });
    expect(moved(from, key('Home', true), extent)).toEqual({ row: 0, col: 0 });
    expect(moved(from, key('End', true), extent)).toEqual({ row: 99, col: 7 });
    expect(moved(from, key('PageDown'), extent)).toEqual({ row: 25, col: 3 });
    expect(moved(from, key('x'), extent)).toBeNull();
  });

  test('no key leaves the table, whose headings are above its first row', () => {
    const place = fc.record({ row: fc.integer({ min: -1, max: 99 }), col: fc.integer({ min: 0, max: 7 }) });
    fc.assert(
      fc.property(place, fc.constantFrom(...keys), fc.boolean(), (from, name, isFar) => {
        const to = moved(from, key(name, isFar), extent);
        expect(to?.row).toBeGreaterThanOrEqual(-1);
        expect(to?.row).toBeLessThan(100);
        expect(to?.col).toBeGreaterThanOrEqual(0);
        expect(to?.col).toBeLessThan(8);
      }),
    );
  });

  test('Tab goes on to the next cell that can be written into', () => {
    const canEdit = [false, false, true, false, true];
    expect(nextEditable(canEdit, 2, false)).toBe(4);
    expect(nextEditable(canEdit, 4, true)).toBe(2);
    expect(nextEditable(canEdit, 4, false)).toBeNull();
  });

  test('a character begins typing, a shortcut or a named key does not', () => {
    expect(isTyping(key('ä'))).toBe(true);
    expect(isTyping(key('😀'))).toBe(true);
    expect(isTyping(key('c', true))).toBe(false);
    expect(isTyping(key('Escape'))).toBe(false);
  });
});

describe('columns', () => {
  const field = (id: string, displayOrder: number, isLabel = false): Field => ({
    id,
    key: id,
    label: id,
    dataType: 'text',
    options: null,
    displayOrder,
    showInTable: true,
    isLabel,
  });

  test('the name stands beside the EPC, the others in their order, without those that are hidden', () => {
    const fields = [field('b', 1), field('a', 0), field('name', 2, true), field('c', 3)];
    const columns = columnsOf(fields, new Set(['c']));
    expect(columns.map((column) => column.field?.id ?? column.kind)).toEqual([
      'select',
      'epc',
      'name',
      'zone',
      'seen',
      'a',
      'b',
    ]);
    expect(leftsOf(columns).slice(0, 3)).toEqual([0, 44, 284]);
  });
});

describe('choosing rows', () => {
  test('a range goes either way, and is no more than one call can delete', () => {
    expect(span(5, 2)).toEqual([2, 3, 4, 5]);
    const many = Array.from({ length: CHOSEN_MAX + 5 }, (_, i) => String(i));
    expect(choose(new Set(), many, false).size).toBe(CHOSEN_MAX);
    expect([...choose(new Set(['a', 'b']), ['a'], true)]).toEqual(['b']);
  });
});

describe('choosing in the table', () => {
  const rows = ['A', 'B', null, 'D', 'E'].map((epc) => epc && listedTag(epc));
  const list: TagList = {
    count: rows.length,
    isComplete: true,
    error: null,
    retry: () => undefined,
    at: (index) => rows[index] || undefined,
    loaded: () => rows.filter((tag) => tag !== null && tag !== ''),
  };
  const choosing = (row: number, from: Anchor | null, chosen: readonly string[] = []) => {
    const calls: unknown[] = [];
    const onChoose = (epcs: readonly string[], off: boolean) => calls.push(epcs.join(''), off);
    return [toggle({ list, chosen: new Set(chosen), onChoose }, row, from), ...calls];
  };

  test('a range is chosen whole, or not at all where its rows are not loaded', () => {
    expect(choosing(4, { row: 3, epc: 'D' })).toEqual([true, 'DE', false]);
    expect(choosing(0, { row: 1, epc: undefined })).toEqual([true, 'AB', false]);
    expect(choosing(4, { row: 1, epc: 'B' })).toEqual([false, 'E', false]);
  });

  test('a range does not begin in a row where another tag stands by now', () => {
    expect(choosing(1, { row: 0, epc: 'X' })).toEqual([false, 'B', false]);
  });

  test('the tick above all is set when all that are loaded are chosen, and takes them back', () => {
    expect(choosing(-1, null)).toEqual([true, 'ABDE', false]);
    expect(choosing(-1, null, ['A', 'B', 'D', 'E', 'Z'])).toEqual([true, 'ABDE', true]);
    expect(isAllChosen({ list, chosen: new Set(['A', 'Z']) })).toBe(false);
  });
});

describe('what the stream says', () => {
  const read = (epc: string, lastSeen: string) =>
    ({
      type: 'tag_read',
      data: { epc, tagId: '', readerId: '', antennaPort: 1, lastSeen, readCount: 1 },
    }) as const;
  const move = (epc: string, at: string, from?: string) =>
    ({
      type: 'tag_moved',
      data: { epc, tagId: '', toZoneId: 'z', zoneName: 'Dock', at, ...(from && { fromZoneId: from }) },
    }) as const;

  test('a read tells when, a move where too; an older time does not go before a newer one', () => {
    const rows = new LiveRows();
    rows.take({ events: [move('A', '2026-01-01T00:00:02Z', 'y'), read('A', '2026-01-01T00:00:01Z')] });
    expect(rows.read('A')).toEqual({ lastSeenAt: '2026-01-01T00:00:02Z', zoneName: 'Dock' });
    expect(rows.fresh).toBe(0);
  });

  test('who looks at a tag is told once per frame, and of no other', () => {
    const rows = new LiveRows();
    const told: string[] = [];
    const off = rows.listen('A', () => told.push('A'));
    rows.listen('B', () => told.push('B'));
    rows.take({ events: [read('A', '1'), read('A', '2'), read('C', '1')] });
    off();
    rows.take({ events: [read('A', '3')] });
    expect(told).toEqual(['A']);
  });

  test('tags placed for the first time are counted until the list is loaded again', () => {
    const rows = new LiveRows();
    rows.take({ events: [move('A', '1'), move('A', '2'), move('B', '1', 'y')] });
    expect(rows.fresh).toBe(1);
    rows.forget();
    expect([rows.fresh, rows.read('A')]).toEqual([0, undefined]);
  });

  test('what is kept does not grow without end: the tag not heard of for longest goes', () => {
    const rows = new LiveRows();
    rows.take({ events: Array.from({ length: LIVE_MAX + 1 }, (_, i) => read(`E${i}`, '1')) });
    expect([rows.read('E0'), rows.read('E1')?.lastSeenAt]).toEqual([undefined, '1']);
  });
});

describe('text from outside', () => {
  test('an EPC is taken as it is printed; what is none is not', () => {
    expect(epcOf(' 3034-257b f468:d480 ')).toBe('3034257BF468D480');
    expect(epcOf('import')).toBeNull();
    expect(epcOf('1234567')).toBeNull();
  });

  test('only addresses of the web become links', () => {
    expect(safeUrl('https://example.org/a')).toBe('https://example.org/a');
    for (const bad of ['javascript:alert(1)', ' data:text/html,x', 'ftp://example.org', 'plain text', ''])
      expect(safeUrl(bad)).toBeNull();
  });
});
