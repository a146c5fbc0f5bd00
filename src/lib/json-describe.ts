const SHOWN_MAX = 40;
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

/**
 * What a parsed JSON value is, for a message to people: numbers, booleans and null as they are, text in quotes and cut
 * after 40 characters, `a list`, `an object`; `missing` for undefined. Always one printable line.
 */
export function describeJson(value: unknown): string {
  if (value === undefined) return 'missing';
  if (typeof value === 'string') return oneLine(JSON.stringify(cutText(value, SHOWN_MAX)), 8 * SHOWN_MAX);
  if (typeof value !== 'object') return String(value);
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : 'an object';
}

/** The text on one line, control and format characters written as `\uXXXX`, cut to `max` characters. */
export function oneLine(text: string, max: number): string {
  return cutText(cutText(text, max).replace(UNPRINTABLE, escapeUnits), max);
}

/** At most `max` characters of the text, `…` in the place of the rest; never half of a surrogate pair. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  const last = text.charCodeAt(max - 2);
  const splitsPair = last >= 0xd800 && last <= 0xdbff;
  return `${text.slice(0, splitsPair ? max - 2 : max - 1)}…`;
}

function escapeUnits(unprintable: string): string {
  let escaped = '';
  for (let at = 0; at < unprintable.length; at++) {
    escaped += `\\u${unprintable.charCodeAt(at).toString(16).padStart(4, '0')}`;
  }
  return escaped;
}
