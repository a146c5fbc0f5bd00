import { useEffect, useRef } from 'react';

/**
 * Remembers what had the focus when a drawer opened, and answers a function that gives it back, or to the page where that is
 * gone. The library forgets it when a dialog opens over the drawer.
 */
export function useOpener(isOpen: boolean): () => void {
  const opener = useRef<Element | null>(null);
  useEffect(() => {
    if (isOpen) opener.current = document.activeElement;
  }, [isOpen]);
  return () => {
    const { current } = opener;
    const isThere = current instanceof HTMLElement && current.isConnected && current !== document.body;
    const target = isThere ? current : document.getElementById('content');
    target?.focus({ preventScroll: true });
  };
}
