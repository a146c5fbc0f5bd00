import type { ClipboardEvent, KeyboardEvent, MouseEvent, SyntheticEvent } from 'react';
import { store, tagAt, targetAt, textAt, typingAt } from './grid-actions.ts';
import { isTyping, moved, type Place } from './grid-keys.ts';
import type { GridProps } from './grid-props.ts';
import type { GridControl } from './use-grid-control.ts';

interface Parts {
  readonly props: GridProps;
  readonly control: GridControl;
  /** Rows that fit into the table. */
  readonly page: number;
}

/** The cell something happened in; null outside of cells, and in a menu that only belongs to one. */
function placeOf({ target, currentTarget }: SyntheticEvent): Place | null {
  if (!(target instanceof Element) || !currentTarget.contains(target)) return null;
  const cell = target.closest<HTMLElement>('[data-col]');
  return cell ? { row: Number(cell.dataset.row), col: Number(cell.dataset.col) } : null;
}

const menuOf = (grid: Element, { col }: Place) =>
  grid.querySelector<HTMLElement>(`[data-row="-1"][data-col="${col}"] button`);

// What a cell is for: its link, its menu, its tick, or typing.
function enter({ props, control }: Parts, event: KeyboardEvent, at: Place): void {
  const kind = props.columns[at.col]?.kind;
  const tag = tagAt(props, at);
  if (kind === 'select') control.choose(at.row, event.shiftKey);
  else if (at.row < 0) menuOf(event.currentTarget, at)?.click();
  else if (kind === 'epc' && tag) props.onOpen(tag.epc);
  else control.type(at);
}

function clear({ props }: Parts, at: Place): void {
  const typing = typingAt(props, at);
  if (typing) store(props, typing, '');
}

function onCharacter(parts: Parts, event: KeyboardEvent, at: Place): void {
  const { props, control } = parts;
  if (event.key === ' ' && (event.shiftKey || !targetAt(props, at))) control.choose(at.row, false);
  else control.type(at, event.key === ' ' ? undefined : event.key);
}

function onKey(parts: Parts, event: KeyboardEvent, at: Place): boolean {
  const { props, control, page } = parts;
  const to = moved(at, event, { rows: props.list.count, cols: props.columns.length, page });
  if (to) control.go(to);
  else if (event.key === 'Enter' || event.key === 'F2') enter(parts, event, at);
  else if (event.key === 'Delete' || event.key === 'Backspace') clear(parts, at);
  else if (event.key === 'z' && (event.ctrlKey || event.metaKey)) props.onUndo();
  else if (isTyping(event)) onCharacter(parts, event, at);
  else return false;
  return true;
}

function onClick({ props, control }: Parts, event: MouseEvent, at: Place): void {
  const { active, typing } = control;
  if (typing && at.row === active.row && at.col === active.col) return;
  const isLink = event.target instanceof Element && event.target.closest('a, button') !== null;
  if (isLink) return;
  if (props.columns[at.col]?.kind === 'select') control.choose(at.row, event.shiftKey);
  // A second click on a cell writes into it, so that a finger can, too.
  else if (event.detail > 1 || (active.row === at.row && active.col === at.col)) control.type(at);
  control.go(at);
}

function onPaste({ control }: Parts, event: ClipboardEvent, at: Place): void {
  const text = event.clipboardData.getData('text/plain').replace(/\r?\n$/, '');
  if (text) control.type(at, text);
}

/** The handlers of the table, which are one each for all of its cells. */
export function gridHandlers(parts: Parts) {
  return {
    onKeyDown: (event: KeyboardEvent) => {
      const at = placeOf(event);
      if (at && !event.nativeEvent.isComposing && onKey(parts, event, at)) event.preventDefault();
    },
    onClick: (event: MouseEvent) => {
      const at = placeOf(event);
      if (at) onClick(parts, event, at);
    },
    // A row of text is not to be marked while a range of rows is chosen.
    onMouseDown: (event: MouseEvent) => {
      if (event.shiftKey && placeOf(event)) event.preventDefault();
    },
    onCopy: (event: ClipboardEvent) => {
      const at = placeOf(event);
      if (!at || document.getSelection()?.isCollapsed === false) return;
      event.clipboardData.setData('text/plain', textAt(parts.props, at));
      event.preventDefault();
    },
    onPaste: (event: ClipboardEvent) => {
      const at = placeOf(event);
      if (!at) return;
      onPaste(parts, event, at);
      event.preventDefault();
    },
  };
}
