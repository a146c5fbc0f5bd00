/** A curve in a box `width` by `height`: its lines as an SVG path, and between what it runs. */
export interface Curve {
  readonly path: string;
  readonly low: number;
  readonly high: number;
}

/** A curve of less looks like a scratch. */
const KNOWN_MIN = 4;

/** Draws counts, one each step; unknown ones (null) leave a hole. Null when fewer than `KNOWN_MIN` are known. */
export function curveOf(
  counts: readonly (number | null)[],
  box: { readonly width: number; readonly height: number },
): Curve | null {
  const known = counts.filter((count) => count !== null);
  if (known.length < KNOWN_MIN) return null;
  const low = Math.min(...known);
  const high = Math.max(...known);
  // A curve of one tag more or less is no mountain.
  const span = Math.max(high - low, 4);
  const x = (step: number) => round((step * box.width) / (counts.length - 1));
  const y = (count: number) => round(box.height - ((count - low) * box.height) / span);
  let path = '';
  counts.forEach((count, step) => {
    if (count === null) return;
    const isOn = step > 0 && counts[step - 1] !== null;
    path += `${isOn ? 'L' : 'M'}${x(step)} ${y(count)}`;
  });
  return { path, low, high };
}

const round = (value: number) => Math.round(value * 100) / 100;
