import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useBatches } from '../../live/use-live.ts';
import { type HeardMove, MOVES_KEPT, type Moves, noMoves, withMoves } from './moves.ts';

/** Figures that change more often than this cannot be read. */
const CALM_MS = 250;
/** Moves waiting to be shown; past it the counts are asked for instead. */
const WAITING_MAX = 2000;

/** The moves since the page was opened. `basis` is when the counts shown were answered, epoch ms. */
export function useMoves(basis: number): Moves {
  const client = useQueryClient();
  const [moves, setMoves] = useState(noMoves);
  const waiting = useRef<HeardMove[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const no = useRef(0);
  const newestBasis = useRef(basis);
  useEffect(() => {
    newestBasis.current = basis;
  }, [basis]);
  const ask = () => void client.invalidateQueries({ queryKey: ['inventory', 'summary'] });
  const show = () => {
    timer.current = undefined;
    const heard = waiting.current;
    waiting.current = [];
    setMoves((before) => withMoves(before, heard, newestBasis.current));
  };
  useBatches(({ events, gap }) => {
    for (const { type, data } of events)
      if (type === 'tag_moved')
        waiting.current.push({ no: no.current++, basis: newestBasis.current, move: data });
    if (gap || waiting.current.length > WAITING_MAX) ask();
    if (waiting.current.length > WAITING_MAX) waiting.current = waiting.current.slice(-MOVES_KEPT);
    if (waiting.current.length > 0) timer.current ??= setTimeout(show, CALM_MS);
  });
  useEffect(() => () => clearTimeout(timer.current), []);
  return moves;
}
