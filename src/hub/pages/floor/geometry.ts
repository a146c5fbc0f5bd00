import type { Floor } from '../../../contract/floor.ts';

/** Fractions of the plan's width and height. */
export type Point = readonly [x: number, y: number];
export type Points = Floor['zones'][number]['points'];

/** Four decimals are half a pixel on the largest plan that is shown. */
const DECIMALS = 10_000;

/** A point on the plan: what is beyond its edge lies on it. */
export function onPlan([x, y]: Point): Point {
  const clamp = (value: number) => Math.round(Math.min(1, Math.max(0, value)) * DECIMALS) / DECIMALS;
  return [clamp(x), clamp(y)];
}

/** All points moved alike, as far as all of them stay on the plan. */
export function movedBy(points: Points, [dx, dy]: Point): Points {
  const box = boundsOf(points);
  const x = Math.min(1 - box.right, Math.max(-box.left, dx));
  const y = Math.min(1 - box.bottom, Math.max(-box.top, dy));
  return points.map((point) => onPlan([point[0] + x, point[1] + y]));
}

export interface Bounds {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export function boundsOf(points: Points): Bounds {
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  return {
    left: Math.min(...xs),
    top: Math.min(...ys),
    right: Math.max(...xs),
    bottom: Math.max(...ys),
  };
}

/** Half way between a corner and the next one. */
export function midpoint(points: Points, index: number): Point {
  const a = points[index] ?? [0, 0];
  const b = points[(index + 1) % points.length] ?? a;
  return onPlan([(a[0] + b[0]) / 2, (a[1] + b[1]) / 2]);
}

/** Where a name is written: the middle of the area, or of the corners when there is no area. */
export function middleOf(points: Points): Point {
  let [area, x, y] = [0, 0, 0];
  points.forEach(([ax, ay], index) => {
    const [bx, by] = points[(index + 1) % points.length] ?? [ax, ay];
    const cross = ax * by - bx * ay;
    area += cross;
    x += (ax + bx) * cross;
    y += (ay + by) * cross;
  });
  if (Math.abs(area) > 1e-9) return [x / (3 * area), y / (3 * area)];
  const { left, right, top, bottom } = boundsOf(points);
  return [(left + right) / 2, (top + bottom) / 2];
}

export function rectangle({ left, top, right, bottom }: Bounds): Points {
  return [
    [left, top],
    [right, top],
    [right, bottom],
    [left, bottom],
  ].map(([x = 0, y = 0]) => onPlan([x, y]));
}

const GAP = 0.02;

/** Rectangles side by side, in rows: where zones are shown while nobody has drawn them. */
export function gridOf(zoneIds: readonly string[]): Floor['zones'] {
  const columns = Math.ceil(Math.sqrt(zoneIds.length));
  const rows = Math.ceil(zoneIds.length / Math.max(1, columns));
  return zoneIds.map((zoneId, index) => {
    const [column, row] = [index % columns, Math.floor(index / columns)];
    return {
      zoneId,
      points: rectangle({
        left: column / columns + GAP / 2,
        top: row / rows + GAP / 2,
        right: (column + 1) / columns - GAP / 2,
        bottom: (row + 1) / rows - GAP / 2,
      }),
    };
  });
}
