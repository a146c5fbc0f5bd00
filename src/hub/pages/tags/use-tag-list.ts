import { useQueries } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { Tag } from '../../../contract/tag.ts';
import { callPiece, type Piece as PieceAnswer } from '../../api/call.ts';
import { answered, newPiece, type Piece, pieceAt, piecesAround, rowsWithin, startsOf } from './pieces.ts';
import { PIECES } from './row-changes.ts';
import type { TagList, Window } from './tag-list.ts';

/**
 * The list at `path`, asked for in pieces while it is scrolled. Pieces far from the window are let go and asked for again, so
 * a list of a million takes no more memory than one of some thousands. Give it a new `generation` to begin anew. Without a
 * path nothing is asked for.
 */
export function useTagList(path: string | null, generation: number, { first, last }: Window): TagList {
  const base = `${generation} ${path}`;
  const [state, setState] = useState(() => begun(base, path));
  const fresh = state.base === base ? state : begun(base, path);
  if (fresh !== state) setState(fresh);
  const { pieces } = fresh;
  const starts = useMemo(() => startsOf(pieces), [pieces]);
  const { from, to } = piecesAround(starts, first, last);
  const near = { from: pieceAt(starts, first) - 1, to: pieceAt(starts, last) + 1 };
  const kept = pieces.slice(from, to + 1);
  const answers = useQueries({
    queries: kept.map((piece, i) => ({
      queryKey: [...PIECES, generation, piece.path],
      queryFn: ({ signal }: { signal: AbortSignal }) => callPiece<Tag>(piece.path, signal),
      enabled: from + i >= near.from && from + i <= near.to,
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 0,
      structuralSharing: false,
    })),
  });
  useEffect(() => {
    let next = pieces;
    kept.forEach((piece, i) => {
      const data = answers[i]?.data;
      if (data) next = answered(next, piece.path, data);
    });
    if (next !== pieces) setState({ base, pieces: next });
  });
  const rows = kept.map((piece, i) => rowsOf(piece, answers[i]?.data));
  const failed = answers.find(({ error, data }) => error && !data);
  return {
    count: starts.at(-1) ?? 0,
    isComplete: pieces.at(-1)?.next === null,
    error: failed?.error ?? null,
    retry: () => void failed?.refetch(),
    at: (index) => {
      const piece = pieceAt(starts, index);
      return rows[piece - from]?.[index - (starts[piece] ?? 0)];
    },
    loaded: () => rows.flat(),
  };
}

interface State {
  readonly base: string;
  readonly pieces: readonly Piece[];
}

const begun = (base: string, path: string | null): State => ({
  base,
  pieces: path === null ? [] : [newPiece(path)],
});

const NONE: readonly Tag[] = [];

const filtered = new WeakMap<readonly Tag[], readonly Tag[]>();

// Filtered once per answer, not once per row and frame. Before the first answer is taken in, the piece shows nothing.
function rowsOf(piece: Piece, data: PieceAnswer<Tag> | undefined): readonly Tag[] {
  if (!data || piece.next === undefined) return NONE;
  const known = filtered.get(data.items);
  if (known) return known;
  const rows = rowsWithin(piece, data.items);
  filtered.set(data.items, rows);
  return rows;
}
