import { createContext, use, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useBatches } from '../../live/use-live.ts';
import { type LivePart, LiveRows } from './live-rows.ts';

/** What the stream said of the tags since the table was opened. */
export const LiveContext = createContext(new LiveRows());

const NOTICE_MS = 1000;

interface News {
  readonly fresh: number;
  /** Events were missed: rows may be older than they look. */
  readonly gap: boolean;
}

/** Collects what the stream says for the rows, and tells what the list as it stands does not show. */
export function useLiveRows(): { readonly rows: LiveRows; readonly news: News; readonly forget: () => void } {
  const [rows] = useState(() => new LiveRows());
  const [news, setNews] = useState<News>({ fresh: 0, gap: false });
  const gap = useRef(false);
  useBatches((batch) => {
    rows.take(batch);
    gap.current ||= batch.gap;
  });
  // The whole page is drawn for it, so not once per frame.
  useEffect(() => {
    const timer = setInterval(() => {
      const now = { fresh: rows.fresh, gap: gap.current };
      setNews((before) => (before.fresh === now.fresh && before.gap === now.gap ? before : now));
    }, NOTICE_MS);
    return () => clearInterval(timer);
  }, [rows]);
  const forget = () => {
    rows.forget();
    gap.current = false;
    setNews({ fresh: 0, gap: false });
  };
  return { rows, news, forget };
}

/** What the stream said of a tag; undefined when it said nothing yet. */
export function useLivePart(epc: string): LivePart | undefined {
  const rows = use(LiveContext);
  return useSyncExternalStore(
    (listener) => rows.listen(epc, listener),
    () => rows.read(epc),
  );
}
