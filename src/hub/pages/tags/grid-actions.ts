import type { Field } from '../../../contract/field.ts';
import type { Tag } from '../../../contract/tag.ts';
import type { After } from './grid-context.ts';
import { nextEditable, type Place } from './grid-keys.ts';
import type { GridProps } from './grid-props.ts';

/** The cell that is typed into. It is known by its tag, so that a list that changes meanwhile does no harm. */
export interface Typing {
  readonly epc: string;
  readonly field: Field;
  readonly before: string;
  /** What the field for typing begins with. */
  readonly start: string;
}

interface Target {
  readonly tag: Tag;
  readonly field: Field;
}

export function tagAt({ list }: GridProps, { row }: Place): Tag | undefined {
  return row < 0 ? undefined : list.at(row);
}

/** The tag and the field of a cell that can be written into. */
export function targetAt(props: GridProps, at: Place): Target | null {
  const tag = tagAt(props, at);
  const field = props.columns[at.col]?.field;
  return tag && field && props.canWrite ? { tag, field } : null;
}

/** What is copied from a cell. */
export function textAt(props: GridProps, at: Place): string {
  const tag = tagAt(props, at);
  const column = props.columns[at.col];
  if (!column) return '';
  if (!tag) return column.field?.label ?? '';
  if (column.field) return tag.attributes[column.field.key] ?? '';
  if (column.kind === 'zone') return tag.zoneName ?? '';
  return column.kind === 'seen' ? (tag.lastSeenAt ?? '') : tag.epc;
}

/** Where typing begins in a cell: with `start`, else with what was refused there, else with its value. Null: not there. */
export function typingAt(props: GridProps, at: Place, start?: string): Typing | null {
  const target = targetAt(props, at);
  if (!target) return null;
  const { tag, field } = target;
  const edit = props.edits.get(tag.epc)?.get(field.key);
  // A value that is on its way is waited for.
  if (edit?.reason === null) return null;
  const before = tag.attributes[field.key] ?? '';
  return { epc: tag.epc, field, before, start: start ?? edit?.text ?? before };
}

/** Stores what was typed; back to what is stored there is nothing to send, and nothing refused any more. */
export function store(props: GridProps, { epc, field, before }: Typing, text: string): void {
  if (text === before) props.onDrop(epc, field.key);
  else props.onWrite({ epc, field, before, text });
}

/** Where the cell to act on is after a value was typed. */
export function placeAfter({ columns, list }: GridProps, { row, col }: Place, how: After): Place {
  if (how === 'down') return { row: Math.min(row + 1, list.count - 1), col };
  const canEdit = columns.map(({ field }) => field !== null);
  return { row, col: nextEditable(canEdit, col, how === 'left') ?? col };
}
