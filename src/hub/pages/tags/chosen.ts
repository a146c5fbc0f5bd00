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
