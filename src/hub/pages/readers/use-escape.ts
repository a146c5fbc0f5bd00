import { useWindowEvent } from '@mantine/hooks';
import { type RefObject, useRef } from 'react';

/**
 * Calls `close` when Escape is pressed within the dialog that has the answered element in it, or nowhere in particular. The
 * library closes every open dialog at once: a question over a drawer would take the drawer along, and one that is asked
 * because of the key would be gone with the same key.
 */
export function useEscape(close: () => void): RefObject<HTMLDivElement | null> {
  const inside = useRef<HTMLDivElement>(null);
  useWindowEvent(
    'keydown',
    (event) => {
      if (event.key !== 'Escape' || event.isComposing || !(event.target instanceof Element)) return;
      // An open list closes itself.
      if (event.target.getAttribute('data-mantine-stop-propagation') === 'true') return;
      const dialog = event.target.closest('[role="dialog"]');
      if (!dialog || dialog.contains(inside.current)) setTimeout(close);
    },
    { capture: true },
  );
  return inside;
}
