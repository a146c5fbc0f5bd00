/** What a field holds on a tag: typed by what was written (see `typeValue`). */
export type Value = string | number | boolean;

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['yes', true],
  ['false', false],
  ['no', false],
]);

const NUMBER = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
const ZERO = 48;

/**
 * The value a text stands for: true/yes/false/no in any case are booleans; a decimal number that a double holds exactly as
 * written (apart from trailing zeros and exponent notation) is a number; everything else is the text as sent, untrimmed.
 * Null: only blanks, which is no value at all.
 */
export function typeValue(text: string): Value | null {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  return BOOLEANS.get(trimmed.toLowerCase()) ?? numberOf(trimmed) ?? text;
}

/** A value as lists, exports and searches show it. Typing the text again gives the same value. */
export function textOf(value: Value): string {
  return String(value);
}

function numberOf(text: string): number | null {
  const written = decimalOf(text);
  const number = Number(text);
  if (written === null || !Number.isFinite(number)) return null;
  // -0 prints as 0, which is another text.
  if (Object.is(number, -0)) return null;
  const printed = decimalOf(String(number));
  return printed === written ? number : null;
}

/** A decimal number in one form: sign, digits without zeros at either end, exponent. Null: none. */
function decimalOf(text: string): string | null {
  const match = NUMBER.exec(text);
  if (!match) return null;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = withoutEndZeros(digits);
  if (significant === '') return '0';
  const power = Number(exponent) - fraction.length + (digits.length - significant.length);
  return `${sign}${significant}e${power}`;
}

// By hand: a pattern that looks for zeros at the end takes quadratic time over zeros in the middle.
function withoutEndZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits.charCodeAt(end - 1) === ZERO) end--;
  return digits.slice(0, end);
}
