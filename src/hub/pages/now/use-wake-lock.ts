import { useEffect } from 'react';

/** Keeps the screen from going dark while the component is there, where the browser can (only over HTTPS). */
export function useWakeLock(): void {
  useEffect(() => {
    // Absent over plain HTTP, whatever the types say.
    const lock: WakeLock | undefined = navigator.wakeLock;
    if (!lock) return;
    let held: WakeLockSentinel | null = null;
    let isOver = false;
    const hold = async () => {
      if (document.hidden || isOver) return;
      // Refused on an empty battery: the screen then does what it is set to.
      const got = await lock.request('screen').catch(() => null);
      if (isOver) await got?.release();
      else held = got;
    };
    void hold();
    // Taken away whenever the page is hidden.
    document.addEventListener('visibilitychange', hold);
    return () => {
      isOver = true;
      document.removeEventListener('visibilitychange', hold);
      void held?.release();
    };
  }, []);
}
