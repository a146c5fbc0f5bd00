/** What is drawn; everything else goes with all that is in it. */
const kept = [
  ...[
    'svg',
    'g',
    'defs',
    'symbol',
    'use',
    'path',
    'rect',
    'circle',
    'ellipse',
    'line',
    'polyline',
    'polygon',
  ],
  ...['text', 'tspan', 'textPath', 'title', 'desc', 'style'],
  ...['linearGradient', 'radialGradient', 'stop', 'clipPath', 'mask', 'pattern', 'marker'],
];

/** The name an element is written with; null: it is left out. Links and choices are groups, which is what they draw. */
export const elementNames: ReadonlyMap<string, string> = new Map([
  ...kept.map((name): [string, string] => [name, name]),
  ['a', 'g'],
  ['switch', 'g'],
]);

/** Elements whose text is kept. */
export const textElements: ReadonlySet<string> = new Set([
  'text',
  'tspan',
  'textPath',
  'title',
  'desc',
  'style',
]);

/** Numbers, keywords, colours and transforms: nothing in these can refer to anything. */
const plainAttributes: ReadonlySet<string> = new Set([
  ...['x', 'y', 'width', 'height', 'cx', 'cy', 'r', 'rx', 'ry', 'x1', 'y1', 'x2', 'y2', 'points', 'd'],
  ...[
    'pathLength',
    'viewBox',
    'preserveAspectRatio',
    'transform',
    'offset',
    'fx',
    'fy',
    'fr',
    'spreadMethod',
  ],
  ...['gradientUnits', 'gradientTransform', 'clipPathUnits', 'maskUnits', 'maskContentUnits', 'patternUnits'],
  ...[
    'patternContentUnits',
    'patternTransform',
    'markerWidth',
    'markerHeight',
    'markerUnits',
    'refX',
    'refY',
  ],
  ...['orient', 'dx', 'dy', 'rotate', 'textLength', 'lengthAdjust', 'startOffset', 'method', 'spacing'],
]);

const plainProperties: ReadonlySet<string> = new Set([
  ...['fill-opacity', 'fill-rule', 'stroke-width', 'stroke-linecap', 'stroke-linejoin', 'stroke-miterlimit'],
  ...['stroke-dasharray', 'stroke-dashoffset', 'stroke-opacity', 'opacity', 'color', 'display', 'visibility'],
  ...['overflow', 'clip-rule', 'stop-color', 'stop-opacity', 'font-size', 'font-style', 'font-weight'],
  ...['font-variant', 'font-stretch', 'text-anchor', 'text-decoration', 'dominant-baseline', 'direction'],
  ...[
    'alignment-baseline',
    'baseline-shift',
    'letter-spacing',
    'word-spacing',
    'writing-mode',
    'paint-order',
  ],
  ...[
    'vector-effect',
    'shape-rendering',
    'text-rendering',
    'color-interpolation',
    'isolation',
    'mix-blend-mode',
  ],
]);

/** Properties that may name another element of the same file. */
const referringProperties: ReadonlySet<string> = new Set([
  ...['fill', 'stroke', 'clip-path', 'mask', 'marker-start', 'marker-mid', 'marker-end'],
]);

/** A value longer than this is left out: looking at it would hold the event loop. */
const VALUE_MAX_LENGTH = 1_000_000;
const SHORT_MAX_LENGTH = 2000;
const PLAIN = /^[\w\s.,+\-%()#]*$/;
const FUNCTION_NAME = /([a-z]{1,12})\s?$/i;
/** Looked back for the name of a function. */
const NAME_WINDOW = 14;
const FUNCTIONS: ReadonlySet<string> = new Set([
  ...['rgb', 'rgba', 'hsl', 'hsla'],
  ...[
    'matrix',
    'translate',
    'translatex',
    'translatey',
    'scale',
    'scalex',
    'scaley',
    'rotate',
    'skewx',
    'skewy',
  ],
]);
const FONTS = /^(?:[\p{L}\p{N}\s,._-]|"[\p{L}\p{N}\s,._-]*"|'[\p{L}\p{N}\s,._-]*')*$/u;
const ID = /^[\p{L}\p{N}_.:-]{1,200}$/u;
const URL =
  /^url\(\s*(["']?)#([\p{L}\p{N}_.:-]{1,200})\1\s*\)(?:\s+(none|currentcolor|#[0-9a-f]{3,8}|[a-z]{3,20}))?$/iu;

/** A value as it may be written, and the element it refers to. */
export interface CleanValue {
  readonly value: string;
  /** Id of the element; null: none. */
  readonly target: string | null;
}

/** The value of a property of style; null when the property or the value is not to be kept. */
export function cleanProperty(name: string, value: string): CleanValue | null {
  const text = value.trim();
  if (text.length > SHORT_MAX_LENGTH) return null;
  if (name === 'font-family') return FONTS.test(text) ? { value: text, target: null } : null;
  if (referringProperties.has(name)) return cleanReference(text) ?? cleanPlain(text);
  return plainProperties.has(name) ? cleanPlain(text) : null;
}

/** The value of an attribute other than `style` and `class`; null when it is not to be kept. */
export function cleanAttribute(name: string, value: string): CleanValue | null {
  if (name === 'id') return ID.test(value) ? { value, target: null } : null;
  if (name === 'href') return cleanHref(value.trim());
  if (!plainAttributes.has(name)) return cleanProperty(name, value);
  return value.length > VALUE_MAX_LENGTH ? null : cleanPlain(value.trim());
}

/** The names in a `class` that may be written. */
export function cleanClasses(value: string): readonly string[] {
  return value.length > SHORT_MAX_LENGTH ? [] : value.split(/\s+/).filter((name) => CLASS.test(name));
}

/** A class name that needs no escaping in a selector. */
const CLASS = /^[A-Za-z_][\w-]{0,199}$/;

/** A selector that is one class: `.wall` → `wall`. */
export function classOfSelector(selector: string): string | null {
  const name = selector.startsWith('.') ? selector.slice(1) : '';
  return CLASS.test(name) ? name : null;
}

function cleanHref(value: string): CleanValue | null {
  const target = value.slice(1);
  return value.startsWith('#') && ID.test(target) ? { value, target } : null;
}

function cleanReference(value: string): CleanValue | null {
  const [, , target, fallback] = URL.exec(value) ?? [];
  if (target === undefined) return null;
  return { value: `url(#${target})${fallback === undefined ? '' : ` ${fallback}`}`, target };
}

function cleanPlain(value: string): CleanValue | null {
  if (!PLAIN.test(value)) return null;
  for (let at = value.indexOf('('); at >= 0; at = value.indexOf('(', at + 1)) {
    const [, name = ''] = FUNCTION_NAME.exec(value.slice(Math.max(0, at - NAME_WINDOW), at)) ?? [];
    if (!FUNCTIONS.has(name.toLowerCase())) return null;
  }
  return { value, target: null };
}
