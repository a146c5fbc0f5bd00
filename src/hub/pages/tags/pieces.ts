import type { Tag } from '../../../contract/tag.ts';

/** A piece of the list: where it is asked for, and what is known of it once it was answered. */
export interface Piece {
  readonly path: string;
  /** Rows in it; 0 before the first answer. */
  readonly rows: number;
  /** Path of the piece after it; null at the end; undefined before the first answer. */
  readonly next: string | null | undefined;
  /** `lastSeenAt` of its last row at the first answer. */
  readonly end: string | null;
}

export const newPiece = (path: string): Piece => ({ path, rows: 0, next: undefined, end: null });

/**
 * The rows of a piece that was let go and asked for again: tags read meanwhile are at the front now, so others have moved
 * up into it that belong to the pieces after it. They are left out.
 */
export function rowsWithin(piece: Piece, rows: readonly Tag[]): readonly Tag[] {
  const { end } = piece;
  if (piece.next === undefined || piece.next === null || end === null) return rows;
  return rows.filter(({ lastSeenAt }) => lastSeenAt !== null && lastSeenAt >= end);
}

/** The pieces with an answer for the one at `path` taken in; the same array when nothing changes. */
export function answered(
  pieces: readonly Piece[],
  path: string,
  answer: { readonly items: readonly Tag[]; readonly next: string | null },
): readonly Piece[] {
  const at = pieces.findIndex((piece) => piece.path === path);
  const piece = pieces[at];
  if (!piece) return pieces;
  const rows = rowsWithin(piece, answer.items).length;
  if (piece.next !== undefined) return piece.rows === rows ? pieces : pieces.with(at, { ...piece, rows });
  const end = answer.items.at(-1)?.lastSeenAt ?? null;
  const known = pieces.with(at, { ...piece, rows, next: answer.next, end });
  return answer.next === null ? known : [...known, newPiece(answer.next)];
}

/** The index of the first row of every piece, and at the end the count of all. */
export function startsOf(pieces: readonly Piece[]): readonly number[] {
  const starts = [0];
  for (const { rows } of pieces) starts.push((starts.at(-1) ?? 0) + rows);
  return starts;
}

/** The piece that row `index` is in: the last one that starts at or before it. */
export function pieceAt(starts: readonly number[], index: number): number {
  let low = 0;
  let high = Math.max(0, starts.length - 2);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= index) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Pieces kept on either side of what is looked at; those further away are let go. */
export const KEPT_AROUND = 8;

/** The pieces to keep while rows `first` to `last` are looked at, and one more than is seen, so that none is waited for. */
export function piecesAround(starts: readonly number[], first: number, last: number) {
  const from = Math.max(0, pieceAt(starts, first) - KEPT_AROUND);
  const to = Math.min(starts.length - 2, pieceAt(starts, last) + KEPT_AROUND);
  return { from, to };
}
