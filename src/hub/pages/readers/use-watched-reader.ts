import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';

const WATCH_MS = 1500;

/** Asks for the readers more often than usual while somebody waits for one of them. */
export function useWatchedReader(isOn = true, everyMs = WATCH_MS): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!isOn) return;
    const ask = () => void client.invalidateQueries({ queryKey: ['readers'], exact: true });
    const timer = setInterval(ask, everyMs);
    return () => clearInterval(timer);
  }, [client, isOn, everyMs]);
}
