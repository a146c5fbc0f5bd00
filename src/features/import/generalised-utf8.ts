import { isUtf8 } from 'node:buffer';

/**
 * UTF-8 that can also carry half a surrogate pair, each as the three bytes its number would have. A value cut in the
 * middle of an emoji is such a text, and an export that replaced it would not be lossless.
 */
export function encodeText(text: string): Buffer {
  const parts = text.split(/(\p{Surrogate})/u);
  // What was split at stands at the odd places.
  return Buffer.concat(
    parts.map((part, i) => (i % 2 === 1 ? encodeHalf(part.charCodeAt(0)) : Buffer.from(part))),
  );
}

/** The text of bytes held in a `latin1` string, one character a byte; null when they are no UTF-8. */
export function decodeText(bytes: string): string | null {
  if (!NOT_ASCII.test(bytes)) return bytes;
  const raw = Buffer.from(bytes, 'latin1');
  if (isUtf8(raw)) return raw.toString('utf8');
  // 0xED is never inside a character, so that these three bytes can't be parts of others.
  const parts = bytes.split(/(\xed[\xa0-\xbf][\x80-\xbf])/);
  const texts = parts.map((part, i) => (i % 2 === 1 ? decodeHalf(part) : decodeStrict(part)));
  return texts.includes(null) ? null : texts.join('');
}

const NOT_ASCII = /[\x80-\xff]/;

function encodeHalf(unit: number): Buffer {
  return Buffer.from([0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f)]);
}

function decodeHalf(bytes: string): string {
  const [, second = 0, third = 0] = Buffer.from(bytes, 'latin1');
  return String.fromCharCode(0xd000 | ((second & 0x3f) << 6) | (third & 0x3f));
}

function decodeStrict(bytes: string): string | null {
  const raw = Buffer.from(bytes, 'latin1');
  return isUtf8(raw) ? raw.toString('utf8') : null;
}
