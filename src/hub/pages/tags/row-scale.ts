/**
 * Browsers draw nothing that is higher than some millions of pixels, less on dense screens. A list that is higher is drawn
 * this high, and what is scrolled to in it is further down than the scroll bar says.
 */
export const DRAWN_MAX = 6_000_000;
/** How far the scroll bar may stray from where it belongs while somebody scrolls by a little. */
const SLACK = 200_000;

/** Heights in pixels: of all rows, and of the part that is seen at once. */
export interface Heights {
  readonly total: number;
  readonly seen: number;
}

/** `top` is the scroll position of the element, `offset` what rows are further down than it: together a place in the list. */
export interface Scrolled {
  readonly top: number;
  readonly offset: number;
}

export const START: Scrolled = { top: 0, offset: 0 };

/** How high the list is drawn. */
export const drawnHeight = (total: number): number => Math.min(total, DRAWN_MAX);

const lastOf = ({ total, seen }: Heights) => Math.max(0, total - seen);
const lastDrawnOf = ({ total, seen }: Heights) => Math.max(0, drawnHeight(total) - seen);
const within = (value: number, max: number) => Math.max(0, Math.min(max, value));

/** The scroll position for a place in the list: exact at both ends, in proportion between them. */
export function placed(place: number, heights: Heights): Scrolled {
  const at = within(Math.round(place), lastOf(heights));
  const hidden = lastOf(heights) - lastDrawnOf(heights);
  if (hidden === 0 || at <= SLACK) return { top: at, offset: 0 };
  if (at >= lastOf(heights) - SLACK) return { top: at - hidden, offset: hidden };
  const top = Math.round((at / lastOf(heights)) * lastDrawnOf(heights));
  return { top, offset: at - top };
}

/** The same as `placed`, but the rows stay where they are drawn as long as the scroll bar is about where it belongs. */
export function movedTo(place: number, before: Scrolled, heights: Heights): Scrolled {
  const at = within(Math.round(place), lastOf(heights));
  const right = placed(at, heights);
  const top = at - before.offset;
  const isEnd = at <= SLACK || at >= lastOf(heights) - SLACK;
  // At either end of the scroll bar there would be no scrolling on.
  const isStuck = top <= 0 || top >= lastDrawnOf(heights);
  if (isEnd || isStuck || Math.abs(top - right.top) > SLACK) return right;
  return { top, offset: before.offset };
}

/**
 * What the element's scrolling to `top` means: a little of it (wheel, finger, keys) moves rows by as much; more than that is
 * the scroll bar being dragged, which moves in proportion.
 */
export function scrolledTo(top: number, before: Scrolled, heights: Heights): Scrolled {
  const last = lastDrawnOf(heights);
  const isDrag =
    Math.abs(top - before.top) > Math.max(heights.seen, drawnHeight(heights.total) / heights.seen / 2);
  if (!isDrag) return movedTo(top + before.offset, before, heights);
  if (last === 0) return START;
  return { top, offset: Math.round((within(top, last) / last) * lastOf(heights)) - top };
}
