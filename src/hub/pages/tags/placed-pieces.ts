import type { Tag } from '../../../contract/tag.ts';
import type { Window } from './tag-list.ts';

/** Rows that are asked for at once, but not before those that are known. */
const ROWS = 500;
/** The list is gone to, and asked for upwards, in steps of so many rows. */
const STEP = 200;
/** Upwards, some more are asked for than a step: tags read meanwhile have pushed what is known down. */
const ROWS_BEFORE = 300;
/** Upwards, so many are looked through for what is known; and so many at most when they do not fill the step. */
const BEFORE_MAX = 1000;
const BEFORE_LIMIT = 5000;
/** Rows known on either side of those that are looked at, so that none is waited for. */
const AHEAD = 250;
/** Rows kept on either side of what is looked at; those further away are let go. */
const KEPT = 4000;

/** Rows that were answered together, without those that were known already. */
interface Piece {
  /** Where to ask for them again; what is answered may begin some rows before them. */
  readonly path: string;
  readonly items: readonly Tag[];
  /** Path of the piece after it; null at the end of the list. */
  readonly next: string | null;
}

/**
 * The part of the list that is known: neighbouring rows around what is looked at. A row keeps its index as long as it is
 * known, wherever its tag has moved in the list meanwhile, so that rows never jump.
 */
export interface Stretch {
  /** Index of its first row. */
  readonly start: number;
  readonly pieces: readonly Piece[];
  /** Tags there were when a place was asked for last; null before. */
  readonly total: number | null;
  /** Answers taken in so far. */
  readonly answers: number;
}

export const NOTHING: Stretch = { start: 0, pieces: [], total: null, answers: 0 };

/** What to ask for: rows at a place, those before what is known (from a place on), or those after it. */
export type Question =
  | { readonly kind: 'at' | 'before'; readonly offset: number; readonly limit: number }
  | { readonly kind: 'after'; readonly path: string };

/** Tags in the order of the list. `total` is null where no place was asked for. */
export interface Answer extends Piece {
  readonly total: number | null;
}

/** The tags that are known, from `start` on. */
export const rowsOf = ({ pieces }: Stretch): readonly Tag[] => pieces.flatMap(({ items }) => items);

const sizeOf = (pieces: readonly Piece[]) => pieces.reduce((sum, { items }) => sum + items.length, 0);

const endOf = ({ start, pieces }: Stretch) => start + sizeOf(pieces);

/** How many rows there are: told by the end of the list where that is known, else by the `total` that was told last. */
export function extentOf(known: Stretch, total: number | null): { count: number; isComplete: boolean } {
  const end = endOf(known);
  if (known.pieces.at(-1)?.next === null) return { count: end, isComplete: true };
  return { count: Math.max(end, total ?? 0), isComplete: total !== null && total > end };
}

/** What to ask for next while `window` is looked at; null: nothing. */
export function questionFor(known: Stretch, { first, last }: Window): Question | null {
  const { start, pieces } = known;
  const end = endOf(known);
  const isFar = first > end + AHEAD || last < start - AHEAD;
  if (pieces.length === 0 || isFar)
    return { kind: 'at', offset: Math.floor(first / STEP) * STEP, limit: ROWS };
  const path = pieces.at(-1)?.next;
  if (path && last + AHEAD >= end) return { kind: 'after', path };
  if (start > 0 && first - AHEAD < start)
    return { kind: 'before', offset: Math.max(0, start - STEP), limit: ROWS_BEFORE };
  return null;
}

/** Whether tags asked for from `offset` on reach down to what is known, or so far that it is looked for no longer. */
export function isEnoughBefore(known: Stretch, offset: number, items: readonly Tag[]): boolean {
  if (items.length >= BEFORE_LIMIT || items.some(standsIn(known))) return true;
  return items.length >= BEFORE_MAX && unknownOf(known, items).length >= known.start - offset;
}

/** What is known with an answer taken in, and without what is far from `window`. */
export function taken(
  known: Stretch,
  { question, answer }: { readonly question: Question; readonly answer: Answer },
  window: Window,
): Stretch {
  return { ...letGo(joined(known, question, answer), window), answers: known.answers + 1 };
}

/** What becomes of a tag; null when it is gone. */
export type RowChange = (tag: Tag) => Tag | null;

/** The tags after a change; the same array when it changes none of them. */
export function changedItems(tags: readonly Tag[], change: RowChange): readonly Tag[] {
  const next = tags.map(change);
  if (next.every((tag, i) => tag === tags[i])) return tags;
  return next.filter((tag) => tag !== null);
}

/** What is known after a change of rows; the same when it changes none of them. */
export function changed(known: Stretch, change: RowChange): Stretch {
  const pieces = known.pieces.map((piece) => {
    const items = changedItems(piece.items, change);
    return items === piece.items ? piece : { ...piece, items };
  });
  if (pieces.every((piece, i) => piece === known.pieces[i])) return known;
  const gone = sizeOf(known.pieces) - sizeOf(pieces);
  return { ...known, pieces, total: known.total === null ? null : known.total - gone };
}

function joined(known: Stretch, question: Question, answer: Answer): Stretch {
  if (question.kind === 'at') return begun(question.offset, answer);
  if (question.kind === 'before') return joinedBefore(known, question.offset, answer);
  const { path, items, next } = answer;
  const rows = unknownOf(known, items);
  return { ...known, pieces: [...known.pieces, { path, items: rows, next }] };
}

function begun(start: number, { path, items, next, total }: Answer): Stretch {
  // Beyond the end: the table is shorter than it was, so that another place is looked at now.
  if (items.length === 0 && start > 0) return NOTHING;
  return { ...NOTHING, start, pieces: [{ path, items: unknownOf(NOTHING, items), next }], total };
}

/**
 * Rows from `offset` on that come before those that are known. Where tags were read meanwhile there may be more of them than
 * places: the ones next to what is known are taken, but at the beginning of the list the first ones.
 */
function joinedBefore(known: Stretch, offset: number, answer: Answer): Stretch {
  const places = known.start - offset;
  const meets = answer.items.findIndex(standsIn(known));
  const above = unknownOf(known, meets < 0 ? answer.items : answer.items.slice(0, meets));
  // Tags before them were deleted: what is known stands elsewhere.
  if (offset === 0 && above.length < places) return begun(0, answer);
  if (meets < 0 && (answer.total ?? 0) < (known.total ?? 0)) return NOTHING;
  const items = meets < 0 || offset === 0 ? above.slice(0, places) : above.slice(-places);
  if (items.length === 0) return NOTHING;
  const next = known.pieces[0]?.path ?? null;
  return {
    ...known,
    start: known.start - items.length,
    pieces: [{ path: answer.path, items, next }, ...known.pieces],
    total: answer.total ?? known.total,
  };
}

/** Tells which tags are known and were not read since: those are where they were in the list. */
function standsIn(known: Stretch): (tag: Tag) => boolean {
  const seen = new Map(rowsOf(known).map(({ epc, lastSeenAt }) => [epc, lastSeenAt]));
  return ({ epc, lastSeenAt }) => seen.get(epc) === lastSeenAt;
}

function unknownOf(known: Stretch, items: readonly Tag[]): readonly Tag[] {
  const seen = new Set(rowsOf(known).map(({ epc }) => epc));
  return items.filter(({ epc }) => !seen.has(epc) && seen.add(epc));
}

function letGo(known: Stretch, { first, last }: Window): Stretch {
  let { start } = known;
  let end = endOf(known);
  const pieces = [...known.pieces];
  for (let head = pieces[0]; head && pieces.length > 1; head = pieces[0]) {
    if (start + head.items.length >= first - KEPT) break;
    start += head.items.length;
    pieces.shift();
  }
  for (let tail = pieces.at(-1); tail && pieces.length > 1; tail = pieces.at(-1)) {
    if (end - tail.items.length <= last + KEPT) break;
    end -= tail.items.length;
    pieces.pop();
  }
  return { ...known, start, pieces };
}
