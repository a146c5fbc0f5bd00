import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useIsPhone } from '../../ui/use-is-phone.ts';
import { type Column, leftsOf, STICKY } from './columns.ts';
import type { Place } from './grid-keys.ts';
import type { ShownColumn } from './grid-row.tsx';
import type { TagList, Window } from './tag-list.ts';
import { useRowScroll } from './use-row-scroll.ts';

/** Rows shown as being loaded after the last one. */
const WAITING = 8;
/** The list hears of the window in steps of so many rows, not of every row. */
const STEP = 50;

interface ViewProps {
  readonly list: TagList;
  readonly columns: readonly Column[];
  readonly onWindow: (window: Window) => void;
}

const withOne = (range: Range, ...always: readonly number[]) =>
  [...new Set([...always.filter((i) => i >= 0 && i < range.count), ...defaultRangeExtractor(range)])].sort(
    (a, b) => a - b,
  );

/** Which rows and columns are in view. The cell that keys act on always is there, else the focus would be lost with it. */
export function useGridView({ list, columns, onWindow }: ViewProps) {
  const box = useRef<HTMLDivElement>(null);
  const [wanted, setActive] = useState<Place>({ row: 0, col: 1 });
  const lefts = useMemo(() => leftsOf(columns), [columns]);
  const width = lefts.at(-1) ?? 0;
  // On a narrow screen the EPC moves, as in grid.module.css.
  const isPhone = useIsPhone();
  const stickyWidth = lefts[isPhone ? 1 : STICKY] ?? 0;
  const waiting = list.isComplete ? 0 : WAITING;
  const count = list.count + waiting;
  // A list that got shorter still has a cell that keys act on.
  const active = wanted.row < count ? wanted : { ...wanted, row: count - 1 };
  const rows = useRowScroll(box, count, active.row);
  const across = useVirtualizer({
    horizontal: true,
    count: columns.length,
    getScrollElement: () => box.current,
    estimateSize: (index) => columns[index]?.width ?? 0,
    getItemKey: (index) => columns[index]?.key ?? index,
    scrollPaddingStart: stickyWidth,
    overscan: 2,
    rangeExtractor: (range) => withOne(range, 0, 1, active.col),
  });
  const shownKey = across
    .getVirtualItems()
    .map(({ index }) => index)
    .join();
  // The same array as long as the same columns are in view, so that rows are not drawn again.
  const shown = useMemo(
    () => shownKey.split(',').flatMap((i) => shownColumn(columns, lefts, Number(i))),
    [shownKey, columns, lefts],
  );
  const first = Math.floor(rows.first / STEP) * STEP;
  const last = Math.ceil(rows.last / STEP) * STEP;
  useEffect(() => onWindow({ first, last }), [first, last, onWindow]);
  return {
    box,
    active,
    setActive,
    width,
    height: rows.height,
    rows: rows.rows,
    columns: shown,
    page: rows.page,
    show: ({ row, col }: Place) => {
      if (row >= 0) rows.show(row);
      if (col > 0) across.scrollToIndex(col);
    },
  };
}

export type GridView = ReturnType<typeof useGridView>;

function shownColumn(columns: readonly Column[], lefts: readonly number[], index: number): ShownColumn[] {
  const column = columns[index];
  return column ? [{ column, index, left: lefts[index] ?? 0 }] : [];
}
