import type { FloorInput } from '../../../contract/floor.ts';
import {
  boundsOf,
  middleOf,
  midpoint,
  movedBy,
  onPlan,
  type Point,
  type Points,
  rectangle,
} from './geometry.ts';

export type Drawing = FloorInput;

/** What is being drawn, and the way back and forth. */
export interface Draft {
  readonly past: readonly Drawing[];
  readonly now: Drawing;
  readonly future: readonly Drawing[];
}

/** Steps that can be taken back. */
export const UNDO_MAX = 100;
/** As the contract has it. */
export const POINTS_MAX = 64;
const POINTS_MIN = 3;

export const draftOf = (drawing: Drawing): Draft => ({ past: [], now: drawing, future: [] });

/** The next step; nothing when the drawing is the same. `merge`: another bit of the same movement, taken back with it. */
export function stepped(draft: Draft, next: Drawing, merge = false): Draft {
  if (next === draft.now) return draft;
  if (merge && draft.past.length > 0) return { ...draft, now: next, future: [] };
  return { past: [...draft.past, draft.now].slice(-UNDO_MAX), now: next, future: [] };
}

export function undone({ past, now, future }: Draft): Draft {
  const last = past.at(-1);
  return last ? { past: past.slice(0, -1), now: last, future: [now, ...future] } : { past, now, future };
}

export function redone({ past, now, future }: Draft): Draft {
  const [next, ...rest] = future;
  return next ? { past: [...past, now], now: next, future: rest } : { past, now, future };
}

/** One corner, one zone or one antenna of a drawing. */
export type Item =
  | { readonly kind: 'point'; readonly zoneId: string; readonly index: number }
  | { readonly kind: 'zone'; readonly zoneId: string }
  | { readonly kind: 'antenna'; readonly readerId: string; readonly port: number };

/** Something moved by fractions of the plan. */
export function moved(drawing: Drawing, item: Item, delta: Point): Drawing {
  if (item.kind === 'antenna') return withAntenna(drawing, item, delta);
  return withPoints(drawing, item.zoneId, (points) =>
    item.kind === 'zone'
      ? movedBy(points, delta)
      : points.map((point, index) =>
          index === item.index ? onPlan([point[0] + delta[0], point[1] + delta[1]]) : point,
        ),
  );
}

function withPoints(drawing: Drawing, zoneId: string, change: (points: Points) => Points): Drawing {
  const zones = drawing.zones.map((zone) =>
    zone.zoneId === zoneId ? { ...zone, points: change(zone.points) } : zone,
  );
  return { ...drawing, zones };
}

function withAntenna(drawing: Drawing, item: { readerId: string; port: number }, delta: Point): Drawing {
  const antennas = drawing.antennas.map((antenna) => {
    if (antenna.readerId !== item.readerId || antenna.port !== item.port) return antenna;
    const [x, y] = onPlan([antenna.x + delta[0], antenna.y + delta[1]]);
    return { ...antenna, x, y };
  });
  return { ...drawing, antennas };
}

/** Takes something away. A corner only while three stay: less is no area. */
export function without(drawing: Drawing, item: Item): Drawing {
  if (item.kind === 'zone')
    return { ...drawing, zones: drawing.zones.filter(({ zoneId }) => zoneId !== item.zoneId) };
  if (item.kind === 'antenna')
    return {
      ...drawing,
      antennas: drawing.antennas.filter(
        ({ readerId, port }) => readerId !== item.readerId || port !== item.port,
      ),
    };
  const count = drawing.zones.find(({ zoneId }) => zoneId === item.zoneId)?.points.length ?? 0;
  if (count <= POINTS_MIN) return drawing;
  return withPoints(drawing, item.zoneId, (points) => points.filter((_, index) => index !== item.index));
}

/** Another corner half way to the next one; the same drawing when the zone has as many as it may. */
export function withCorner(drawing: Drawing, zoneId: string, index: number): Drawing {
  const points = drawing.zones.find((zone) => zone.zoneId === zoneId)?.points;
  if (!points || points.length >= POINTS_MAX) return drawing;
  return withPoints(drawing, zoneId, () => [
    ...points.slice(0, index + 1),
    midpoint(points, index),
    ...points.slice(index + 1),
  ]);
}

/** A zone as a rectangle, which corners can be added to. */
export function withZone(drawing: Drawing, zoneId: string): Drawing {
  // Each a little further, so that none lies exactly on another.
  const shift = (drawing.zones.length % 8) * 0.04;
  const points = rectangle({ left: 0.3 + shift, top: 0.3 + shift, right: 0.5 + shift, bottom: 0.5 + shift });
  return { ...drawing, zones: [...drawing.zones, { zoneId, points }] };
}

/** An antenna, in the middle of the upper edge of the zone it watches, or of the plan. */
export function placedAntenna(
  drawing: Drawing,
  { readerId, port, zoneId }: { readerId: string; port: number; zoneId: string | null },
): Drawing {
  const points = drawing.zones.find((zone) => zone.zoneId === zoneId)?.points;
  const [x, y] = points ? [middleOf(points)[0], boundsOf(points).top] : [0.5, 0.5];
  const [px, py] = onPlan([x, y]);
  return { ...drawing, antennas: [...drawing.antennas, { readerId, port, x: px, y: py }] };
}

/** Ids of what can be drawn, as far as this page has heard of it. */
export interface Known {
  readonly zoneIds: readonly string[];
  readonly readerIds: readonly string[];
}

/**
 * Without what is gone since it was drawn: the whole drawing would be refused for it. What is `saved` stays, for others may
 * have drawn what this page has not heard of. Pure.
 */
export function onlyKnown(drawing: Drawing, known: Known, saved: Drawing): Drawing {
  const zoneIds = new Set([...known.zoneIds, ...saved.zones.map(({ zoneId }) => zoneId)]);
  const readerIds = new Set([...known.readerIds, ...saved.antennas.map(({ readerId }) => readerId)]);
  return {
    zones: drawing.zones.filter(({ zoneId }) => zoneIds.has(zoneId)),
    antennas: drawing.antennas.filter(({ readerId }) => readerIds.has(readerId)),
  };
}
