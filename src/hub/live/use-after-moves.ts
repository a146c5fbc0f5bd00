import { useEffect, useEffectEvent, useRef } from 'react';
import type { TagMovedEvent } from '../../contract/events.ts';
import { useBatches } from './use-live.ts';

const CALM_MS = 1000;

/** Calls `run` soon after a move that `concerns` it, or after events were missed; once a second at most. */
export function useAfterMoves(concerns: (move: TagMovedEvent) => boolean, run: () => void): void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const act = useEffectEvent(() => {
    timer.current = undefined;
    run();
  });
  useBatches(({ events, gap }) => {
    if (timer.current !== undefined) return;
    if (!gap && !events.some(({ type, data }) => type === 'tag_moved' && concerns(data))) return;
    timer.current = setTimeout(() => act(), CALM_MS);
  });
  useEffect(() => () => clearTimeout(timer.current), []);
}
