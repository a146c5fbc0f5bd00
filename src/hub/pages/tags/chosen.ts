import type { TagList } from './tag-list.ts';

/** So many tags one call can delete. */
export const CHOSEN_MAX = 10_000;

export type Chosen = ReadonlySet<string>;

/** The choice with these EPCs in it, or (`off`) out of it. What goes over `CHOSEN_MAX` is left out. */
export function choose(chosen: Chosen, epcs: readonly string[], off: boolean): Chosen {
  const next = new Set(chosen);
  for (const epc of epcs)
    if (off) next.delete(epc);
    else if (next.size < CHOSEN_MAX) next.add(epc);
  return next;
}

/** The row numbers from one to another, whichever is first. */
export function span(from: number, to: number): readonly number[] {
  const low = Math.min(from, to);
  return Array.from({ length: Math.abs(to - from) + 1 }, (_, i) => low + i);
}

interface Choosing {
  readonly list: TagList;
  readonly chosen: Chosen;
  readonly onChoose: (epcs: readonly string[], off: boolean) => void;
}

/** Whether all tags that are loaded are chosen, and there are some. */
export function isAllChosen({ list, chosen }: Omit<Choosing, 'onChoose'>): boolean {
  if (chosen.size === 0) return false;
  const all = list.loaded();
  return all.length > 0 && all.every(({ epc }) => chosen.has(epc));
}

/** The row a range begins in, and the tag that was chosen there; undefined: whichever it is. */
export interface Anchor {
  readonly row: number;
  readonly epc: string | undefined;
}

/**
 * Chooses the row, or (`from` given) all rows from that one to it; in the row of headings all rows that are loaded. Answers
 * false where a range is not known wholly: then the row alone is chosen.
 */
export function toggle(props: Choosing, row: number, from: Anchor | null): boolean {
  const { list, chosen, onChoose } = props;
  if (row < 0) {
    const all = list.loaded().map(({ epc }) => epc);
    onChoose(all, isAllChosen(props));
    return true;
  }
  const epc = list.at(row)?.epc;
  if (!epc) return true;
  const range = from && rangeOf(list, from, row);
  onChoose(range ?? [epc], from === null && chosen.has(epc));
  return from === null || range !== null;
}

function rangeOf(list: TagList, from: Anchor, to: number): readonly string[] | null {
  // What was chosen there may stand elsewhere, when the list was loaded again.
  if (from.epc !== undefined && list.at(from.row)?.epc !== from.epc) return null;
  const rows = span(from.row, to);
  const epcs = rows.flatMap((row) => list.at(row)?.epc ?? []);
  return epcs.length === rows.length ? epcs : null;
}
