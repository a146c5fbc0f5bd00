import { useEffect, useEffectEvent, useSyncExternalStore } from 'react';
import type { Batch } from './batch.ts';
import { type StreamState, stream } from './stream.ts';

/** Calls `listener` with the events of every frame while the component is there. */
export function useBatches(listener: (batch: Batch) => void): void {
  const hear = useEffectEvent(listener);
  useEffect(() => stream.listen(hear), []);
}

/** Whether the page is live, or since when it is not. */
export const useStreamState = (): StreamState =>
  useSyncExternalStore(
    (watcher) => stream.watch(watcher),
    () => stream.state,
  );
