import type { Point } from './geometry.ts';

/** What part of the plan is seen: `scale` 1 shows all of it; the centre is in fractions of the plan. */
export interface View {
  readonly scale: number;
  readonly centre: Point;
}

export const whole: View = { scale: 1, centre: [0.5, 0.5] };
export const SCALE_MAX = 12;

/** The view that does not look beyond the plan. */
function bounded({ scale, centre: [x, y] }: View): View {
  const inside = Math.min(SCALE_MAX, Math.max(1, scale));
  const half = 0.5 / inside;
  const clamp = (value: number) => Math.min(1 - half, Math.max(half, value));
  return { scale: inside, centre: [clamp(x), clamp(y)] };
}

/** Larger or smaller around a point of the plan, which stays where it is on the screen. */
export function zoomed(view: View, factor: number, [x, y]: Point = view.centre): View {
  const scale = Math.min(SCALE_MAX, Math.max(1, view.scale * factor));
  const shrink = view.scale / scale;
  const [cx, cy] = view.centre;
  return bounded({ scale, centre: [x + (cx - x) * shrink, y + (cy - y) * shrink] });
}

/** Moved by fractions of the plan. */
export function panned({ scale, centre: [x, y] }: View, [dx, dy]: Point): View {
  return bounded({ scale, centre: [x + dx, y + dy] });
}

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Where the whole plan lies in a frame of this size, px. `ratio` is its height by its width. */
export function placed(view: View, frame: { width: number; height: number }, ratio: number): Box {
  const fit = Math.min(frame.width, frame.height / ratio);
  const [width, height] = [fit * view.scale, fit * ratio * view.scale];
  const [x, y] = view.centre;
  return { width, height, left: frame.width / 2 - x * width, top: frame.height / 2 - y * height };
}
