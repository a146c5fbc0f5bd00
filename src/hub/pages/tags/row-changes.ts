import type { Tag } from '../../../contract/tag.ts';
import type { Piece } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import { changedItems, type RowChange } from './placed-pieces.ts';

/** The first part of the key of every piece of a list that is searched for. */
export const PIECES = ['tags', 'piece'] as const;

const listeners = new Set<(change: RowChange) => void>();

/** Calls `listener` at every change of rows until the answer is called. */
export function hearRowChanges(listener: (change: RowChange) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Changes rows where they stand, wherever they are kept. */
export function changeRows(change: RowChange): void {
  queryClient.setQueriesData<Piece<Tag>>({ queryKey: PIECES }, (piece) => {
    const items = piece && changedItems(piece.items, change);
    return piece && items !== piece.items ? { ...piece, items: items ?? [] } : piece;
  });
  for (const listener of listeners) listener(change);
}
