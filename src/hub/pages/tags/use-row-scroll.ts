import { type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react';
import { drawnHeight, type Heights, movedTo, type Scrolled, START, scrolledTo } from './row-scale.ts';

/** Heights in pixels. */
const HEAD = 40;
const ROW = 36;
/** Rows drawn above and below those in view. */
const OVERSCAN = 8;

interface Seen {
  /** Rows in view, the second one not included; rows are drawn `offset` pixels above their place. */
  readonly first: number;
  readonly end: number;
  readonly offset: number;
}

const isSame = (a: Seen, b: Seen) => a.first === b.first && a.end === b.end && a.offset === b.offset;

const seenAt = ({ top, offset }: Scrolled, height: number): Seen => ({
  first: Math.floor((top + offset) / ROW),
  end: Math.ceil((top + offset + Math.max(0, height - HEAD)) / ROW),
  offset,
});

/** Where to scroll to for a row to be seen wholly; where it is already when it is. */
function placeFor(row: number, at: number, seen: number): number {
  const top = row * ROW;
  return top < at ? top : Math.max(at, top + ROW - (seen - HEAD));
}

function useScrolled(box: RefObject<HTMLElement | null>, total: number) {
  const heights = ({ clientHeight }: HTMLElement): Heights => ({ total, seen: Math.max(1, clientHeight) });
  const at = useRef(START);
  const [seen, setSeen] = useState<Seen>({ first: 0, end: 0, offset: 0 });
  const take = (next: Scrolled) => {
    const { current } = box;
    if (!current) return;
    at.current = next;
    if (Math.abs(current.scrollTop - next.top) >= 1) current.scrollTop = next.top;
    const now = seenAt(next, current.clientHeight);
    setSeen((before) => (isSame(before, now) ? before : now));
  };
  const onScroll = useEffectEvent(() => {
    if (box.current) take(scrolledTo(box.current.scrollTop, at.current, heights(box.current)));
  });
  useEffect(() => {
    const { current } = box;
    if (!current) return;
    const size = new ResizeObserver(() => onScroll());
    size.observe(current);
    const hear = () => onScroll();
    current.addEventListener('scroll', hear, { passive: true });
    return () => {
      size.disconnect();
      current.removeEventListener('scroll', hear);
    };
  }, [box]);
  const onGrown = useEffectEvent((_total: number) => {
    if (box.current) take(movedTo(at.current.top + at.current.offset, at.current, heights(box.current)));
  });
  // A list that grows while its end is looked at leaves the scroll bar room to go on.
  useEffect(() => onGrown(total), [total]);
  const show = (row: number) => {
    if (!box.current) return;
    const place = placeFor(row, at.current.top + at.current.offset, box.current.clientHeight);
    take(movedTo(place, at.current, heights(box.current)));
  };
  return { seen, show };
}

/** Which of `count` rows are in view, and where they are drawn. `always` is a row that is there also when it is not seen. */
export function useRowScroll(box: RefObject<HTMLElement | null>, count: number, always: number) {
  const total = HEAD + count * ROW;
  const { seen, show } = useScrolled(box, total);
  const from = Math.max(0, seen.first - OVERSCAN);
  const to = Math.min(count, seen.end + OVERSCAN);
  const rows = Array.from({ length: Math.max(0, to - from) }, (_, i) => ({
    index: from + i,
    top: HEAD + (from + i) * ROW - seen.offset,
  }));
  // Out of sight, but there: the focus would be lost with it.
  if (always >= 0 && always < count && (always < from || always >= to))
    rows.push({ index: always, top: -2 * ROW });
  return {
    rows,
    height: drawnHeight(total),
    first: Math.min(seen.first, Math.max(0, count - 1)),
    last: Math.max(0, to - 1),
    page: Math.max(1, seen.end - seen.first - 2),
    show,
  };
}
