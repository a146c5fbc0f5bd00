import type { TagMovedEvent } from '../../../contract/events.ts';

/** Moves kept for the list of the last ones. */
export const MOVES_KEPT = 30;

/** A move as it arrived: `basis` is when the counts were answered that were shown then, epoch ms. */
export interface HeardMove {
  readonly no: number;
  readonly basis: number;
  readonly move: TagMovedEvent;
}

/** What moves since the last answer change about the counts, how often each zone changed, and the last moves, newest first. */
export interface Moves {
  readonly basis: number;
  readonly deltas: ReadonlyMap<string, number>;
  /** Grows with every change of a zone, so that it can be shown that there was one. */
  readonly changes: ReadonlyMap<string, number>;
  readonly last: readonly HeardMove[];
}

export const noMoves: Moves = { basis: 0, deltas: new Map(), changes: new Map(), last: [] };

/** The state after these moves, oldest first. Moves from before the newest answer are in its counts already. */
export function withMoves(moves: Moves, heard: readonly HeardMove[], basis: number): Moves {
  const deltas = new Map(moves.basis === basis ? moves.deltas : []);
  const changes = new Map(moves.changes);
  const add = (counts: Map<string, number>, zoneId: string, by: number) =>
    counts.set(zoneId, (counts.get(zoneId) ?? 0) + by);
  for (const { move, basis: of } of heard) {
    const { fromZoneId, toZoneId } = move;
    add(changes, toZoneId, 1);
    if (fromZoneId) add(changes, fromZoneId, 1);
    if (of !== basis) continue;
    add(deltas, toZoneId, 1);
    if (fromZoneId) add(deltas, fromZoneId, -1);
  }
  const newest = heard.slice(-MOVES_KEPT).toReversed();
  return { basis, deltas, changes, last: [...newest, ...moves.last].slice(0, MOVES_KEPT) };
}

/** How many are in a zone: as answered at `basis`, and what moved since; never below nothing, since who left unseen may move too. */
export function countIn(total: number, zoneId: string, { moves, basis }: { moves: Moves; basis: number }) {
  const delta = moves.basis === basis ? (moves.deltas.get(zoneId) ?? 0) : 0;
  return Math.max(0, total + delta);
}
