import { useEffect, useRef, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { askedFor } from './results.ts';

/** People type faster than answers help; a scanner ends with Enter, which waits for nothing. */
const PAUSE_MS = 160;
const TYPED_MAX = 1000;

/** What is searched, which is in the address, and what is being typed. */
export function useQueryText() {
  const search = new URLSearchParams(useSearch());
  const q = search.get('q') ?? '';
  const [, go] = useLocation();
  const [typed, setTyped] = useState(q);
  const told = useRef(q);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // The address changed by a link or the browser's buttons.
  useEffect(() => {
    if (q === told.current) return;
    told.current = q;
    setTyped(q);
  }, [q]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const tell = (text: string, open?: string) => {
    clearTimeout(timer.current);
    told.current = text;
    const opened = open === undefined ? '' : `&open=${encodeURIComponent(open)}`;
    const isNew = open !== undefined;
    go(text === '' ? '/find' : `/find?q=${encodeURIComponent(text)}${opened}`, { replace: !isNew });
  };
  return {
    typed,
    q,
    open: search.get('open'),
    type: (text: string) => {
      setTyped(text.slice(0, TYPED_MAX));
      clearTimeout(timer.current);
      timer.current = setTimeout(() => tell(askedFor(text.slice(0, TYPED_MAX))), PAUSE_MS);
    },
    /** Searches what is typed without waiting. */
    now: () => tell(askedFor(typed)),
    openResult: (key: string) => tell(q, key),
  };
}
