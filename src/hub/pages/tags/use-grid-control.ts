import { notifications } from '@mantine/notifications';
import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useText } from '../../text/language.ts';
import { tagsText } from '../../text/tags.ts';
import { type Anchor, toggle } from './chosen.ts';
import { placeAfter, store, type Typing, typingAt } from './grid-actions.ts';
import type { After } from './grid-context.ts';
import type { Place } from './grid-keys.ts';
import type { GridProps } from './grid-props.ts';
import type { GridView } from './use-grid-view.ts';

/** What can be done in the table, for its keys and clicks. */
export interface GridControl {
  readonly active: Place;
  readonly typing: Typing | null;
  /** Makes a cell the one to act on, and shows it. */
  readonly go: (to: Place) => void;
  /** Begins typing in a cell; nothing happens where nothing can be written. */
  readonly type: (at: Place, start?: string) => void;
  readonly commit: (text: string, how: After) => void;
  readonly cancel: () => void;
  readonly choose: (row: number, toAnchor: boolean) => void;
}

const isSame = (a: Place, b: Place) => a.row === b.row && a.col === b.col;

/** Gives the cell to act on the focus once it is drawn, when that was asked for or its row went with the end of the list. */
function useFocus({ active, box }: GridView, isTyping: boolean): () => void {
  const isWanted = useRef(false);
  const row = useRef(active.row);
  useLayoutEffect(() => {
    if (row.current !== active.row && document.activeElement === document.body) isWanted.current = true;
    row.current = active.row;
    if (!isWanted.current || isTyping) return;
    const cell = box.current?.querySelector<HTMLElement>(
      `[data-row="${active.row}"][data-col="${active.col}"]`,
    );
    if (!cell) return;
    isWanted.current = false;
    cell.focus({ preventScroll: true });
  });
  return () => {
    isWanted.current = true;
  };
}

/** The cell that is acted on, the one that is typed into, and how they change. */
export function useGridControl(props: GridProps, view: GridView): GridControl {
  const { active, setActive } = view;
  const [typing, setTyping] = useState<Typing | null>(null);
  const focusNext = useFocus(view, typing !== null);
  const anchor = useRef<Anchor>({ row: 0, epc: undefined });
  const text = useText(tagsText);
  const go = (to: Place) => {
    focusNext();
    if (!isSame(to, active)) setActive(to);
    view.show(to);
  };
  return {
    active,
    typing,
    go,
    type: (at, start) => {
      const next = typingAt(props, at, start);
      if (!next) return;
      setActive(at);
      setTyping(next);
    },
    commit: (value, how) => {
      if (!typing) return;
      setTyping(null);
      store(props, typing, value);
      if (how !== 'stay') go(placeAfter(props, active, how));
    },
    cancel: () => {
      setTyping(null);
      go(active);
    },
    choose: (row, toAnchor) => {
      const isWhole = toggle(props, row, toAnchor ? anchor.current : null);
      anchor.current = { row, epc: props.list.at(row)?.epc };
      if (!isWhole) notifications.show({ message: text.rangeNotLoaded });
    },
  };
}

/** The same functions as long as the table is there, so that rows are not drawn again for new ones. */
export function useSteady({ commit, cancel }: GridControl): Pick<GridControl, 'commit' | 'cancel'> {
  const latest = useRef({ commit, cancel });
  useLayoutEffect(() => {
    latest.current = { commit, cancel };
  });
  return useMemo(
    () => ({
      commit: (text: string, how: After) => latest.current.commit(text, how),
      cancel: () => latest.current.cancel(),
    }),
    [],
  );
}
