import { limits } from '../../domain/limits.ts';
import { invalid } from '../../domain/refusal.ts';

/** How large a drawing is, and which part of its plane it shows. */
export interface SvgSize {
  /** CSS pixels, 1 to 20,000. */
  readonly width: number;
  readonly height: number;
  readonly viewBox: string;
}

/** Longer ones are no sizes. */
const TEXT_MAX_LENGTH = 200;
const LENGTH = /^\+?(\d{1,15}(?:\.\d{0,15})?|\.\d{1,15})(?:e([+-]?\d{1,3}))?(px|mm|cm|in|pt|pc)?$/i;
const UNITS = new Map([
  ['px', 1],
  ['mm', 96 / 25.4],
  ['cm', 96 / 2.54],
  ['in', 96],
  ['pt', 96 / 72],
  ['pc', 16],
]);

/**
 * The size of a drawing by the attributes of its outermost element: width and height in absolute units, else the viewBox.
 * What is larger than the longest side there may be is made smaller as a whole. Refuses (400) one without a size.
 */
export function svgSizeOf(attributes: ReadonlyMap<string, string>): SvgSize {
  const box = boxOf(attributes.get('viewBox') ?? '');
  const width = lengthOf(attributes.get('width') ?? '');
  const height = lengthOf(attributes.get('height') ?? '');
  if (width === null || height === null) {
    if (!box)
      throw invalid('The SVG has no size: it needs width and height in pixels or a unit, or a viewBox.');
    return { ...scaled(box[2], box[3]), viewBox: box.join(' ') };
  }
  return { ...scaled(width, height), viewBox: box ? box.join(' ') : `0 0 ${width} ${height}` };
}

function lengthOf(text: string): number | null {
  const [, digits, exponent = '0', unit = 'px'] = LENGTH.exec(text.slice(0, TEXT_MAX_LENGTH).trim()) ?? [];
  if (digits === undefined) return null;
  const length = Number(`${digits}e${exponent}`) * (UNITS.get(unit.toLowerCase()) ?? 1);
  return Number.isFinite(length) && length > 0 ? length : null;
}

type Box = readonly [x: number, y: number, width: number, height: number];

function boxOf(text: string): Box | null {
  const parts = text
    .slice(0, TEXT_MAX_LENGTH)
    .trim()
    .split(/[\s,]+/);
  const [x, y, width, height] = parts.map(Number);
  if (parts.length !== 4 || parts.includes('') || x === undefined || y === undefined) return null;
  if (!width || !height || !(width > 0) || !(height > 0)) return null;
  return [x, y, width, height].every(Number.isFinite) ? [x, y, width, height] : null;
}

function scaled(width: number, height: number): Pick<SvgSize, 'width' | 'height'> {
  const most = Math.max(width, height);
  const least = Math.min(width, height);
  if (most / least > limits.planMaxSide)
    throw invalid(`The SVG is more than ${limits.planMaxSide} times as long as it is wide.`);
  const factor = most > limits.planMaxSide ? limits.planMaxSide / most : least < 1 ? 1 / least : 1;
  return { width: side(width * factor), height: side(height * factor) };
}

// Rounded, so that a size read again is the same.
function side(length: number): number {
  return Math.min(limits.planMaxSide, Math.max(1, Math.round(length * 1000) / 1000));
}
