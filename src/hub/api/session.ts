import { useSyncExternalStore } from 'react';

let ended = false;
const listeners = new Set<() => void>();

function set(value: boolean): void {
  if (ended === value) return;
  ended = value;
  for (const listener of listeners) listener();
}

/** A call was answered with 401: the login is shown over the page, so that nothing typed is lost. */
export const sessionEnded = (): void => set(true);

/** Somebody logged in. */
export const sessionBegan = (): void => set(false);

/** Whether the session has ended while the page was open. */
export const useSessionEnded = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => ended,
  );
